// SPDX-License-Identifier: BSD-3-Clause
// Points in three-dimensional boxes. impl/common/families/mmcv_roi.hpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_MMCV_ROI_POINTS_HPP_
#define IMPL_COMMON_FAMILIES_MMCV_ROI_POINTS_HPP_

#include "arguments/mmcv_roi.hpp"
#include "impl/common/engine/roi_points.hpp"
#include "impl/common/families/mmcv_roi_pool.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::RoiawarePool3dMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.argmax, &args.pts_idx_of_voxels, &args.pooled_features}));
  return run_voxel_pool(ctx, {args.argmax, args.pts_idx_of_voxels, args.pooled_features, args.rois, args.pts,
                              args.pts_feature, args.pool_method == 0});
}

inline Status run(diopiContextHandle_t ctx, diopi::RoiawarePool3dBackwardMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.grad_in));
  const int64_t points = args.grad_in.shape[0];
  if (args.pool_method == 0) {
    DIOPI_TRY(require_indices(ctx, args.argmax, -1, points - 1));
    return run_voxel_pool_backward(ctx, args.grad_in, args.grad_out, args.argmax, true);
  }
  int64_t voxel = -1, value = 0;
  DIOPI_TRY(find_bad_voxel(ctx, args.pts_idx_of_voxels, points, &voxel, &value));
  DIOPI_REQUIRE(voxel < 0, diopiErrorOccurred,
                "pts_idx_of_voxels has the value %lld in voxel %lld, expected a count below %lld and points below %lld",
                static_cast<long long>(value), static_cast<long long>(voxel),
                static_cast<long long>(args.pts_idx_of_voxels.shape[4]), static_cast<long long>(points));
  return run_voxel_pool_backward(ctx, args.grad_in, args.grad_out, args.pts_idx_of_voxels, false);
}

inline Status run(diopiContextHandle_t ctx, diopi::RoipointPool3dMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.pooled_features, &args.pooled_empty_flag}));
  return run_point_samples(ctx,
                           {args.pooled_features, args.pooled_empty_flag, args.xyz, args.boxes3d, args.pts_feature});
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_MMCV_ROI_POINTS_HPP_
