// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/norm_rms.hpp"

#include "impl/cuda/engine/norm.hpp"

namespace impl::cuda {

namespace {

uint32_t leading(int first) { return (1u << first) - 1; }

NormSets rows_of(const TensorView& input, int first) {
  return {input.shape, ((1u << input.ndim()) - 1) & ~leading(first)};
}

NormCall call_of(const TensorView& out, const TensorView& input, int first, double eps) {
  NormCall call;
  call.sets = rows_of(input, first);
  call.out = out;
  call.input = input;
  call.eps = eps;
  call.centred = false;
  return call;
}

}  // namespace

Status run_rms_norm(diopiContextHandle_t ctx, const RmsNormProblem& p) {
  NormCall call = call_of(p.out, p.input, p.first, p.eps);
  call.weight = RowInput(p.weight, 1);
  call.bias = RowInput(p.bias, 0);
  if (p.inv_rms != nullptr) call.invstd = *p.inv_rms;
  return normalize_sets(ctx, call);
}

Status run_rms_norm_backward(diopiContextHandle_t ctx, const RmsNormBackwardProblem& p) {
  NormGradientCall call;
  call.sets = rows_of(p.input, p.first);
  call.grad_output = p.grad_output;
  call.input = p.input;
  call.mean = RowInput(0.0);
  call.invstd = p.inv_rms;
  call.weight = RowInput(p.weight, 1);
  call.centred = false;
  call.weight_mask = leading(p.first);
  call.grad_input = p.grad_input;
  call.grad_weight = p.grad_weight;
  call.grad_bias = p.grad_bias;
  return norm_gradients(ctx, call);
}

Status run_add_rms_norm(diopiContextHandle_t ctx, const AddRmsNormProblem& p) {
  PointwiseCall add;
  add.shape = p.residual.shape;
  add.in[0] = p.residual;
  add.in[1] = p.inout;
  add.in[2] = RowInput(p.bias, -0.0);
  add.out[0] = p.residual;
  DIOPI_TRY(pointwise_add(ctx, add));
  NormCall call = call_of(p.inout, p.residual, 1, p.eps);
  call.weight = p.scale;
  return normalize_sets(ctx, call);
}

}  // namespace impl::cuda
