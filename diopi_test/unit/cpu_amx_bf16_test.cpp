// SPDX-License-Identifier: BSD-3-Clause
// Products by AMX against sums in float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "diopi_test/unit/bf16_numbers.hpp"
#include "impl/cpu/bf16/amx.hpp"

namespace {

using impl::cpu::AmxProduct;
using impl::cpu::kAmxCols;
using impl::cpu::kAmxDepth;
using impl::cpu::internal::AmxUse;

struct alignas(64) Operands {
  static constexpr int64_t kRows = 48, kDepth = 96, kCols = 80, kParts = 3;
  uint16_t a[kParts * kRows * kDepth];
  uint32_t b[kParts * kDepth / 2 * kCols];
  float out[kRows * kCols];

  Operands() { bf16_test::fill(a, b); }
  double sum(const AmxProduct& p, int64_t i, int64_t j) const {
    double total = 0;
    for (int64_t part = 0; part < p.parts; ++part) {
      for (int64_t k = 0; k < p.depth; ++k) {
        const uint16_t left = a[part * p.a_part + k / kAmxDepth * p.a_panel + i * kAmxDepth + k % kAmxDepth];
        const uint32_t pair = b[part * p.b_part + j / kAmxCols * p.b_panel + k / 2 * kAmxCols + j % kAmxCols];
        total += static_cast<double>(bf16_test::value_of(left)) *
                 bf16_test::value_of(k % 2 == 0 ? pair & 0xFFFF : pair >> 16);
      }
    }
    return total;
  }
};

class AmxBf16 : public testing::Test {
 protected:
  void TearDown() override { impl::cpu::internal::amx_use = before; }
  const AmxUse before = impl::cpu::internal::amx_use;

  void check(int64_t rows, int64_t depth, int64_t cols, int64_t parts, bool accumulate, bool same_b) {
    static Operands x;
    std::fill_n(x.out, Operands::kRows * Operands::kCols, 2.0f);
    AmxProduct p;
    p.a = x.a;
    p.a_panel = rows * kAmxDepth;
    p.a_part = same_b || parts == 1 ? rows * depth : 0;
    p.b = x.b;
    p.b_panel = depth / 2 * kAmxCols;
    p.b_part = same_b ? 0 : depth / 2 * cols;
    p.out = x.out;
    p.out_row = Operands::kCols;
    p.rows = rows, p.depth = depth, p.cols = cols, p.parts = parts;
    p.accumulate = accumulate;
    p.scale = accumulate ? 0.5f : 1.0f;
    {
      const impl::cpu::AmxTiles tiles;
      impl::cpu::amx_product(p);
    }
    for (int64_t i = 0; i < Operands::kRows; ++i) {
      for (int64_t j = 0; j < Operands::kCols; ++j) {
        const double expected = i >= rows || j >= cols ? 2 : accumulate ? 2 + 0.5 * x.sum(p, i, j) : x.sum(p, i, j);
        ASSERT_NEAR(x.out[i * Operands::kCols + j], expected, 1e-4) << i << ", " << j;
      }
    }
  }

  void check_shapes() {
    for (const int64_t rows : {16, 32, 48}) {
      for (const int64_t cols : {16, 32, 80}) {
        for (const int64_t depth : {32, 96}) {
          for (const bool accumulate : {false, true}) {
            check(rows, depth, cols, 1, accumulate, false);
            check(rows, depth, cols, 3, accumulate, false);
            check(rows, depth, cols, 3, accumulate, true);
          }
        }
      }
    }
  }
};

TEST_F(AmxBf16, products_are_sums_over_depth_and_parts) {
  impl::cpu::internal::amx_use = AmxUse::kAsFound;
  if (!impl::cpu::has_amx_bf16()) GTEST_SKIP() << "this processor has no AMX, or the system does not allow it";
  check_shapes();
}

TEST_F(AmxBf16, emulated_products_are_sums_over_depth_and_parts) {
  impl::cpu::internal::amx_use = AmxUse::kEmulated;
  ASSERT_TRUE(impl::cpu::has_amx_bf16());
  check_shapes();
}

TEST_F(AmxBf16, a_choice_counts) {
  ASSERT_TRUE(impl::cpu::choose_amx("off").ok());
  EXPECT_FALSE(impl::cpu::has_amx_bf16());
  ASSERT_TRUE(impl::cpu::choose_amx("").ok());
  EXPECT_FALSE(impl::cpu::has_amx_bf16());
  EXPECT_FALSE(impl::cpu::choose_amx("perhaps").ok());
  EXPECT_NE(std::string(diopi::last_error()).find("DIOPI_CPU_AMX = perhaps is neither off nor emulated"),
            std::string::npos);
}

}  // namespace
