// SPDX-License-Identifier: BSD-3-Clause
// Sums of the numbers of the threads of a block.
#ifndef IMPL_CUDA_KERNELS_SCAN_SCAN_CUH_
#define IMPL_CUDA_KERNELS_SCAN_SCAN_CUH_

#include <cstdint>

#include "impl/cuda/kernels/launch.cuh"

namespace impl::cuda {

// Returns the sum of the numbers of all threads before this one; `total` becomes the sum of all. The number of threads
// of the block is a multiple of 32; all of them call this function.
template <typename T>
__device__ T scan_block(T number, T* total) {
  constexpr int kLanes = 32;
  DIOPI_SHARED(T, sums, [kLanes]);
  const int lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / kLanes;
  T sum = number;
  for (int step = 1; step < kLanes; step *= 2) {
    const T before = __shfl_up_sync(0xFFFFFFFFu, sum, step);
    if (lane >= step) sum += before;
  }
  if (lane == kLanes - 1) sums[warp] = sum;
  __syncthreads();
  T before = 0, all = 0;
  for (int w = 0; w < static_cast<int>(blockDim.x) / kLanes; ++w) {
    if (w == warp) before = all;
    all += sums[w];
  }
  __syncthreads();  // `sums` may be used again
  *total = all;
  return before + sum - number;
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_SCAN_SCAN_CUH_
