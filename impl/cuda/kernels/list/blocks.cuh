// SPDX-License-Identifier: BSD-3-Clause
// How the blocks of one launch are divided among the tensors of a list.
#ifndef IMPL_CUDA_KERNELS_LIST_BLOCKS_CUH_
#define IMPL_CUDA_KERNELS_LIST_BLOCKS_CUH_

#include "impl/common/tensor_view.hpp"
#include "impl/cuda/kernels/items.cuh"

namespace impl::cuda {

// At most kMost tensors. The blocks of tensor k begin at first[k], and each has kEach elements of it. A parameter of
// kernels, so it has no unused bytes.
struct ListBlocks {
  static constexpr int kMost = 64;
  static constexpr int kItems = 4;  // adjacent elements that a thread reads at once
  static constexpr int64_t kEach = kItems * kBlock;

  int64_t count = 0;
  int64_t first[kMost + 1] = {};
  int64_t numel[kMost] = {};

  bool is_full() const { return count == kMost; }
  dim3 grid() const { return dim3(static_cast<unsigned>(first[count])); }
  // Adds a tensor and returns its place.
  int64_t add(int64_t elements) {
    const int64_t k = count++;
    numel[k] = elements;
    first[k + 1] = first[k] + (elements + kEach - 1) / kEach;
    return k;
  }
};

// Whether a thread can access kItems elements of a tensor at once.
inline bool has_aligned_items(const diopi::TensorView& view) {
  return are_items_aligned(view.data, view.itemsize(), ListBlocks::kItems);
}

// The tensor to which a block belongs.
__device__ inline int tensor_of(const ListBlocks& list, int64_t block) {
  int low = 0, high = static_cast<int>(list.count) - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (list.first[middle] <= block) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// The elements [begin, end) of tensor k, which one block computes.
struct BlockElements {
  int k;
  int64_t begin, end;
};
__device__ inline BlockElements block_elements(const ListBlocks& list, int64_t block) {
  const int k = tensor_of(list, block);
  const int64_t begin = (block - list.first[k]) * ListBlocks::kEach, numel = list.numel[k];
  return {k, begin, begin + ListBlocks::kEach < numel ? begin + ListBlocks::kEach : numel};
}

// Calls f(k, first, count) for the adjacent elements of tensor k that the calling thread of kBlock computes. `count` is
// kItems but at the end of the tensor.
template <class F>
__device__ void with_thread_elements(const ListBlocks& list, const F& f) {
  constexpr int kItems = ListBlocks::kItems;
  const BlockElements block = block_elements(list, blockIdx.x);
  const int64_t first = block.begin + threadIdx.x * kItems, rest = block.end - first;
  if (rest > 0) f(block.k, first, static_cast<int>(rest < kItems ? rest : kItems));
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_LIST_BLOCKS_CUH_
