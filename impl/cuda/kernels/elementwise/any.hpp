// SPDX-License-Identifier: BSD-3-Clause
// Kernels that answer a question about all elements of tensors. The answers wait for the stream.
#ifndef IMPL_CUDA_KERNELS_ELEMENTWISE_ANY_HPP_
#define IMPL_CUDA_KERNELS_ELEMENTWISE_ANY_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::cuda {

// Whether an element of `a` differs from that of `b`, of the same shape, in the dtype of computation `dtype`.
diopi::Status find_difference(diopiContextHandle_t ctx, const diopi::TensorView& a, const diopi::TensorView& b,
                              diopiDtype_t dtype, bool* found);
// The smallest and the largest of integers, of which there is at least one.
diopi::Status find_range(diopiContextHandle_t ctx, const diopi::TensorView& view, int64_t* least, int64_t* most);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ELEMENTWISE_ANY_HPP_
