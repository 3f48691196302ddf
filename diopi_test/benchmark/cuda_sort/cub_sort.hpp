// SPDX-License-Identifier: BSD-3-Clause
// The radix sort of CUB as a candidate: from unsigned keys to their stable order.
#ifndef DIOPI_TEST_BENCHMARK_CUDA_SORT_CUB_SORT_HPP_
#define DIOPI_TEST_BENCHMARK_CUDA_SORT_CUB_SORT_HPP_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace cuda_sort {

// Sorts `n` keys of the type Key. CUB sorts pairs, so the positions are written before.
template <typename Key>
struct CubCall {
  const Key* keys;
  Key* sorted;
  uint32_t *positions, *order;
  int64_t n;
  void* scratch;
  size_t scratch_bytes;
};

// The bytes of `scratch`.
template <typename Key>
cudaError_t find_cub_scratch(int64_t n, size_t* bytes);
template <typename Key>
cudaError_t sort_by_cub(cudaStream_t stream, const CubCall<Key>& call);

int cub_version();  // CUB_VERSION

}  // namespace cuda_sort

#endif  // DIOPI_TEST_BENCHMARK_CUDA_SORT_CUB_SORT_HPP_
