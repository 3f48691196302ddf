// SPDX-License-Identifier: BSD-3-Clause
// The voxels of points in a grid, and the points of the first voxels.
#include <algorithm>
#include <cstring>

#include "impl/common/engine/voxel.hpp"
#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/engine/sparse/compute_type.hpp"
#include "impl/cpu/engine/temporary.hpp"

namespace impl::cpu {
namespace {

// The voxel of a point as z, y, x; -1 if it lies outside. T is the type of the computation.
template <typename T>
struct Cells {
  explicit Cells(const VoxelGrid& grid) {
    for (int j = 0; j < 3; ++j) {
      size[j] = static_cast<T>(grid.size[j]);
      low[j] = static_cast<T>(grid.low[j]);
      cells[j] = grid.cells[j];
    }
  }
  template <typename S>
  void find(const S* point, int32_t* zyx) const {
    int32_t found[3];
    for (int j = 0; j < 3; ++j) {
      const auto at = static_cast<double>((static_cast<T>(point[j]) - low[j]) / size[j]);
      if (!(at >= 0 && at < cells[j])) {
        zyx[0] = zyx[1] = zyx[2] = -1;
        return;
      }
      found[j] = static_cast<int32_t>(at);
    }
    for (int j = 0; j < 3; ++j) zyx[j] = found[2 - j];
  }
  T size[3], low[3];
  double cells[3];
};

// zyx [n, 3] = the voxels of packed points [n, features].
Status find_cells(const VoxelGrid& grid, const TensorView& points, int32_t* zyx) {
  const int64_t features = points.shape[1];
  return diopi::visit_dtype<diopi::FloatingTypes>(points.dtype, [&](auto tag) -> Status {
    using S = typename decltype(tag)::type;
    const Cells<ComputeType<S>> cells(grid);
    const S* from = points.ptr<S>();
    diopi::parallel_for(points.shape[0], diopi::Picoseconds{15000}, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) cells.find(from + i * features, zyx + 3 * i);
    });
    return diopiSuccess;
  });
}

// The number of each open voxel: a table with open addressing.
class OpenVoxels {
 public:
  Status reserve(diopiContextHandle_t ctx, int64_t most) {
    int64_t size = 16;
    while (size < 2 * most) size *= 2;
    mask_ = static_cast<uint64_t>(size) - 1;
    DIOPI_TRY(diopi::Workspace(ctx).take(size, &slots_));
    std::fill_n(slots_, size, int64_t{-1});
    return diopiSuccess;
  }
  // The number of a voxel; -1 if it is not open. `coors` has the voxels by number. `slot` is where it belongs.
  int64_t find(const int32_t* zyx, const int32_t* coors, uint64_t* slot) const {
    uint64_t hash = 0;
    for (int j = 0; j < 3; ++j) hash = (hash ^ static_cast<uint32_t>(zyx[j])) * 0x9E3779B97F4A7C15u;
    for (*slot = (hash >> 20) & mask_; slots_[*slot] >= 0; *slot = (*slot + 1) & mask_) {
      if (std::equal(zyx, zyx + 3, coors + 3 * slots_[*slot])) break;
    }
    return slots_[*slot];
  }
  void open(uint64_t slot, int64_t number) { slots_[slot] = number; }

 private:
  int64_t* slots_ = nullptr;
  uint64_t mask_ = 0;
};

// Packed arrays of hard voxelisation.
struct Assignment {
  const int32_t* zyx;  // of the points
  int32_t *coors, *counts;
  int64_t* place;  // of each point among the slots of all voxels; -1: none
  int64_t points, max_points, max_voxels;
};

// Opens voxels and gives each point its place; returns the number of open voxels.
int64_t assign(const Assignment& a, OpenVoxels* open) {
  int64_t voxels = 0;
  for (int64_t i = 0; i < a.points; ++i) {
    const int32_t* zyx = a.zyx + 3 * i;
    a.place[i] = -1;
    if (zyx[0] < 0) continue;
    uint64_t slot = 0;
    int64_t v = open->find(zyx, a.coors, &slot);
    if (v < 0) {
      if (voxels == a.max_voxels) continue;
      v = voxels++;
      open->open(slot, v);
      std::copy_n(zyx, 3, a.coors + 3 * v);
    }
    if (a.counts[v] < a.max_points) a.place[i] = v * a.max_points + a.counts[v]++;
  }
  return voxels;
}

// Copies each point with a place to its place.
void store_points(const TensorView& voxels, const TensorView& points, const int64_t* place) {
  const int64_t pitch = points.shape[1] * points.itemsize();
  const char* from = points.data;
  char* to = voxels.data;
  diopi::parallel_for(points.shape[0], diopi::Picoseconds{pitch * 50 + 3000}, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (place[i] >= 0) std::memcpy(to + place[i] * pitch, from + i * pitch, static_cast<size_t>(pitch));
    }
  });
}

}  // namespace

Status voxelize(diopiContextHandle_t ctx, const VoxelGrid& grid, const TensorView& points, const TensorView& coors) {
  TensorView from, to;
  DIOPI_TRY(arrange_input(ctx, points, nullptr, false, points.dtype, &from));
  DIOPI_TRY(arrange(ctx, coors, false, coors.dtype, false, &to));
  DIOPI_TRY(find_cells(grid, from, to.ptr<int32_t>()));
  put_back(coors, to);
  return diopiSuccess;
}

Status hard_voxelize(diopiContextHandle_t ctx, const VoxelGrid& grid, const TensorView& points, const HardVoxels& out) {
  TensorView from, voxels, coors, counts;
  Assignment a{};
  OpenVoxels open;
  int32_t* zyx = nullptr;
  a.points = points.shape[0];
  a.max_voxels = out.voxels.shape[0];
  a.max_points = out.voxels.shape[1];
  DIOPI_TRY(arrange_input(ctx, points, nullptr, false, points.dtype, &from));
  DIOPI_TRY(arrange(ctx, out.voxels, false, points.dtype, false, &voxels));
  DIOPI_TRY(arrange(ctx, out.coors, false, diopi_dtype_int32, false, &coors));
  DIOPI_TRY(arrange(ctx, out.counts, false, diopi_dtype_int32, false, &counts));
  DIOPI_TRY(diopi::Workspace(ctx).take(3 * a.points, &zyx));
  DIOPI_TRY(diopi::Workspace(ctx).take(a.points, &a.place));
  DIOPI_TRY(open.reserve(ctx, std::min(a.max_voxels, a.points)));
  DIOPI_TRY(find_cells(grid, from, zyx));
  fill_zero(voxels);
  fill_zero(coors);
  fill_zero(counts);
  a.zyx = zyx;
  a.coors = coors.ptr<int32_t>();
  a.counts = counts.ptr<int32_t>();
  *out.number.ptr<int64_t>() = assign(a, &open);
  store_points(voxels, from, a.place);
  put_back(out.voxels, voxels);
  put_back(out.coors, coors);
  put_back(out.counts, counts);
  return diopiSuccess;
}

}  // namespace impl::cpu
