// SPDX-License-Identifier: BSD-3-Clause
// Element-wise comparisons with a bool result, and Maximum, Minimum.
#include <diopi/functions.h>

#include "impl/cpu/functions/operands.hpp"

namespace impl::cpu {

using diopi::read_tensor;
using diopi::ResultType;

namespace {

// `swapped` computes op(other, input): a > b is the same as b < a.
Status compare(diopiContextHandle_t ctx, BinaryOp op, bool swapped, diopiTensorHandle_t out, const char* out_name,
               diopiConstTensorHandle_t input, diopiConstTensorHandle_t other) {
  TensorView o, a, b;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(other, "other", &b));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  const diopiDtype_t promoted = ResultType().tensor(a.dtype, a.ndim()).tensor(b.dtype, b.ndim()).get();
  return swapped ? call_binary(ctx, op, o, b, a, promoted) : call_binary(ctx, op, o, a, b, promoted);
}

Status compare_scalar(diopiContextHandle_t ctx, BinaryOp op, bool swapped, diopiTensorHandle_t out,
                      const char* out_name, diopiConstTensorHandle_t input, const diopiScalar_t* other) {
  TensorView o, a;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  const diopiDtype_t promoted = ResultType().tensor(a.dtype, a.ndim()).scalar(*other).get();
  const ScalarOperand b(*other, promoted, "other");
  return swapped ? call_binary(ctx, op, o, b.view(), a, promoted) : call_binary(ctx, op, o, a, b.view(), promoted);
}

}  // namespace

diopiError_t diopiEq(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                     diopiConstTensorHandle_t other) {
  return compare(ctx, BinaryOp::kEq, false, out, "out", input, other);
}

diopiError_t diopiEqInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other) {
  return compare(ctx, BinaryOp::kEq, false, input, "input", input, other);
}

diopiError_t diopiEqScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                           const diopiScalar_t* other) {
  return compare_scalar(ctx, BinaryOp::kEq, false, out, "out", input, other);
}

diopiError_t diopiEqInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* other) {
  return compare_scalar(ctx, BinaryOp::kEq, false, input, "input", input, other);
}

diopiError_t diopiNe(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                     diopiConstTensorHandle_t other) {
  return compare(ctx, BinaryOp::kNe, false, out, "out", input, other);
}

diopiError_t diopiNeInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other) {
  return compare(ctx, BinaryOp::kNe, false, input, "input", input, other);
}

diopiError_t diopiNeScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                           const diopiScalar_t* other) {
  return compare_scalar(ctx, BinaryOp::kNe, false, out, "out", input, other);
}

diopiError_t diopiNeInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* other) {
  return compare_scalar(ctx, BinaryOp::kNe, false, input, "input", input, other);
}

diopiError_t diopiGe(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                     diopiConstTensorHandle_t other) {
  return compare(ctx, BinaryOp::kLe, true, out, "out", input, other);
}

diopiError_t diopiGeInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other) {
  return compare(ctx, BinaryOp::kLe, true, input, "input", input, other);
}

diopiError_t diopiGeScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                           const diopiScalar_t* other) {
  return compare_scalar(ctx, BinaryOp::kLe, true, out, "out", input, other);
}

diopiError_t diopiGeInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* other) {
  return compare_scalar(ctx, BinaryOp::kLe, true, input, "input", input, other);
}

diopiError_t diopiGt(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                     diopiConstTensorHandle_t other) {
  return compare(ctx, BinaryOp::kLt, true, out, "out", input, other);
}

diopiError_t diopiGtInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other) {
  return compare(ctx, BinaryOp::kLt, true, input, "input", input, other);
}

diopiError_t diopiGtScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                           const diopiScalar_t* other) {
  return compare_scalar(ctx, BinaryOp::kLt, true, out, "out", input, other);
}

diopiError_t diopiGtInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* other) {
  return compare_scalar(ctx, BinaryOp::kLt, true, input, "input", input, other);
}

diopiError_t diopiLe(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                     diopiConstTensorHandle_t other) {
  return compare(ctx, BinaryOp::kLe, false, out, "out", input, other);
}

diopiError_t diopiLeInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other) {
  return compare(ctx, BinaryOp::kLe, false, input, "input", input, other);
}

diopiError_t diopiLeScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                           const diopiScalar_t* other) {
  return compare_scalar(ctx, BinaryOp::kLe, false, out, "out", input, other);
}

diopiError_t diopiLeInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* other) {
  return compare_scalar(ctx, BinaryOp::kLe, false, input, "input", input, other);
}

diopiError_t diopiLt(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                     diopiConstTensorHandle_t other) {
  return compare(ctx, BinaryOp::kLt, false, out, "out", input, other);
}

diopiError_t diopiLtInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other) {
  return compare(ctx, BinaryOp::kLt, false, input, "input", input, other);
}

diopiError_t diopiLtScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                           const diopiScalar_t* other) {
  return compare_scalar(ctx, BinaryOp::kLt, false, out, "out", input, other);
}

diopiError_t diopiLtInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* other) {
  return compare_scalar(ctx, BinaryOp::kLt, false, input, "input", input, other);
}

diopiError_t diopiMaximum(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          diopiConstTensorHandle_t other) {
  return compare(ctx, BinaryOp::kMaximum, false, out, "out", input, other);
}

diopiError_t diopiMinimum(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          diopiConstTensorHandle_t other) {
  return compare(ctx, BinaryOp::kMinimum, false, out, "out", input, other);
}

// Only NaN differs from itself.
diopiError_t diopiIsNan(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return compare(ctx, BinaryOp::kNe, false, out, "out", input, input);
}

}  // namespace impl::cpu
