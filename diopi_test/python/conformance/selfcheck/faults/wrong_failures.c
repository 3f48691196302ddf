/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults that affect only calls in which a function of the runtime fails. */
#include "wrong.h"

diopiError_t diopiMul(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other) {
  diopiError_t code = diopiSuccess;
  if (FAULT("runtime_failure_without_message") && other != NULL) {
    diopiSize_t shape;
    code = diopiGetTensorShape(other, &shape);
  }
  if (FAULT("failing_accessor_ignored") && other != NULL) {
    int64_t numel = -1;
    diopiGetTensorNumel(other, &numel);
    if (numel < 0) return diopiSuccess;
  }
  if (code == diopiSuccess) code = RIGHT(diopiMul)(ctx, out, input, other);
  if (FAULT("memory_taken_after_writing") && code == diopiSuccess) {
    diopiTensorHandle_t buffer = NULL;
    code = diopiRequireBuffer(ctx, &buffer, 64, diopi_device);
  }
  return code;
}
