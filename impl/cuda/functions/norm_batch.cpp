// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/norm_batch.hpp"

#include "impl/common/temporary.hpp"
#include "impl/cuda/engine/channels.hpp"
#include "impl/cuda/kernels/norm/channel_norm.hpp"
#include "impl/cuda/kernels/reduce/reduce.hpp"

namespace impl::cuda {

namespace {

Status update_running(diopiContextHandle_t ctx, const TensorView* running, const TensorView& values, double momentum) {
  if (running == nullptr) return diopiSuccess;
  PointwiseCall call;
  call.shape = running->shape;
  call.in[0] = *running;
  call.in[1] = values;
  call.out[0] = *running;
  return pointwise_running(ctx, momentum, call);
}

// The inverse standard deviations of running variances.
Status inverse_deviation(diopiContextHandle_t ctx, const TensorView& variance, double eps, TensorView* inverse) {
  DIOPI_TRY(diopi::make_temporary(ctx, variance.shape, diopi_dtype_float64, "invstd", inverse));
  PointwiseCall call;
  call.shape = variance.shape;
  call.in[0] = variance;
  call.out[0] = *inverse;
  return pointwise_inverse(ctx, eps, call);
}

Status scale_channels(diopiContextHandle_t ctx, const BatchNormProblem& p, const TensorView& mean,
                      const TensorView& invstd) {
  return normalize(ctx, p.out, p.input, per_channel(mean, p.input), per_channel(invstd, p.input),
                   per_channel(p.weight, 1, p.input), per_channel(p.bias, 0, p.input));
}

Status train(diopiContextHandle_t ctx, const BatchNormProblem& p) {
  TensorView values[3];  // mean, invstd, unbiased variance
  FoldCall fold = fold_channels(p.input);
  fold.in[0] = p.input;
  for (int j = 0; j < 3; ++j) {
    DIOPI_TRY(make_channels(ctx, p.input, &values[j]));
    fold.out[j] = values[j];
  }
  const MomentParams params{1, p.eps, {MomentResult::kMean, MomentResult::kInverse, MomentResult::kVariance}};
  DIOPI_TRY(fold_moments(ctx, params, fold));
  DIOPI_TRY(scale_channels(ctx, p, values[0], values[1]));
  if (p.save_mean != nullptr) DIOPI_TRY(copy_values(ctx, *p.save_mean, values[0]));
  if (p.save_invstd != nullptr) DIOPI_TRY(copy_values(ctx, *p.save_invstd, values[1]));
  DIOPI_TRY(update_running(ctx, p.running_mean, values[0], p.momentum));
  return update_running(ctx, p.running_var, values[2], p.momentum);
}

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

Status run_batch_norm(diopiContextHandle_t ctx, const BatchNormProblem& p) {
  bool done = false;
  DIOPI_TRY(normalize_channels(ctx, call_of(p), &done));
  if (done) return diopiSuccess;
  if (p.training) return train(ctx, p);
  TensorView invstd;
  DIOPI_TRY(inverse_deviation(ctx, *p.running_var, p.eps, &invstd));
  return scale_channels(ctx, p, *p.running_mean, invstd);
}

Status run_batch_norm_backward(diopiContextHandle_t ctx, const BatchNormBackwardProblem& p) {
  bool done = false;
  DIOPI_TRY(channel_gradients(ctx, call_of(p), &done));
  if (done) return diopiSuccess;
  TensorView invstd = p.invstd;
  if (!p.training) DIOPI_TRY(inverse_deviation(ctx, p.invstd, p.eps, &invstd));
  const RowInput mean = per_channel(p.mean, p.input), scale = per_channel(invstd, p.input);
  TensorView mean_g, mean_gh;
  DIOPI_TRY(make_channels(ctx, p.input, &mean_g));
  DIOPI_TRY(make_channels(ctx, p.input, &mean_gh));
  FoldCall fold = fold_channels(p.input);
  fold.in[0] = p.grad_output;
  fold.in[1] = RowInput(1.0);
  fold.in[2] = p.input;
  fold.in[3] = mean;
  fold.in[4] = scale;
  if (p.grad_bias != nullptr) fold.out[0] = *p.grad_bias;
  if (p.grad_weight != nullptr) fold.out[1] = *p.grad_weight;
  fold.out[2] = mean_g;
  fold.out[3] = mean_gh;
  DIOPI_TRY(fold_gradients(ctx, fold));
  if (p.grad_input == nullptr) return diopiSuccess;
  PointwiseCall call;
  call.shape = p.input.shape;
  call.in[0] = p.grad_output;
  call.in[1] = per_channel(p.weight, 1, p.input);
  call.in[2] = p.input;
  call.in[3] = mean;
  call.in[4] = scale;
  call.in[5] = per_channel(mean_g, p.input);
  call.in[6] = per_channel(mean_gh, p.input);
  call.out[0] = *p.grad_input;
  return pointwise_gradient(ctx, p.training ? NormGradient::kWith : NormGradient::kWithout, call);
}

}  // namespace impl::cuda
