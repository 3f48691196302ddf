// SPDX-License-Identifier: BSD-3-Clause
// Voxelisation and sparse convolution of mmcv. impl/<vendor>/functions/mmcv_sparse.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_MMCV_SPARSE_HPP_
#define IMPL_COMMON_FAMILIES_MMCV_SPARSE_HPP_

#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "arguments/mmcv_sparse.hpp"
#include "impl/common/engine/host_numbers.hpp"
#include "impl/common/engine/sparse_conv.hpp"
#include "impl/common/engine/voxel.hpp"
#include "impl/common/families/outputs.hpp"
#include "impl/common/families/returned_tensor.hpp"
#include "impl/common/workspace.hpp"

namespace impl::DIOPI_VENDOR {

inline diopi::Dims shape_of(std::initializer_list<int64_t> extents) {
  diopi::Dims shape;
  for (const int64_t extent : extents) shape.push_back(extent);
  return shape;
}

inline VoxelReduce voxel_reduction(int64_t type) {
  constexpr VoxelReduce kTypes[] = {VoxelReduce::kSum, VoxelReduce::kMean, VoxelReduce::kMaximum};
  return kTypes[type];
}

inline Status run(diopiContextHandle_t ctx, diopi::DynamicPointToVoxelMmcvArgs& args) {
  const int64_t count = args.feats.shape[0];
  DIOPI_REQUIRE(count <= INT32_MAX, diopiErrorOccurred, "feats[0] = %lld, expected at most 2^31 - 1 points",
                static_cast<long long>(count));
  VoxelPoints points;
  DIOPI_TRY(find_voxels(ctx, args.coors, &points));
  diopiTensorHandle_t made[4] = {};
  TensorView reduced, coors, voxel, counts;
  const auto allocate = [&](int i, const char* name, const diopi::Dims& shape, diopiDtype_t dtype, TensorView* view) {
    return diopi::allocate_output(ctx, name, shape, nullptr, dtype, &made[i], view);
  };
  DIOPI_TRY(allocate(0, "outlist[0]", shape_of({points.voxels, args.feats.shape[1]}), args.feats.dtype, &reduced));
  DIOPI_TRY(allocate(1, "outlist[1]", shape_of({points.voxels, args.coors.shape[1]}), args.coors.dtype, &coors));
  DIOPI_TRY(allocate(2, "outlist[2]", shape_of({count}), diopi_dtype_int32, &voxel));
  DIOPI_TRY(allocate(3, "outlist[3]", shape_of({points.voxels}), diopi_dtype_int32, &counts));
  DIOPI_TRY(write_voxels(ctx, points, args.coors, coors, voxel, counts));
  DIOPI_TRY(reduce_voxels(ctx, points, voxel_reduction(args.reduce_type), args.feats, reduced));
  for (int i = 0; i < 4; ++i) args.outlist[i] = made[i];
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::DynamicPointToVoxelBackwardMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.grad_feats));
  VoxelPoints points;
  DIOPI_TRY(group_points(ctx, args.coors_idx, args.reduced_feats.shape[0], &points));
  return reduce_voxels_backward(ctx, points, voxel_reduction(args.reduce_type), args.grad_feats,
                                args.grad_reduced_feats, args.feats, args.reduced_feats, args.reduce_count);
}

// Reads and checks the grid: `sizes` [3] and `range` [6].
inline Status read_grid(diopiContextHandle_t ctx, const TensorView& sizes, const TensorView& range, VoxelGrid* grid) {
  constexpr double kMost = 2147483648.0;
  float ends[6];
  DIOPI_TRY(read_floats(ctx, sizes, grid->size));
  DIOPI_TRY(read_floats(ctx, range, ends));
  for (int j = 0; j < 3; ++j) {
    DIOPI_REQUIRE(grid->size[j] > 0 && std::isfinite(grid->size[j]), diopiErrorOccurred,
                  "%s[%d] = %g, expected a finite number above 0", sizes.name, j, static_cast<double>(grid->size[j]));
    grid->low[j] = ends[j];
    grid->high[j] = ends[j + 3];
    for (const float end : {grid->low[j], grid->high[j]}) {
      DIOPI_REQUIRE(std::isfinite(end), diopiErrorOccurred, "%s holds %g, expected finite numbers", range.name,
                    static_cast<double>(end));
    }
  }
  for (int j = 0; j < 3; ++j) {
    grid->cells[j] = std::round(static_cast<double>((grid->high[j] - grid->low[j]) / grid->size[j]));
    DIOPI_REQUIRE(grid->cells[j] < kMost, diopiErrorOccurred,
                  "%s from %g to %g with %s[%d] = %g has %g voxels, expected fewer than 2^31", range.name,
                  static_cast<double>(grid->low[j]), static_cast<double>(grid->high[j]), sizes.name, j,
                  static_cast<double>(grid->size[j]), grid->cells[j]);
  }
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::HardVoxelizeMmcvArgs& args) {
  VoxelGrid grid;
  DIOPI_TRY(read_grid(ctx, args.voxel_size, args.coors_range, &grid));
  DIOPI_TRY(diopi::require_writable({&args.voxels, &args.coors, &args.num_points_per_voxel, &args.voxel_num}));
  return hard_voxelize(ctx, grid, args.points, {args.voxels, args.coors, args.num_points_per_voxel, args.voxel_num});
}

inline Status run(diopiContextHandle_t ctx, diopi::DynamicVoxelizeMmcvArgs& args) {
  VoxelGrid grid;
  DIOPI_TRY(read_grid(ctx, args.voxel_size, args.coors_range, &grid));
  DIOPI_TRY(diopi::require_writable(args.coors));
  return voxelize(ctx, grid, args.points, args.coors);
}

// Requires counts and rows in range.
inline Status check_pairs(diopiContextHandle_t ctx, const SparsePairs& pairs, const SparseRows& rows) {
  const int64_t positions = pairs.count.numel, most = pairs.pairs.shape[2];
  int64_t* counts = nullptr;
  DIOPI_TRY(diopi::host_workspace(ctx).take(positions, &counts));
  if (positions > 0) DIOPI_TRY(read_integers(ctx, pairs.count, counts));
  for (int64_t k = 0; k < positions; ++k) {
    DIOPI_REQUIRE(counts[k] >= 0 && counts[k] <= most, diopiErrorOccurred,
                  "%s[%lld] = %lld, expected at least 0 and at most the %lld pairs of %s", pairs.count.name,
                  static_cast<long long>(k), static_cast<long long>(counts[k]), static_cast<long long>(most),
                  pairs.pairs.name);
  }
  return check_sparse_rows(ctx, pairs, rows);
}

inline Status run(diopiContextHandle_t ctx, diopi::IndiceMaxpoolMmcvArgs& args) {
  const TensorView& features = args.features;
  const SparsePairs pairs{args.indicePairs, args.indiceNum};
  DIOPI_TRY(check_pairs(ctx, pairs, {"features", features.shape[0], "out", args.numAct}));
  return return_tensor(ctx, shape_of({args.numAct, features.shape[1]}), features.dtype, args.out,
                       [&](const TensorView& out) { return run_sparse_maxpool(ctx, pairs, features, out); });
}

inline Status run(diopiContextHandle_t ctx, diopi::IndiceMaxpoolBackwardMmcvArgs& args) {
  const TensorView& features = args.features;
  const SparsePairs pairs{args.indicePairs, args.indiceNum};
  DIOPI_TRY(check_pairs(ctx, pairs, {"features", features.shape[0], "outFeatures", args.outFeatures.shape[0]}));
  return return_tensor(ctx, features.shape, features.dtype, args.out, [&](const TensorView& grad) {
    return run_sparse_maxpool_backward(ctx, pairs, features, args.outFeatures, args.outGrad, grad);
  });
}

// Requires a matrix for each kernel position, and pairs in range.
template <typename Args>
Status check_sparse_conv(diopiContextHandle_t ctx, const Args& args, const char* output_name, int64_t output_rows) {
  int64_t matrices = 1;
  for (int i = 0; i + 2 < args.filters.ndim(); ++i) matrices *= args.filters.shape[i];
  DIOPI_REQUIRE(matrices == args.indicePairs.shape[0], diopiErrorOccurred,
                "filters of shape %s has %lld matrices, expected indicePairs[0] = %lld",
                diopi::Text(args.filters.shape).c_str(), static_cast<long long>(matrices),
                static_cast<long long>(args.indicePairs.shape[0]));
  const SparsePairs pairs{args.indicePairs, args.indiceNum, args._inverse != 0, args._subM != 0};
  return check_pairs(ctx, pairs, {"features", args.features.shape[0], output_name, output_rows});
}

template <typename Args>
Status sparse_conv_forward(diopiContextHandle_t ctx, const Args& args, const TensorView* bias) {
  DIOPI_TRY(check_sparse_conv(ctx, args, "out", args.numActOut));
  const SparsePairs pairs{args.indicePairs, args.indiceNum, args._inverse != 0, args._subM != 0};
  const diopi::Dims shape = shape_of({args.numActOut, args.filters.shape[args.filters.ndim() - 1]});
  return return_tensor(ctx, shape, args.features.dtype, args.out, [&](const TensorView& out) {
    return run_sparse_conv(ctx, pairs, args.features, args.filters, bias, out);
  });
}

inline Status run(diopiContextHandle_t ctx, diopi::IndiceConvMmcvArgs& args) {
  return sparse_conv_forward(ctx, args, nullptr);
}

inline Status run(diopiContextHandle_t ctx, diopi::FusedIndiceConvBatchnormMmcvArgs& args) {
  return sparse_conv_forward(ctx, args, &args.bias);
}

inline Status run(diopiContextHandle_t ctx, diopi::IndiceConvBackwardMmcvArgs& args) {
  DIOPI_TRY(check_sparse_conv(ctx, args, "outGrad", args.outGrad.shape[0]));
  const SparsePairs pairs{args.indicePairs, args.indiceNum, args._inverse != 0, args._subM != 0};
  const TensorView &features = args.features, &filters = args.filters;
  diopiTensorHandle_t made[2] = {};
  TensorView to_features, to_filters;
  DIOPI_TRY(diopi::allocate_output(ctx, "outlist[0]", features.shape, nullptr, features.dtype, &made[0], &to_features));
  DIOPI_TRY(diopi::allocate_output(ctx, "outlist[1]", filters.shape, nullptr, filters.dtype, &made[1], &to_filters));
  DIOPI_TRY(run_sparse_conv_backward(ctx, pairs, features, filters, args.outGrad, to_features, to_filters));
  for (int i = 0; i < 2; ++i) args.outlist[i] = made[i];
  return diopiSuccess;
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/mmcv_sparse.hpp"

#endif  // IMPL_COMMON_FAMILIES_MMCV_SPARSE_HPP_
