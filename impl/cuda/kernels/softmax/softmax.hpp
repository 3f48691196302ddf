// SPDX-License-Identifier: BSD-3-Clause
// The steps of softmax and of its gradient.
#ifndef IMPL_CUDA_KERNELS_SOFTMAX_SOFTMAX_HPP_
#define IMPL_CUDA_KERNELS_SOFTMAX_SOFTMAX_HPP_

#include "impl/common/engine/softmax.hpp"
#include "impl/cuda/kernels/rows/calls.hpp"

namespace impl::cuda {

// `wide`: exponentials are computed in float64, otherwise in float32. Sums are in float64.

// out[0] = sum of e^(in[0] - in[1]); in[1] is the largest element of the row.
Status fold_exponentials(diopiContextHandle_t ctx, bool wide, const FoldCall& call);
// out[0] = sum of in[0] * in[1] * in[2].
Status fold_products(diopiContextHandle_t ctx, const FoldCall& call);
// Forward: in[0] is the element, in[1] the largest one, in[2] the sum of the exponentials. Backward: in[0] is the
// gradient, in[1] the result of the forward function, in[2] the sum over the row.
Status pointwise_softmax(diopiContextHandle_t ctx, diopi::SoftmaxOp op, bool wide, const PointwiseCall& call);
// out[0] = in[0] * scale, or `hidden` for a hidden element: where in[1] is not 0, or in[2] is above in[3].
Status pointwise_mask(diopiContextHandle_t ctx, double scale, double hidden, const PointwiseCall& call);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_SOFTMAX_SOFTMAX_HPP_
