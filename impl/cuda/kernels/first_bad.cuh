// SPDX-License-Identifier: BSD-3-Clause
#ifndef IMPL_CUDA_KERNELS_FIRST_BAD_CUH_
#define IMPL_CUDA_KERNELS_FIRST_BAD_CUH_

#include "impl/cuda/kernels/first_bad.hpp"
#include "impl/cuda/kernels/launch.cuh"

namespace impl::cuda {

// Reports an element that a check refuses.
__device__ inline void report(const FirstBad& bad, int64_t position, int64_t value) {
  const int64_t at = position < kLastPosition ? position : kLastPosition;
  const int64_t number = value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value;
  atomicMin(bad.word, static_cast<unsigned long long>(at) << 32 | static_cast<uint32_t>(number));
  atomicExch(bad.any, 0ull);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_FIRST_BAD_CUH_
