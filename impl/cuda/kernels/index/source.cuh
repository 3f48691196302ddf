// SPDX-License-Identifier: BSD-3-Clause
// Elements of an index in kernels.
#ifndef IMPL_CUDA_KERNELS_INDEX_SOURCE_CUH_
#define IMPL_CUDA_KERNELS_INDEX_SOURCE_CUH_

#include "impl/cuda/kernels/first_bad.cuh"
#include "impl/cuda/kernels/index/index.hpp"

namespace impl::cuda {

// The numbers of the elements of a thread, of which each block has kBlock * kCount. Adjacent threads have adjacent
// ones.
template <int kCount>
__device__ inline void numbers_of_thread(uint32_t (&number)[kCount]) {
  DIOPI_UNROLL
  for (int j = 0; j < kCount; ++j) number[j] = (blockIdx.x * kCount + j) * kBlock + threadIdx.x;
}

__device__ inline int64_t read_index(const IndexSource& source, int32_t offset) {
  return source.is_int64 != 0 ? static_cast<const int64_t*>(source.index)[offset]
                              : static_cast<const int32_t*>(source.index)[offset];
}

// Makes a negative element count from the end. Returns whether the element is in range.
__device__ inline bool is_in_range(const IndexSource& source, int64_t* value) {
  if (source.wrap != 0 && *value < 0) *value += source.size;
  return *value >= source.least && *value < source.size;
}

// Reports an element that was out of range. `value` is that of is_in_range().
__device__ inline void refuse(const IndexSource& source, int64_t position, int64_t value) {
  if (source.bad.word == nullptr) return;
  report(source.bad, position, source.wrap != 0 && value < 0 ? value - source.size : value);
}

// The source of a piece, whose first element is at `offset`.
inline IndexSource moved_by(IndexSource source, int64_t offset) {
  source.index = static_cast<const char*>(source.index) + offset * (source.is_int64 != 0 ? 8 : 4);
  return source;
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_INDEX_SOURCE_CUH_
