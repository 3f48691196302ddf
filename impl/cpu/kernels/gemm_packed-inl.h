// The bodies of the blocked matrix product, after Goto and van de Geijn, "Anatomy of high-performance matrix
// multiplication" (2008): panels of b stay in the first-level cache while panels of a pass by.
#if defined(IMPL_CPU_GEMM_PACKED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_GEMM_PACKED_INL_H_
#undef IMPL_CPU_GEMM_PACKED_INL_H_
#else
#define IMPL_CPU_GEMM_PACKED_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "gemm_packed.hpp"
#include "gemm_terms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Rows and vectors of columns of one step: the sums, a row of b and an element of a fit into the registers.
#if HWY_TARGET == HWY_AVX3
constexpr int kStepRows = 8, kStepVectors = 3;
#else
constexpr int kStepRows = 6, kStepVectors = 2;
#endif

// 4 x 4 float32 or 2 x 2 float64 from lines that are `line` apart to lines that are `width` apart.
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

// `lines` lines of `depth` elements become columns of dst, whose rows have `width` elements.
template <typename A>
HWY_INLINE void transpose_lines(const A* HWY_RESTRICT src, int64_t line, int64_t lines, int64_t depth,
                                A* HWY_RESTRICT dst, int64_t width) {
  int64_t i = 0;
  if constexpr (kSquareBytes > 0) {
    constexpr int64_t kSquare = kSquareBytes / sizeof(A);
    const int64_t whole = depth / kSquare * kSquare;
    for (; i + kSquare <= lines; i += kSquare) {
      for (int64_t k = 0; k < whole; k += kSquare)
        transpose_square(src + i * line + k, line, dst + k * width + i, width);
      for (int64_t k = whole; k < depth; ++k) {
        for (int64_t j = i; j < i + kSquare; ++j) dst[k * width + j] = src[j * line + k];
      }
    }
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

// dst[k][i] = src[i * line + k * step] for i < lines, 0 for i from there to width; line or step is 1.
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
    constexpr int64_t kTogether = 4;
    A widened[kTogether * kPackDepth];
    for (int64_t i = 0; i < lines; i += kTogether) {
      const int64_t count = std::min(kTogether, lines - i);
      for (int64_t j = 0; j < count; ++j) widen_line(src + (i + j) * line, depth, widened + j * kPackDepth);
      transpose_lines(widened, kPackDepth, count, depth, dst + i, width);
    }
  }
}

template <typename A>
struct Step {
  const A *a, *b;  // panels: [depth][kStepRows] and [depth][vectors of columns]
  int64_t depth;
  A* out;
  int64_t out_row;
  int64_t rows, cols;
  const A* bias;  // null but in the first block of the depth
  bool add;       // to what is in out
};

template <int kVectors, class D, typename A>
HWY_INLINE void merge_edge(D d, const Step<A>& s, const hn::Vec<D> (&sum)[kStepRows][kVectors]) {
  HWY_ALIGN A tile[kStepRows * kVectors * HWY_MAX_BYTES / sizeof(A)];
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), width = kVectors * lanes;
  for (int r = 0; r < kStepRows; ++r) {
    for (int v = 0; v < kVectors; ++v) hn::Store(sum[r][v], d, tile + r * width + v * lanes);
  }
  for (int64_t r = 0; r < s.rows; ++r) {
    A* HWY_RESTRICT out = s.out + r * s.out_row;
    for (int64_t c = 0; c < s.cols; ++c) {
      A value = tile[r * width + c];
      if (s.bias != nullptr) value += s.bias[c];
      out[c] = s.add ? out[c] + value : value;
    }
  }
}

template <int kVectors, typename A>
HWY_INLINE void run_step(const Step<A>& s) {
  const hn::ScalableTag<A> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sum[kStepRows][kVectors];
  for (int r = 0; r < kStepRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
  }
  const A *a = s.a, *b = s.b;
  for (int r = 0; r < s.rows; ++r) {
    for (int v = 0; v < kVectors; ++v) hwy::Prefetch(s.out + r * s.out_row + v * lanes);
  }
  for (int64_t k = 0; k < s.depth; ++k, a += kStepRows, b += kVectors * lanes) {
    hn::Vec<decltype(d)> line[kVectors];
    for (int v = 0; v < kVectors; ++v) line[v] = hn::Load(d, b + v * lanes);
    for (int r = 0; r < kStepRows; ++r) {
      const auto factor = hn::Set(d, a[r]);
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(factor, line[v], sum[r][v]);
    }
  }
  if (s.rows < kStepRows || s.cols < kVectors * lanes) return merge_edge<kVectors>(d, s, sum);
  for (int r = 0; r < kStepRows; ++r) {
    A* out = s.out + r * s.out_row;
    for (int v = 0; v < kVectors; ++v) {
      auto value = sum[r][v];
      if (s.bias != nullptr) value = hn::Add(value, hn::LoadU(d, s.bias + v * lanes));
      if (s.add) value = hn::Add(hn::LoadU(d, out + v * lanes), value);
      hn::StoreU(value, d, out + v * lanes);
    }
  }
}

template <typename A>
HWY_INLINE void run_step_of(int64_t vectors, const Step<A>& s) {
  if constexpr (kStepVectors == 3) {
    if (vectors == 3) return run_step<kStepVectors>(s);
  }
  return vectors == 2 ? run_step<2>(s) : run_step<1>(s);
}

// Into the second-level cache: each step fetches its share of the panel of b that comes next.
template <typename A>
HWY_INLINE void prefetch_l2(const A* p, int64_t n) {
  constexpr int64_t kLine = 64 / sizeof(A);
  for (int64_t i = 0; i < n; i += kLine) __builtin_prefetch(p + i, 0, 2);
}

// One block of the product from packed operands.
template <typename A>
HWY_INLINE void run_block(Step<A> s, const A* a, int64_t rows, const A* b, int64_t cols) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<A>()));
  A* const out = s.out;
  const A* const bias = s.bias;
  const int64_t steps = (rows + kStepRows - 1) / kStepRows;
  const int64_t ahead = kStepVectors * lanes * s.depth, share = (ahead + steps - 1) / steps;
  for (int64_t j = 0; j < cols; j += kStepVectors * lanes) {
    s.cols = std::min(kStepVectors * lanes, cols - j);
    s.b = b + j * s.depth;
    s.bias = bias == nullptr ? nullptr : bias + j;
    for (int64_t i = 0; i < rows; i += kStepRows) {
      s.rows = std::min<int64_t>(kStepRows, rows - i);
      s.a = a + i * s.depth;
      s.out = out + i * s.out_row + j;
      prefetch_l2(s.b + ahead + i / kStepRows * share, share);
      run_step_of((s.cols + lanes - 1) / lanes, s);
    }
  }
}

// Panels of `cols` columns of b, `depth` deep. Packed rows are read from end to end, which memory serves best.
template <typename T>
HWY_INLINE void pack_columns(const PackedGemm& g, const T* b, int64_t depth, int64_t cols, Summand<T>* packed) {
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

template <typename T>
HWY_INLINE void pack_rows(const PackedGemm& g, const T* a, int64_t depth, int64_t rows, Summand<T>* packed) {
  for (int64_t p = 0; p < rows; p += kStepRows) {
    const int64_t count = std::min<int64_t>(kStepRows, rows - p);
    pack_panel(a + p * g.a_row, g.a_row, g.a_col, count, depth, packed + p * depth, kStepRows);
  }
}

// The size of equal blocks of at most `most`, in whole units.
HWY_INLINE int64_t block_size(int64_t extent, int64_t most, int64_t unit) {
  const int64_t count = (extent + most - 1) / most;
  return (extent + count * unit - 1) / (count * unit) * unit;
}

template <typename T>
void packed_range(const PackedGemm& g, int64_t row, int64_t rows, int64_t col, int64_t cols, void* panels) {
  using A = Summand<T>;
  const int64_t width = kStepVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<A>()));
  const int64_t most_rows = block_size(rows, kPackRows, kStepRows), most_cols = block_size(cols, kPackCols, width);
  constexpr int64_t kMostDepth = std::is_same_v<T, double> ? kPackDepthFloat64 : kPackDepth;
  const int64_t most_depth = block_size(g.depth, kMostDepth, 8);  // depends on nothing else: it orders the sums
  A* const pack_a = static_cast<A*>(panels);
  A* const pack_b = pack_a + kPackRows * kPackDepth;
  for (int64_t j = 0; j < cols; j += most_cols) {
    const int64_t num_cols = std::min(most_cols, cols - j);
    for (int64_t k = 0; k < g.depth; k += most_depth) {
      const int64_t depth = std::min(most_depth, g.depth - k);
      const T* b = static_cast<const T*>(g.b) + k * g.b_row + (col + j) * g.b_col;
      const A* bias = k > 0 || g.bias == nullptr ? nullptr : static_cast<const A*>(g.bias) + col + j;
      pack_columns(g, b, depth, num_cols, pack_b);
      for (int64_t i = 0; i < rows; i += most_rows) {
        const int64_t num_rows = std::min(most_rows, rows - i);
        const T* a = static_cast<const T*>(g.a) + (row + i) * g.a_row + k * g.a_col;
        A* out = static_cast<A*>(g.out) + (row + i) * g.out_row + col + j;
        pack_rows(g, a, depth, num_rows, pack_a);
        run_block<A>({nullptr, nullptr, depth, out, g.out_row, 0, 0, bias, g.accumulate || k > 0}, pack_a, num_rows,
                     pack_b, num_cols);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
