// SPDX-License-Identifier: BSD-3-Clause
// The points inside each of many boxes, by ascending index.
#ifndef IMPL_CPU_ENGINE_ROI_BOX_POINTS_HPP_
#define IMPL_CPU_ENGINE_ROI_BOX_POINTS_HPP_

#include "impl/cpu/engine/points/grids.hpp"
#include "impl/cpu/geometry/point_box.hpp"

namespace impl::cpu {

class BoxPoints {
 public:
  // `points` [B, N, 3] are float64 and packed. `boxes`: the number of boxes of all batches.
  Status prepare(diopiContextHandle_t ctx, const TensorView& points, int64_t boxes);
  // The approximate time of the search for a box.
  int64_t picoseconds() const { return grids_.per_centre(size_).count; }

  // Calls f(point, u, v) for the points of a batch inside a box until it returns false. u and v are those of
  // PointBox::holds().
  template <typename F>
  void each(const PointBox& box, int64_t batch, const F& f) const {
    const double* points = points_ + batch * count_ * 3;
    double u, v;
    uint64_t* marks = mark_near(box, batch);
    if (marks == nullptr) {
      for (int64_t i = 0; i < count_; ++i) {
        if (box.holds(points + 3 * i, &u, &v) && !f(i, u, v)) return;
      }
      return;
    }
    bool more = true;
    for (int64_t word = 0; word < words_; ++word) {
      for (uint64_t left = marks[word]; left != 0 && more; left &= left - 1) {
        const int64_t i = 64 * word + __builtin_ctzll(left);
        if (box.holds(points + 3 * i, &u, &v)) more = f(i, u, v);
      }
      marks[word] = 0;
    }
  }

 private:
  // Sets the bits of the points in the cells that a box touches, in memory of this thread. Returns null if these are
  // too many, or if there is no grid.
  uint64_t* mark_near(const PointBox& box, int64_t batch) const;

  SearchSize size_{};
  PointGrids grids_;
  const double* points_ = nullptr;
  uint64_t* marks_ = nullptr;  // `words_` words for each thread; all bits are 0 between searches
  int64_t count_ = 0, words_ = 0;
  bool nested_ = false;  // a thread of a parallel region searches, and uses no others
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_ROI_BOX_POINTS_HPP_
