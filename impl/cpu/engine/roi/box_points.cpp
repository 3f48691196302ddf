// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/roi/box_points.hpp"

#include "impl/common/openmp.hpp"
#include "impl/common/workspace.hpp"

namespace impl::cpu {

Status BoxPoints::prepare(diopiContextHandle_t ctx, const TensorView& points, int64_t boxes) {
  constexpr int64_t kTest = 3000;  // picoseconds for a box and a point
  constexpr int64_t kPerCell = 8;
  points_ = points.ptr<double>();
  count_ = points.shape[1];
  words_ = (count_ + 63) / 64;
  nested_ = omp_in_parallel() != 0;
  size_ = {points.shape[0], points.shape[0] * count_, boxes, kTest};
  if (!PointGrids::pays(size_)) return diopiSuccess;
  TensorView planes;
  DIOPI_TRY(pack_planes(ctx, points, diopi_dtype_float64, &planes));
  DIOPI_TRY(diopi::Workspace(ctx).take(words_ * omp_get_max_threads(), &marks_));
  std::fill_n(marks_, words_ * omp_get_max_threads(), uint64_t{0});
  return grids_.make(ctx, diopi_dtype_float64, size_, 2, 0, kPerCell, [&](int64_t b) {
    return PointPlanes{planes.ptr<double>() + b * 3 * count_, count_, count_};
  });
}

uint64_t* BoxPoints::mark_near(const PointBox& box, int64_t batch) const {
  constexpr int64_t kMostShare = 4;  // with a larger part of the points than 1 / 4, reading all in order is as fast
  const PointGrid* grid = grids_.of(batch);
  double low[2], high[2];
  if (grid == nullptr || !box.range(low, high)) return nullptr;
  int64_t first[2], last[2];
  for (int d = 0; d < 2; ++d) {
    first[d] = grid->cell(d, low[d]);
    last[d] = grid->cell(d, high[d]);
  }
  const auto begin_of = [&](int64_t x) { return grid->start[grid->number(x, first[1], 0)]; };
  const auto end_of = [&](int64_t x) { return grid->start[grid->number(x, last[1], 0) + 1]; };
  int64_t near = 0;
  for (int64_t x = first[0]; x <= last[0]; ++x) near += end_of(x) - begin_of(x);
  if (near * kMostShare > count_) return nullptr;
  uint64_t* marks = marks_ + (nested_ ? 0 : omp_get_thread_num()) * words_;
  for (int64_t x = first[0]; x <= last[0]; ++x) {
    for (int64_t k = begin_of(x); k < end_of(x); ++k) {
      const int64_t i = grid->index[k];
      marks[i / 64] |= uint64_t{1} << (i % 64);
    }
  }
  return marks;
}

}  // namespace impl::cpu
