// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/norm.hpp"

#include <cmath>

#include "impl/cuda/kernels/norm/norm.hpp"
#include "impl/cuda/kernels/reduce/reduce.hpp"

namespace impl::cuda {

Status run_vector_norm(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, uint32_t mask, double p) {
  DIOPI_TRY(diopi::require_writable(out));
  FoldCall fold;
  fold.shape = in.shape;
  fold.mask = mask;
  fold.in[0] = in;
  fold.out[0] = out;
  return fold_norm(ctx, p, fold);
}

Status run_vector_norm_backward(diopiContextHandle_t ctx, const VectorNormBackwardProblem& p) {
  PointwiseCall call;
  call.shape = p.input.shape;
  call.in[0] = p.grad_output;
  call.in[1] = p.input;
  call.in[2] = p.norm;
  call.in[3] = RowInput(1.0);
  call.out[0] = p.grad_input;
  if (std::isinf(p.p) && p.input.numel > 0) {
    TensorView count;
    DIOPI_TRY(diopi::make_temporary(ctx, p.norm.shape, diopi_dtype_float64, "count", &count));
    FoldCall fold;
    fold.shape = p.input.shape;
    fold.mask = p.mask;
    fold.in[0] = p.input;
    fold.in[1] = p.norm;
    fold.out[0] = count;
    DIOPI_TRY(fold_extremes(ctx, fold));
    call.in[3] = count;
  }
  return pointwise_norm_gradient(ctx, p.p, call);
}

}  // namespace impl::cuda
