// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/norm_layer.hpp"

#include "impl/cuda/engine/norm.hpp"

namespace impl::cuda {

namespace {

uint32_t leading(int first) { return (1u << first) - 1; }

NormSets rows_of(const TensorView& input, int first) {
  return {input.shape, ((1u << input.ndim()) - 1) & ~leading(first)};
}

}  // namespace

Status run_layer_norm(diopiContextHandle_t ctx, const LayerNormProblem& p) {
  NormCall call;
  call.sets = rows_of(p.input, p.first);
  call.out = p.out;
  call.input = p.input;
  call.weight = RowInput(p.weight, 1);
  call.bias = RowInput(p.bias, 0);
  call.mean = p.mean;
  call.invstd = p.invstd;
  call.eps = p.eps;
  return normalize_sets(ctx, call);
}

Status run_layer_norm_backward(diopiContextHandle_t ctx, const LayerNormBackwardProblem& p) {
  NormGradientCall call;
  call.sets = rows_of(p.input, p.first);
  call.grad_output = p.grad_output;
  call.input = p.input;
  call.mean = p.mean;
  call.invstd = p.invstd;
  call.weight = RowInput(p.weight, 1);
  call.weight_mask = leading(p.first);
  call.grad_input = p.grad_input;
  call.grad_weight = p.grad_weight;
  call.grad_bias = p.grad_bias;
  return norm_gradients(ctx, call);
}

}  // namespace impl::cuda
