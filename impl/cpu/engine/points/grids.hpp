// SPDX-License-Identifier: BSD-3-Clause
// The grids of the batches of a point cloud.
#ifndef IMPL_CPU_ENGINE_POINTS_GRIDS_HPP_
#define IMPL_CPU_ENGINE_POINTS_GRIDS_HPP_

#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/points/packed.hpp"
#include "impl/cpu/points/grid.hpp"

namespace impl::cpu {

// The size of a search: the number of batches, of their points together, and of the centres; and the picoseconds that a
// comparison of a centre with a point takes, what comparing a centre with all points takes besides, and what the search
// around a centre in a grid takes.
struct SearchSize {
  int64_t batches, points, centres;
  int64_t pair = 200, besides = 0, search = 1000000;
};

class PointGrids {
 public:
  // Makes a grid of each batch, batch(b), if searching grids is likely to be faster than comparing each centre with all
  // points of its batch. Grids have cells with edges of at least `least_edge` that contain `per_cell` points on
  // average.
  template <typename Batch>
  Status make(diopiContextHandle_t ctx, diopiDtype_t dtype, const SearchSize& size, int dims, double least_edge,
              int64_t per_cell, const Batch& batch) {
    if (!pays(size)) return diopiSuccess;
    DIOPI_TRY(take_memory(ctx, dtype, size));
    int64_t first = 0;
    for (int64_t b = 0; b < size.batches; first += batch(b).count, ++b) first_[b] = first;
    diopi::parallel_for(size.batches, diopi::Picoseconds{kPlace * (size.points / size.batches)},
                        [&](int64_t begin, int64_t end) {
                          for (int64_t b = begin; b < end; ++b) {
                            const PointPlanes points = batch(b);
                            grids_[b] = make_grid(dtype, points, dims, least_edge, points.count / per_cell, memory(b));
                          }
                        });
    return diopiSuccess;
  }
  // Null if there are no grids.
  const PointGrid* of(int64_t batch) const { return grids_ == nullptr || batch < 0 ? nullptr : grids_ + batch; }
  // The approximate time of the search for a centre.
  diopi::Picoseconds per_centre(const SearchSize& size) const;
  // Whether make() makes grids.
  static bool pays(const SearchSize& size);

 private:
  static constexpr int64_t kPlace = 30000;  // picoseconds to place a point in a grid
  Status take_memory(diopiContextHandle_t ctx, diopiDtype_t dtype, const SearchSize& size);
  GridMemory memory(int64_t batch) const;

  PointGrid* grids_ = nullptr;
  int64_t* first_ = nullptr;  // the number of points in front of each batch
  GridMemory all_{};
  int64_t itemsize_ = 0;
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_POINTS_GRIDS_HPP_
