/* SPDX-License-Identifier: BSD-3-Clause */
// The elements that samples of images combine, and their weights, for blocks of points. Included inside each target's
// namespace.
#if defined(IMPL_CPU_SAMPLING_GRID_TAPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SAMPLING_GRID_TAPS_INL_H_
#undef IMPL_CPU_SAMPLING_GRID_TAPS_INL_H_
#else
#define IMPL_CPU_SAMPLING_GRID_TAPS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "impl/cpu/sampling/grid_sample.hpp"
#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using diopi::Interpolation;

constexpr int64_t kPoints = kGridBlock;
constexpr int kAxisTaps = 4, kMostTaps = 16;

// As many int32 as a vector of T has lanes.
template <typename T>
using NarrowTag = hn::Rebind<int32_t, TagOf<T>>;

// The taps of the points of a block along one dimension. `place` is -1 outside the image.
template <typename T>
struct AxisTaps {
  int count = 1;
  int32_t place[kAxisTaps][kPoints];
  T weight[kAxisTaps][kPoints];
};

// The taps of the points of a block. A tap outside the image has the offset -1. `inside` tells for each vector of
// points whether all of their taps are inside.
template <typename T>
struct BlockTaps {
  int count = 1;
  bool inside[kPoints];
  int32_t offset[kMostTaps][kPoints];
  T weight[kMostTaps][kPoints];
};

template <class D>
HWY_INLINE hn::Vec<D> cubic_near(D d, hn::Vec<D> x) {
  using T = hn::TFromD<D>;
  constexpr T a = T(-0.75);
  const auto inner = hn::Sub(hn::Mul(hn::Set(d, a + T(2)), x), hn::Set(d, a + T(3)));
  return hn::Add(hn::Mul(hn::Mul(inner, x), x), hn::Set(d, T(1)));
}

template <class D>
HWY_INLINE hn::Vec<D> cubic_far(D d, hn::Vec<D> x) {
  using T = hn::TFromD<D>;
  constexpr T a = T(-0.75);
  auto sum = hn::Sub(hn::Mul(hn::Set(d, a), x), hn::Set(d, T(5) * a));
  sum = hn::Add(hn::Mul(sum, x), hn::Set(d, T(8) * a));
  return hn::Sub(hn::Mul(sum, x), hn::Set(d, T(4) * a));
}

// Stores the weights of a vector of points whose distance from the tap before them is x.
template <typename T>
HWY_INLINE void store_weights(Interpolation kind, VecOf<T> x, int64_t p, AxisTaps<T>* taps) {
  const TagOf<T> d;
  const auto one = hn::Set(d, T(1));
  const auto store = [&](int k, VecOf<T> weight) HWY_ATTR { hn::StoreU(weight, d, taps->weight[k] + p); };
  if (kind == Interpolation::kNearest) {
    store(0, one);
  } else if (kind == Interpolation::kLinear) {
    store(0, hn::Sub(one, x));
    store(1, x);
  } else {
    store(0, cubic_far(d, hn::Add(x, one)));
    store(1, cubic_near(d, x));
    store(2, cubic_near(d, hn::Sub(one, x)));
    store(3, cubic_far(d, hn::Sub(hn::Set(d, T(2)), x)));
  }
}

template <typename T>
HWY_INLINE hn::Vec<NarrowTag<T>> to_int32(VecOf<T> v) {
  if constexpr (sizeof(T) == 8) {
    return hn::DemoteTo(NarrowTag<T>(), v);
  } else {
    return hn::ConvertTo(NarrowTag<T>(), v);
  }
}

// Sets places and weights of one dimension for the first n coordinates, rounded up to vectors.
template <typename T>
HWY_INLINE void axis_taps(Interpolation kind, const T* coordinate, int64_t n, int64_t extent, AxisTaps<T>* taps) {
  const TagOf<T> d;
  const NarrowTag<T> di;
  taps->count = kind == Interpolation::kNearest ? 1 : kind == Interpolation::kLinear ? 2 : kAxisTaps;
  const int32_t first = kind == Interpolation::kCubic ? -1 : 0;
  const auto one = hn::Set(d, T(1)), half = hn::Set(d, T(0.5)), size = hn::Set(d, static_cast<T>(extent));
  const auto least = hn::Set(d, T(-4)), most = hn::Set(d, static_cast<T>(extent) + T(4));
  const auto limit = hn::Set(di, static_cast<int32_t>(extent));
  for (int64_t p = 0; p < n; p += lanes_of<T>()) {
    const auto at = hn::Mul(hn::Sub(hn::Mul(hn::Add(hn::LoadU(d, coordinate + p), one), size), one), half);
    const auto whole = kind == Interpolation::kNearest ? hn::Round(at) : hn::Floor(at);
    // Also false for NaN. A place this far outside has no tap inside.
    const auto near = hn::And(hn::Ge(whole, least), hn::Le(whole, most));
    const auto low = to_int32<T>(hn::IfThenElse(near, whole, hn::Set(d, T(-100))));
    store_weights<T>(kind, hn::IfThenElseZero(near, hn::Sub(at, whole)), p, taps);
    for (int k = 0; k < taps->count; ++k) {
      const auto place = hn::Add(low, hn::Set(di, first + k));
      const auto inside = hn::AndNot(hn::Lt(place, hn::Zero(di)), hn::Lt(place, limit));
      hn::StoreU(hn::IfThenElse(inside, place, hn::Set(di, -1)), di, taps->place[k] + p);
    }
  }
}

// Sets `inside` from the offsets.
template <typename T>
HWY_INLINE void find_vectors_inside(int64_t n, BlockTaps<T>* taps) {
  const NarrowTag<T> di;
  for (int64_t p = 0; p < n; p += lanes_of<T>()) {
    auto all = hn::LoadU(di, taps->offset[0] + p);
    for (int k = 1; k < taps->count; ++k) all = hn::Or(all, hn::LoadU(di, taps->offset[k] + p));
    taps->inside[p / lanes_of<T>()] = hn::AllFalse(di, hn::Lt(all, hn::Zero(di)));
  }
}

// Combines the taps of the dimensions.
template <typename T>
HWY_INLINE void combine(const GridArgs& a, const AxisTaps<T>* axes, int64_t n, BlockTaps<T>* taps) {
  const TagOf<T> d;
  const NarrowTag<T> di;
  const bool solid = a.spatial == 3;
  const auto column = hn::Set(di, static_cast<int32_t>(a.in_stride[4]));
  const auto row = hn::Set(di, static_cast<int32_t>(a.in_stride[3]));
  const auto slice = hn::Set(di, static_cast<int32_t>(a.in_stride[2]));
  taps->count = 0;
  for (int i = 0; i < (solid ? axes[2].count : 1); ++i) {
    for (int j = 0; j < axes[1].count; ++j) {
      for (int k = 0; k < axes[0].count; ++k) {
        int32_t* offset = taps->offset[taps->count];
        T* weight = taps->weight[taps->count++];
        for (int64_t p = 0; p < n; p += lanes_of<T>()) {
          const auto x = hn::LoadU(di, axes[0].place[k] + p), y = hn::LoadU(di, axes[1].place[j] + p);
          auto any = hn::Or(x, y), to = hn::Add(hn::Mul(y, row), hn::Mul(x, column));
          auto w = hn::Mul(hn::LoadU(d, axes[1].weight[j] + p), hn::LoadU(d, axes[0].weight[k] + p));
          if (solid) {
            const auto z = hn::LoadU(di, axes[2].place[i] + p);
            any = hn::Or(any, z);
            to = hn::Add(hn::Mul(z, slice), to);
            w = hn::Mul(hn::LoadU(d, axes[2].weight[i] + p), w);
          }
          hn::StoreU(hn::IfThenElse(hn::Lt(any, hn::Zero(di)), hn::Set(di, -1), to), di, offset + p);
          hn::StoreU(w, d, weight + p);
        }
      }
    }
  }
  find_vectors_inside(n, taps);
}

// Computes the taps of n points. Lanes behind the last point belong to a point in the middle of the image.
template <typename T>
HWY_INLINE void block_taps(const GridArgs& a, const T* grid, int64_t n, BlockTaps<T>* taps) {
  AxisTaps<T> axes[3];
  T coordinate[kPoints];
  std::fill(coordinate + n, coordinate + kPoints, T(0));
  for (int i = 0; i < a.spatial; ++i) {  // the first coordinate is that of the last dimension
    const T* from = grid + i * a.grid_stride[2];
    const int64_t step = a.grid_stride[1];
    if (step == 2) {
      for (int64_t p = 0; p < n; ++p) coordinate[p] = from[2 * p];
    } else {
      for (int64_t p = 0; p < n; ++p) coordinate[p] = from[step * p];
    }
    axis_taps(a.kind, coordinate, n, a.extent[2 - i], &axes[i]);
  }
  combine(a, axes, n, taps);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
