// SPDX-License-Identifier: BSD-3-Clause
// Losses of each element and their gradients. All numbers are computed in float64 and rounded once.
#ifndef IMPL_CUDA_KERNELS_LOSS_LOSS_HPP_
#define IMPL_CUDA_KERNELS_LOSS_LOSS_HPP_

#include "impl/common/engine/loss.hpp"
#include "impl/cuda/kernels/rows/calls.hpp"

namespace impl::cuda {

// `wide`: in float64, otherwise in float32.

// out[0] = the loss or the gradient of the operands in[0], in[1], ...
Status pointwise_loss(diopiContextHandle_t ctx, diopi::LossOp op, bool wide, const diopi::LossParams& params,
                      const PointwiseCall& call);
// out[0] = the sum of the losses, or their mean.
Status fold_loss(diopiContextHandle_t ctx, diopi::LossOp op, bool wide, const diopi::LossParams& params, bool mean,
                 const FoldCall& call);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_LOSS_LOSS_HPP_
