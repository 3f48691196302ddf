// SPDX-License-Identifier: BSD-3-Clause
// Each width of keys has a source of its own, because one instance of CUB's sort takes nvcc some 20 seconds.
#ifndef DIOPI_TEST_BENCHMARK_CUDA_SORT_CUB_SORT_CUH_
#define DIOPI_TEST_BENCHMARK_CUDA_SORT_CUB_SORT_CUH_

#include <cub/device/device_radix_sort.cuh>

#include "diopi_test/benchmark/cuda_sort/cub_sort.hpp"
#include "impl/cuda/kernels/launch.cuh"

namespace cuda_sort {

template <typename Key>
cudaError_t find_cub_scratch(int64_t n, size_t* bytes) {
  const Key* keys = nullptr;
  const uint32_t* positions = nullptr;
  return cub::DeviceRadixSort::SortPairs(nullptr, *bytes, keys, static_cast<Key*>(nullptr), positions,
                                         static_cast<uint32_t*>(nullptr), n);
}

static __global__ void __launch_bounds__(impl::cuda::kBlock) number_positions(uint32_t* positions, int64_t n) {
  const int64_t i = impl::cuda::thread_item();
  if (i < n) positions[i] = static_cast<uint32_t>(i);
}

template <typename Key>
cudaError_t sort_by_cub(cudaStream_t stream, const CubCall<Key>& call) {
  const dim3 grid = impl::cuda::blocks_for(call.n);
  const cudaError_t error =
      impl::cuda::launch(number_positions, grid, dim3(impl::cuda::kBlock), 0, stream, call.positions, call.n);
  if (error != cudaSuccess) return error;
  size_t bytes = call.scratch_bytes;
  const uint32_t* const positions = call.positions;
  return cub::DeviceRadixSort::SortPairs(call.scratch, bytes, call.keys, call.sorted, positions, call.order, call.n, 0,
                                         8 * static_cast<int>(sizeof(Key)), stream);
}

}  // namespace cuda_sort

#endif  // DIOPI_TEST_BENCHMARK_CUDA_SORT_CUB_SORT_CUH_
