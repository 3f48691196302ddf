// SPDX-License-Identifier: BSD-3-Clause
// Normalisations over channels, and their gradients, in one launch or two. Each function does nothing, and leaves *done
// as it is, if it has no kernels for the dtypes or the strides.
#ifndef IMPL_CUDA_KERNELS_NORM_CHANNEL_NORM_HPP_
#define IMPL_CUDA_KERNELS_NORM_CHANNEL_NORM_HPP_

#include "impl/common/engine/norm.hpp"
#include "impl/common/engine/norm_sync.hpp"

namespace impl::cuda {

using diopi::Status;
using diopi::TensorView;

// What the second of the given statistics of a channel is.
enum class Spread { kVariance, kDeviation, kInverse };

// out = (input - mean) * invstd * weight + bias for each channel (dimension 1). The statistics are given, or those of
// the elements if `mean` is null. Pointers may be null: the weight is 1, the bias 0, the output is not wanted.
struct ChannelNormCall {
  const TensorView *input, *out, *weight, *bias;
  const TensorView *mean, *spread;  // given
  Spread kind;
  const TensorView *save_mean, *save_invstd, *running_mean, *running_var;  // of the elements
  double momentum, eps;
};
Status normalize_channels(diopiContextHandle_t ctx, const ChannelNormCall& call, bool* done);

// The gradients of such a normalisation: with n elements in a channel, d = input - mean, and r = 1 / deviation,
//   sum_dy = grad_bias = sum of grad_output, sum_dy_xmu = sum of grad_output * d, grad_weight = sum_dy_xmu * r
//   grad_input = (grad_output - sum_dy / n - d * r * r * sum_dy_xmu / n) * r * weight
struct ChannelGradientCall {
  const TensorView *grad_output, *input, *weight;
  const TensorView *mean, *spread;  // null: 0 and 1
  Spread kind;
  bool fixed;                                 // the statistics do not depend on the input: the sums are 0 above
  const TensorView *given_dy, *given_dy_xmu;  // null: the sums are those of the elements
  const TensorView* counts;                   // null: n is the elements of a channel; otherwise their sum
  bool normal;                                // `input` is normalised already: r * r is 1 above
  const TensorView *grad_input, *grad_weight, *grad_bias, *sum_dy, *sum_dy_xmu;
  double eps;
};
Status channel_gradients(diopiContextHandle_t ctx, const ChannelGradientCall& call, bool* done);

Status group_gradients(diopiContextHandle_t ctx, const diopi::GroupNormBackwardProblem& p, bool* done);
Status instance_gradients(diopiContextHandle_t ctx, const diopi::InstanceNormBackwardProblem& p, bool* done);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_NORM_CHANNEL_NORM_HPP_
