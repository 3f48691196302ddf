// SPDX-License-Identifier: BSD-3-Clause
// Compares panels of pairs with their definition.
#include <gtest/gtest.h>

#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/matmul/pack_vnni.hpp"

namespace {

using impl::cpu::kVnniColumns;
using impl::cpu::kVnniDepth;

// A matrix [depth, cols] with `gap` extra elements between rows, or between columns if `transposed`.
void expect_panels(int64_t depth, int64_t cols, bool transposed, int64_t gap) {
  const int64_t line = (transposed ? depth : cols) + gap;
  std::vector<uint16_t> source(static_cast<size_t>(line * (transposed ? cols : depth)));
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint16_t>(i * 40503 + 1);
  const int64_t row = transposed ? 1 : line, col = transposed ? line : 1;
  const int64_t pairs = (depth + kVnniDepth - 1) / kVnniDepth * (kVnniDepth / 2);
  constexpr uint32_t kGuard = 0xABCDEF01;
  std::vector<uint32_t> panels(static_cast<size_t>(impl::cpu::vnni_size(depth, cols)) + 1, kGuard);
  impl::cpu::pack_vnni(source.data(), row, col, depth, cols, panels.data());
  EXPECT_EQ(panels.back(), kGuard);
  for (size_t i = 0; i + 1 < panels.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const int64_t k = at / kVnniColumns % pairs * 2, j = at / (kVnniColumns * pairs) * kVnniColumns + at % kVnniColumns;
    const auto element = [&](int64_t d) -> uint32_t {
      return d < depth && j < cols ? source[static_cast<size_t>(d * row + j * col)] : 0;
    };
    ASSERT_EQ(panels[i], element(k) | element(k + 1) << 16)
        << "depth " << k << ", column " << j << " of " << depth << " x " << cols << (transposed ? ", transposed" : "");
  }
}

TEST(CpuPackVnni, panels_hold_pairs_of_neighbours_and_zeros_behind_them) {
  test::on_every_target([] {
    for (const int64_t depth : {1, 2, 31, 32, 33, 75, 128}) {
      for (const int64_t cols : {1, 7, 63, 64, 65, 130}) {
        for (const int64_t gap : {0, 3}) {
          expect_panels(depth, cols, false, gap);
          expect_panels(depth, cols, true, gap);
        }
      }
    }
  });
}

}  // namespace
