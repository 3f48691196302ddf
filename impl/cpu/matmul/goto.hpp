// SPDX-License-Identifier: BSD-3-Clause
// The blocked matrix product for floating point by the algorithm of Goto and van de Geijn: operands are packed into
// panels that stay in a cache. Packing converts float16 and bfloat16 to float32. The order of the terms of each sum
// does not depend on the division of the work.
#ifndef IMPL_CPU_MATMUL_GOTO_HPP_
#define IMPL_CPU_MATMUL_GOTO_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// One product of a batch; strides in elements. In a and in b one of the two strides is 1; the columns of out are
// packed.
struct GotoMatmul {
  const void *a = nullptr, *b = nullptr;
  const void* bias = nullptr;  // one per column, in the type of the sums
  void* out = nullptr;         // in the type of the sums
  int64_t depth = 0;
  int64_t run = 0;  // the most terms that are added one after another; 0: as many as the kernel likes
  int64_t a_row = 0, a_col = 0, b_row = 0, b_col = 0, out_row = 0;
  bool accumulate = false;
  const void* next_b = nullptr;  // b of the next product; null if there is none
};

// The largest packed block: rows and depth of a, columns of b. Each number is a multiple of the step of every target.
// The rows are few, so that they are still in the first-level cache, or near it, when they are multiplied.
inline constexpr int64_t kPackRows = 48, kPackDepth = 192, kPackCols = 1056;
// Sums of float64 are divided into shorter tiles, because more of its digits are expected to be right.
inline constexpr int64_t kPackDepthFloat64 = 128;
// The number of elements for which `panels` has room, in the type of the sums.
inline constexpr int64_t kPackRoom = (kPackRows + kPackCols) * kPackDepth;

// Computes rows [row, row + rows) and columns [col, col + cols) of one product.
using GotoFn = void (*)(const GotoMatmul& matmul, int64_t row, int64_t rows, int64_t col, int64_t cols, void* panels);
// The kernel for a dtype; null if the dtype has none.
GotoFn goto_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_MATMUL_GOTO_HPP_
