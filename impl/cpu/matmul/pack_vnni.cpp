// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/matmul/pack_vnni.hpp"

#include <algorithm>

#include "impl/cpu/engine/copy/transpose.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/matmul/pack_vnni.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/matmul/interleave-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Packs a matrix with packed rows. Whole rows of two depths are read at a time.
void PackVnni(const uint16_t* src, int64_t row, int64_t depth, int64_t cols, int64_t padded, uint32_t* dst) {
  constexpr int64_t kAhead = 8, kLine = 32;  // rows to prefetch ahead; elements of a cache line
  for (int64_t k = 0; k < depth; k += 2) {
    const uint16_t* even = src + k * row;
    const uint16_t* odd = k + 1 < depth ? even + row : nullptr;
    for (int64_t j = 0; j < cols; j += kVnniColumns) {
      const int64_t count = std::min(kVnniColumns, cols - j);
      if (k + kAhead + 1 < depth) {
        for (int64_t line = 0; line < count; line += kLine) {
          __builtin_prefetch(even + kAhead * row + j + line);
          __builtin_prefetch(even + (kAhead + 1) * row + j + line);
        }
      }
      uint32_t* to = dst + j * padded + k / 2 * kVnniColumns;
      interleave(even + j, odd == nullptr ? nullptr : odd + j, count, to);
      std::fill(to + count, to + kVnniColumns, 0u);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(PackVnni);

// Packs a matrix with packed columns: a pair is already adjacent, so the pairs are transposed.
void pack_depths(const uint16_t* src, int64_t col, int64_t depth, int64_t cols, int64_t padded, uint32_t* dst) {
  constexpr int64_t kPair = sizeof(uint32_t), kElement = sizeof(uint16_t);
  const TransposeFn transpose = transpose_function(kPair);
  for (int64_t j = 0; j < cols; j += kVnniColumns) {
    const int64_t count = std::min(kVnniColumns, cols - j), pairs = depth / 2;
    const uint16_t* from = src + j * col;
    uint32_t* to = dst + j * padded;
    transpose(reinterpret_cast<char*>(to), kVnniColumns * kPair, reinterpret_cast<const char*>(from), col * kElement,
              count, pairs, false);
    for (int64_t k = 0; count < kVnniColumns && k < pairs; ++k) {
      std::fill_n(to + k * kVnniColumns + count, kVnniColumns - count, 0u);
    }
    if (depth % 2 == 0) continue;
    uint32_t* last = to + pairs * kVnniColumns;
    std::fill_n(last, kVnniColumns, 0u);
    for (int64_t i = 0; i < count; ++i) last[i] = from[i * col + depth - 1];
  }
}

}  // namespace

void pack_vnni(const uint16_t* src, int64_t row, int64_t col, int64_t depth, int64_t cols, uint32_t* dst) {
  const int64_t padded = vnni_size(depth, 1) / kVnniColumns, used = (depth + 1) / 2;
  if (col == 1) {
    HWY_DYNAMIC_DISPATCH(PackVnni)(src, row, depth, cols, padded, dst);
  } else {
    pack_depths(src, col, depth, cols, padded, dst);
  }
  for (int64_t j = 0; used < padded && j < cols; j += kVnniColumns) {
    std::fill_n(dst + j * padded + used * kVnniColumns, (padded - used) * kVnniColumns, 0u);
  }
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
