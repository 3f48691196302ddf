// SPDX-License-Identifier: BSD-3-Clause
// Kernels that sort rows of keys. Keys are unsigned integers of 32 or 64 bits; the result is the order of each row, as
// positions in the row. Equal keys keep their order.
#ifndef IMPL_CUDA_KERNELS_SORT_SORT_HPP_
#define IMPL_CUDA_KERNELS_SORT_SORT_HPP_

#include <cuda_runtime_api.h>
#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/plan/loop_nest.hpp"

namespace impl::cuda {

// Makes the keys of the elements of `in`, in the order of its loops. The keys have 64 bits for elements of 8 bytes,
// otherwise 32.
struct KeyCall {
  diopi::LoopNest<1> in_loops;
  int64_t numel;
  diopiDtype_t dtype;
  bool descending;
  const void* in;
  void* keys;
};
cudaError_t make_keys(cudaStream_t stream, const KeyCall& call);

// keys[i] = numbers[i], as 32 bits unless `wide`.
cudaError_t keys_of_numbers(cudaStream_t stream, const int64_t* numbers, int64_t n, bool wide, void* keys);

// Rows of at most this many keys are sorted by one block each.
inline constexpr int64_t kMostInBlock = 1024;

// Sorts rows of `n` <= kMostInBlock keys. `order` has rows * n elements.
cudaError_t sort_in_blocks(cudaStream_t stream, const void* keys, bool wide, int64_t rows, int64_t n, uint32_t* order);

// A radix sort of the rows of keys[0] by the lowest 8 * passes bits of their keys. It replaces the keys of both
// buffers; with one pass it needs only keys[0]. The result is in orders[(passes - 1) % 2]; orders[1] may be null if
// there is one pass. `counts` has radix_counts() elements.
struct RadixSort {
  bool wide;
  int passes;
  int64_t rows, n;
  void* keys[2];
  uint32_t* orders[2];
  uint32_t* counts;
};
int64_t radix_counts(bool wide, int64_t rows, int64_t n);
cudaError_t sort_by_radix(cudaStream_t stream, const RadixSort& sort);

// values[row, k] = in[row, order[row, k]] and indices[row, k] = order[row, k], for the first `kept` of `n` elements.
struct SortedCall {
  int64_t rows, n, kept;
  const uint32_t* order;
  diopi::LoopNest<3> row_loops;  // the offsets of rows in the input, the values and the indices
  int64_t in_stride, values_stride, indices_stride;
  int width;  // bytes of an element
  const void* in;
  void* values;  // may be null
  void* indices;
  bool is_int64;  // the indices; otherwise int32
};
cudaError_t write_sorted(cudaStream_t stream, const SortedCall& call);
// Sorts the rows of `in`, of at most kMostInBlock elements of `dtype`, and writes the same. `order` is not used.
cudaError_t sort_rows_in_blocks(cudaStream_t stream, const SortedCall& call, diopiDtype_t dtype, bool descending);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_SORT_SORT_HPP_
