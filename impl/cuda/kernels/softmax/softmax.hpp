// SPDX-License-Identifier: BSD-3-Clause
// Softmax and its gradient.
#ifndef IMPL_CUDA_KERNELS_SOFTMAX_SOFTMAX_HPP_
#define IMPL_CUDA_KERNELS_SOFTMAX_SOFTMAX_HPP_

#include "impl/common/engine/softmax.hpp"
#include "impl/cuda/kernels/rows/calls.hpp"

namespace impl::cuda {

// Rows of softmax, log-softmax or a gradient, whose inputs are the gradient and the result of the forward function.
// `wide`: in float64, otherwise in float32. The results of a row of the forward functions are the largest element and
// the sum of the exponentials of the elements without it.
Status fused_softmax(diopiContextHandle_t ctx, diopi::SoftmaxOp op, bool wide, const FusedCall& call);
// out[0] = in[0] * scale, or `hidden` for a hidden element: where in[1] is not 0, or in[2] is above in[3].
Status pointwise_mask(diopiContextHandle_t ctx, double scale, double hidden, const PointwiseCall& call);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_SOFTMAX_SOFTMAX_HPP_
