// SPDX-License-Identifier: BSD-3-Clause
// Small matrix products of float32 and float64, from the operands as they lie: what a library spends on laying them out
// and on finding its kernel is most of such a product. An element's sum has one order, whatever the threads.
#pragma once

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// One product of a batch; strides in elements. The rows of b and of out are packed.
struct SmallGemm {
  const void *a = nullptr, *b = nullptr;
  const void* bias = nullptr;  // one for each column
  void* out = nullptr;
  int64_t cols = 0, depth = 0;
  int64_t a_row = 0, a_col = 0, b_row = 0, out_row = 0;
  bool accumulate = false;
  // Operands and result of `next_rows` rows of the next product, to prefetch; null if there is none.
  const void *next_a = nullptr, *next_b = nullptr;
  void* next_out = nullptr;
  int64_t next_rows = 0;
};

// Rows that are computed together.
inline constexpr int64_t kSmallRows = 6;
// The longest sums that are taken in one piece. float64 is asked for more of its digits.
inline constexpr int64_t kSmallDepth = 256, kSmallDepthFloat64 = 128;

// Computes rows [row, row + rows).
using SmallFn = void (*)(const SmallGemm& gemm, int64_t row, int64_t rows);
// Null for a dtype without such a kernel.
SmallFn small_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu
