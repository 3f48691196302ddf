// SPDX-License-Identifier: BSD-3-Clause
// Compares packed rows with the elements that they are to have.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/engine/copy/packed_block.hpp"

namespace {

void expect_rows(int itemsize, int64_t n, int64_t stride, int64_t rows) {
  const int64_t row_stride = n * stride + 3 * itemsize, bytes = rows * n * itemsize;
  std::vector<char> src(rows * row_stride + itemsize);
  for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<char>(i * 7 % 251);
  std::vector<char> packed(bytes + 64, 'x');
  impl::cpu::gather_rows(packed.data(), src.data(), stride, itemsize, n, row_stride, rows);
  int wrong = 0;
  for (int64_t k = 0; k < rows * n; ++k) {
    const char* const element = src.data() + k / n * row_stride + k % n * stride;
    wrong += std::memcmp(packed.data() + k * itemsize, element, itemsize) != 0 ? 1 : 0;
  }
  for (int64_t i = bytes; i < bytes + 64; ++i) wrong += packed[i] != 'x' ? 1 : 0;
  EXPECT_EQ(wrong, 0) << rows << " rows of " << n << " elements of " << itemsize << " bytes, " << stride << " apart";
}

void expect_all_rows() {
  for (const int itemsize : {1, 2, 4, 8, 16}) {
    for (int64_t n = 1; n <= 70; ++n) {
      for (const int64_t rows : {1, 2, 5, 40}) {
        for (const int64_t stride : {0, 1, 2, 3}) expect_rows(itemsize, n, stride * itemsize, rows);
      }
    }
  }
}

TEST(CpuPackedBlock, rows_have_the_elements_and_nothing_is_written_behind) { test::on_every_target(expect_all_rows); }

}  // namespace
