/* SPDX-License-Identifier: BSD-3-Clause */
// The bodies of small matrix products: a tile of sums stays in registers for all k.
#if defined(IMPL_CPU_MATMUL_SMALL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATMUL_SMALL_INL_H_
#undef IMPL_CPU_MATMUL_SMALL_INL_H_
#else
#define IMPL_CPU_MATMUL_SMALL_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "impl/cpu/matmul/prefetch.hpp"
#include "impl/cpu/matmul/small.hpp"
#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Vectors of columns in a tile. With kSmallRows rows, the sums, a row of b and an element of a fit the registers.
#if HWY_TARGET == HWY_AVX3
constexpr int kSmallVectors = 4;
#else
constexpr int kSmallVectors = 2;
#endif
// With one row there are more vectors: enough sums to hide the latency of an addition.
constexpr int kSmallRowVectors = 8;

// The next lines of a, b and out, to prefetch.
struct Ahead {
  Lines lines[3];

  int64_t left() const { return lines[0].left + lines[1].left + lines[2].left; }
  void fetch(int64_t count) {
    for (Lines& l : lines) count = l.fetch(count);
  }
};

// Steps of k between prefetches of what is next, which distributes them over the tile.
constexpr int64_t kSmallStretch = 8;

template <typename T>
struct SmallTile {
  const T *a, *b, *bias;
  T* out;
  int64_t depth, run, a_row, a_col, b_row, out_row;
  int64_t last;  // columns in the last vector
  bool accumulate;
  Ahead* ahead;
  int64_t fetch;  // lines of `ahead` to prefetch in each stretch
};

// kPart: the last vector has fewer columns than lanes.
template <bool kPart, typename T>
HWY_INLINE VecOf<T> load_last(const T* p, int64_t count) {
  if constexpr (kPart) {
    return load_some(p, count);
  } else {
    return load_vector(p);
  }
}

template <bool kPart, typename T>
HWY_INLINE void store_last(VecOf<T> v, T* p, int64_t count) {
  if constexpr (kPart) {
    store_some(v, p, count);
  } else {
    store_vector(v, p);
  }
}

// This is not inlined, and its loops are unrolled, so that the compiler keeps all sums in registers.
template <int kRows, int kVectors, bool kPart, typename T>
HWY_NOINLINE void run_small_tile(const SmallTile<T>& t) {
  const TagOf<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kTermsAhead = 6;  // rows of b between the one that is read and the one that is prefetched
  constexpr int64_t kLine = Lines::kLineBytes / sizeof(T);
  const int64_t last = (kVectors - 1) * lanes;
  const T *a = t.a, *b = t.b, *biases = t.bias;
  bool accumulate = t.accumulate;
  for (int64_t k = 0; k < t.depth;) {
    VecOf<T> sum[kRows][kVectors];
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
    }
    const int64_t end = std::min(t.depth, k + t.run);
    while (k < end) {
      const int64_t stop = std::min(end, k + kSmallStretch);
      t.ahead->fetch(t.fetch);
      for (; k < stop; ++k, a += t.a_col, b += t.b_row) {
#pragma GCC unroll 8
        for (int64_t i = 0; i < kVectors * lanes; i += kLine) hwy::Prefetch(b + kTermsAhead * t.b_row + i);
        VecOf<T> line[kVectors];
#pragma GCC unroll 8
        for (int v = 0; v < kVectors - 1; ++v) line[v] = load_vector(b + v * lanes);
        line[kVectors - 1] = load_last<kPart>(b + last, t.last);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          const auto factor = hn::Set(d, a[r * t.a_row]);
#pragma GCC unroll 8
          for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(factor, line[v], sum[r][v]);
        }
      }
    }
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const bool at_end = v == kVectors - 1;
      const auto load = [&](const T* p) HWY_ATTR { return at_end ? load_last<kPart>(p, t.last) : load_vector(p); };
      const auto bias = biases == nullptr ? hn::Zero(d) : load(biases + v * lanes);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        T* out = t.out + r * t.out_row + v * lanes;
        auto value = sum[r][v];
        if (biases != nullptr) value = hn::Add(value, bias);
        if (accumulate) value = hn::Add(load(out), value);
        if (at_end) {
          store_last<kPart>(value, out, t.last);
        } else {
          store_vector(value, out);
        }
      }
    }
    biases = nullptr;
    accumulate = true;
  }
}

template <int kRows, int kVectors, typename T>
HWY_INLINE void run_small_tile_of(int64_t vectors, bool part, const SmallTile<T>& t) {
  if constexpr (kVectors > 1) {
    if (vectors < kVectors) return run_small_tile_of<kRows, kVectors - 1>(vectors, part, t);
  }
  return part ? run_small_tile<kRows, kVectors, true>(t) : run_small_tile<kRows, kVectors, false>(t);
}

template <typename T>
inline constexpr int64_t kDepthTogether = std::is_same_v<T, double> ? kSmallDepthFloat64 : kSmallDepth;

// The lines to prefetch: the next tile of the depth, or the first one of the next product.
template <typename T>
HWY_INLINE Ahead what_is_next(const SmallMatmul& g, const T* a, const T* b, int64_t rows, int64_t depth) {
  Ahead ahead;
  if (depth > 0) {
    ahead.lines[0] = lines_of(a, g.a_row, g.a_col, rows, depth);
    ahead.lines[1] = lines_of(b, g.b_row, 1, depth, g.cols);
  } else if (g.next_rows > 0) {
    const int64_t first = std::min(g.depth, kDepthTogether<T>);
    ahead.lines[0] = lines_of(static_cast<const T*>(g.next_a), g.a_row, g.a_col, g.next_rows, first);
    ahead.lines[1] = lines_of(static_cast<const T*>(g.next_b), g.b_row, 1, first, g.cols);
    ahead.lines[2] = lines_of(static_cast<const T*>(g.next_out), g.out_row, 1, g.next_rows, g.cols);
  }
  return ahead;
}

// Narrow tiles have twice as many rows, so that there are as many sums. Moves t.a and t.out to the end of the rows.
template <int kVectors, typename T>
HWY_INLINE void run_small_rows(int64_t rows, int64_t vectors, SmallTile<T>& t) {
  const bool part = t.last < static_cast<int64_t>(hn::Lanes(TagOf<T>()));
  const auto run = [&](auto tile_rows) HWY_ATTR {
    constexpr int kRows = decltype(tile_rows)::value;
    while (rows >= kRows) {
      run_small_tile_of<kRows, kVectors>(vectors, part, t);
      t.a += kRows * t.a_row;
      t.out += kRows * t.out_row;
      rows -= kRows;
    }
  };
  if constexpr (kVectors <= kSmallVectors / 2) {
    run(std::integral_constant<int, 2 * kSmallRows>());
    run(std::integral_constant<int, 8>());
  }
  if constexpr (kVectors <= kSmallVectors) {
    run(std::integral_constant<int, kSmallRows>());
    run(std::integral_constant<int, 4>());
    run(std::integral_constant<int, 2>());
  }
  run(std::integral_constant<int, 1>());
}

// Panels of columns, of which all but the last have `width` vectors.
struct SmallPanels {
  int64_t vectors, count, width;
  SmallPanels(int64_t rows, int64_t cols, int64_t lanes) : vectors((cols + lanes - 1) / lanes) {
    const int64_t most = rows == 1 ? kSmallRowVectors : kSmallVectors;
    count = (vectors + most - 1) / most;
    width = (vectors + count - 1) / count;
  }
};

// The rows of a that are multiplied with one panel after another. A panel of b stays in the first-level cache while it
// is multiplied with all rows. But the lines of many rows of `out` that are pages apart do not: then blocks of rows are
// better, if all of b stays there.
template <typename T>
int64_t small_row_block(const SmallMatmul& g, int64_t rows, int64_t depth) {
  constexpr int64_t kResident = 16384, kPage = 4096, kSize = sizeof(T);
  return g.out_row * kSize >= kPage && depth * g.cols * kSize <= kResident ? kSmallRows : rows;
}

template <typename T>
HWY_INLINE void run_small_panel(int64_t rows, int64_t vectors, SmallTile<T>& t) {
  if (vectors <= kSmallVectors / 2) {
    run_small_rows<kSmallVectors / 2>(rows, vectors, t);
  } else if (vectors <= kSmallVectors) {
    run_small_rows<kSmallVectors>(rows, vectors, t);
  } else {
    run_small_rows<kSmallRowVectors>(rows, vectors, t);
  }
}

// All tiles of the depth have the same size, and so do all panels of columns; only the last ones may be smaller.
template <typename T>
void small_rows(const SmallMatmul& g, int64_t row, int64_t rows) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(TagOf<T>()));
  const SmallPanels panels(rows, g.cols, lanes);
  const int64_t tiles = (g.depth + kDepthTogether<T> - 1) / kDepthTogether<T>;
  const int64_t tile_depth = (g.depth + tiles - 1) / tiles;
  const T* a = static_cast<const T*>(g.a) + row * g.a_row;
  const T* b = static_cast<const T*>(g.b);
  const T* bias = static_cast<const T*>(g.bias);
  T* const out = static_cast<T*>(g.out) + row * g.out_row;
  for (int64_t k = 0; k < g.depth; k += tile_depth) {
    const int64_t depth = std::min(tile_depth, g.depth - k);
    const T *next_a = a + depth * g.a_col, *next_b = b + depth * g.b_row;
    Ahead ahead = what_is_next(g, next_a, next_b, rows, std::min(tile_depth, g.depth - k - depth));
    const int64_t stretches =
        (depth + kSmallStretch - 1) / kSmallStretch * ((rows + kSmallRows - 1) / kSmallRows) * panels.count;
    const int64_t fetch = (ahead.left() + stretches - 1) / stretches;
    SmallTile<T> t{};
    t.ahead = &ahead;
    t.fetch = fetch;
    t.depth = depth;
    t.run = g.run > 0 ? g.run : depth;
    t.a_row = g.a_row;
    t.a_col = g.a_col;
    t.b_row = g.b_row;
    t.out_row = g.out_row;
    t.accumulate = g.accumulate || k > 0;
    const int64_t block = small_row_block<T>(g, rows, depth);
    for (int64_t r = 0; r < rows; r += block) {
      for (int64_t v = 0; v < panels.vectors; v += panels.width) {
        const int64_t count = std::min(panels.width, panels.vectors - v), col = v * lanes;
        t.a = a + r * g.a_row;
        t.b = b + col;
        t.bias = bias == nullptr ? nullptr : bias + col;
        t.out = out + r * g.out_row + col;
        t.last = std::min(lanes, g.cols - col - (count - 1) * lanes);
        run_small_panel(std::min(block, rows - r), count, t);
      }
    }
    a = next_a;
    b = next_b;
    bias = nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
