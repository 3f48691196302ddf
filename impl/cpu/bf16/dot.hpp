// SPDX-License-Identifier: BSD-3-Clause
// Products of small bfloat16 matrices with sums in float32 by the dot products of AVX512_BF16.
#ifndef IMPL_CPU_BF16_DOT_HPP_
#define IMPL_CPU_BF16_DOT_HPP_

#include <cstdint>

namespace impl::cpu {

// The columns of a product are a multiple of this, and its depth is even.
inline constexpr int64_t kDotCols = 16;

// out [rows, cols] = a [rows, depth] @ b [depth, cols]; strides in elements.
struct DotProduct {
  const uint16_t* a = nullptr;
  int64_t a_row = 0;
  const uint32_t* b = nullptr;  // panels of kDotCols columns of pairs: [cols / 16][depth / 2][16]
  int64_t b_panel = 0;          // a pair is element 2 k of a column in the lower half, and 2 k + 1
  float* out = nullptr;
  int64_t out_row = 0;
  int64_t rows = 0, depth = 0, cols = 0;
};

// Whether this processor has AVX512_BF16. If not, dot_product() must not be called.
bool has_dot_bf16();

// Subnormal numbers count as 0.
void dot_product(const DotProduct& product);

}  // namespace impl::cpu

#endif  // IMPL_CPU_BF16_DOT_HPP_
