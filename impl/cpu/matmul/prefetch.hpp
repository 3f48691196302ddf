// SPDX-License-Identifier: BSD-3-Clause
// The cache lines of a rectangle of an operand, row after row, which a product reads next. The product prefetches them
// one by one, between multiplications, into the second-level cache.
#ifndef IMPL_CPU_MATMUL_PREFETCH_HPP_
#define IMPL_CPU_MATMUL_PREFETCH_HPP_

#include <algorithm>
#include <cstdint>
#include <utility>

namespace impl::cpu {

struct Lines {
  const char* next = nullptr;
  int64_t row_lines = 0, gap = 0;  // lines of a row; bytes from the end of a row to the next row
  int64_t left_in_row = 0, left = 0;

  // Prefetches the next `count` lines, or all that are left. Returns how many lines fewer it prefetched. The position
  // is in registers meanwhile: one prefetch would otherwise wait for what the one before it stored.
  int64_t fetch(int64_t count) {
    if (left == 0) return count;
    const char* line = next;
    int64_t in_row = left_in_row;
    const int64_t lines = std::min(count, left);
    for (int64_t i = 0; i < lines; ++i) {
      __builtin_prefetch(line, 0, 2);
      line += kLineBytes;
      if (--in_row > 0) continue;
      line += gap;
      in_row = row_lines;
    }
    next = line;
    left_in_row = in_row;
    left -= lines;
    return count - lines;
  }
  static constexpr int64_t kLineBytes = 64;
};

// The lines of `rows` x `cols` elements with packed columns; if `row_stride` is 1, with packed rows.
template <typename T>
inline Lines lines_of(const T* p, int64_t row_stride, int64_t col_stride, int64_t rows, int64_t cols) {
  if (col_stride != 1) {
    std::swap(row_stride, col_stride);
    std::swap(rows, cols);
  }
  constexpr int64_t kSize = sizeof(T);
  Lines lines;
  lines.next = reinterpret_cast<const char*>(p);
  lines.row_lines = lines.left_in_row = (cols * kSize + Lines::kLineBytes - 1) / Lines::kLineBytes;
  lines.gap = row_stride * kSize - lines.row_lines * Lines::kLineBytes;
  lines.left = rows * lines.row_lines;
  return lines;
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_MATMUL_PREFETCH_HPP_
