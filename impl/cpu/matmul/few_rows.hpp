// SPDX-License-Identifier: BSD-3-Clause
// Products of a few rows with a large matrix. They read the matrix once, in its own dtype, and are limited by memory.
#ifndef IMPL_CPU_MATMUL_FEW_ROWS_HPP_
#define IMPL_CPU_MATMUL_FEW_ROWS_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// The kernel takes at most this many rows, so that the sums of a block fit the first-level cache.
inline constexpr int64_t kFewRows = 16;

// out[i, j] = sum over k of a[i, k] * b[k, j]; strides in elements.
struct FewRowsMatmul {
  const void* a = nullptr;  // in the type of the sums, k packed
  const void* b = nullptr;
  const void* bias = nullptr;  // in b's dtype
  void* out = nullptr;
  int64_t rows = 0, depth = 0;
  int64_t a_row = 0;
  int64_t b_line = 0;  // distance of lines of b: columns if `dots`, otherwise rows
  int64_t out_row = 0, out_col = 0, bias_row = 0, bias_col = 0;
  bool dots = false;      // b's columns are packed: each result is a dot product of two packed lines
  bool wide_out = false;  // out has the type of the sums
  bool ahead = false;     // asks for lines of b before it reads them
  bool accumulate = false;
};

// The number of columns whose sums are kept at a time if b's rows are packed. Wide tiles read more of each page of b,
// but the sums of all rows must stay in the caches.
inline int64_t few_rows_tile(int64_t rows) { return rows <= 2 ? 8192 : rows <= 8 ? 4096 : 2048; }
// The distance of the sums of two rows. It is not a multiple of a page: with 16 rows, the sums of a column would all be
// in one set of the first-level cache.
inline int64_t few_rows_stride(int64_t rows) { return few_rows_tile(rows) + 16; }

// Computes columns [first, last) of one product. `sums` has room for 2 * rows * few_rows_stride(rows) sums; with `dots`
// it is not used.
using FewRowsFn = void (*)(const FewRowsMatmul& matmul, int64_t first, int64_t last, void* sums);
// The kernel for a dtype; null if the dtype has none.
FewRowsFn few_rows_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_MATMUL_FEW_ROWS_HPP_
