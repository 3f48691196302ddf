/* SPDX-License-Identifier: BSD-3-Clause */
// The body of the blocked matrix product, after Goto and van de Geijn, "Anatomy of high-performance matrix
// multiplication" (2008), with the caches used differently, as suits current processors: a panel of a stays in the
// first-level cache, the panels of b are read from the second-level cache, and lines of out are written in order.
#if defined(IMPL_CPU_MATMUL_GOTO_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATMUL_GOTO_INL_H_
#undef IMPL_CPU_MATMUL_GOTO_INL_H_
#else
#define IMPL_CPU_MATMUL_GOTO_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "impl/cpu/matmul/goto.hpp"
#include "impl/cpu/matmul/pack_panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename A>
struct Step {
  const A *a, *b;  // panels: [depth][kStepRows] and [depth][vectors of columns]
  int64_t depth;
  A* out;
  int64_t out_row;
  int64_t rows, cols;
  const A* bias;  // null except in the first block of the depth
  bool add;       // adds to out instead of overwriting it
  Lines* ahead;   // lines to prefetch during this step: the next `fetch` lines of it
  int64_t fetch;
};

// Writes the sums that exist in a step at an edge of out. `tile` has all sums, in rows of `width`.
template <typename A>
HWY_INLINE void merge_edge(const Step<A>& s, const A* HWY_RESTRICT tile, int64_t width) {
  for (int64_t r = 0; r < s.rows; ++r) {
    A* HWY_RESTRICT out = s.out + r * s.out_row;
    for (int64_t c = 0; c < s.cols; ++c) {
      A value = tile[r * width + c];
      if (s.bias != nullptr) value += s.bias[c];
      out[c] = s.add ? out[c] + value : value;
    }
  }
}

// Prefetches the lines of the row of a panel of b that the step reads some terms later. Without this, the loads wait
// for the second-level cache.
template <int kVectors, typename A>
HWY_INLINE void prefetch_row(const A* row) {
  constexpr int64_t kTermsAhead = 8, kLine = Lines::kLineBytes / sizeof(A);
  const int64_t width = kVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<A>()));
#pragma GCC unroll 8
  for (int64_t i = 0; i < width; i += kLine) hwy::Prefetch(row + kTermsAhead * width + i);
}

// This is not inlined, and its loops are unrolled, so that the compiler keeps all sums in registers. kEdge: the step
// has fewer rows or columns than the tile.
template <int kVectors, bool kEdge, typename A>
HWY_NOINLINE void run_step(const Step<A>& s) {
  const hn::ScalableTag<A> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sum[kStepRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kStepRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
  }
  const A *a = s.a, *b = s.b;
  Lines ahead = *s.ahead;
  int64_t r_ahead = 0, fetch = s.fetch;
  for (int64_t k = 0; k < s.depth; ++k, a += kStepRows, b += kVectors * lanes) {
    if (k % 4 == 0) {  // prefetches are distributed over the step
      if (r_ahead < s.rows) {
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) hwy::Prefetch(s.out + r_ahead * s.out_row + v * lanes);
        ++r_ahead;
      }
      if (fetch > 0) {
        fetch -= 2;
        ahead.fetch(2);
      }
    }
    prefetch_row<kVectors>(b);
    hn::Vec<decltype(d)> line[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) line[v] = hn::Load(d, b + v * lanes);
#pragma GCC unroll 8
    for (int r = 0; r < kStepRows; ++r) {
      const auto factor = hn::Set(d, a[r]);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(factor, line[v], sum[r][v]);
    }
  }
  *s.ahead = ahead;
  if constexpr (kEdge) {
    HWY_ALIGN A tile[kStepRows * kVectors * HWY_MAX_BYTES / sizeof(A)];
#pragma GCC unroll 8
    for (int r = 0; r < kStepRows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) hn::Store(sum[r][v], d, tile + (r * kVectors + v) * lanes);
    }
    return merge_edge(s, tile, kVectors * lanes);
  }
#pragma GCC unroll 8
  for (int r = 0; r < kStepRows; ++r) {
    A* out = s.out + r * s.out_row;
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      auto value = sum[r][v];
      if (s.bias != nullptr) value = hn::Add(value, hn::LoadU(d, s.bias + v * lanes));
      if (s.add) value = hn::Add(hn::LoadU(d, out + v * lanes), value);
      hn::StoreU(value, d, out + v * lanes);
    }
  }
}

template <int kVectors, typename A>
HWY_INLINE void run_whole_or_edge(int64_t width, const Step<A>& s) {
  return s.rows < kStepRows || s.cols < width ? run_step<kVectors, true>(s) : run_step<kVectors, false>(s);
}

template <typename A>
HWY_INLINE void run_step_of(int64_t lanes, const Step<A>& s) {
  if constexpr (kStepVectors == 3) {
    if (s.cols > 2 * lanes) return run_whole_or_edge<kStepVectors>(3 * lanes, s);
  }
  return s.cols > lanes ? run_whole_or_edge<2>(2 * lanes, s) : run_whole_or_edge<1>(lanes, s);
}

// Computes one block of the product from packed operands. It prefetches all of next_a and `share_b` lines of next_b.
template <typename A>
HWY_INLINE void run_block(Step<A> s, const A* a, int64_t rows, const A* b, int64_t cols, Lines* next_a, Lines* next_b,
                          int64_t share_b) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<A>()));
  A* const out = s.out;
  const A* const bias = s.bias;
  const int64_t steps = (rows + kStepRows - 1) / kStepRows;
  const int64_t all_steps = steps * ((cols + kStepVectors * lanes - 1) / (kStepVectors * lanes));
  const int64_t quota = (next_a->left + share_b + all_steps - 1) / all_steps;
  for (int64_t i = 0; i < rows; i += kStepRows) {
    s.rows = std::min<int64_t>(kStepRows, rows - i);
    s.a = a + i * s.depth;
    for (int64_t j = 0; j < cols; j += kStepVectors * lanes) {
      s.cols = std::min(kStepVectors * lanes, cols - j);
      s.b = b + j * s.depth;
      s.bias = bias == nullptr ? nullptr : bias + j;
      s.out = out + i * s.out_row + j;
      s.ahead = next_a->left > 0 ? next_a : next_b;
      s.fetch = std::min(quota, s.ahead->left);
      run_step_of(lanes, s);
    }
  }
}

// The size of equal blocks of at most `most`, a multiple of `step`.
HWY_INLINE int64_t block_size(int64_t extent, int64_t most, int64_t step) {
  const int64_t count = (extent + most - 1) / most;
  return (extent + count * step - 1) / (count * step) * step;
}

// The sizes of the blocks of a range of a product.
template <typename T>
struct Blocking {
  using A = Summand<T>;
  Blocking(int64_t rows, int64_t cols, int64_t depth, int64_t run) : all_rows(rows), all_cols(cols), all_depth(depth) {
    // With few rows, b takes most of the traffic. Its blocks are smaller then, so that the next one can be prefetched.
    constexpr int64_t kFewRows = 96, kColsOfFewRows = 528;
    constexpr int64_t kMostDepth = std::is_same_v<T, double> ? kPackDepthFloat64 : kPackDepth;
    const int64_t width = kStepVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<A>()));
    most_rows = block_size(rows, kPackRows, kStepRows);
    most_cols = block_size(cols, rows <= kFewRows ? kColsOfFewRows : kPackCols, width);
    // Only from the depth and the run: it fixes the order of the sums.
    most_depth = block_size(depth, run > 0 ? std::min(run, kMostDepth) : kMostDepth, 8);
  }
  int64_t rows_at(int64_t i) const { return std::min(most_rows, all_rows - i); }
  int64_t cols_at(int64_t j) const { return std::min(most_cols, all_cols - j); }
  int64_t depth_at(int64_t k) const { return std::min(most_depth, all_depth - k); }

  int64_t all_rows, all_cols, all_depth, most_rows, most_cols, most_depth;
};

// Multiplies one block of b with all rows of a. The next block of b begins at `next_k` and `next_j`.
template <typename T>
HWY_INLINE void run_column_block(const GotoMatmul& g, const Blocking<T>& size, const T* a, Summand<T>* out,
                                 const Step<Summand<T>>& step, int64_t k, int64_t j, int64_t next_k, int64_t next_j,
                                 Summand<T>* pack_a, Lines* next_b) {
  const Summand<T>* pack_b = pack_a + kPackRows * kPackDepth;
  for (int64_t i = 0; i < size.all_rows; i += size.most_rows) {
    const int64_t rows = size.rows_at(i), behind = i + rows;
    const bool last = behind >= size.all_rows;
    const int64_t i_ahead = last ? 0 : behind, k_ahead = last ? next_k : k;
    pack_rows(g, a + i * g.a_row + k * g.a_col, step.depth, rows, pack_a);
    Lines next_a;
    if (!last || next_j < size.all_cols) {
      next_a = lines_of(a + i_ahead * g.a_row + k_ahead * g.a_col, g.a_row, g.a_col, size.rows_at(i_ahead),
                        size.depth_at(k_ahead));
    }
    const int64_t left = (size.all_rows - i + size.most_rows - 1) / size.most_rows;
    Step<Summand<T>> s = step;
    s.out = out + i * g.out_row + j;
    run_block<Summand<T>>(s, pack_a, rows, pack_b, size.cols_at(j), &next_a, next_b, (next_b->left + left - 1) / left);
  }
}

template <typename T>
void goto_range(const GotoMatmul& g, int64_t row, int64_t rows, int64_t col, int64_t cols, void* panels) {
  using A = Summand<T>;
  constexpr int64_t kFetchedRows = 1024;  // with more rows, packing b takes too small a share to prefetch for it
  const Blocking<T> size(rows, cols, g.depth, g.run);
  A* const pack_a = static_cast<A*>(panels);
  const T* const a = static_cast<const T*>(g.a) + row * g.a_row;
  const T* const b = static_cast<const T*>(g.b) + col * g.b_col;
  A* const out = static_cast<A*>(g.out) + row * g.out_row + col;
  for (int64_t j = 0; j < cols; j += size.most_cols) {
    for (int64_t k = 0; k < g.depth; k += size.most_depth) {
      const int64_t depth = size.depth_at(k);
      const bool last = k + depth >= g.depth;
      const int64_t next_k = last ? 0 : k + depth, next_j = last ? j + size.cols_at(j) : j;
      const T* next = g.next_b == nullptr ? nullptr : static_cast<const T*>(g.next_b) + col * g.b_col;
      if (next_j < cols) next = b + next_k * g.b_row + next_j * g.b_col;
      Lines next_b;
      if (next != nullptr && rows <= kFetchedRows) {
        next_b = lines_of(next, g.b_row, g.b_col, size.depth_at(next_k), size.cols_at(next_j < cols ? next_j : 0));
      }
      const A* bias = k > 0 || g.bias == nullptr ? nullptr : static_cast<const A*>(g.bias) + col + j;
      const bool add = g.accumulate || k > 0;
      pack_columns(g, b + k * g.b_row + j * g.b_col, depth, size.cols_at(j), pack_a + kPackRows * kPackDepth);
      const Step<A> step{nullptr, nullptr, depth, nullptr, g.out_row, 0, 0, bias, add, nullptr, 0};
      run_column_block<T>(g, size, a, out, step, k, j, next_k, next_j, pack_a, &next_b);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
