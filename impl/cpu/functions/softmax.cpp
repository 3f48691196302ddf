// SPDX-License-Identifier: BSD-3-Clause
// Softmax and LogSoftmax along one dimension, and their backwards.
#include <diopi/functions.h>

#include "impl/common/shape.hpp"
#include "impl/cpu/functions/asked_dtype.hpp"
#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/softmax/softmax.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

// Runs `op` along `dim`. A 0-d tensor is a row of one element. If all tensors have `dtype`, the kernel uses that dtype,
// otherwise the compute dtype.
Status run_along(diopiContextHandle_t ctx, SoftmaxOp op, const TensorView& out, const TensorView* in, int num_inputs,
                 int axis, diopiDtype_t dtype) {
  const bool uniform = out.dtype == dtype && in[0].dtype == dtype && in[num_inputs - 1].dtype == dtype;
  const diopiDtype_t compute = uniform ? dtype : diopi::compute_dtype(dtype);
  RowKernel kernel;
  kernel.fn = softmax_kernel(op, compute);
  if (kernel.fn == nullptr) return unsupported_dtype(dtype, {&in[0], num_inputs > 1 ? &in[1] : &out});
  kernel.columns = softmax_columns_kernel(op, compute);
  if (op == SoftmaxOp::kSoftmaxBackward) kernel.cost /= 2;  // without exponentials
  kernel.num_inputs = num_inputs;
  kernel.in[0] = kernel.in[1] = kernel.out[0] = compute;
  if (in[0].ndim() > 0) return run_rows(ctx, kernel, in[0].shape, 1u << axis, &out, in);
  const TensorView o = out.unsqueeze(0), row[] = {in[0].unsqueeze(0), in[num_inputs - 1].unsqueeze(0)};
  return run_rows(ctx, kernel, o.shape, 1, &o, row);
}

// Views the real parts of a complex tensor.
TensorView real_parts(const TensorView& view) {
  TensorView real = view;
  real.dtype = view.dtype == diopi_dtype_complex128 ? diopi_dtype_float64 : diopi_dtype_float32;
  for (int d = 0; d < view.ndim(); ++d) real.stride[d] *= 2;
  return real;
}

Status forward(diopiContextHandle_t ctx, SoftmaxOp op, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
               int64_t dim) {
  TensorView o, in;
  int axis = 0;
  DIOPI_TRY(read_tensor(input, "input", &in));
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_TRY(diopi::wrap_dim(dim, in, "dim", &axis));
  DIOPI_TRY(diopi::require_result_shape(&o, in));
  DIOPI_TRY(require_floating(o));
  // The elements are converted to the dtype of out first, as `dtype=` does in PyTorch. Complex numbers lose their
  // imaginary parts. If the dtype of out holds all elements of the input, the kernel converts them while it reads.
  if (diopi::is_complex(in.dtype)) in = real_parts(in);
  if (diopi::promote_types(in.dtype, o.dtype) != o.dtype) DIOPI_TRY(convert_to_asked(ctx, o.dtype, &in));
  return run_along(ctx, op, o, &in, 1, axis, o.dtype);
}

Status backward(diopiContextHandle_t ctx, SoftmaxOp op, diopiTensorHandle_t grad_input,
                diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t output, int64_t dim) {
  TensorView o, in[2];
  int axis = 0;
  DIOPI_TRY(read_tensor(grad_output, "grad_output", &in[0]));
  DIOPI_TRY(read_tensor(output, "output", &in[1]));
  DIOPI_TRY(read_tensor(grad_input, "grad_input", &o));
  DIOPI_TRY(diopi::wrap_dim(dim, in[0], "dim", &axis));
  diopi::drop_dim_of_number(&in[0], in[1].shape);
  DIOPI_TRY(diopi::require_same_shape(in[1], in[0]));
  DIOPI_TRY(diopi::require_result_shape(&o, in[0]));
  for (const TensorView* view : {&in[0], &in[1], &o}) DIOPI_TRY(require_floating(*view));
  const diopiDtype_t dtype = diopi::promote_types(in[0].dtype, in[1].dtype);
  return run_along(ctx, op, o, in, 2, axis, dtype);
}

}  // namespace

diopiError_t diopiSoftmax(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          int64_t dim) {
  return forward(ctx, SoftmaxOp::kSoftmax, out, input, dim);
}

diopiError_t diopiLogSoftmax(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                             int64_t dim) {
  return forward(ctx, SoftmaxOp::kLogSoftmax, out, input, dim);
}

diopiError_t diopiSoftmaxBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                  diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t output, int64_t dim) {
  return backward(ctx, SoftmaxOp::kSoftmaxBackward, grad_input, grad_output, output, dim);
}

diopiError_t diopiLogSoftmaxBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                     diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t output,
                                     int64_t dim) {
  return backward(ctx, SoftmaxOp::kLogSoftmaxBackward, grad_input, grad_output, output, dim);
}

}  // namespace impl::cpu
