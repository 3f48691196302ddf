// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/points/nearest.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/points/nearest.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/points/squares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Calls f(d, i) for vectors of points until f returns false.
template <typename T, class F>
HWY_INLINE void for_points(int64_t count, F f) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    if (!f(d, i)) return;
  }
  for (; i < count; ++i) {
    if (!f(one, i)) return;
  }
}

template <typename T>
void ball(const BallQuery& q, const void* centre, int32_t* index) {
  const T* planes = static_cast<const T*>(q.points.data);
  const T low = static_cast<T>(q.min_square), high = static_cast<T>(q.max_square);
  int64_t found = 0;
  for_points<T>(q.samples > 0 ? q.points.count : 0, [&](auto d, int64_t i) {
    const auto v = squares<3>(d, planes, q.points.stride, static_cast<const T*>(centre), i);
    const auto near = is_near(d, v, low, high, q.with_centre);
    if (hn::AllFalse(d, near)) return true;
    for_lanes(d, near, [&](int lane) {
      if (found < q.samples) index[found++] = static_cast<int32_t>(i + lane);
    });
    return found < q.samples;
  });
  fill_ball(q, found, index);
}

// Inserts a distance that is less than the last one behind those that are not greater.
template <typename T>
HWY_INLINE void insert(T value, int32_t position, int64_t k, T* distance, int32_t* index) {
  int64_t at = k - 1;
  for (; at > 0 && distance[at - 1] > value; --at) {
    distance[at] = distance[at - 1];
    index[at] = index[at - 1];
  }
  distance[at] = value;
  index[at] = position;
}

template <typename T>
void nearest(const PointPlanes& p, const void* centre, int64_t k, double limit, void* distances, int32_t* index) {
  T* distance = static_cast<T*>(distances);
  const bool unlimited = limit > static_cast<double>(std::numeric_limits<T>::max());
  std::fill_n(distance, k, unlimited ? std::numeric_limits<T>::infinity() : static_cast<T>(limit));
  std::fill_n(index, k, 0);
  for_points<T>(k > 0 ? p.count : 0, [&](auto d, int64_t i) {
    const auto v = squares<3>(d, static_cast<const T*>(p.data), p.stride, static_cast<const T*>(centre), i);
    const auto near = hn::Lt(v, hn::Set(d, distance[k - 1]));
    if (hn::AllFalse(d, near)) return true;
    HWY_ALIGN T values[kMaxLanes<T>];
    hn::StoreU(v, d, values);
    for_lanes(d, near, [&](int lane) {
      if (values[lane] < distance[k - 1]) insert(values[lane], static_cast<int32_t>(i + lane), k, distance, index);
    });
    return true;
  });
}

// Returns the first position of the best value f(d, i) that is better than `start` (greater, or less), which becomes
// this value; 0 if there is none.
template <bool kGreatest, typename T, class F>
HWY_INLINE int64_t first_best(int64_t count, T* start, F f) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto is_better = [](auto a, auto b) { return kGreatest ? hn::Gt(a, b) : hn::Lt(a, b); };
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto value = hn::Set(d, *start);
  auto position = hn::Zero(di), here = hn::Iota(di, 0);
  const auto step = hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(lanes));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto v = f(d, i);
    const auto better = is_better(v, value);
    value = hn::IfThenElse(better, v, value);
    position = hn::IfThenElse(hn::RebindMask(di, better), here, position);
    here = hn::Add(here, step);
  }
  HWY_ALIGN T values[kMaxLanes<T>];
  HWY_ALIGN hn::TFromD<decltype(di)> positions[kMaxLanes<T>];
  hn::StoreU(value, d, values);
  hn::StoreU(position, di, positions);
  T best = *start;
  int64_t at = 0;
  const auto consider = [&](T v, int64_t k) {
    if (kGreatest ? v > best : v < best) {
      best = v;
      at = k;
    } else if (v == best && v != *start) {
      at = std::min(at, k);
    }
  };
  for (int64_t lane = 0; lane < lanes; ++lane) consider(values[lane], positions[lane]);
  const hn::CappedTag<T, 1> one;
  for (; i < count; ++i) consider(hn::GetLane(f(one, i)), i);
  *start = best;
  return at;
}

template <typename T>
void nearest_in_plane(const PointPlanes& p, const void* centre, void* distance, int32_t* index) {
  T best = p.count > 0 ? std::numeric_limits<T>::infinity() : T{0};
  *index = static_cast<int32_t>(first_best<false>(p.count, &best, [&](auto d, int64_t i) {
    return squares<2>(d, static_cast<const T*>(p.data), p.stride, static_cast<const T*>(centre), i);
  }));
  *static_cast<T*>(distance) = best;
}

// Picks points; prepare(k) is called for each of them, and then f(d, i) returns its distances to the points from i on.
template <class P, class F>
HWY_INLINE void pick(int64_t count, int64_t picks, float* least, int32_t* index, P prepare, F f) {
  int64_t last = 0;
  for (int64_t j = 0; j < picks; ++j) {
    index[j] = static_cast<int32_t>(last);
    if (j + 1 == picks || count == 0) continue;
    prepare(last);
    float start = -1;
    last = first_best<true>(count, &start, [&](auto d, int64_t i) {
      const auto v = f(d, i), before = hn::LoadU(d, least + i);
      const auto now = hn::IfThenElse(hn::Lt(v, before), v, before);
      hn::StoreU(now, d, least + i);
      return now;
    });
  }
}

void PickFurthest(const float* planes, int64_t count, int64_t picks, float* least, int32_t* index) {
  float centre[3] = {};
  pick(
      count, picks, least, index,
      [&](int64_t k) {
        for (int dim = 0; dim < 3; ++dim) centre[dim] = planes[dim * count + k];
      },
      [&](auto d, int64_t i) { return squares<3>(d, planes, count, centre, i); });
}

void PickFurthestByDistance(const float* distance, int64_t count, int64_t picks, float* least, int32_t* index) {
  const float* row = distance;
  pick(
      count, picks, least, index, [&](int64_t k) { row = distance + k * count; },
      [&](auto d, int64_t i) { return hn::LoadU(d, row + i); });
}

BallKernel BallFor(diopiDtype_t dtype) { return dtype == diopi_dtype_float64 ? ball<double> : ball<float>; }
NearestKernel NearestFor(diopiDtype_t dtype) { return dtype == diopi_dtype_float64 ? nearest<double> : nearest<float>; }
NearestInPlaneKernel NearestInPlaneFor(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float64 ? nearest_in_plane<double> : nearest_in_plane<float>;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(PickFurthest);
HWY_EXPORT(PickFurthestByDistance);
HWY_EXPORT(BallFor);
HWY_EXPORT(NearestFor);
HWY_EXPORT(NearestInPlaneFor);

BallKernel ball_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(BallFor)(dtype); }
NearestKernel nearest_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(NearestFor)(dtype); }
NearestInPlaneKernel nearest_in_plane_kernel(diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(NearestInPlaneFor)(dtype);
}

void pick_furthest(const float* planes, int64_t count, int64_t picks, float* least, int32_t* index) {
  HWY_DYNAMIC_DISPATCH(PickFurthest)(planes, count, picks, least, index);
}

void pick_furthest_by_distance(const float* distance, int64_t count, int64_t picks, float* least, int32_t* index) {
  HWY_DYNAMIC_DISPATCH(PickFurthestByDistance)(distance, count, picks, least, index);
}

}  // namespace impl::cpu
#endif
