/* SPDX-License-Identifier: BSD-3-Clause */
// Maxima of lines and of windows over lines, in ordinary loops that are compiled once per Highway target.
#if defined(IMPL_CPU_POOL_MAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_POOL_MAX_INL_H_
#undef IMPL_CPU_POOL_MAX_INL_H_
#else
#define IMPL_CPU_POOL_MAX_INL_H_
#endif

#include <limits>
#include <type_traits>

#include "impl/cpu/pool/windows-inl.h"
#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
constexpr T lowest() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
}

template <typename T>
HWY_INLINE bool is_nan(T v) {
  return v != v;
}

HWY_INLINE void store_index(const PoolArgs& a, int64_t at, int64_t value) {
  if (a.index == nullptr) return;
  if (a.narrow_index) {
    static_cast<int32_t*>(a.index)[at] = static_cast<int32_t>(value);
  } else {
    static_cast<int64_t*>(a.index)[at] = value;
  }
}

// Stores the indices of n outputs, which are `step` apart.
template <typename P>
HWY_INLINE void store_indices(const PoolArgs& a, int64_t at, int64_t step, const P* HWY_RESTRICT values, int64_t n) {
  if (a.index != nullptr && !a.narrow_index && step == 1) {
    int64_t* HWY_RESTRICT index = static_cast<int64_t*>(a.index) + at;
    for (int64_t i = 0; i < n; ++i) index[i] = values[i];
  } else {
    for (int64_t i = 0; i < n; ++i) store_index(a, at + i * step, values[i]);
  }
}

// The type of comparisons: float32 for bfloat16, otherwise the dtype itself.
template <typename S>
using Compared = std::conditional_t<std::is_same_v<S, diopi::bfloat16>, float, S>;

// Replaces the best element by a later one if that is larger or NaN.
template <typename T>
HWY_INLINE void fold(T v, int32_t position, T* HWY_RESTRICT best, int32_t* HWY_RESTRICT where) {
  const bool wins = (v > *best) | is_nan(v);
  *best = wins ? v : *best;
  *where = wins ? position : *where;
}

// fold() for n elements in vectors. The arrays have room for a whole last vector.
HWY_INLINE void fold_vectors(const float* HWY_RESTRICT in, int64_t n, int32_t position, float* HWY_RESTRICT best,
                             int32_t* HWY_RESTRICT where) {
  const TagOf<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto place = hn::Set(di, position);
  const auto step = [&](hn::Vec<decltype(d)> v, hn::Mask<decltype(d)> among, int64_t i) HWY_ATTR {
    const auto old = hn::LoadU(d, best + i);
    const auto wins = hn::And(among, hn::Or(hn::Gt(v, old), hn::IsNaN(v)));
    hn::StoreU(hn::IfThenElse(wins, v, old), d, best + i);
    hn::StoreU(hn::IfThenElse(hn::RebindMask(di, wins), place, hn::LoadU(di, where + i)), di, where + i);
  };
  int64_t i = 0;
  for (; i + lanes_of<float>() <= n; i += lanes_of<float>()) {
    step(hn::LoadU(d, in + i), hn::FirstN(d, static_cast<size_t>(lanes_of<float>())), i);
  }
  if (i < n) step(load_some(in + i, n - i), hn::FirstN(d, static_cast<size_t>(n - i)), i);
}

template <typename S, typename T>
HWY_INLINE void fold_line(const S* HWY_RESTRICT in, int64_t stride, int64_t n, int32_t position, T* HWY_RESTRICT best,
                          int32_t* HWY_RESTRICT where) {
  if constexpr (std::is_same_v<S, float>) {
    if (stride == 1) return fold_vectors(in, n, position, best, where);
  }
  if (stride != 1 || n < kTogether) {
    for_line(in, stride, n, [&](int64_t i, S v) HWY_ATTR { fold(static_cast<T>(v), position, best + i, where + i); });
    return;
  }
  for (int64_t i = 0; i < n; i += kTogether) {
    const int64_t first = std::min(i, n - kTogether);  // folding an element twice does not change the result
    for (int64_t k = first; k < first + kTogether; ++k) fold(static_cast<T>(in[k]), position, best + k, where + k);
  }
}

template <typename T>
struct Best {
  T value;
  int64_t position;
};

// Elements come column by column, but the result must be that of row-major order: the first of equal elements, or the
// last NaN.
template <typename T>
HWY_INLINE void fold_column(T v, int64_t position, Best<T>* best) {
  const bool nan = is_nan(v);
  const bool wins = v > best->value || (v == best->value && position < best->position) ||
                    (nan && (!is_nan(best->value) || position > best->position));
  if (wins) *best = {v, position};
}

// Computes the outputs of one column block. `x` is the plane; `rows` are the depth and height spans.
template <typename S>
void max_columns(const PoolArgs& a, const S* x, const PoolSpan* rows, const ColumnBlock& block, int64_t y_at,
                 int64_t i_at) {
  const int64_t h = a.dim[1].in, w = a.dim[2].in, step = a.xs.spatial[2];
  const int64_t first_row = rows[0].begin * h + rows[1].begin;
  using T = Compared<S>;
  T line[kLine];
  int32_t where[kLine];
  Best<T> single{};
  for (int64_t begin = block.begin; begin == block.begin || begin < block.end; begin += kLine) {
    const int64_t n = std::min(kLine, block.end - begin);
    std::fill_n(line, n, lowest<T>());
    std::fill_n(where, n, static_cast<int32_t>(first_row));
    for (int64_t i = rows[0].begin; i < rows[0].end; i += rows[0].step) {
      for (int64_t j = rows[1].begin; j < rows[1].end; j += rows[1].step) {
        fold_line(x + offset_of(a.xs, i, j, begin), step, n, static_cast<int32_t>(i * h + j), line, where);
      }
    }
    for (int64_t o = block.first; o < block.last; ++o) {
      const PoolSpan span = a.dim[2].span(o), part = clip(span, begin, begin + n);
      Best<T> best{lowest<T>(), first_row * w + span.begin};
      if (begin > block.begin) best = single;  // only a single output has several tiles
      for (int64_t k = part.begin; k < part.end; k += part.step) {
        fold_column(line[k - begin], int64_t{where[k - begin]} * w + k, &best);
      }
      single = best;
      static_cast<S*>(a.y)[y_at + o * a.ys.spatial[2]] = static_cast<S>(best.value);
      store_index(a, i_at + o * a.is.spatial[2], best.position);
    }
  }
}

// Computes the maxima of windows of `kernel` columns of `line`, beginning with column 0 of each window, and their
// positions in the plane. Each step is done for all outputs, without branches.
template <int kStride, typename T>
HWY_INLINE void fold_windows(const T* HWY_RESTRICT line, const int32_t* HWY_RESTRICT position, int64_t kernel,
                             int64_t stride, int64_t n, T* HWY_RESTRICT best, int32_t* HWY_RESTRICT where) {
  const int64_t step = kStride > 0 ? kStride : stride;
  if (kStride > 0) n = n / kTogether * kTogether;  // does not change n, but tells the compiler
  for (int64_t o = 0; o < n; ++o) {
    best[o] = line[o * step];
    where[o] = position[o * step];
  }
  for (int64_t k = 1; k < kernel; ++k) {
    for (int64_t o = 0; o < n; ++o) {
      const T v = line[o * step + k];
      const int32_t p = position[o * step + k];
      const int later = !is_nan(best[o]) | (p > where[o]);
      const bool wins = (v > best[o]) | ((v == best[o]) & (p < where[o])) | (is_nan(v) & later);
      best[o] = wins ? v : best[o];
      where[o] = wins ? p : where[o];
    }
  }
}

// Computes the maxima of windows of `kernel` elements of one row, and, if kPlaces is true, their distances from the
// beginning of the window. Elements come in order, so the first of equal elements stays. n is a multiple of the lanes.
// `next` are the elements that are read after `line`; they are prefetched.
template <int kStride, bool kPlaces, typename T, typename S>
HWY_INLINE void first_maxima(const T* HWY_RESTRICT line, int64_t kernel, int64_t n, T* HWY_RESTRICT best,
                             hwy::MakeSigned<T>* HWY_RESTRICT where, const S* next) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using V = hn::Vec<decltype(d)>;
  for (int64_t o = 0; o < n; o += static_cast<int64_t>(hn::Lanes(d))) {
    V largest = hn::LoadU(d, line);  // overwritten
    for (int64_t k = 0; k < kStride; ++k) hwy::Prefetch(next + o * kStride + k * static_cast<int64_t>(hn::Lanes(d)));
    auto place = hn::Zero(di);
    for (int64_t first = 0; first < kernel; first += kStride) {
      V part[4];
      const T* const at = line + o * kStride + first;
      if constexpr (kStride == 1) part[0] = hn::LoadU(d, at);
      if constexpr (kStride == 2) hn::LoadInterleaved2(d, at, part[0], part[1]);
      if constexpr (kStride == 3) hn::LoadInterleaved3(d, at, part[0], part[1], part[2]);
      if constexpr (kStride == 4) hn::LoadInterleaved4(d, at, part[0], part[1], part[2], part[3]);
      if (first == 0) largest = part[0];
      for (int64_t k = first == 0 ? 1 : 0; k < std::min<int64_t>(kStride, kernel - first); ++k) {
        const auto wins = hn::Or(hn::Gt(part[k], largest), hn::IsNaN(part[k]));
        largest = hn::IfThenElse(wins, part[k], largest);
        const auto here = hn::Set(di, static_cast<hwy::MakeSigned<T>>(first + k));
        if constexpr (kPlaces) place = hn::IfThenElse(hn::RebindMask(di, wins), here, place);
      }
    }
    hn::StoreU(largest, d, best + o);
    if constexpr (kPlaces) hn::StoreU(place, di, where + o);
  }
}

// Calls f(stride as a constant) for the strides of first_maxima(); returns false for others.
template <typename F>
HWY_INLINE bool with_stride(int64_t stride, const F& f) {
  switch (stride) {
    case 1:
      f(std::integral_constant<int, 1>());
      return true;
    case 2:
      f(std::integral_constant<int, 2>());
      return true;
    case 3:
      f(std::integral_constant<int, 3>());
      return true;
    case 4:
      f(std::integral_constant<int, 4>());
      return true;
    default:
      return false;
  }
}

// Writes the values of outputs [first, first + n) of a row.
template <typename S, typename T>
HWY_INLINE void store_values(const PoolArgs& a, int64_t first, int64_t n, const T* HWY_RESTRICT best, int64_t y_at) {
  S* y = static_cast<S*>(a.y) + y_at + first * a.ys.spatial[2];
  if (a.ys.spatial[2] == 1) {
    for (int64_t o = 0; o < n; ++o) y[o] = static_cast<S>(best[o]);
  } else {
    for (int64_t o = 0; o < n; ++o) y[o * a.ys.spatial[2]] = static_cast<S>(best[o]);
  }
}

// Writes the values and positions of these outputs.
template <typename S, typename T>
HWY_INLINE void store_outputs(const PoolArgs& a, int64_t first, int64_t n, const T* HWY_RESTRICT best,
                              const int32_t* HWY_RESTRICT where, int64_t y_at, int64_t i_at) {
  store_values<S>(a, first, n, best, y_at);
  store_indices(a, i_at + first * a.is.spatial[2], a.is.spatial[2], where, n);
}

// max_row() for windows over one row of the input and strides up to 4. Returns false for others.
template <typename S>
bool max_single_row(const PoolArgs& a, const S* x, const PoolSpan* rows, int64_t first, int64_t last, int64_t y_at,
                    int64_t i_at) {
  using T = Compared<S>;
  using Place = hwy::MakeSigned<T>;
  constexpr int64_t kMostLanes = HWY_MAX_BYTES / sizeof(T), kRoom = kLine + 4 * kMostLanes + 8;
  if (rows[0].end - rows[0].begin != 1 || rows[1].end - rows[1].begin != 1) return false;
  const PoolDim& dim = a.dim[2];
  const int64_t n = last - first, lanes = lanes_of<T>(), outputs = (n + lanes - 1) / lanes * lanes;
  const CoveredColumns covered = covered_columns(dim, first, last);
  T line[kRoom], best[kLine + kMostLanes];
  Place place[kLine + kMostLanes];
  int32_t where[kLine + kMostLanes];
  return with_stride(dim.stride, [&](auto stride) HWY_ATTR {
    // The last vectors read behind the last window.
    const int64_t read = outputs * stride + dim.kernel + stride;
    std::fill_n(line, covered.begin, lowest<T>());
    std::fill(line + covered.end, line + read, lowest<T>());
    const S* const source = x + offset_of(a.xs, rows[0].begin, rows[1].begin, covered.column + covered.begin);
    for_line(source, a.xs.spatial[2], covered.end - covered.begin,
             [&](int64_t i, S v) HWY_ATTR { line[covered.begin + i] = static_cast<T>(v); });
    const S* const next = source + covered.end - covered.begin;
    if (a.index == nullptr) {
      if constexpr (std::is_same_v<S, T>) {
        if (a.ys.spatial[2] == 1 && outputs == n) {
          S* const y = static_cast<S*>(a.y) + y_at + first;
          return first_maxima<stride, false>(line, dim.kernel, n, y, place, next);
        }
      }
      first_maxima<stride, false>(line, dim.kernel, outputs, best, place, next);
      return store_values<S>(a, first, n, best, y_at);
    }
    first_maxima<stride, true>(line, dim.kernel, outputs, best, place, next);
    // A place outside the input is that of a window of smallest values, whose first element inside counts.
    const auto row = static_cast<int32_t>((rows[0].begin * a.dim[1].in + rows[1].begin) * dim.in);
    const auto column = static_cast<int32_t>(covered.column);
    for (int64_t o = 0; o < n; ++o) {
      const int32_t at = column + static_cast<int32_t>(o * stride) + static_cast<int32_t>(place[o]);
      where[o] = row + std::max(at, 0);
    }
    store_outputs<S>(a, first, n, best, where, y_at, i_at);
  });
}

// max_columns() for outputs [first, last) of a row, whose windows fit in a line. Elements outside the input have the
// smallest value, and positions behind all others.
template <typename S>
void max_row(const PoolArgs& a, const S* x, const PoolSpan* rows, int64_t first, int64_t last, int64_t y_at,
             int64_t i_at) {
  if (max_single_row(a, x, rows, first, last, y_at, i_at)) return;
  using T = Compared<S>;
  const PoolDim& dim = a.dim[2];
  const int64_t h = a.dim[1].in, n = last - first, outputs = outputs_together(n, dim.stride);
  const int64_t padded = (outputs - 1) * dim.stride + dim.kernel;
  const CoveredColumns covered = covered_columns(dim, first, last);
  const int64_t begin = covered.begin, end = covered.end;
  T line[kPaddedLine], best[kPaddedLine];
  int32_t position[kPaddedLine], where[kPaddedLine];
  std::fill_n(line, padded, lowest<T>());
  std::fill_n(position, padded, std::numeric_limits<int32_t>::max());
  std::fill_n(position + begin, end - begin, static_cast<int32_t>(rows[0].begin * h + rows[1].begin));
  for (int64_t i = rows[0].begin; i < rows[0].end; i += rows[0].step) {
    for (int64_t j = rows[1].begin; j < rows[1].end; j += rows[1].step) {
      fold_line(x + offset_of(a.xs, i, j, covered.column + begin), a.xs.spatial[2], end - begin,
                static_cast<int32_t>(i * h + j), line + begin, position + begin);
    }
  }
  const auto width = static_cast<int32_t>(dim.in);
  const auto column = static_cast<int32_t>(covered.column);
  for (int64_t k = begin; k < end; ++k) position[k] = position[k] * width + static_cast<int32_t>(k) + column;
  if (dim.stride == 1) {
    fold_windows<1>(line, position, dim.kernel, 1, outputs, best, where);
  } else if (dim.stride == 2) {
    fold_windows<2>(line, position, dim.kernel, 2, outputs, best, where);
  } else {
    fold_windows<0>(line, position, dim.kernel, dim.stride, outputs, best, where);
  }
  store_outputs<S>(a, first, n, best, where, y_at, i_at);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
