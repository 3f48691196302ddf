// SPDX-License-Identifier: BSD-3-Clause
// The steps of synchronised batch normalisation. All numbers are computed in float64 and rounded once.
#ifndef IMPL_CUDA_KERNELS_NORM_NORM_SYNC_HPP_
#define IMPL_CUDA_KERNELS_NORM_NORM_SYNC_HPP_

#include "impl/common/engine/norm_sync.hpp"
#include "impl/cuda/kernels/rows/calls.hpp"

namespace impl::cuda {

struct SyncUpdate {
  double eps, momentum, count;
};

// out[0] = in[0] + (in[1] - in[2])^2
Status pointwise_move_centre(diopiContextHandle_t ctx, const PointwiseCall& call);
// The formula of ChannelGradientProblem. in: grad_output, input, mean, invstd, weight, sum_dy, sum_dy_xmu, n.
Status pointwise_channel_gradient(diopiContextHandle_t ctx, bool is_std, const PointwiseCall& call);
// The formulas of SyncNormProblem. in: input, mean, variance, weight, bias; out: norm, out.
Status pointwise_sync_norm(diopiContextHandle_t ctx, double eps, const PointwiseCall& call);
// in: mean, variance, running mean and variance; out: running mean and variance, std.
Status pointwise_sync_update(diopiContextHandle_t ctx, const SyncUpdate& update, const PointwiseCall& call);
Status gather_statistics(diopiContextHandle_t ctx, const diopi::GatherStatisticsProblem& p);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_NORM_NORM_SYNC_HPP_
