// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/points/grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace impl::cpu {

namespace {

constexpr int64_t kMostCells = 1024;  // of a dimension

template <typename T>
bool is_finite(const PointPlanes& points, int dims, int64_t k) {
  bool finite = true;
  for (int d = 0; d < dims; ++d) finite &= std::isfinite(static_cast<const T*>(points.data)[d * points.stride + k]);
  return finite;
}

struct Box {
  double low[3], high[3];
};

template <typename T>
Box box_around(const PointPlanes& points, int dims) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Box box{{kInfinite, kInfinite, kInfinite}, {-kInfinite, -kInfinite, -kInfinite}};
  for (int64_t k = 0; k < points.count; ++k) {
    if (!is_finite<T>(points, dims, k)) continue;
    for (int d = 0; d < dims; ++d) {
      const auto x = static_cast<double>(static_cast<const T*>(points.data)[d * points.stride + k]);
      box.low[d] = std::min(box.low[d], x);
      box.high[d] = std::max(box.high[d], x);
    }
  }
  return box;
}

// Chooses the smallest edge, up to a factor, that gives no more cells than allowed.
void choose_cells(const Box& box, double least_edge, int64_t most_cells, PointGrid* grid) {
  double extent = 0;
  for (int d = 0; d < grid->dims; ++d) {
    grid->origin[d] = box.low[d];
    extent = std::max(extent, box.high[d] - box.low[d]);
  }
  if (!(extent > 0) || !std::isfinite(extent)) return;  // one cell
  constexpr double kGrowth = 1.1;
  for (grid->edge = std::max(least_edge, extent / kMostCells);; grid->edge *= kGrowth) {
    int64_t total = 1;
    for (int d = 0; d < grid->dims; ++d) {
      const double count = (box.high[d] - box.low[d]) / grid->edge;
      grid->cells[d] = std::min(kMostCells, static_cast<int64_t>(count) + 1);
      total *= grid->cells[d];
    }
    if (total <= std::max<int64_t>(most_cells, 1)) return;
  }
}

template <typename T>
void sort_points(const PointPlanes& points, const GridMemory& memory, PointGrid* grid) {
  const int64_t total = grid->cells[0] * grid->cells[1] * grid->cells[2];
  int32_t* next = memory.start + 1;  // the place of the next point of a cell, and then its end
  std::fill_n(memory.start, total + 1, 0);
  const T* planes = static_cast<const T*>(points.data);
  for (int64_t k = 0; k < points.count; ++k) {
    memory.cell[k] = -1;
    if (!is_finite<T>(points, grid->dims, k)) continue;
    int64_t at[3] = {};
    for (int d = 0; d < grid->dims; ++d) at[d] = grid->cell(d, static_cast<double>(planes[d * points.stride + k]));
    memory.cell[k] = static_cast<int32_t>(grid->number(at[0], at[1], at[2]));
    ++next[memory.cell[k]];
  }
  int32_t count = 0;
  for (int64_t c = 0; c < total; ++c) {
    const int32_t size = next[c];
    next[c] = count;
    count += size;
  }
  T* sorted = static_cast<T*>(memory.planes);
  for (int64_t k = 0; k < points.count; ++k) {
    if (memory.cell[k] < 0) continue;
    const int32_t place = next[memory.cell[k]]++;
    memory.index[place] = static_cast<int32_t>(k);
    for (int d = 0; d < grid->dims; ++d) sorted[d * points.count + place] = planes[d * points.stride + k];
  }
  for (int64_t d = grid->dims; d < 3; ++d) std::fill_n(sorted + d * points.count, count, T{0});
  grid->sorted = {sorted, points.count, count};
  grid->index = memory.index;
  grid->start = memory.start;
}

}  // namespace

PointGrid make_grid(diopiDtype_t dtype, const PointPlanes& points, int dims, double least_edge, int64_t most_cells,
                    const GridMemory& memory) {
  const bool is_double = dtype == diopi_dtype_float64;
  PointGrid grid;
  grid.dims = dims;
  const Box box = (is_double ? box_around<double> : box_around<float>)(points, dims);
  choose_cells(box, least_edge, std::min(most_cells, points.count), &grid);
  (is_double ? sort_points<double> : sort_points<float>)(points, memory, &grid);
  return grid;
}

double grid_reach(float max_square) {
  // Squares below the least number of a dtype become 0, so points at such distances count as well.
  constexpr double kRounding = 1 + 1e-5, kUnderflow = 1e-18;
  return std::sqrt(static_cast<double>(max_square)) * kRounding + kUnderflow;
}

}  // namespace impl::cpu
