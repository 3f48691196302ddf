/* SPDX-License-Identifier: BSD-3-Clause */
// Mean and variance of packed elements. Included inside each target's namespace.
#if defined(IMPL_CPU_SIMD_MOMENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SIMD_MOMENTS_INL_H_
#undef IMPL_CPU_SIMD_MOMENTS_INL_H_
#else
#define IMPL_CPU_SIMD_MOMENTS_INL_H_
#endif

#include "impl/cpu/norm/wide_moments.hpp"
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Calls f(first element, tile) for tiles of about vector_run elements: several whole segments, or a part of one.
template <typename S, class F>
HWY_INLINE void for_tiles(const StridedSegments& segments, F f) {
  const int64_t run = vector_run<S>();
  if (segments.length == 0) return;
  const int64_t together = std::max<int64_t>(1, run / segments.length);
  for (int64_t s = 0; s < segments.count; s += together) {
    for (int64_t start = 0; start < segments.length; start += run) {
      f(s * segments.step + start,
        StridedSegments{std::min(together, segments.count - s), std::min(run, segments.length - start), segments.step});
    }
  }
}

// The number of vectors that are summed in the compute type before the sum is added to a double. It is so small that
// the error stays below that of one element.
constexpr int64_t kVectorsTogether = 16;

// A sum of vectors, kept in double.
template <typename S>
class DoubleSum {
 public:
  HWY_INLINE DoubleSum() : sum_(hn::Zero(Tag())) {}
  HWY_INLINE void add(VecOf<S> v) {
    if constexpr (std::is_same_v<ComputeOf<S>, double>) {
      sum_ = hn::Add(sum_, v);
    } else {
#if HWY_TARGET == HWY_SCALAR
      sum_ = hn::Add(sum_, hn::PromoteTo(Tag(), v));
#else
      const hn::Half<TagOf<S> > half;
      sum_ = hn::Add(
          sum_, hn::Add(hn::PromoteTo(Tag(), hn::LowerHalf(half, v)), hn::PromoteTo(Tag(), hn::UpperHalf(half, v))));
#endif
    }
  }
  HWY_INLINE double total() const { return hn::GetLane(hn::SumOfLanes(Tag(), sum_)); }

 private:
  using Tag = hn::ScalableTag<double>;
  hn::Vec<Tag> sum_;
};

// How the sum for a mean is computed: either some vectors of distances from a pivot are added in the compute type, or
// the elements themselves are added in double. Sums of elements take longer, but lose no digits if the mean is small
// compared with the elements.
enum class MeanSum { kOfDistances, kOfElements };

template <typename S, MeanSum kMean>
inline constexpr bool kSumsElements = kMean == MeanSum::kOfElements&& std::is_same_v<S, float>;

// A sum of floats in double.
class ElementSum {
 public:
  HWY_INLINE ElementSum() : sum_{hn::Zero(Tag()), hn::Zero(Tag()), hn::Zero(Tag()), hn::Zero(Tag())} {}
  // Adds a vector from memory. Alternate vectors use different registers.
  HWY_INLINE void add(int way, const float* x) {
    sum_[way] = hn::Add(sum_[way], hn::PromoteTo(Tag(), hn::LoadU(Narrow(), x)));
#if HWY_TARGET != HWY_SCALAR
    const auto upper = hn::LoadU(Narrow(), x + hn::Lanes(Narrow()));
    sum_[2 + way] = hn::Add(sum_[2 + way], hn::PromoteTo(Tag(), upper));
#endif
  }
  HWY_INLINE void add(VecOf<float> v) {
#if HWY_TARGET == HWY_SCALAR
    sum_[0] = hn::Add(sum_[0], hn::PromoteTo(Tag(), v));
#else
    sum_[0] = hn::Add(sum_[0], hn::PromoteTo(Tag(), hn::LowerHalf(Narrow(), v)));
    sum_[2] = hn::Add(sum_[2], hn::PromoteTo(Tag(), hn::UpperHalf(Narrow(), v)));
#endif
  }
  HWY_INLINE double total() const {
    return hn::GetLane(hn::SumOfLanes(Tag(), hn::Add(hn::Add(sum_[0], sum_[1]), hn::Add(sum_[2], sum_[3]))));
  }

 private:
  using Tag = hn::ScalableTag<double>;
  using Narrow = hn::Rebind<float, Tag>;
  hn::Vec<Tag> sum_[4];
};

// Sums of distances and of their squares over few vectors. Alternate vectors use different registers, which hides the
// latency of additions.
template <typename S, MeanSum kMean>
struct DistanceSums {
  VecOf<S> sum[2], squares[2];
  ElementSum elements;  // used if the elements are summed, and not their distances

  HWY_INLINE DistanceSums() { clear(); }
  HWY_INLINE void clear() { sum[0] = sum[1] = squares[0] = squares[1] = hn::Zero(TagOf<S>()); }
  HWY_INLINE void take(int way, VecOf<S> distance) {
    if constexpr (!kSumsElements<S, kMean>) sum[way] = hn::Add(sum[way], distance);
    squares[way] = hn::MulAdd(distance, distance, squares[way]);
  }

  // Adds the distances of n elements from `pivot`.
  template <class Pass>
  HWY_INLINE void add(const S* x, int64_t n, VecOf<S> pivot, Pass pass) {
    const int64_t lanes = lanes_of<S>();
    const auto add_vector = [&](int way, const S* at) HWY_ATTR {
      pass(at);
      take(way, hn::Sub(load_vector(at), pivot));
      if constexpr (kSumsElements<S, kMean>) elements.add(way, at);
    };
    int64_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      add_vector(0, x + i);
      add_vector(1, x + i + lanes);
    }
    if (i + lanes <= n) {
      add_vector(0, x + i);
      i += lanes;
    }
    if (i < n) {
      pass(x + i);
      take(1, keep_some<S>(hn::Sub(load_some(x + i, n - i), pivot), n - i));
      if constexpr (kSumsElements<S, kMean>) elements.add(load_some(x + i, n - i));
    }
  }
};

// Computes the sums of the distances of all elements from `pivot`, and of their squares.
template <MeanSum kMean, typename S, class Pass>
HWY_INLINE void distance_sums(const S* x, const StridedSegments& tile, ComputeOf<S> pivot, Pass pass,
                              double (&sums)[2]) {
  const auto pivot_v = hn::Set(TagOf<S>(), pivot);
  const int64_t together = kVectorsTogether * lanes_of<S>();
  DoubleSum<S> all[2];
  DistanceSums<S, kMean> partial;
  const auto join = [&]() HWY_ATTR {
    for (int way = 0; way < 2; ++way) {
      if constexpr (!kSumsElements<S, kMean>) all[0].add(partial.sum[way]);
      all[1].add(partial.squares[way]);
    }
  };
  int64_t in_partial = 0;
  for (int64_t s = 0; s < tile.count; ++s) {
    const S* at = x + s * tile.step;
    for (int64_t left = tile.length; left > 0;) {
      const int64_t n = std::min(left, together);
      partial.add(at, n, pivot_v, pass);
      at += n;
      left -= n;
      in_partial += n;
      if (in_partial < together) continue;
      join();
      partial.clear();
      in_partial = 0;
    }
  }
  join();
  for (int k = 0; k < 2; ++k) sums[k] = all[k].total();
  if constexpr (kSumsElements<S, kMean>) {
    sums[0] = partial.elements.total() - static_cast<double>(pivot) * static_cast<double>(tile.count * tile.length);
  }
}

// The moments of a few thousand elements. The sums are of distances from a pivot, the mean of four elements: so a large
// common offset loses no digits, and sums of few distances stay small. If the pivot is far from the mean of all
// elements, the sums are computed again with that mean as the pivot; if they overflow, in double. The pivot is rounded
// to S: the last digits of a more precise one would be in all distances, and round their sum in one direction. pass(x +
// i) is called for each vector.
template <MeanSum kMean, typename S, class Pass>
HWY_INLINE Moments tile_moments(const S* x, const StridedSegments& tile, Pass pass) {
  using T = ComputeOf<S>;
  // How often the variance may be in the first squares that are subtracted again: they bring their rounding errors.
  constexpr double kFar = std::is_same_v<T, double> ? 1 : 6;
  const double count = static_cast<double>(tile.count * tile.length), inverse = 1 / count;
  const int64_t quarter = tile.length / 4;
  T pivot = ((static_cast<T>(x[0]) + static_cast<T>(x[quarter])) +
             (static_cast<T>(x[2 * quarter]) + static_cast<T>(x[3 * quarter]))) *
            T(0.25);
  pivot = static_cast<T>(static_cast<S>(pivot));
  if (HWY_UNLIKELY(!(pivot - pivot == T(0)))) pivot = static_cast<T>(x[0]);  // the sum of the four may overflow
  double sums[2];
  distance_sums<kMean>(x, tile, pivot, pass, sums);
  double off = sums[0] * inverse, m2 = sums[1] - off * off * count;
  if (HWY_UNLIKELY(!(off * off * count <= kFar * m2))) {
    pivot = static_cast<T>(static_cast<S>(static_cast<double>(pivot) + off));
    distance_sums<kMean>(x, tile, pivot, pass, sums);
    off = sums[0] * inverse;
    m2 = sums[1] - off * off * count;
  }
  if constexpr (!std::is_same_v<T, double>) {
    if (HWY_UNLIKELY(overflowed(m2))) return moments_in_double<T>(x, tile);
  }
  return {count, static_cast<double>(pivot) + off, m2};
}

// The moments of all segments, computed tile by tile.
template <MeanSum kMean, typename S, class Pass>
HWY_INLINE Moments segment_moments(const S* x, const StridedSegments& segments, Pass pass) {
  Moments all;
  for_tiles<S>(segments, [&](int64_t at, const StridedSegments& tile) {
    const Moments m = tile_moments<kMean>(x + at, tile, pass);
    if (all.count == 0) {
      all = m;
    } else {
      all.add(m.count, m.mean, m.m2);
    }
  });
  return all;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
