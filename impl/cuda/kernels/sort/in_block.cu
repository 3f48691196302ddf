// SPDX-License-Identifier: BSD-3-Clause
// Short rows: each block sorts one row in shared memory by a bitonic network. Keys are compared with their positions,
// so the sort is stable.
#include "impl/common/sort_key.hpp"
#include "impl/cuda/kernels/index/offsets.cuh"
#include "impl/cuda/kernels/sort/sort.hpp"

namespace impl::cuda {

namespace {

// Sorts `size` keys, a power of two, with half as many threads.
template <typename Key>
__device__ inline void sort_shared(Key* key, uint32_t* position, int size) {
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
}

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
  sort_shared(key, position, size);
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) order[row + i] = position[i];
}

// From elements to sorted elements and their positions.
template <typename Bits, typename Key>
__global__ void __launch_bounds__(kMostInBlock / 2)
    sort_elements(SortedCall call, diopi::KeyRule rule, bool descending, int64_t first, int size) {
  DIOPI_SHARED(Key, key, [kMostInBlock]);
  DIOPI_SHARED(uint32_t, position, [kMostInBlock]);
  int64_t offset[3] = {0, 0, 0};
  add_offsets(call.row_loops, first + blockIdx.x, offset);
  const Bits* const in = static_cast<const Bits*>(call.in) + offset[0];
  const int n = static_cast<int>(call.n), kept = static_cast<int>(call.kept);
  for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x)) {
    key[i] = static_cast<Key>(~Key{0});
    position[i] = static_cast<uint32_t>(i);
    if (i >= n) continue;
    const Bits own = diopi::ordered_key(in[i * call.in_stride], rule);
    key[i] = descending ? static_cast<Bits>(~own) : own;
  }
  sort_shared(key, position, size);
  for (int i = static_cast<int>(threadIdx.x); i < kept; i += static_cast<int>(blockDim.x)) {
    const int64_t at = position[i], index = offset[2] + i * call.indices_stride;
    if (call.is_int64) {
      static_cast<int64_t*>(call.indices)[index] = at;
    } else {
      static_cast<int32_t*>(call.indices)[index] = static_cast<int32_t>(at);
    }
    if (call.values == nullptr) continue;
    static_cast<Bits*>(call.values)[offset[1] + i * call.values_stride] = in[at * call.in_stride];
  }
}

int size_for(int64_t n) {
  int size = 64;
  while (size < n) size *= 2;
  return size;
}

// Calls f(first, grid) for the rows of each launch.
template <typename F>
cudaError_t for_rows(int64_t rows, const F& f) {
  constexpr int64_t kMostRows = INT32_MAX;  // of a grid
  cudaError_t error = cudaSuccess;
  for (int64_t row = 0; row < rows && error == cudaSuccess; row += kMostRows) {
    error = f(row, dim3(static_cast<unsigned>(rows - row < kMostRows ? rows - row : kMostRows)));
  }
  return error;
}

template <typename Key>
cudaError_t sort_each(cudaStream_t stream, const void* keys, int64_t rows, int64_t n, uint32_t* order) {
  const int size = size_for(n);
  return for_rows(rows, [&](int64_t first, dim3 grid) {
    return launch(sort_row<Key>, grid, size / 2, 0, stream, static_cast<const Key*>(keys), first, static_cast<int>(n),
                  size, order);
  });
}

}  // namespace

cudaError_t sort_in_blocks(cudaStream_t stream, const void* keys, bool wide, int64_t rows, int64_t n, uint32_t* order) {
  return wide ? sort_each<uint64_t>(stream, keys, rows, n, order) : sort_each<uint32_t>(stream, keys, rows, n, order);
}

cudaError_t sort_rows_in_blocks(cudaStream_t stream, const SortedCall& call, diopiDtype_t dtype, bool descending) {
  const auto kernel = call.width == 1   ? sort_elements<uint8_t, uint32_t>
                      : call.width == 2 ? sort_elements<uint16_t, uint32_t>
                      : call.width == 4 ? sort_elements<uint32_t, uint32_t>
                                        : sort_elements<uint64_t, uint64_t>;
  const diopi::KeyRule rule = diopi::key_rule(dtype);
  const int size = size_for(call.n);
  return for_rows(call.rows, [&](int64_t first, dim3 grid) {
    return launch(kernel, grid, size / 2, 0, stream, call, rule, descending, first, size);
  });
}

}  // namespace impl::cuda
