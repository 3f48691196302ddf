// SPDX-License-Identifier: BSD-3-Clause
// Cumsum and its gradient.
#include <diopi/functions.h>

#include "impl/common/shape.hpp"
#include "impl/cpu/functions/asked_dtype.hpp"
#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/tensor/cumsum.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

Status cumsum(diopiContextHandle_t ctx, diopiTensorHandle_t out, const char* out_name, diopiConstTensorHandle_t input,
              const char* input_name, int64_t dim, bool reversed) {
  TensorView o, in;
  int axis = 0;
  DIOPI_TRY(read_tensor(input, input_name, &in));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  DIOPI_TRY(diopi::wrap_dim(dim, in, "dim", &axis));
  DIOPI_TRY(diopi::require_result_shape(&o, in));
  DIOPI_TRY(diopi::require_writable(o));
  DIOPI_TRY(convert_to_asked(ctx, o.dtype, &in));
  const diopiDtype_t compute = accumulation_dtype(o.dtype);
  RowKernel kernel;
  kernel.fn = cumsum_kernel(compute, reversed);
  if (kernel.fn == nullptr) return unsupported_dtype(in.dtype, {&in});
  kernel.cost = 1000;
  kernel.num_inputs = 1;
  kernel.in[0] = kernel.out[0] = compute;
  if (in.ndim() == 0) {
    in = in.unsqueeze(0);
    o = o.unsqueeze(0);
  }
  return run_rows(ctx, kernel, in.shape, 1u << axis, &o, &in);
}

}  // namespace

diopiError_t diopiCumsum(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         int64_t dim) {
  return cumsum(ctx, out, "out", input, "input", dim, false);
}

diopiError_t diopiCumsumBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                 diopiConstTensorHandle_t grad_output, int64_t dim) {
  return cumsum(ctx, grad_input, "grad_input", grad_output, "grad_output", dim, true);
}

}  // namespace impl::cpu
