// SPDX-License-Identifier: BSD-3-Clause
// The order of rows of keys.
#ifndef IMPL_CUDA_ENGINE_SORT_ORDER_HPP_
#define IMPL_CUDA_ENGINE_SORT_ORDER_HPP_

#include "impl/common/error.hpp"
#include "impl/cuda/kernels/sort/sort.hpp"

namespace impl::cuda {

using diopi::Status;

// Rows of `n` unsigned keys, of which the lowest `bits` may be set.
struct KeyRows {
  int64_t rows = 1, n = 0;
  int bits = 1;
  void* keys[2] = {};  // the caller writes keys[0]; the other is for the passes of the sort
  uint32_t* orders[2] = {};
  uint32_t* counts = nullptr;

  bool wide() const { return bits > 32; }  // keys have 64 bits, otherwise 32
  bool in_blocks() const { return n <= kMostInBlock; }
  int passes() const { return in_blocks() ? 1 : (bits + 7) / 8; }
  // Allocates all memory. Returns an error for rows of 2^32 keys or more.
  Status reserve(diopiContextHandle_t ctx);
  // Sorts each row. There is at least one key.
  Status sort(diopiContextHandle_t ctx);
  // The positions of the keys of each row in increasing order of the keys; equal keys keep their order.
  const uint32_t* order() const { return orders[(passes() - 1) % 2]; }
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_SORT_ORDER_HPP_
