// SPDX-License-Identifier: BSD-3-Clause
// Gives the partial results of the threads of a row to each of these threads.
#ifndef IMPL_CUDA_KERNELS_ROWS_ROW_PARTS_CUH_
#define IMPL_CUDA_KERNELS_ROWS_ROW_PARTS_CUH_

#include <cstring>

#include "impl/cuda/kernels/launch.cuh"

namespace impl::cuda {

constexpr int kWarp = 32;

// The part of the lane whose number differs in the bit `step`.
template <class P>
__device__ inline P shuffled(const P& part, int step) {
  constexpr int kWords = sizeof(P) / sizeof(uint32_t);
  static_assert(sizeof(P) % sizeof(uint32_t) == 0, "shuffles move words of 32 bits");
  uint32_t words[kWords];
  memcpy(words, &part, sizeof(P));
  DIOPI_UNROLL
  for (int i = 0; i < kWords; ++i) words[i] = __shfl_xor_sync(0xFFFFFFFFu, words[i], step);
  P result;
  memcpy(&result, words, sizeof(P));
  return result;
}

// Merges the parts of `width` adjacent lanes, a power of two up to a warp.
template <class Op>
__device__ inline void merge_warp(const Op& op, int fold, int width, typename Op::Part* own) {
  DIOPI_UNROLL
  for (int step = kWarp / 2; step > 0; step /= 2) {
    if (step < width) op.merge(fold, own, shuffled(*own, step));
  }
}

// The lanes of a row are adjacent threads. If they are more than a warp, `all` has room for a part of each warp of the
// block, and the next call uses other memory.
template <class Op>
__device__ inline void merge_adjacent(const Op& op, int fold, int lanes, typename Op::Part* all,
                                      typename Op::Part* own) {
  merge_warp(op, fold, lanes, own);
  if (lanes <= kWarp) return;
  const int warp = static_cast<int>(threadIdx.x / kWarp),
            warps = static_cast<int>(static_cast<uint32_t>(lanes) / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  if (lane == 0) all[warp] = *own;
  __syncthreads();
  *own = all[(warp & -warps) + (lane & (warps - 1))];
  merge_warp(op, fold, warps, own);
}

// Adjacent threads have adjacent rows: `slots` of them in the block, a power of two. `all` has room for a part of each
// thread.
template <class Op>
__device__ inline void merge_across(const Op& op, int fold, int lanes, int slots, typename Op::Part* all,
                                    typename Op::Part* own) {
  if (lanes == 1) return;
  const int thread = static_cast<int>(threadIdx.x);
  all[thread] = *own;
  for (int half = lanes >> 1; half > 0; half >>= 1) {
    __syncthreads();
    if (thread < half * slots) op.merge(fold, all + thread, all[thread + half * slots]);
  }
  __syncthreads();
  *own = all[thread & (slots - 1)];
  __syncthreads();  // before the next fold uses the shared memory
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_ROW_PARTS_CUH_
