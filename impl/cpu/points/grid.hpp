// SPDX-License-Identifier: BSD-3-Clause
// Points sorted by the cells of a regular grid, so that a search near a centre reads only the cells around it.
#ifndef IMPL_CPU_POINTS_GRID_HPP_
#define IMPL_CPU_POINTS_GRID_HPP_

#include <cstdint>

#include "impl/cpu/points/nearest.hpp"

namespace impl::cpu {

// The points of a batch whose coordinates are finite. Points of one cell are adjacent, in the order of their indices;
// cells that differ in the last dimension only are adjacent, too.
struct PointGrid {
  int dims = 3;
  PointPlanes sorted;              // the points by cell
  const int32_t* index = nullptr;  // of each sorted point
  const int32_t* start = nullptr;  // the first point of each cell, and the end of the last one
  double origin[3] = {}, edge = 1;
  int64_t cells[3] = {1, 1, 1};

  // The cell of a coordinate; the nearest one if it lies outside. It never decreases if the coordinate increases.
  int64_t cell(int dim, double coordinate) const {
    const double c = (coordinate - origin[dim]) / edge, last = static_cast<double>(cells[dim] - 1);
    return c > 0 ? static_cast<int64_t>(c < last ? c : last) : 0;
  }
  int64_t number(int64_t x, int64_t y, int64_t z) const { return (x * cells[1] + y) * cells[2] + z; }
};

inline constexpr int64_t kGridPadding = 16;

// What a grid needs for `count` points.
struct GridMemory {
  void* planes;    // [3, count] in the dtype of the points; vectors are read up to kGridPadding elements behind it
  int32_t* index;  // [count]
  int32_t* start;  // [count + 2]
  int32_t* cell;   // [count], free after the grid is made
};

// Makes a grid of points with `dims` dimensions, 2 or 3. Its cells have edges of at least `least_edge`, and there are
// at most `most_cells` of them, which is at most the number of points, or 1.
PointGrid make_grid(diopiDtype_t dtype, const PointPlanes& points, int dims, double least_edge, int64_t most_cells,
                    const GridMemory& memory);

// The searches give the results of the kernels of the same name, which compare with all points.

// Returns false, and writes nothing, if reading all points in order until there are enough is likely to be faster.
using GridBallKernel = bool (*)(const BallQuery& query, const PointGrid& grid, const void* centre, int32_t* index);
GridBallKernel grid_ball_kernel(diopiDtype_t dtype);

// The centre must be finite.
using GridNearestKernel = void (*)(const PointGrid& grid, const void* centre, int64_t k, double limit, void* distance,
                                   int32_t* index);
GridNearestKernel grid_nearest_kernel(diopiDtype_t dtype);

// The distance within which a ball reaches points, with what rounding of squares may add.
double grid_reach(float max_square);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POINTS_GRID_HPP_
