// SPDX-License-Identifier: BSD-3-Clause
// The kernel of rotary position embedding.
#ifndef IMPL_CUDA_KERNELS_ROTARY_ROTARY_HPP_
#define IMPL_CUDA_KERNELS_ROTARY_ROTARY_HPP_

#include <cuda_runtime_api.h>

#include "impl/common/engine/rotary.hpp"

namespace impl::cuda {

// Rotates the pairs of tensors that are not empty.
Status rotate_pairs(cudaStream_t stream, const RotaryProblem& p);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROTARY_ROTARY_HPP_
