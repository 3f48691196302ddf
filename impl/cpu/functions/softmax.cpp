// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/softmax.hpp"

#include "impl/common/unsupported.hpp"
#include "impl/cpu/softmax/softmax.hpp"

namespace impl::cpu {

// If all tensors have `dtype`, the kernel uses that dtype, otherwise the compute dtype.
Status run_softmax(diopiContextHandle_t ctx, SoftmaxOp op, const TensorView& out, const TensorView* in, int dim,
                   diopiDtype_t dtype) {
  const bool is_gradient = op == SoftmaxOp::kSoftmaxBackward || op == SoftmaxOp::kLogSoftmaxBackward;
  const int num_inputs = is_gradient ? 2 : 1;
  const bool uniform = out.dtype == dtype && in[0].dtype == dtype && in[num_inputs - 1].dtype == dtype;
  const diopiDtype_t compute = uniform ? dtype : diopi::compute_dtype(dtype);
  RowKernel kernel;
  kernel.fn = softmax_kernel(op, compute);
  if (kernel.fn == nullptr) return diopi::unsupported_dtype(dtype, {&in[0], is_gradient ? &in[1] : &out});
  kernel.rows = softmax_rows_kernel(op, compute);
  kernel.most_of_rows = softmax_short_row(op);
  kernel.columns = softmax_columns_kernel(op, compute);
  if (op == SoftmaxOp::kSoftmaxBackward) kernel.cost /= 2;  // without exponentials
  kernel.num_inputs = num_inputs;
  kernel.in[0] = kernel.in[1] = kernel.out[0] = compute;
  return run_rows(ctx, kernel, in[0].shape, 1u << dim, &out, in);
}

}  // namespace impl::cpu
