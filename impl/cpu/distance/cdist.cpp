// SPDX-License-Identifier: BSD-3-Clause
// Distances: a tile of rows against vectors of rows of the other matrix, so that each term is one lane.
#include "impl/cpu/distance/cdist.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/distance/cdist.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/power-inl.h"
#include "impl/cpu/simd/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kTileRows = 4;
constexpr int64_t kTerms = 256;  // terms that are added one after another; sums of these are added then

// The norms: add() takes a difference into the sum, merge() adds two sums, and finish() is the distance.
struct CountNorm {
  template <class D, class V>
  static HWY_INLINE V add(D d, V sum, V x, V) {
    const V one = hn::IfThenElseZero(hn::Ne(x, hn::Zero(d)), hn::Set(d, hn::TFromD<D>(1)));
    return hn::Add(sum, hn::IfThenElse(hn::IsNaN(x), x, one));
  }
  template <class V>
  static HWY_INLINE V merge(V a, V b) {
    return hn::Add(a, b);
  }
  template <class D, class V>
  static HWY_INLINE V finish(D, V sum, V) {
    return sum;
  }
};

struct OneNorm : CountNorm {
  template <class D, class V>
  static HWY_INLINE V add(D, V sum, V x, V) {
    return hn::Add(sum, hn::Abs(x));
  }
};

struct TwoNorm : CountNorm {
  template <class D, class V>
  static HWY_INLINE V add(D, V sum, V x, V) {
    return hn::MulAdd(x, x, sum);
  }
  template <class D, class V>
  static HWY_INLINE V finish(D, V sum, V) {
    return hn::Sqrt(sum);
  }
};

struct AnyNorm : CountNorm {
  template <class D, class V>
  static HWY_INLINE V add(D d, V sum, V x, V p) {
    return hn::Add(sum, Pow(d, hn::Abs(x), p));
  }
  template <class D, class V>
  static HWY_INLINE V finish(D d, V sum, V p) {
    return Pow(d, sum, hn::Div(hn::Set(d, hn::TFromD<D>(1)), p));
  }
};

struct MaximumNorm : CountNorm {
  template <class V>
  static HWY_INLINE V merge(V a, V b) {
    return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(b)), b, a);  // NaN stays
  }
  template <class D, class V>
  static HWY_INLINE V add(D, V sum, V x, V) {
    return merge(sum, hn::Abs(x));
  }
};

// The distances of kTileRows rows, of which `count` exist, to kVectors vectors of columns from `column` on.
template <class Norm, typename T, int kVectors>
HWY_INLINE void distance_tile(const CdistRows& c, int64_t row, int64_t count, int64_t column) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto p = hn::Set(d, static_cast<T>(c.p));
  using V = hn::Vec<decltype(d)>;
  const T* a[kTileRows];
  for (int64_t r = 0; r < kTileRows; ++r) {
    a[r] = static_cast<const T*>(c.a) + (row + std::min(r, count - 1)) * c.a_stride;
  }
  V total00 = hn::Zero(d), total10 = total00, total20 = total00, total30 = total00;
  V total01 = total00, total11 = total00, total21 = total00, total31 = total00;
  for (int64_t first = 0; first < c.length; first += kTerms) {
    const int64_t last = std::min(first + kTerms, c.length);
    V sum00 = hn::Zero(d), sum10 = sum00, sum20 = sum00, sum30 = sum00;
    V sum01 = sum00, sum11 = sum00, sum21 = sum00, sum31 = sum00;
    const T* b = static_cast<const T*>(c.b) + first * c.b_stride + column;
    for (int64_t k = first; k < last; ++k, b += c.b_stride) {
      const V a0 = hn::Set(d, a[0][k]), a1 = hn::Set(d, a[1][k]), a2 = hn::Set(d, a[2][k]), a3 = hn::Set(d, a[3][k]);
      const V b0 = hn::LoadU(d, b);
      sum00 = Norm::add(d, sum00, hn::Sub(a0, b0), p);
      sum10 = Norm::add(d, sum10, hn::Sub(a1, b0), p);
      sum20 = Norm::add(d, sum20, hn::Sub(a2, b0), p);
      sum30 = Norm::add(d, sum30, hn::Sub(a3, b0), p);
      if constexpr (kVectors > 1) {
        const V b1 = hn::LoadU(d, b + lanes);
        sum01 = Norm::add(d, sum01, hn::Sub(a0, b1), p);
        sum11 = Norm::add(d, sum11, hn::Sub(a1, b1), p);
        sum21 = Norm::add(d, sum21, hn::Sub(a2, b1), p);
        sum31 = Norm::add(d, sum31, hn::Sub(a3, b1), p);
      }
    }
    total00 = Norm::merge(total00, sum00), total10 = Norm::merge(total10, sum10);
    total20 = Norm::merge(total20, sum20), total30 = Norm::merge(total30, sum30);
    total01 = Norm::merge(total01, sum01), total11 = Norm::merge(total11, sum11);
    total21 = Norm::merge(total21, sum21), total31 = Norm::merge(total31, sum31);
  }
  const auto store = [&](int64_t r, int64_t at, V total) HWY_ATTR {
    if (r >= count || at >= c.columns) return;
    T* const out = static_cast<T*>(c.out) + (row + r) * c.stride + at;
    const V result = Norm::finish(d, total, p);
    at + lanes <= c.columns ? hn::StoreU(result, d, out) : store_first(d, result, out, c.columns - at);
  };
  store(0, column, total00), store(1, column, total10), store(2, column, total20), store(3, column, total30);
  if constexpr (kVectors > 1) {
    store(0, column + lanes, total01), store(1, column + lanes, total11);
    store(2, column + lanes, total21), store(3, column + lanes, total31);
  }
}

// The loop over columns is outside of that over rows, so that a strip of `b` stays in the first-level cache.
template <class Norm, typename T>
void distances(const CdistRows& c) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  int64_t column = 0;
  for (; column + lanes < c.columns; column += 2 * lanes) {
    for (int64_t row = 0; row < c.rows; row += kTileRows) {
      distance_tile<Norm, T, 2>(c, row, std::min(kTileRows, c.rows - row), column);
    }
  }
  for (int64_t row = 0; row < c.rows && column < c.columns; row += kTileRows) {
    distance_tile<Norm, T, 1>(c, row, std::min(kTileRows, c.rows - row), column);
  }
}

template <typename T>
CdistFn distances_of(double p) {
  if (p == 0) return distances<CountNorm, T>;
  if (p == 1) return distances<OneNorm, T>;
  if (p == 2) return distances<TwoNorm, T>;
  return std::isinf(p) ? distances<MaximumNorm, T> : distances<AnyNorm, T>;
}

CdistFn GetCdist(diopiDtype_t dtype, double p) {
  return dtype == diopi_dtype_float32 ? distances_of<float>(p) : distances_of<double>(p);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetCdist);

CdistFn cdist_kernel(diopiDtype_t dtype, double p) { return HWY_DYNAMIC_DISPATCH(GetCdist)(dtype, p); }
}  // namespace impl::cpu
#endif
