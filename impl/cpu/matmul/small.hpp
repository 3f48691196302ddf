// SPDX-License-Identifier: BSD-3-Clause
// Small matrix products of float32 and float64 that use the operands in place: for such products a library would spend
// most of the time on packing and on finding a kernel. The order of each sum does not depend on the number of threads.
#ifndef IMPL_CPU_MATMUL_SMALL_HPP_
#define IMPL_CPU_MATMUL_SMALL_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// One product of a batch; strides in elements. The rows of b and of out are packed.
struct SmallMatmul {
  const void *a = nullptr, *b = nullptr;
  const void* bias = nullptr;  // one for each column
  void* out = nullptr;
  int64_t cols = 0, depth = 0;
  int64_t run = 0;  // the most terms that are added one after another; 0: as many as the kernel likes
  int64_t a_row = 0, a_col = 0, b_row = 0, out_row = 0;
  bool accumulate = false;
  // Operands and result of the next product, with `next_rows` rows, to prefetch; null if there is none.
  const void *next_a = nullptr, *next_b = nullptr;
  void* next_out = nullptr;
  int64_t next_rows = 0;
};

// Rows that are computed together.
inline constexpr int64_t kSmallRows = 6;
// The longest sums that are computed in one piece. The limit is lower for float64, because more of its digits are
// expected to be right.
inline constexpr int64_t kSmallDepth = 256, kSmallDepthFloat64 = 128;

// Computes rows [row, row + rows).
using SmallFn = void (*)(const SmallMatmul& matmul, int64_t row, int64_t rows);
// The kernel for a dtype; null if the dtype has none.
SmallFn small_kernel(diopiDtype_t dtype);
// Whether the kernels use vectors. Without them, any library is faster.
bool small_has_vectors();

}  // namespace impl::cpu

#endif  // IMPL_CPU_MATMUL_SMALL_HPP_
