// SPDX-License-Identifier: BSD-3-Clause
// The offsets of numbered elements, and the grids of kernels with one thread for each element.
#ifndef IMPL_CUDA_KERNELS_INDEX_OFFSETS_CUH_
#define IMPL_CUDA_KERNELS_INDEX_OFFSETS_CUH_

#include <cstdint>

#include "impl/common/plan/loop_nest.hpp"
#include "impl/cuda/kernels/launch.cuh"

namespace impl::cuda {

// Adds the offset of element `number` of a nest, for each operand.
template <int kOperands>
__device__ inline void add_offsets(const diopi::LoopNest<kOperands>& nest, int64_t number,
                                   int64_t (&offset)[kOperands]) {
  for (int i = 0; i < nest.n; ++i) {
    int64_t at = number;
    if (i + 1 < nest.n) {
      number /= nest.loop[i].extent;
      at -= number * nest.loop[i].extent;
    }
    for (int k = 0; k < kOperands; ++k) offset[k] += at * nest.loop[i].stride[k];
  }
}

__device__ inline int64_t offset_of(const diopi::LoopNest<1>& nest, int64_t number) {
  int64_t offset[1] = {0};
  add_offsets(nest, number, offset);
  return offset[0];
}

__device__ inline int64_t all_threads() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

// The grid for `count` elements in kernels whose threads step through the elements by all_threads().
inline dim3 grid_for(int64_t count) {
  constexpr int64_t kMostBlocks = 1 << 16;
  const int64_t blocks = (count + kBlock - 1) / kBlock;
  return dim3(static_cast<unsigned>(blocks < 1 ? 1 : blocks < kMostBlocks ? blocks : kMostBlocks));
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_INDEX_OFFSETS_CUH_
