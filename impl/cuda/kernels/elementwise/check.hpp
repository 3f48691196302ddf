// SPDX-License-Identifier: BSD-3-Clause
// Kernels that check all elements of a tensor. Their errors are deferred. In a dry run, nothing is checked.
#ifndef IMPL_CUDA_KERNELS_ELEMENTWISE_CHECK_HPP_
#define IMPL_CUDA_KERNELS_ELEMENTWISE_CHECK_HPP_

#include "impl/common/tensor_view.hpp"
#include "impl/cuda/engine/deferred.hpp"

namespace impl::cuda {

// Refuses numbers outside of [least, most] and NaN. The position and the value that `refusal` gets have no meaning.
Status check_within(diopiContextHandle_t ctx, const diopi::TensorView& view, double least, double most,
                    const Refusal& refusal);
// Refuses integers that are not in [0, below) and not `allowed`. Positions are those in row-major order.
Status check_below(diopiContextHandle_t ctx, const diopi::TensorView& view, int64_t below, int64_t allowed,
                   const Refusal& refusal);
Status check_below(diopiContextHandle_t ctx, const diopi::TensorView& view, int64_t below, const Refusal& refusal);
// Refuses floating-point numbers that are not diopi::is_image().
Status check_image_numbers(diopiContextHandle_t ctx, const diopi::TensorView& view, int64_t images);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ELEMENTWISE_CHECK_HPP_
