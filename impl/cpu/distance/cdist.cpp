// SPDX-License-Identifier: BSD-3-Clause
// Distances: a tile of rows against vectors of rows of the other matrix, so that each term is one lane.
#include "impl/cpu/distance/cdist.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

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

// Writes the distances of a row to a vector of columns, as far as there are columns.
template <typename T, class V>
HWY_INLINE void store_distances(const CdistRows& c, int64_t row, int64_t column, V result) {
  const hn::ScalableTag<T> d;
  if (column >= c.columns) return;
  T* const out = static_cast<T*>(c.out) + row * c.stride + column;
  const auto left = c.columns - column;
  left >= static_cast<int64_t>(hn::Lanes(d)) ? hn::StoreU(result, d, out) : store_n(result, d, out, left);
}

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
    if (r < count) store_distances<T>(c, row + r, at, Norm::finish(d, total, p));
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

// The root of normal numbers that are not too large. The processor's takes as long for a vector of floats as 20 other
// operations; an estimate and one step of Newton's method for it and for the inverse root, then a correction, take 8.
template <class D, class V>
HWY_INLINE V root_of_normal(D d, V x) {
  if constexpr (std::is_same_v<hn::TFromD<D>, float>) {
    const V half = hn::Set(d, 0.5F), inverse = hn::ApproximateReciprocalSqrt(x);
    V root = hn::Mul(x, inverse), half_inverse = hn::Mul(half, inverse);
    const V error = hn::NegMulAdd(root, half_inverse, half);
    root = hn::MulAdd(root, error, root);
    half_inverse = hn::MulAdd(half_inverse, error, half_inverse);
    return hn::MulAdd(hn::NegMulAdd(root, root, x), half_inverse, root);
  } else {
    return hn::Sqrt(x);
  }
}

// Euclidean distances from products: (a - b)^2 = a^2 + b^2 - 2 a b needs half of the operations. The difference loses
// digits where rows are near each other. These distances, and those of numbers that are not finite, very large or very
// small, are computed from differences.
template <typename T>
struct Euclidean {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  // The rows of a tile, as many as there are registers for, and the terms that are added one after another: what short
  // sums lose counts more here than in a sum of squares.
  static constexpr int64_t kRows = HWY_TARGET <= HWY_AVX3 ? 8 : 4, kTermsOfProduct = 32;
  // The least share of a^2 + b^2 that the square of a distance may be, and the sums of squares that are neither too
  // large nor too small.
  static constexpr double kLeastShare = 0.125;
  static constexpr T kSmallest = std::is_same_v<T, float> ? T(1e-30) : T(1e-250);
  static constexpr T kLargest = std::numeric_limits<T>::max() / 4;

  const CdistRows& c;
  T squares_of_a[kCdistRows];
  int64_t tiles = 0, near = 0;  // of all tiles, those that were computed again

  explicit Euclidean(const CdistRows& rows) : c(rows) {
    for (int64_t r = 0; r < c.rows; ++r) {
      const T* const a = static_cast<const T*>(c.a) + r * c.a_stride;
      const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
      V sum = hn::Zero(D());
      T rest = 0;
      int64_t k = 0;
      for (; k + lanes <= c.length; k += lanes) sum = hn::MulAdd(hn::LoadU(D(), a + k), hn::LoadU(D(), a + k), sum);
      for (; k < c.length; ++k) rest += a[k] * a[k];
      squares_of_a[r] = hn::GetLane(hn::SumOfLanes(D(), sum)) + rest;
    }
  }

  // The sums of squares of a vector of columns.
  HWY_INLINE V squares_of_b(int64_t column) const {
    V total = hn::Zero(D());
    const T* b = static_cast<const T*>(c.b) + column;
    for (int64_t first = 0; first < c.length; first += kTermsOfProduct) {
      V sum = hn::Zero(D());
      for (int64_t k = first; k < std::min(first + kTermsOfProduct, c.length); ++k, b += c.b_stride) {
        sum = hn::MulAdd(hn::LoadU(D(), b), hn::LoadU(D(), b), sum);
      }
      total = hn::Add(total, sum);
    }
    return total;
  }

  // The products of kRows rows, of which `count` exist, with kVectors vectors of columns from `column` on.
  template <int kVectors>
  HWY_INLINE void multiply(int64_t row, int64_t count, int64_t column, V (&total)[kRows][kVectors]) const {
    const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
    const T* a[kRows];
    for (int64_t r = 0; r < kRows; ++r) {
      a[r] = static_cast<const T*>(c.a) + (row + std::min(r, count - 1)) * c.a_stride;
      for (V& sum : total[r]) sum = hn::Zero(D());
    }
    const T* b = static_cast<const T*>(c.b) + column;
    for (int64_t first = 0; first < c.length; first += kTermsOfProduct) {
      V sum[kRows][kVectors];
      for (auto& of_row : sum) {
        for (V& one : of_row) one = hn::Zero(D());
      }
      for (int64_t k = first; k < std::min(first + kTermsOfProduct, c.length); ++k, b += c.b_stride) {
        V x[kVectors];
        for (int v = 0; v < kVectors; ++v) x[v] = hn::LoadU(D(), b + v * lanes);
        for (int64_t r = 0; r < kRows; ++r) {
          const V y = hn::Set(D(), a[r][k]);
          for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(x[v], y, sum[r][v]);
        }
      }
      for (int64_t r = 0; r < kRows; ++r) {
        for (int v = 0; v < kVectors; ++v) total[r][v] = hn::Add(total[r][v], sum[r][v]);
      }
    }
  }

  template <int kVectors>
  HWY_INLINE void compute_exactly(int64_t row, int64_t count, int64_t column) const {
    for (int64_t r = 0; r < count; r += kTileRows) {
      distance_tile<TwoNorm, T, kVectors>(c, row + r, std::min(kTileRows, count - r), column);
    }
  }

  template <int kVectors>
  HWY_INLINE void tile(int64_t row, int64_t count, int64_t column, const V (&squares_of_b)[2]) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
    V product[kRows][kVectors];
    multiply<kVectors>(row, count, column, product);
    auto far = hn::Eq(hn::Zero(D()), hn::Zero(D()));
    for (int64_t r = 0; r < count; ++r) {
      for (int v = 0; v < kVectors; ++v) {
        const V squares = hn::Add(hn::Set(D(), squares_of_a[row + r]), squares_of_b[v]);
        const V square = hn::Sub(squares, hn::Add(product[r][v], product[r][v]));
        const auto in_range =
            hn::And(hn::Ge(squares, hn::Set(D(), kSmallest)), hn::Le(squares, hn::Set(D(), kLargest)));
        const auto is_far = hn::Ge(square, hn::Mul(squares, hn::Set(D(), static_cast<T>(kLeastShare))));
        far = hn::And(far, hn::And(is_far, in_range));
        store_distances<T>(c, row + r, column + v * lanes, root_of_normal(D(), square));
      }
    }
    ++tiles;
    if (hn::AllTrue(D(), far)) return;
    ++near;
    compute_exactly<kVectors>(row, count, column);
  }

  template <int kVectors>
  HWY_INLINE void strip(int64_t column) {
    constexpr int64_t kFewTiles = 8;
    const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
    const V squares[2] = {squares_of_b(column), squares_of_b(column + (kVectors - 1) * lanes)};
    for (int64_t row = 0; row < c.rows; row += kRows) {
      const int64_t count = std::min(kRows, c.rows - row);
      if (tiles >= kFewTiles && 4 * near > tiles) {  // many rows are near each other
        compute_exactly<kVectors>(row, count, column);
      } else {
        tile<kVectors>(row, count, column, squares);
      }
    }
  }

  void run() {
    const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
    int64_t column = 0;
    for (; column + lanes < c.columns; column += 2 * lanes) strip<2>(column);
    if (column < c.columns) strip<1>(column);
  }
};

template <typename T>
void euclidean(const CdistRows& c) {
  Euclidean<T>(c).run();
}

template <typename T>
CdistFn distances_of(double p, bool by_products) {
  if (p == 0) return distances<CountNorm, T>;
  if (p == 1) return distances<OneNorm, T>;
  if (p == 2) return by_products ? euclidean<T> : distances<TwoNorm, T>;
  return std::isinf(p) ? distances<MaximumNorm, T> : distances<AnyNorm, T>;
}

CdistFn GetCdist(diopiDtype_t dtype, double p, bool by_products) {
  return dtype == diopi_dtype_float32 ? distances_of<float>(p, by_products) : distances_of<double>(p, by_products);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetCdist);

CdistFn cdist_kernel(diopiDtype_t dtype, double p, bool by_products) {
  return HWY_DYNAMIC_DISPATCH(GetCdist)(dtype, p, by_products);
}
}  // namespace impl::cpu
#endif
