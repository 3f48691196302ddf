// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for voxels of point clouds. Families have checked shapes and attributes; outputs overlap
// nothing. The bits of a result do not depend on the number of threads.
#ifndef IMPL_COMMON_ENGINE_VOXEL_HPP_
#define IMPL_COMMON_ENGINE_VOXEL_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

enum class VoxelReduce { kSum, kMean, kMaximum };

// The points of a cloud by voxel: the points of voxel v are order[start[v]], ..., in ascending order.
struct VoxelPoints {
  int64_t voxels = 0;
  TensorView order;  // int64, one for each point of a voxel
  TensorView start;  // int64 [voxels + 1]
};

// A grid of voxels: the size of a voxel, the range and the number of voxels in x, y and z. All numbers are finite, and
// there are fewer than 2^31 voxels in each direction.
struct VoxelGrid {
  float size[3], low[3], high[3];
  double cells[3];
};

// What diopiHardVoxelizeMmcv writes.
struct HardVoxels {
  const TensorView &voxels, &coors, &counts, &number;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::HardVoxels;
using diopi::Status;
using diopi::TensorView;
using diopi::VoxelGrid;
using diopi::VoxelPoints;
using diopi::VoxelReduce;

// Sorts the rows of `coors` [n, d] that have no negative element; each different row is a voxel.
Status find_voxels(diopiContextHandle_t ctx, const TensorView& coors, VoxelPoints* points);
// Writes the coordinates of each voxel, the voxel of each point (-1: none) and the points of each voxel.
Status write_voxels(diopiContextHandle_t ctx, const VoxelPoints& points, const TensorView& coors,
                    const TensorView& voxel_coors, const TensorView& voxel_of_point, const TensorView& counts);
// out[v] = the sum, mean or maximum of the rows of `feats` of voxel v.
Status reduce_voxels(diopiContextHandle_t ctx, const VoxelPoints& points, VoxelReduce op, const TensorView& feats,
                     const TensorView& out);

// The points by their voxel, -1 for none. An error names a number that is not below `voxels`.
Status group_points(diopiContextHandle_t ctx, const TensorView& voxel_of_point, int64_t voxels, VoxelPoints* points);
// grad [n, C] from grad_reduced [voxels, C]; for a maximum, the first point of a voxel that equals `reduced` gets the
// gradient. `counts` is the divisor of a mean.
Status reduce_voxels_backward(diopiContextHandle_t ctx, const VoxelPoints& points, VoxelReduce op,
                              const TensorView& grad, const TensorView& grad_reduced, const TensorView& feats,
                              const TensorView& reduced, const TensorView& counts);

// coors [n, 3] = the voxel of each point as z, y, x; -1 outside of the grid.
Status voxelize(diopiContextHandle_t ctx, const VoxelGrid& grid, const TensorView& points, const TensorView& coors);
Status hard_voxelize(diopiContextHandle_t ctx, const VoxelGrid& grid, const TensorView& points, const HardVoxels& out);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_VOXEL_HPP_
