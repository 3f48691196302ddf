// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/norm_batch.hpp"

#include "impl/cuda/engine/channels.hpp"

namespace impl::cuda {

namespace {

ChannelNormCall call_of(const BatchNormProblem& p) {
  ChannelNormCall call{};
  call.input = &p.input;
  call.out = &p.out;
  call.weight = p.weight;
  call.bias = p.bias;
  call.kind = Spread::kVariance;
  (p.training ? call.running_mean : call.mean) = p.running_mean;
  (p.training ? call.running_var : call.spread) = p.running_var;
  call.save_mean = p.training ? p.save_mean : nullptr;
  call.save_invstd = p.training ? p.save_invstd : nullptr;
  call.momentum = p.momentum;
  call.eps = p.eps;
  return call;
}

ChannelGradientCall call_of(const BatchNormBackwardProblem& p) {
  ChannelGradientCall call{};
  call.grad_output = &p.grad_output;
  call.input = &p.input;
  call.weight = p.weight;
  call.mean = &p.mean;
  call.spread = &p.invstd;
  call.kind = p.training ? Spread::kInverse : Spread::kVariance;
  call.fixed = !p.training;
  call.grad_input = p.grad_input;
  call.grad_weight = p.grad_weight;
  call.grad_bias = p.grad_bias;
  call.eps = p.eps;
  return call;
}

}  // namespace

Status run_batch_norm(diopiContextHandle_t ctx, const BatchNormProblem& p) { return norm_channels(ctx, call_of(p)); }

Status run_batch_norm_backward(diopiContextHandle_t ctx, const BatchNormBackwardProblem& p) {
  bool done = false;
  DIOPI_TRY(channel_gradients(ctx, call_of(p), &done));
  if (done) return diopiSuccess;
  TensorView invstd = p.invstd;
  if (!p.training) DIOPI_TRY(invert_deviation(ctx, p.invstd, p.eps, &invstd));
  const FoldCall channels = fold_channels(p.input);
  NormGradientCall call;
  call.sets = {channels.shape, channels.mask};
  call.grad_output = p.grad_output;
  call.input = p.input;
  call.mean = per_channel(p.mean, p.input);
  call.invstd = per_channel(invstd, p.input);
  call.weight = per_channel(p.weight, 1, p.input);
  call.weight_mask = channels.mask;
  call.grad_input = p.training ? p.grad_input : nullptr;
  call.grad_weight = p.grad_weight;
  call.grad_bias = p.grad_bias;
  DIOPI_TRY(norm_gradients(ctx, call));
  if (p.training || p.grad_input == nullptr) return diopiSuccess;
  // Statistics that do not depend on the input: the gradient is grad_output * invstd * weight.
  return normalize(ctx, *p.grad_input, p.grad_output, RowInput(0.0), call.invstd, call.weight, RowInput(0.0));
}

}  // namespace impl::cuda
