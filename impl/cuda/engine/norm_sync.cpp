// SPDX-License-Identifier: BSD-3-Clause
// The steps of synchronised batch normalisation.
#include "impl/common/engine/norm_sync.hpp"

#include "impl/common/engine/fill.hpp"
#include "impl/cuda/engine/channels.hpp"
#include "impl/cuda/kernels/norm/norm_sync.hpp"
#include "impl/cuda/kernels/reduce/reduce.hpp"

namespace impl::cuda {

namespace {

Status fill_number(diopiContextHandle_t ctx, const TensorView* view, double value) {
  if (view == nullptr) return diopiSuccess;
  diopiScalar_t number{};
  number.stype = diopi_dtype_float64;
  number.fval = value;
  return fill(ctx, *view, number);
}

ChannelGradientCall gradient_call(const ChannelGradientProblem& p) {
  ChannelGradientCall call{};
  call.grad_output = &p.grad_output;
  call.input = &p.input;
  call.weight = p.weight;
  call.mean = p.mean;
  call.spread = &p.invstd;
  call.kind = p.is_std ? Spread::kDeviation : Spread::kInverse;
  call.given_dy = &p.sum_dy;
  call.given_dy_xmu = &p.sum_dy_xmu;
  call.counts = p.counts;
  call.normal = p.is_std;
  call.grad_input = &p.grad_input;
  return call;
}

}  // namespace

Status run_channel_moments(diopiContextHandle_t ctx, const ChannelMomentsProblem& p) {
  if (p.input.numel == 0) {
    for (const TensorView* view : {p.mean, p.variance, p.invstd}) DIOPI_TRY(fill_number(ctx, view, p.of_nothing));
    return diopiSuccess;
  }
  bool done = false;
  if (p.centre == nullptr && p.variance == nullptr) {
    ChannelNormCall call{};
    call.input = &p.input;
    call.save_mean = p.mean;
    call.save_invstd = p.invstd;
    call.eps = p.eps;
    DIOPI_TRY(normalize_channels(ctx, call, &done));
  }
  if (done) return diopiSuccess;
  FoldCall fold = fold_channels(p.input);
  fold.in[0] = p.input;
  TensorView mean, variance;
  if (p.centre != nullptr) {
    DIOPI_TRY(make_channels(ctx, p.input, &mean));
    DIOPI_TRY(make_channels(ctx, p.input, &variance));
    fold.out[2] = mean;
    fold.out[3] = variance;
  } else if (p.variance != nullptr) {
    fold.out[3] = *p.variance;
  }
  if (p.mean != nullptr) fold.out[0] = *p.mean;
  if (p.invstd != nullptr) fold.out[1] = *p.invstd;
  const MomentParams params{
      0, p.eps, {MomentResult::kMean, MomentResult::kInverse, MomentResult::kMean, MomentResult::kVariance}};
  DIOPI_TRY(fold_moments(ctx, params, fold));
  if (p.centre == nullptr || p.variance == nullptr) return diopiSuccess;
  PointwiseCall call;
  call.shape = p.variance->shape;
  call.in[0] = variance;
  call.in[1] = mean;
  call.in[2] = *p.centre;
  call.out[0] = *p.variance;
  return pointwise_move_centre(ctx, call);
}

Status run_gather_statistics(diopiContextHandle_t ctx, const GatherStatisticsProblem& p) {
  return gather_statistics(ctx, p);
}

Status run_channel_scale(diopiContextHandle_t ctx, const ChannelScaleProblem& p) {
  ChannelNormCall call{};
  call.input = &p.input;
  call.out = &p.out;
  call.weight = p.weight;
  call.bias = p.bias;
  call.mean = &p.mean;
  call.spread = &p.invstd;
  call.kind = Spread::kInverse;
  return norm_channels(ctx, call);
}

Status run_channel_gradient_sums(diopiContextHandle_t ctx, const ChannelGradientSumsProblem& p) {
  bool done = false;
  ChannelGradientCall call{};
  call.grad_output = &p.grad_output;
  call.input = &p.input;
  call.mean = p.mean;
  call.spread = p.invstd;
  call.kind = Spread::kInverse;
  call.grad_weight = p.grad_weight;
  call.grad_bias = p.grad_bias;
  call.sum_dy = p.sum_dy;
  call.sum_dy_xmu = p.sum_dy_xmu;
  DIOPI_TRY(channel_gradients(ctx, call, &done));
  if (done) return diopiSuccess;
  FoldCall fold = fold_channels(p.input);
  fold.in[0] = p.grad_output;
  fold.in[1] = RowInput(1.0);
  fold.in[2] = p.input;
  fold.in[3] = per_channel(p.mean, 0, p.input);
  fold.in[4] = RowInput(1.0);
  TensorView sum_dy, sum_dy_xmu;
  DIOPI_TRY(make_channels(ctx, p.input, &sum_dy));
  DIOPI_TRY(make_channels(ctx, p.input, &sum_dy_xmu));
  fold.out[0] = sum_dy;
  fold.out[1] = sum_dy_xmu;
  DIOPI_TRY(fold_gradients(ctx, fold));
  for (const TensorView* view : {p.sum_dy, p.grad_bias}) {
    if (view != nullptr) DIOPI_TRY(copy_values(ctx, *view, sum_dy));
  }
  if (p.sum_dy_xmu != nullptr) DIOPI_TRY(copy_values(ctx, *p.sum_dy_xmu, sum_dy_xmu));
  if (p.grad_weight == nullptr) return diopiSuccess;
  return normalize(ctx, *p.grad_weight, sum_dy_xmu, RowInput(0.0), RowInput(p.invstd, 1), RowInput(1.0), RowInput(0.0));
}

Status run_channel_gradient(diopiContextHandle_t ctx, const ChannelGradientProblem& p) {
  bool done = false;
  DIOPI_TRY(channel_gradients(ctx, gradient_call(p), &done));
  if (done) return diopiSuccess;
  PointwiseCall call;
  call.shape = p.input.shape;
  call.in[0] = p.grad_output;
  call.in[1] = p.input;
  call.in[2] = per_channel(p.mean, 0, p.input);
  call.in[3] = per_channel(p.invstd, p.input);
  call.in[4] = per_channel(p.weight, 1, p.input);
  call.in[5] = per_channel(p.sum_dy, p.input);
  call.in[6] = per_channel(p.sum_dy_xmu, p.input);
  call.out[0] = p.grad_input;
  if (p.input.numel == 0) return diopiSuccess;
  TensorView count;
  if (p.counts != nullptr) {
    DIOPI_TRY(diopi::make_temporary(ctx, Dims(), diopi_dtype_float64, "count", &count));
    FoldCall fold;
    fold.shape = p.counts->shape;
    fold.mask = (1u << p.counts->ndim()) - 1;
    fold.in[0] = *p.counts;
    fold.out[0] = count;
    DIOPI_TRY(fold_sum(ctx, diopi::ReduceOp::kSum, diopi_dtype_float64, fold));
    call.in[7] = count;
  } else {
    call.in[7] = RowInput(static_cast<double>(p.input.numel / p.input.shape[1]));
  }
  return pointwise_channel_gradient(ctx, p.is_std, call);
}

Status run_sync_norm(diopiContextHandle_t ctx, const SyncNormProblem& p) {
  const double n = static_cast<double>(p.input.shape[0] * p.input.shape[2]) * p.groups;
  PointwiseCall scale;
  scale.shape = p.input.shape;
  scale.in[0] = p.input;
  scale.in[1] = per_channel(p.mean, p.input);
  scale.in[2] = per_channel(p.variance, p.input);
  scale.in[3] = per_channel(p.weight, p.input);
  scale.in[4] = per_channel(p.bias, p.input);
  scale.out[0] = p.norm;
  scale.out[1] = p.out;
  PointwiseCall update;
  update.shape = p.std.shape;
  update.in[0] = p.mean;
  update.in[1] = p.variance;
  update.in[2] = p.running_mean;
  update.in[3] = p.running_var;
  update.out[0] = p.running_mean;
  update.out[1] = p.running_var;
  update.out[2] = p.std;
  DIOPI_TRY(pointwise_sync_norm(ctx, p.eps, scale));
  return pointwise_sync_update(ctx, {p.eps, p.momentum, n}, update);
}

}  // namespace impl::cuda
