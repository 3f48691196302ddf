// SPDX-License-Identifier: BSD-3-Clause
// Products by AVX512_BF16 against sums in float64.
#include <gtest/gtest.h>

#include <algorithm>

#include "diopi_test/unit/bf16_numbers.hpp"
#include "impl/cpu/bf16/dot.hpp"

namespace {

using impl::cpu::DotProduct;
using impl::cpu::kDotCols;

struct Operands {
  static constexpr int64_t kRows = 13, kDepth = 70, kCols = 144, kRow = kDepth + 5, kOutRow = kCols + 3;
  uint16_t a[kRows * kRow];
  uint32_t b[kDepth / 2 * kCols];
  float out[kRows * kOutRow];

  Operands() { bf16_test::fill(a, b); }
  double sum(const DotProduct& p, int64_t i, int64_t j) const {
    double total = 0;
    for (int64_t k = 0; k < p.depth; ++k) {
      const uint32_t pair = b[j / kDotCols * p.b_panel + k / 2 * kDotCols + j % kDotCols];
      total += static_cast<double>(bf16_test::value_of(a[i * p.a_row + k])) *
               bf16_test::value_of(k % 2 == 0 ? pair & 0xFFFF : pair >> 16);
    }
    return total;
  }
};

void check(int64_t rows, int64_t depth, int64_t cols) {
  static Operands x;
  std::fill_n(x.out, Operands::kRows * Operands::kOutRow, 2.0f);
  DotProduct p;
  p.a = x.a;
  p.a_row = Operands::kRow;
  p.b = x.b;
  p.b_panel = depth / 2 * kDotCols;
  p.out = x.out;
  p.out_row = Operands::kOutRow;
  p.rows = rows, p.depth = depth, p.cols = cols;
  impl::cpu::dot_product(p);
  for (int64_t i = 0; i < Operands::kRows; ++i) {
    for (int64_t j = 0; j < Operands::kOutRow; ++j) {
      const double expected = i >= rows || j >= cols ? 2 : x.sum(p, i, j);
      ASSERT_NEAR(x.out[i * Operands::kOutRow + j], expected, 1e-4) << i << ", " << j;
    }
  }
}

TEST(DotBf16, products_are_sums_over_depth) {
  if (!impl::cpu::has_dot_bf16()) GTEST_SKIP() << "this processor has no AVX512_BF16";
  for (const int64_t rows : {1, 2, 5, 6, 13}) {
    for (const int64_t cols : {16, 64, 80, 144}) {
      for (const int64_t depth : {0, 2, 70}) check(rows, depth, cols);
    }
  }
}

}  // namespace
