// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "impl/cpu/points/grid.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/points/grid_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/points/squares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Cells from `low` to `high`, both included.
struct CellBlock {
  int64_t low[3], high[3];
};

// Calls f(first, end) for the sorted points of each run of adjacent cells in the block.
template <class F>
HWY_INLINE void for_runs(const PointGrid& g, const CellBlock& block, F f) {
  for (int64_t x = block.low[0]; x <= block.high[0]; ++x) {
    for (int64_t y = block.low[1]; y <= block.high[1]; ++y) {
      const int64_t first = g.start[g.number(x, y, block.low[2])], end = g.start[g.number(x, y, block.high[2]) + 1];
      if (first < end) f(first, end);
    }
  }
}

// Calls f(d, i, here) for vectors of the sorted points [first, end); `here` are the lanes that are points of the run.
template <typename T, class F>
HWY_INLINE void for_run(int64_t first, int64_t end, F f) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; first < end; first += lanes) f(d, first, hn::FirstN(d, static_cast<size_t>(std::min(lanes, end - first))));
}

// Inserts an index into ascending ones if there is room or it is lower than the last one; returns how many there are.
HWY_INLINE int64_t insert_index(int32_t value, int64_t found, int64_t most, int32_t* index) {
  if (found == most && value > index[most - 1]) return found;
  int64_t at = found < most ? found : most - 1;
  for (; at > 0 && index[at - 1] > value; --at) index[at] = index[at - 1];
  index[at] = value;
  return std::min(found + 1, most);
}

// The points in the cells that a ball may reach.
template <typename T>
CellBlock cells_in_reach(const PointGrid& g, const T* centre, double reach) {
  CellBlock block{};
  for (int d = 0; d < g.dims; ++d) {
    block.low[d] = g.cell(d, static_cast<double>(centre[d]) - reach);
    block.high[d] = g.cell(d, static_cast<double>(centre[d]) + reach);
  }
  return block;
}

template <typename T>
bool ball_in_grid(const BallQuery& q, const PointGrid& g, const void* centre_data, int32_t* index) {
  const T* centre = static_cast<const T*>(centre_data);
  for (int d = 0; d < 3; ++d) {
    if (!std::isfinite(centre[d])) return false;
  }
  const CellBlock block = cells_in_reach(g, centre, grid_reach(q.max_square));
  int64_t candidates = 0;
  for_runs(g, block, [&](int64_t first, int64_t end) { candidates += end - first; });
  // A ball that fills a sixth of these cells has so many points that the first ones are found early among all points.
  const double hits = 1 + static_cast<double>(candidates) / 6;
  const double until_enough =
      static_cast<double>(q.points.count) * std::min(1.0, static_cast<double>(q.samples) / hits);
  if (static_cast<double>(candidates) > until_enough) return false;
  const T* planes = static_cast<const T*>(g.sorted.data);
  const T low = static_cast<T>(q.min_square), high = static_cast<T>(q.max_square);
  int64_t found = 0;
  for_runs(g, block, [&](int64_t first, int64_t end) {
    for_run<T>(first, end, [&](auto d, int64_t i, auto here) {
      const auto v = squares<3>(d, planes, g.sorted.stride, centre, i);
      const auto near = hn::And(here, is_near(d, v, low, high, q.with_centre));
      if (hn::AllFalse(d, near)) return;
      for_lanes(d, near, [&](int lane) { found = insert_index(g.index[i + lane], found, q.samples, index); });
    });
  });
  fill_ball(q, found, index);
  return true;
}

// Inserts a point before those that are further, or as far and have a greater index.
template <typename T>
HWY_INLINE void insert_near(T value, int32_t position, int64_t k, T* distance, int32_t* index) {
  const auto is_before = [&](int64_t at) {
    return distance[at] < value || (distance[at] == value && index[at] < position);
  };
  int64_t at = k - 1;
  if (is_before(at)) return;
  for (; at > 0 && !is_before(at - 1); --at) {
    distance[at] = distance[at - 1];
    index[at] = index[at - 1];
  }
  distance[at] = value;
  index[at] = position;
}

// A block of cells around a centre that grows.
template <typename T>
class GrowingBlock {
 public:
  GrowingBlock(const PointGrid& g, const T* centre) : g_(g), centre_(centre) {
    for (int d = 0; d < 3; ++d) inner_.low[d] = inner_.high[d] = d < g.dims ? g.cell(d, at(d)) : 0;
  }
  // Calls f(first, end) for the runs of the cells of the block that were not in it before the last grow().
  template <class F>
  HWY_INLINE void for_new_runs(F f) const {
    if (ring_ == 0) return for_runs(g_, inner_, f);
    for (int64_t x = inner_.low[0]; x <= inner_.high[0]; ++x) {
      for (int64_t y = inner_.low[1]; y <= inner_.high[1]; ++y) {
        const bool was_inside = x >= old_.low[0] && x <= old_.high[0] && y >= old_.low[1] && y <= old_.high[1];
        if (!was_inside) {
          run(x, y, inner_.low[2], inner_.high[2], f);
          continue;
        }
        if (inner_.low[2] < old_.low[2]) run(x, y, inner_.low[2], old_.low[2] - 1, f);
        if (inner_.high[2] > old_.high[2]) run(x, y, old_.high[2] + 1, inner_.high[2], f);
      }
    }
  }
  // Adds the cells around the block; false if it has all cells.
  bool grow() {
    old_ = inner_;
    ++ring_;
    bool grown = false;
    for (int d = 0; d < g_.dims; ++d) {
      inner_.low[d] = std::max<int64_t>(inner_.low[d] - 1, 0);
      inner_.high[d] = std::min(inner_.high[d] + 1, g_.cells[d] - 1);
      grown |= inner_.low[d] != old_.low[d] || inner_.high[d] != old_.high[d];
    }
    return grown;
  }
  // Every point outside of the block has a greater squared distance than this.
  double square_around() const {
    constexpr double kInfinite = std::numeric_limits<double>::infinity(), kRounding = 1e-5;
    double least = kInfinite;
    for (int d = 0; d < g_.dims; ++d) {
      const double low = g_.origin[d] + static_cast<double>(inner_.low[d]) * g_.edge;
      const double high = g_.origin[d] + static_cast<double>(inner_.high[d] + 1) * g_.edge;
      const double slack = kRounding * g_.edge + 1e-12 * (std::abs(g_.origin[d]) + std::abs(high) + std::abs(at(d)));
      if (inner_.low[d] > 0) least = std::min(least, at(d) - low - slack);
      if (inner_.high[d] < g_.cells[d] - 1) least = std::min(least, high - at(d) - slack);
    }
    return least > 0 ? least * least * (1 - kRounding) : 0;
  }

 private:
  double at(int d) const { return static_cast<double>(centre_[d]); }
  template <class F>
  HWY_INLINE void run(int64_t x, int64_t y, int64_t low, int64_t high, F f) const {
    const int64_t first = g_.start[g_.number(x, y, low)], end = g_.start[g_.number(x, y, high) + 1];
    if (first < end) f(first, end);
  }

  const PointGrid& g_;
  const T* centre_;
  CellBlock inner_{}, old_{};
  int64_t ring_ = 0;
};

template <int kDims, typename T>
HWY_INLINE void nearest_in_cells(const PointGrid& g, const T* centre, int64_t k, T* distance, int32_t* index) {
  const T* planes = static_cast<const T*>(g.sorted.data);
  GrowingBlock<T> block(g, centre);
  do {
    block.for_new_runs([&](int64_t first, int64_t end) {
      for_run<T>(first, end, [&](auto d, int64_t i, auto here) {
        const auto v = squares<kDims>(d, planes, g.sorted.stride, centre, i);
        const auto near = hn::And(here, hn::Le(v, hn::Set(d, distance[k - 1])));
        if (hn::AllFalse(d, near)) return;
        HWY_ALIGN T values[kMaxLanes<T>];
        hn::StoreU(v, d, values);
        for_lanes(d, near, [&](int lane) {
          if (values[lane] <= distance[k - 1]) insert_near(values[lane], g.index[i + lane], k, distance, index);
        });
      });
    });
  } while (static_cast<double>(distance[k - 1]) >= block.square_around() && block.grow());
}

template <typename T>
void nearest_in_grid(const PointGrid& g, const void* centre_data, int64_t k, double limit, void* distances,
                     int32_t* index) {
  constexpr int32_t kNone = -1;  // before all points with the same distance
  const T* centre = static_cast<const T*>(centre_data);
  T* distance = static_cast<T*>(distances);
  const bool unlimited = limit > static_cast<double>(std::numeric_limits<T>::max());
  std::fill_n(distance, k, unlimited ? std::numeric_limits<T>::infinity() : static_cast<T>(limit));
  std::fill_n(index, k, kNone);
  if (k == 0) return;
  (g.dims == 2 ? nearest_in_cells<2, T> : nearest_in_cells<3, T>)(g, centre, k, distance, index);
  std::replace(index, index + k, kNone, 0);
}

GridBallKernel GridBallFor(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float64 ? ball_in_grid<double> : ball_in_grid<float>;
}
GridNearestKernel GridNearestFor(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float64 ? nearest_in_grid<double> : nearest_in_grid<float>;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(GridBallFor);
HWY_EXPORT(GridNearestFor);

GridBallKernel grid_ball_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GridBallFor)(dtype); }
GridNearestKernel grid_nearest_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GridNearestFor)(dtype); }

}  // namespace impl::cpu
#endif
