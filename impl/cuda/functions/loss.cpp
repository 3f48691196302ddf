// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/loss.hpp"

#include "impl/cuda/kernels/loss/loss.hpp"

namespace impl::cuda {

namespace {

bool is_wide(const LossCall& call) { return call.promoted == diopi_dtype_float64; }

}  // namespace

Status run_loss(diopiContextHandle_t ctx, LossOp op, const TensorView& out, const LossCall& call, const Dims& shape,
                diopiReduction_t reduction) {
  DIOPI_TRY(diopi::require_writable(out));
  if (reduction == ReductionNone) {
    PointwiseCall pointwise;
    pointwise.shape = shape;
    for (int k = 0; k < call.num_inputs; ++k) pointwise.in[k] = call.in[k];
    pointwise.out[0] = out;
    return pointwise_loss(ctx, op, is_wide(call), call.params, pointwise);
  }
  FoldCall fold;
  fold.shape = shape;
  fold.mask = (1u << shape.n) - 1;
  for (int k = 0; k < call.num_inputs; ++k) fold.in[k] = call.in[k];
  fold.out[0] = out;
  return fold_loss(ctx, op, is_wide(call), call.params, reduction == ReductionMean, fold);
}

Status run_loss_backward(diopiContextHandle_t ctx, LossOp op, const TensorView& grad_input, const LossCall& call) {
  DIOPI_TRY(diopi::require_writable(grad_input));
  PointwiseCall pointwise;
  pointwise.shape = grad_input.shape;
  for (int k = 0; k < call.num_inputs; ++k) pointwise.in[k] = call.in[k];
  pointwise.out[0] = grad_input;
  return pointwise_loss(ctx, op, is_wide(call), call.params, pointwise);
}

}  // namespace impl::cuda
