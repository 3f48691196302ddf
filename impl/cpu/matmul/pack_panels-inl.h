/* SPDX-License-Identifier: BSD-3-Clause */
// Packs the operands of the blocked matrix product into panels.
#if defined(IMPL_CPU_MATMUL_PACK_PANELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATMUL_PACK_PANELS_INL_H_
#undef IMPL_CPU_MATMUL_PACK_PANELS_INL_H_
#else
#define IMPL_CPU_MATMUL_PACK_PANELS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "impl/cpu/matmul/goto.hpp"
#include "impl/cpu/matmul/prefetch.hpp"
#include "impl/cpu/matmul/load_widened-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Rows and vectors of columns of one step, so that the sums, a row of b and an element of a fit the registers.
#if HWY_TARGET == HWY_AVX3
constexpr int kStepRows = 8, kStepVectors = 3;
#else
constexpr int kStepRows = 6, kStepVectors = 2;
#endif

#if HWY_TARGET == HWY_AVX3
// Writes block 0 of the four vectors, then block 1 of them, and so on. Each vector has four blocks of 128 bits.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void transpose_blocks(D d, const V* HWY_RESTRICT v, V* HWY_RESTRICT result) {
  const auto even_low = hn::ConcatLowerLower(d, v[2], v[0]), even_high = hn::ConcatUpperUpper(d, v[2], v[0]);
  const auto odd_low = hn::ConcatLowerLower(d, v[3], v[1]), odd_high = hn::ConcatUpperUpper(d, v[3], v[1]);
  result[0] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd_low), even_low);
  result[1] = hn::OddEvenBlocks(odd_low, hn::SwapAdjacentBlocks(even_low));
  result[2] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd_high), even_high);
  result[3] = hn::OddEvenBlocks(odd_high, hn::SwapAdjacentBlocks(even_high));
}

constexpr int64_t kLongLines = 8;  // lines that transpose_long takes at a time

// Writes a vector of each of kLongLines lines as columns of dst. The lines of `src` are `line` elements apart, those of
// `dst` `width` elements.
HWY_INLINE void transpose_long(const float* HWY_RESTRICT src, int64_t line, float* HWY_RESTRICT dst, int64_t width) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<double> pairs;
  const hn::Half<decltype(d)> half;
  hn::Vec<decltype(d)> in_order[2][4], column[4];  // [columns 0 and 1 of a block, or 2 and 3]
#pragma GCC unroll 2
  for (int64_t i = 0; i < 2; ++i, src += 4 * line) {
    const auto r0 = hn::LoadU(d, src), r1 = hn::LoadU(d, src + line);
    const auto r2 = hn::LoadU(d, src + 2 * line), r3 = hn::LoadU(d, src + 3 * line);
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
    const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
    const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
    const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
    in_order[0][i] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
    in_order[0][2 + i] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
    in_order[1][i] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
    in_order[1][2 + i] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
  }
#pragma GCC unroll 2
  for (int64_t i = 0; i < 2; ++i) {
    transpose_blocks(d, in_order[i], column);
#pragma GCC unroll 4
    for (int64_t b = 0; b < 4; ++b) {
      hn::StoreU(hn::LowerHalf(half, column[b]), half, dst + (4 * b + 2 * i) * width);
      hn::StoreU(hn::UpperHalf(half, column[b]), half, dst + (4 * b + 2 * i + 1) * width);
    }
  }
}
HWY_INLINE void transpose_long(const double* HWY_RESTRICT src, int64_t line, double* HWY_RESTRICT dst, int64_t width) {
  const hn::ScalableTag<double> d;
  hn::Vec<decltype(d)> even[4], odd[4], column[4];
#pragma GCC unroll 4
  for (int64_t i = 0; i < 4; ++i, src += 2 * line) {
    const auto r0 = hn::LoadU(d, src), r1 = hn::LoadU(d, src + line);
    even[i] = hn::InterleaveLower(d, r0, r1);
    odd[i] = hn::InterleaveUpper(d, r0, r1);
  }
  transpose_blocks(d, even, column);
#pragma GCC unroll 4
  for (int64_t b = 0; b < 4; ++b) hn::StoreU(column[b], d, dst + 2 * b * width);
  transpose_blocks(d, odd, column);
#pragma GCC unroll 4
  for (int64_t b = 0; b < 4; ++b) hn::StoreU(column[b], d, dst + (2 * b + 1) * width);
}
#endif

// Transposes 4 x 4 float32 or 2 x 2 float64. The lines of `src` are `line` elements apart, those of `dst` `width`
// elements.
#if HWY_TARGET == HWY_SCALAR
constexpr int64_t kSquareBytes = 0;
#else
constexpr int64_t kSquareBytes = 16;
HWY_INLINE void transpose_square(const float* HWY_RESTRICT src, int64_t line, float* HWY_RESTRICT dst, int64_t width) {
  const hn::FixedTag<float, 4> d;
  const hn::FixedTag<double, 2> d2;
  const auto r0 = hn::LoadU(d, src), r1 = hn::LoadU(d, src + line);
  const auto r2 = hn::LoadU(d, src + 2 * line), r3 = hn::LoadU(d, src + 3 * line);
  const auto t0 = hn::BitCast(d2, hn::InterleaveLower(d, r0, r1)), t1 = hn::BitCast(d2, hn::InterleaveUpper(d, r0, r1));
  const auto t2 = hn::BitCast(d2, hn::InterleaveLower(d, r2, r3)), t3 = hn::BitCast(d2, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d2, t0, t2)), d, dst);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d2, t0, t2)), d, dst + width);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d2, t1, t3)), d, dst + 2 * width);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d2, t1, t3)), d, dst + 3 * width);
}
HWY_INLINE void transpose_square(const double* HWY_RESTRICT src, int64_t line, double* HWY_RESTRICT dst,
                                 int64_t width) {
  const hn::FixedTag<double, 2> d;
  const auto r0 = hn::LoadU(d, src), r1 = hn::LoadU(d, src + line);
  hn::StoreU(hn::InterleaveLower(d, r0, r1), d, dst);
  hn::StoreU(hn::InterleaveUpper(d, r0, r1), d, dst + width);
}
#endif

// Writes lines [first, lines) as columns of dst, in whole groups of kLines lines. Returns the first line that is left.
// block(src, dst) transposes kDepth elements of kLines lines.
template <int64_t kLines, int64_t kDepth, typename A, class Block>
HWY_INLINE int64_t transpose_groups(const A* HWY_RESTRICT src, int64_t line, int64_t first, int64_t lines,
                                    int64_t depth, A* HWY_RESTRICT dst, int64_t width, const Block& block) {
  const int64_t whole = depth / kDepth * kDepth;
  int64_t i = first;
  for (; i + kLines <= lines; i += kLines) {
    for (int64_t k = 0; k < whole; k += kDepth) block(src + i * line + k, dst + k * width + i);
    for (int64_t k = whole; k < depth; ++k) {
      for (int64_t j = i; j < i + kLines; ++j) dst[k * width + j] = src[j * line + k];
    }
  }
  return i;
}

// Writes `lines` lines of `depth` elements as columns of dst, whose rows have `width` elements.
template <typename A>
HWY_INLINE void transpose_lines(const A* HWY_RESTRICT src, int64_t line, int64_t lines, int64_t depth,
                                A* HWY_RESTRICT dst, int64_t width) {
  int64_t i = 0;
#if HWY_TARGET == HWY_AVX3
  i = transpose_groups<kLongLines, HWY_LANES(A)>(src, line, i, lines, depth, dst, width,
                                                 [&](const A* from, A* to)
                                                     HWY_ATTR { transpose_long(from, line, to, width); });
#endif
  if constexpr (kSquareBytes > 0) {
    constexpr int64_t kSquare = kSquareBytes / sizeof(A);
    i = transpose_groups<kSquare, kSquare>(src, line, i, lines, depth, dst, width, [&](const A* from, A* to) HWY_ATTR {
      transpose_square(from, line, to, width);
    });
  }
  for (; i < lines; ++i) {
    for (int64_t k = 0; k < depth; ++k) dst[k * width + i] = src[i * line + k];
  }
}

template <typename T>
HWY_INLINE void widen_line(const T* HWY_RESTRICT src, int64_t n, Summand<T>* HWY_RESTRICT dst) {
  const hn::ScalableTag<Summand<T>> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(load_terms(d, src + i), d, dst + i);
  for (; i < n; ++i) dst[i] = static_cast<Summand<T>>(src[i]);
}

// The same for kStepRows elements.
template <typename T>
HWY_INLINE void widen_rows_of_step(const T* HWY_RESTRICT src, Summand<T>* HWY_RESTRICT dst) {
  if constexpr (std::is_same_v<T, Summand<T>>) {
    std::memcpy(dst, src, kStepRows * sizeof(T));
  } else {
    widen_line(src, kStepRows, dst);
  }
}

// dst[k][i] = src[i * line + k * step] for i < lines, and 0 for i in [lines, width). `line` or `step` is 1.
template <typename T>
void pack_panel(const T* src, int64_t line, int64_t step, int64_t lines, int64_t depth, Summand<T>* dst,
                int64_t width) {
  using A = Summand<T>;
  for (int64_t k = 0; lines < width && k < depth; ++k) std::fill_n(dst + k * width + lines, width - lines, A{});
  if (line == 1) {
    for (int64_t k = 0; k < depth; ++k) widen_line(src + k * step, lines, dst + k * width);
  } else if constexpr (std::is_same_v<T, A>) {
    transpose_lines(src, line, lines, depth, dst, width);
  } else {
    constexpr int64_t kTogether = 8;
    A widened[kTogether * kPackDepth];
    for (int64_t i = 0; i < lines; i += kTogether) {
      const int64_t count = std::min(kTogether, lines - i);
      for (int64_t j = 0; j < count; ++j) widen_line(src + (i + j) * line, depth, widened + j * kPackDepth);
      transpose_lines(widened, kPackDepth, count, depth, dst + i, width);
    }
  }
}

// Packs `cols` columns of b, `depth` deep, into panels. Packed rows of b are read in memory order, which is fastest.
template <typename T>
HWY_INLINE void pack_columns(const GotoMatmul& g, const T* b, int64_t depth, int64_t cols, Summand<T>* packed) {
  using A = Summand<T>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<A>())), width = kStepVectors * lanes;
  const int64_t whole = g.b_col == 1 ? cols / width * width : 0;
  for (int64_t k = 0; whole > 0 && k < depth; ++k) {
    for (int64_t p = 0; p < whole; p += width) widen_line(b + k * g.b_row + p, width, packed + p * depth + k * width);
  }
  for (int64_t p = whole; p < cols; p += width) {
    const int64_t count = std::min(width, cols - p), padded = (count + lanes - 1) / lanes * lanes;
    pack_panel(b + p * g.b_col, g.b_col, g.b_row, count, depth, packed + p * depth, padded);
  }
}

// Packs `rows` rows of a. Packed columns of a are read in memory order, as the rows of b.
template <typename T>
HWY_INLINE void pack_rows(const GotoMatmul& g, const T* a, int64_t depth, int64_t rows, Summand<T>* packed) {
  const int64_t whole = g.a_row == 1 ? rows / kStepRows * kStepRows : 0;
  for (int64_t k = 0; whole > 0 && k < depth; ++k) {
    for (int64_t p = 0; p < whole; p += kStepRows) {
      widen_rows_of_step(a + k * g.a_col + p, packed + p * depth + k * kStepRows);
    }
  }
  for (int64_t p = whole; p < rows; p += kStepRows) {
    const int64_t count = std::min<int64_t>(kStepRows, rows - p);
    pack_panel(a + p * g.a_row, g.a_row, g.a_col, count, depth, packed + p * depth, kStepRows);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
