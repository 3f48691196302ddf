// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/engine/channels.hpp"

#include "impl/cuda/kernels/reduce/reduce.hpp"

namespace impl::cuda {

namespace {

Status update_running(diopiContextHandle_t ctx, const TensorView* running, const TensorView& values, double momentum) {
  return running != nullptr ? pointwise_running(ctx, momentum, values, *running) : Status(diopiSuccess);
}

Status scale_channels(diopiContextHandle_t ctx, const ChannelNormCall& call, const TensorView& mean,
                      const TensorView& invstd) {
  const TensorView& input = *call.input;
  return normalize(ctx, *call.out, input, per_channel(mean, input), per_channel(invstd, input),
                   per_channel(call.weight, 1, input), per_channel(call.bias, 0, input));
}

// Normalises by the statistics of the elements.
Status norm_by_elements(diopiContextHandle_t ctx, const ChannelNormCall& call) {
  TensorView values[3];  // mean, invstd, unbiased variance
  FoldCall fold = fold_channels(*call.input);
  fold.in[0] = *call.input;
  for (int j = 0; j < 3; ++j) {
    DIOPI_TRY(make_channels(ctx, *call.input, &values[j]));
    fold.out[j] = values[j];
  }
  const MomentParams params{1, call.eps, {MomentResult::kMean, MomentResult::kInverse, MomentResult::kVariance}};
  DIOPI_TRY(fold_moments(ctx, params, fold));
  DIOPI_TRY(scale_channels(ctx, call, values[0], values[1]));
  if (call.save_mean != nullptr) DIOPI_TRY(copy_values(ctx, *call.save_mean, values[0]));
  if (call.save_invstd != nullptr) DIOPI_TRY(copy_values(ctx, *call.save_invstd, values[1]));
  DIOPI_TRY(update_running(ctx, call.running_mean, values[0], call.momentum));
  return update_running(ctx, call.running_var, values[2], call.momentum);
}

}  // namespace

Status invert_deviation(diopiContextHandle_t ctx, const TensorView& variance, double eps, TensorView* inverse) {
  DIOPI_TRY(diopi::make_temporary(ctx, variance.shape, diopi_dtype_float64, "invstd", inverse));
  return pointwise_inverse(ctx, eps, variance, *inverse);
}

Status norm_channels(diopiContextHandle_t ctx, const ChannelNormCall& call) {
  bool done = false;
  DIOPI_TRY(normalize_channels(ctx, call, &done));
  if (done) return diopiSuccess;
  if (call.mean == nullptr) return norm_by_elements(ctx, call);
  TensorView invstd = *call.spread;
  if (call.kind == Spread::kVariance) DIOPI_TRY(invert_deviation(ctx, *call.spread, call.eps, &invstd));
  return scale_channels(ctx, call, *call.mean, invstd);
}

}  // namespace impl::cuda
