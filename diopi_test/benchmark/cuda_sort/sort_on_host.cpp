// SPDX-License-Identifier: BSD-3-Clause
// What stands for CUB under the emulation, which has none: a sort on the host. Its version is 0.
#include <algorithm>
#include <numeric>
#include <vector>

#include "diopi_test/benchmark/cuda_sort/cub_sort.hpp"

namespace cuda_sort {

template <typename Key>
cudaError_t find_cub_scratch(int64_t /*n*/, size_t* bytes) {
  *bytes = 0;
  return cudaSuccess;
}

template <typename Key>
cudaError_t sort_by_cub(cudaStream_t /*stream*/, const CubCall<Key>& call) {
  const auto n = static_cast<size_t>(call.n);
  std::vector<Key> keys(n);
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  const cudaError_t error = cudaMemcpy(keys.data(), call.keys, n * sizeof(Key), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) return error;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
  return cudaMemcpy(call.order, order.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice);
}

template cudaError_t find_cub_scratch<uint8_t>(int64_t n, size_t* bytes);
template cudaError_t find_cub_scratch<uint16_t>(int64_t n, size_t* bytes);
template cudaError_t find_cub_scratch<uint32_t>(int64_t n, size_t* bytes);
template cudaError_t find_cub_scratch<uint64_t>(int64_t n, size_t* bytes);
template cudaError_t sort_by_cub<uint8_t>(cudaStream_t stream, const CubCall<uint8_t>& call);
template cudaError_t sort_by_cub<uint16_t>(cudaStream_t stream, const CubCall<uint16_t>& call);
template cudaError_t sort_by_cub<uint32_t>(cudaStream_t stream, const CubCall<uint32_t>& call);
template cudaError_t sort_by_cub<uint64_t>(cudaStream_t stream, const CubCall<uint64_t>& call);

int cub_version() { return 0; }

}  // namespace cuda_sort
