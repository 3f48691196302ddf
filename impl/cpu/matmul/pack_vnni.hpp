// SPDX-License-Identifier: BSD-3-Clause
// Packs operands of bfloat16 products into the layout that the bfloat16 instructions read: two neighbouring elements of
// a sum are adjacent.
#ifndef IMPL_CPU_MATMUL_PACK_VNNI_HPP_
#define IMPL_CPU_MATMUL_PACK_VNNI_HPP_

#include <cstdint>

namespace impl::cpu {

// A panel has this many columns. Its depth is padded with zeros to a multiple of kVnniDepth. oneDNN calls this layout
// BA16a64b2a.
inline constexpr int64_t kVnniColumns = 64, kVnniDepth = 32;

// The number of pairs in the panels of a matrix.
inline int64_t vnni_size(int64_t depth, int64_t cols) {
  const int64_t pairs = (depth + kVnniDepth - 1) / kVnniDepth * (kVnniDepth / 2);
  return pairs * ((cols + kVnniColumns - 1) / kVnniColumns * kVnniColumns);
}

// Element (k, j) of `src` becomes half k % 2 of pair [j / 64][k / 2][j % 64] of `dst`. `src` is [depth, cols] with
// strides `row` and `col`, one of which is 1.
void pack_vnni(const uint16_t* src, int64_t row, int64_t col, int64_t depth, int64_t cols, uint32_t* dst);

}  // namespace impl::cpu

#endif  // IMPL_CPU_MATMUL_PACK_VNNI_HPP_
