// SPDX-License-Identifier: BSD-3-Clause
#ifndef IMPL_CUDA_KERNELS_POWER_OF_TWO_CUH_
#define IMPL_CUDA_KERNELS_POWER_OF_TWO_CUH_

#include <cstdint>
#include <cstring>

#include "impl/cuda/kernels/launch.cuh"

namespace impl::cuda {

// 2^n for n in (-1023, 1024).
__device__ inline double power_of_two(int n) {
  const uint64_t bits = static_cast<uint64_t>(n + 1023) << 52;
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_POWER_OF_TWO_CUH_
