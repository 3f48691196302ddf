// SPDX-License-Identifier: BSD-3-Clause
// Scans of the values of the threads of a block.
#ifndef IMPL_CUDA_KERNELS_SCAN_SCAN_CUH_
#define IMPL_CUDA_KERNELS_SCAN_SCAN_CUH_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "impl/cuda/kernels/launch.cuh"

namespace impl::cuda {

inline constexpr int kLanesOfWarp = 32;

// Shuffles of numbers, and of structures that consist of words of 64 bits.
template <typename T, class Shuffle>
__device__ T shuffle_words(const T& x, const Shuffle& shuffle) {
  if constexpr (std::is_arithmetic_v<T>) {
    return shuffle(x);
  } else {
    static_assert(sizeof(T) % sizeof(uint64_t) == 0, "whole words");
    uint64_t words[sizeof(T) / sizeof(uint64_t)];
    memcpy(words, &x, sizeof(T));
    DIOPI_UNROLL
    for (uint64_t& word : words) word = shuffle(word);
    T result;
    memcpy(&result, words, sizeof(T));
    return result;
  }
}
template <typename T>
__device__ T lower_lane(const T& x, int lanes) {
  return shuffle_words(x, [=](auto word) { return __shfl_up_sync(0xFFFFFFFFu, word, lanes); });
}
template <typename T>
__device__ T from_lane(const T& x, int lane) {
  return shuffle_words(x, [=](auto word) { return __shfl_sync(0xFFFFFFFFu, word, lane); });
}

// Joins the values of the lanes up to this one, in their order.
template <typename T, class Join>
__device__ T scan_warp(T up_to, const Join& join) {
  const int lane = static_cast<int>(threadIdx.x) % kLanesOfWarp;
  for (int step = 1; step < kLanesOfWarp; step *= 2) {
    const T lower = lower_lane(up_to, step);
    if (lane >= step) up_to = join(lower, up_to);
  }
  return up_to;
}

// Returns what join() makes of the values of all threads before this one, in their order; `total` becomes that of all.
// join() is associative, or nearly: the grouping depends on the number of threads only. The number of threads of the
// block is a multiple of 32; all of them call this function.
template <typename T, class Join>
__device__ T scan_block(const T& own, const T& identity, const Join& join, T* total) {
  DIOPI_SHARED(T, totals, [kLanesOfWarp]);
  const int lane = static_cast<int>(threadIdx.x) % kLanesOfWarp;
  const int warp = static_cast<int>(threadIdx.x) / kLanesOfWarp;
  const T up_to = scan_warp(own, join);
  if (lane == kLanesOfWarp - 1) totals[warp] = up_to;
  const T lower = lower_lane(up_to, 1);
  __syncthreads();
  const bool is_warp = lane < static_cast<int>(blockDim.x) / kLanesOfWarp;
  const T warps = scan_warp(is_warp ? totals[lane] : identity, join);
  __syncthreads();  // `totals` may be used again
  *total = from_lane(warps, kLanesOfWarp - 1);
  const T before = from_lane(warps, warp > 0 ? warp - 1 : 0);
  if (warp == 0) return lane > 0 ? lower : identity;
  return lane > 0 ? join(before, lower) : before;
}

// The same with sums of integers.
template <typename T>
__device__ T scan_block(T number, T* total) {
  return scan_block(
      number, T(0), [](T a, T b) { return a + b; }, total);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_SCAN_SCAN_CUH_
