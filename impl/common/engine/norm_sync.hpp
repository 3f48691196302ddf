// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for the steps of synchronised batch normalisation. Channels are dimension 1 of the tensors
// that have the shape of `input`; the other tensors have one element per channel. All are floating point; their dtypes
// may differ. Statistics and sums are in float64 and rounded once; elements are computed in float32, or in float64 if
// an operand is float64. Families have checked the arguments, also that the elements of outputs have different
// addresses.
#ifndef IMPL_COMMON_ENGINE_NORM_SYNC_HPP_
#define IMPL_COMMON_ENGINE_NORM_SYNC_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// Mean and variance of the elements of each channel. Without elements both are `of_nothing`.
struct ChannelMomentsProblem {
  const TensorView& input;
  const TensorView* centre;  // the variance is the mean of (input - centre)^2; null: the centre is the mean
  const TensorView *mean, *variance, *invstd;  // null: not wanted; invstd = 1 / sqrt(variance + eps)
  double eps, of_nothing;
};

// mean_all and invstd_all have the shape [devices, channels], counts [devices], of floating point, int32 or int64.
struct GatherStatisticsProblem {
  const TensorView &mean, &invstd;
  const TensorView &mean_all, &invstd_all, &counts;
  const TensorView *running_mean, *running_var;  // null: not tracked
  double momentum, eps;
};

// out = (input - mean) * invstd * weight + bias
struct ChannelScaleProblem {
  const TensorView &out, &input;
  const TensorView *weight, *bias;  // null: 1 and 0
  const TensorView &mean, &invstd;
};

// sum_dy and grad_bias = sum of grad_output; sum_dy_xmu = sum of grad_output * (input - mean); grad_weight = sum_dy_xmu
// * invstd. Outputs that are null are not wanted.
struct ChannelGradientSumsProblem {
  const TensorView &grad_output, &input;
  const TensorView *mean, *invstd;  // null: 0 and 1
  const TensorView *sum_dy, *sum_dy_xmu, *grad_weight, *grad_bias;
};

// grad_input = (grad_output - sum_dy / n - (input - mean) * invstd^2 * sum_dy_xmu / n) * invstd * weight
struct ChannelGradientProblem {
  const TensorView& grad_input;
  const TensorView &grad_output, &input;
  const TensorView* mean;    // null: 0
  const TensorView& invstd;  // or the standard deviation
  bool is_std;               // then `input` is normalised already: invstd^2 above is 1
  const TensorView* weight;  // null: 1
  const TensorView &sum_dy, &sum_dy_xmu;
  const TensorView* counts;  // int32, of any shape: n is the sum of its elements; null: n is the elements per channel
};

// std = sqrt(variance + eps); norm = (input - mean) / std; out = norm * weight + bias; running = momentum * statistic +
// (1 - momentum) * running, with the variance of a sample of n elements, n = elements per channel * groups.
struct SyncNormProblem {
  const TensorView &out, &norm, &std;
  const TensorView &input, &mean, &variance, &weight, &bias;
  const TensorView &running_mean, &running_var;
  double eps, momentum, groups;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::ChannelGradientProblem;
using diopi::ChannelGradientSumsProblem;
using diopi::ChannelMomentsProblem;
using diopi::ChannelScaleProblem;
using diopi::GatherStatisticsProblem;
using diopi::Status;
using diopi::SyncNormProblem;
using diopi::TensorView;

Status run_channel_moments(diopiContextHandle_t ctx, const ChannelMomentsProblem& p);
Status run_gather_statistics(diopiContextHandle_t ctx, const GatherStatisticsProblem& p);
Status run_channel_scale(diopiContextHandle_t ctx, const ChannelScaleProblem& p);
Status run_channel_gradient_sums(diopiContextHandle_t ctx, const ChannelGradientSumsProblem& p);
Status run_channel_gradient(diopiContextHandle_t ctx, const ChannelGradientProblem& p);
Status run_sync_norm(diopiContextHandle_t ctx, const SyncNormProblem& p);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_NORM_SYNC_HPP_
