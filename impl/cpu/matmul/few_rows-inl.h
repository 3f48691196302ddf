/* SPDX-License-Identifier: BSD-3-Clause */
// The bodies of products with few rows. They read several lines of the large matrix in turns, because a single stream
// does not reach the bandwidth of memory, and ask for lines ahead if the caller says so.
#if defined(IMPL_CPU_MATMUL_FEW_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATMUL_FEW_ROWS_INL_H_
#undef IMPL_CPU_MATMUL_FEW_ROWS_INL_H_
#else
#define IMPL_CPU_MATMUL_FEW_ROWS_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "impl/cpu/matmul/few_rows.hpp"
#include "impl/cpu/matmul/load_widened-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int kStreams = 8;  // lines of b that are read in parallel
#if HWY_TARGET == HWY_AVX3
constexpr int kTileRows = 4;  // 4 x 4 sums and their terms fit 32 registers
#else
constexpr int kTileRows = 2;  // 2 x 4 sums and their terms fit 16 registers
#endif

template <typename T>
HWY_INLINE void store_sum(const FewRowsMatmul& g, int64_t row, int64_t col, Summand<T> sum) {
  if (g.bias != nullptr) {
    sum += static_cast<Summand<T>>(static_cast<const T*>(g.bias)[row * g.bias_row + col * g.bias_col]);
  }
  const int64_t at = row * g.out_row + col * g.out_col;
  if (g.wide_out || std::is_same_v<T, Summand<T>>) {
    auto* out = static_cast<Summand<T>*>(g.out) + at;
    *out = g.accumulate ? *out + sum : sum;
  } else {
    T* out = static_cast<T*>(g.out) + at;
    *out = static_cast<T>(g.accumulate ? static_cast<Summand<T>>(*out) + sum : sum);
  }
}

// sums[r][c] += a[r] . b[c] over `depth` elements, a multiple of the lanes. There are kRows x kCols vectors of sums.
template <int kRows, int kCols, typename T, class D, typename A>
HWY_INLINE void add_dots(D d, const A* HWY_RESTRICT a, int64_t a_row, const T* HWY_RESTRICT b, int64_t b_line,
                         int64_t depth, bool ahead, A* HWY_RESTRICT sums) {
  constexpr int64_t kAhead = 1024 / sizeof(T) * 2;  // elements to prefetch ahead: 2 KiB
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<D> sum[kRows][kCols];
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kCols; ++c) sum[r][c] = hn::Load(d, sums + (r * kStreams + c) * lanes);
  }
  for (int64_t k = 0; k < depth; k += lanes) {
    hn::Vec<D> terms[kRows];
    for (int r = 0; r < kRows; ++r) terms[r] = hn::LoadU(d, a + r * a_row + k);
    for (int c = 0; c < kCols; ++c) {
      const T* line = b + c * b_line + k;
      if (ahead) hwy::Prefetch(line + kAhead);
      const auto term = load_terms(d, line);
      for (int r = 0; r < kRows; ++r) sum[r][c] = hn::MulAdd(terms[r], term, sum[r][c]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kCols; ++c) hn::Store(sum[r][c], d, sums + (r * kStreams + c) * lanes);
  }
}

template <int kRows, typename T, class D, typename A>
HWY_INLINE void add_dots_of(D d, const A* a, int64_t a_row, const T* b, int64_t b_line, int cols, int64_t depth,
                            bool ahead, A* sums) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int c = 0;
  if constexpr (kRows == 1) {
    for (; c + 8 <= cols; c += 8) add_dots<1, 8>(d, a, a_row, b + c * b_line, b_line, depth, ahead, sums + c * lanes);
  }
  for (; c + 4 <= cols; c += 4) add_dots<kRows, 4>(d, a, a_row, b + c * b_line, b_line, depth, ahead, sums + c * lanes);
  for (; c < cols; ++c) add_dots<kRows, 1>(d, a, a_row, b + c * b_line, b_line, depth, ahead, sums + c * lanes);
}

// Computes up to kStreams columns of the result, `step` apart from `first` on, as dot products.
template <typename T>
HWY_INLINE void dot_columns(const FewRowsMatmul& g, int64_t first, int64_t step, int cols) {
  using A = Summand<T>;
  const hn::ScalableTag<A> d;
  constexpr int64_t kDepth = 512;        // elements of a line that one tile of rows reads at a time
  constexpr int64_t kLong = 4 * kDepth;  // after so many elements the sums are added to the totals
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), whole = g.depth / lanes * lanes;
  constexpr int64_t kRoom = kFewRows * kStreams * HWY_MAX_BYTES / sizeof(A);
  HWY_ALIGN A sums[kRoom];
  HWY_ALIGN A totals[kRoom];
  const int64_t used = g.rows * kStreams * lanes;
  const A* a = static_cast<const A*>(g.a);
  const T* b = static_cast<const T*>(g.b) + first * g.b_line;
  const int64_t b_line = step * g.b_line;
  std::fill_n(sums, used, A{});
  if (whole > kLong) std::fill_n(totals, used, A{});
  for (int64_t k = 0; k < whole; k += kDepth) {
    const int64_t depth = std::min(kDepth, whole - k);
    for (int64_t row = 0; row < g.rows;) {
      const A* lines = a + row * g.a_row + k;
      A* at = sums + row * kStreams * lanes;
      if (g.rows - row >= kTileRows) {
        add_dots_of<kTileRows>(d, lines, g.a_row, b + k, b_line, cols, depth, g.ahead, at);
        row += kTileRows;
      } else {
        add_dots_of<1>(d, lines, g.a_row, b + k, b_line, cols, depth, g.ahead, at);
        ++row;
      }
    }
    if (whole > kLong && ((k + kDepth) % kLong == 0 || k + kDepth >= whole)) {
      const bool last = k + kDepth >= whole;
      for (int64_t i = 0; i < used; i += lanes) {
        const auto total = hn::Add(hn::Load(d, totals + i), hn::Load(d, sums + i));
        hn::Store(total, d, (last ? sums : totals) + i);
        if (!last) hn::Store(hn::Zero(d), d, sums + i);
      }
    }
  }
  for (int64_t row = 0; row < g.rows; ++row) {
    for (int c = 0; c < cols; ++c) {
      A sum = hn::GetLane(hn::SumOfLanes(d, hn::Load(d, sums + (row * kStreams + c) * lanes)));
      for (int64_t k = whole; k < g.depth; ++k) sum += a[row * g.a_row + k] * static_cast<A>(b[c * b_line + k]);
      store_sum<T>(g, row, first + c * step, sum);
    }
  }
}

// sums[r][j] += a[r][0..kLines) . b[0..kLines)[j] for j < width.
template <int kLines, typename T, typename A>
HWY_INLINE void add_lines(const A* a, int64_t a_row, int64_t rows, const T* b, int64_t b_line, int64_t width,
                          bool ahead, A* HWY_RESTRICT sums) {
  const int64_t stride = few_rows_stride(rows);
  const hn::ScalableTag<A> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  A factors[kFewRows * kLines];  // adjacent, as the rows of a may all be in one set of the cache
  for (int64_t r = 0; r < rows; ++r) std::copy_n(a + r * a_row, kLines, factors + r * kLines);
  int64_t j = 0;
  for (; j + lanes <= width; j += lanes) {
    hn::Vec<decltype(d)> terms[kLines];
    for (int k = 0; k < kLines; ++k) {
      if (ahead) hwy::Prefetch(b + (k + kLines) * b_line + j);
      terms[k] = load_terms(d, b + k * b_line + j);
    }
    for (int64_t r = 0; r < rows; ++r) {
      A* at = sums + r * stride + j;
      auto sum = hn::LoadU(d, at);
      for (int k = 0; k < kLines; ++k) sum = hn::MulAdd(hn::Set(d, factors[r * kLines + k]), terms[k], sum);
      hn::StoreU(sum, d, at);
    }
  }
  for (; j < width; ++j) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int k = 0; k < kLines; ++k) {
        sums[r * stride + j] += factors[r * kLines + k] * static_cast<A>(b[k * b_line + j]);
      }
    }
  }
}

// The lines of b are shorter than a vector and packed, so vectors hold parts of several lines. Element e of as many
// lines as a vector has lanes belongs to line e / kWidth and to column e % kWidth: every vector needs its own spread of
// a, and has its own sums. Sets `sums` to the sums over `depth` lines, a multiple of the lanes.
template <int kWidth, typename T, typename A>
void add_narrow_lines(const A* HWY_RESTRICT a, const T* HWY_RESTRICT b, int64_t depth, A* HWY_RESTRICT sums) {
  const hn::ScalableTag<A> d;
  const hn::RebindToSigned<decltype(d)> di;
  using I = hn::TFromD<decltype(di)>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN I lines[HWY_MAX_BYTES / sizeof(I)];
  HWY_ALIGN A parts[HWY_MAX_BYTES / sizeof(A)];
  decltype(hn::SetTableIndices(d, lines)) spread[kWidth];
  hn::Vec<decltype(d)> sum[kWidth];
  for (int v = 0; v < kWidth; ++v) {
    for (int64_t l = 0; l < lanes; ++l) lines[l] = static_cast<I>((v * lanes + l) / kWidth);
    spread[v] = hn::SetTableIndices(d, lines);
    sum[v] = hn::Zero(d);
  }
  for (int64_t k = 0; k < depth; k += lanes) {
    const auto factors = hn::LoadU(d, a + k);
    for (int v = 0; v < kWidth; ++v) {
      sum[v] = hn::MulAdd(hn::TableLookupLanes(factors, spread[v]), load_terms(d, b + k * kWidth + v * lanes), sum[v]);
    }
  }
  std::fill_n(sums, kWidth, A{});
  for (int v = 0; v < kWidth; ++v) {
    hn::Store(sum[v], d, parts);
    for (int64_t l = 0; l < lanes; ++l) sums[(v * lanes + l) % kWidth] += parts[l];
  }
}

template <typename T, typename A>
using NarrowLinesFn = void (*)(const A* a, const T* b, int64_t depth, A* sums);

// The function for lines of `width` elements; null if they are not shorter than a vector, or have one element.
template <typename T, typename A, int kWidth = 2>
NarrowLinesFn<T, A> narrow_lines_function(int64_t width) {
  if constexpr (kWidth < HWY_MAX_BYTES / static_cast<int>(sizeof(A)) && kWidth < 16) {
    if (width >= static_cast<int64_t>(hn::Lanes(hn::ScalableTag<A>()))) return nullptr;
    return width == kWidth ? add_narrow_lines<kWidth, T, A> : narrow_lines_function<T, A, kWidth + 1>(width);
  } else {
    return nullptr;
  }
}

// Sets `sums` to the sums over lines [begin, end). `narrow` is the function for lines of this width, or null.
template <typename T>
HWY_INLINE void sum_lines(const FewRowsMatmul& g, int64_t first, int64_t width, int64_t begin, int64_t end,
                          NarrowLinesFn<T, Summand<T>> narrow, Summand<T>* sums) {
  using A = Summand<T>;
  const A* a = static_cast<const A*>(g.a);
  const T* b = static_cast<const T*>(g.b) + first;
  int64_t k = begin;
  if (narrow != nullptr) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<A>()));
    const int64_t depth = (end - begin) / lanes * lanes;
    for (int64_t r = 0; r < g.rows; ++r) {
      narrow(a + r * g.a_row + k, b + k * width, depth, sums + r * few_rows_stride(g.rows));
    }
    k += depth;
  } else {
    for (int64_t r = 0; r < g.rows; ++r) std::fill_n(sums + r * few_rows_stride(g.rows), width, A{});
  }
  for (; k + kStreams <= end; k += kStreams) {
    add_lines<kStreams>(a + k, g.a_row, g.rows, b + k * g.b_line, g.b_line, width, g.ahead, sums);
  }
  for (; k < end; ++k) add_lines<1>(a + k, g.a_row, g.rows, b + k * g.b_line, g.b_line, width, g.ahead, sums);
}

template <typename A>
HWY_INLINE void add_sums(A* HWY_RESTRICT totals, const A* HWY_RESTRICT sums, int64_t rows, int64_t width) {
  const int64_t stride = few_rows_stride(rows);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t j = 0; j < width; ++j) totals[r * stride + j] += sums[r * stride + j];
  }
}

template <typename T>
HWY_INLINE void add_tile(const FewRowsMatmul& g, int64_t first, int64_t width, Summand<T>* sums) {
  // Lines that are added one after another. Narrow lines are added in as many places as a vector has lanes.
  const auto narrow = width == g.b_line ? narrow_lines_function<T, Summand<T>>(width) : nullptr;
  const int64_t stretch = narrow != nullptr ? 2048 : 512;
  const int64_t stride = few_rows_stride(g.rows);
  Summand<T>* const next = sums + g.rows * stride;
  sum_lines<T>(g, first, width, 0, std::min(stretch, g.depth), narrow, sums);
  for (int64_t k = stretch; k < g.depth; k += stretch) {
    sum_lines<T>(g, first, width, k, std::min(g.depth, k + stretch), narrow, next);
    add_sums(sums, next, g.rows, width);
  }
  for (int64_t r = 0; r < g.rows; ++r) {
    for (int64_t j = 0; j < width; ++j) store_sum<T>(g, r, first + j, sums[r * stride + j]);
  }
}

template <typename T>
void few_rows_columns(const FewRowsMatmul& g, int64_t first, int64_t last, void* sums) {
  if (g.dots) {
    // Lines that are far from each other begin their pages at different times, and lie in different sets of a cache.
    const int64_t part = (last - first) / kStreams;
    for (int64_t j = 0; j < part; ++j) dot_columns<T>(g, first + j, part, kStreams);
    if (const int64_t j = first + part * kStreams; j < last) dot_columns<T>(g, j, 1, static_cast<int>(last - j));
    return;
  }
  const int64_t tile = few_rows_tile(g.rows);
  for (int64_t j = first; j < last; j += tile) {
    add_tile<T>(g, j, std::min(tile, last - j), static_cast<Summand<T>*>(sums));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
