// SPDX-License-Identifier: BSD-3-Clause
// Short rows: each block sorts one row in shared memory by a bitonic network. Keys are compared with their positions,
// so the sort is stable.
#include "impl/cuda/kernels/launch.cuh"
#include "impl/cuda/kernels/sort/sort.hpp"

namespace impl::cuda {

namespace {

// `size`: the least power of two that is at least `n`, and at least 64; the block has half as many threads.
template <typename Key>
__global__ void __launch_bounds__(kMostInBlock / 2)
    sort_row(const Key* keys, int64_t first, int n, int size, uint32_t* order) {
  DIOPI_SHARED(Key, key, [kMostInBlock]);
  DIOPI_SHARED(uint32_t, position, [kMostInBlock]);
  const int64_t row = (first + blockIdx.x) * n;
  for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x)) {
    key[i] = i < n ? keys[row + i] : static_cast<Key>(~Key{0});
    position[i] = static_cast<uint32_t>(i);  // the positions from n on are greater than those of all keys
  }
  for (int run = 2; run <= size; run *= 2) {
    for (int step = run / 2; step > 0; step /= 2) {
      __syncthreads();
      const int t = static_cast<int>(threadIdx.x), low = 2 * t - (t & (step - 1)), high = low + step;
      const Key a = key[low], b = key[high];
      const uint32_t p = position[low], q = position[high];
      const bool is_greater = a > b || (a == b && p > q), ascending = (low & run) == 0;
      if (is_greater == ascending) {
        key[low] = b;
        key[high] = a;
        position[low] = q;
        position[high] = p;
      }
    }
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) order[row + i] = position[i];
}

template <typename Key>
cudaError_t sort_each(cudaStream_t stream, const void* keys, int64_t rows, int64_t n, uint32_t* order) {
  constexpr int64_t kMostRows = INT32_MAX;  // of a grid
  int size = 64;
  while (size < n) size *= 2;
  cudaError_t error = cudaSuccess;
  for (int64_t row = 0; row < rows && error == cudaSuccess; row += kMostRows) {
    const dim3 grid(static_cast<unsigned>(rows - row < kMostRows ? rows - row : kMostRows));
    error = launch(sort_row<Key>, grid, size / 2, 0, stream, static_cast<const Key*>(keys), row, static_cast<int>(n),
                   size, order);
  }
  return error;
}

}  // namespace

cudaError_t sort_in_blocks(cudaStream_t stream, const void* keys, bool wide, int64_t rows, int64_t n, uint32_t* order) {
  return wide ? sort_each<uint64_t>(stream, keys, rows, n, order) : sort_each<uint32_t>(stream, keys, rows, n, order);
}

}  // namespace impl::cuda
