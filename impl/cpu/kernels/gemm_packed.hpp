// SPDX-License-Identifier: BSD-3-Clause
// The blocked matrix product of floating point: operands are packed into panels that stay in cache. Packing widens
// float16 and bfloat16 to float32. The order of the terms of each sum does not depend on how the work is divided.
#pragma once

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// One product of a batch; strides in elements. In a and in b one of the two strides is 1; out's columns are packed.
struct PackedGemm {
  const void *a = nullptr, *b = nullptr;
  const void* bias = nullptr;  // one per column, in the type of the sums
  void* out = nullptr;         // in the type of the sums
  int64_t depth = 0;
  int64_t a_row = 0, a_col = 0, b_row = 0, b_col = 0, out_row = 0;
  bool accumulate = false;
  const void* next_b = nullptr;  // b of the product that comes next, if any
};

// What is packed at once, at most: rows and depth of a, columns of b. Multiples of what any target computes in one
// step.
inline constexpr int64_t kPackRows = 192, kPackDepth = 192, kPackCols = 1056;
// float64 is asked for more of its digits: its sums are taken in shorter pieces.
inline constexpr int64_t kPackDepthFloat64 = 128;
// Sums for which `panels` has room.
inline constexpr int64_t kPackRoom = (kPackRows + kPackCols) * kPackDepth;

// Computes rows [row, row + rows) and columns [col, col + cols) of one product.
using PackedFn = void (*)(const PackedGemm& gemm, int64_t row, int64_t rows, int64_t col, int64_t cols, void* panels);
// The kernel for a dtype; null if the dtype has none.
PackedFn packed_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu
