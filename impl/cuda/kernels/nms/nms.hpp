// SPDX-License-Identifier: BSD-3-Clause
// Kernels of non-maximum suppression.
#ifndef IMPL_CUDA_KERNELS_NMS_NMS_HPP_
#define IMPL_CUDA_KERNELS_NMS_NMS_HPP_

#include "impl/common/engine/nms.hpp"

namespace impl::cuda {

// Writes the numbers of the kept boxes to the first elements of `kept`, and returns how many there are, for which it
// waits for the stream.
Status suppress_boxes(diopiContextHandle_t ctx, const NmsProblem& problem, int64_t* kept, int64_t* count);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_NMS_NMS_HPP_
