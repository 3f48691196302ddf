// SPDX-License-Identifier: BSD-3-Clause
// Maxima of elements in regions, maxima of samples along borders, and exact averages. impl/common/families/mmcv_roi.hpp
// includes this file.
#ifndef IMPL_COMMON_FAMILIES_MMCV_ROI_POOL_HPP_
#define IMPL_COMMON_FAMILIES_MMCV_ROI_POOL_HPP_

#include "arguments/mmcv_roi.hpp"
#include "impl/common/engine/index_range.hpp"
#include "impl/common/engine/roi_maximum.hpp"
#include "impl/common/families/roi_regions.hpp"

namespace impl::DIOPI_VENDOR {

// Requires that every element of an index tensor lies between the bounds.
inline Status require_indices(diopiContextHandle_t ctx, const TensorView& index, int64_t least, int64_t most) {
  if (index.numel == 0) return diopiSuccess;
  int64_t low = 0, high = 0;
  DIOPI_TRY(index_range(ctx, index, &low, &high));
  const int64_t bad = low < least ? low : high;
  DIOPI_REQUIRE(low >= least && high <= most, diopiErrorOccurred, "%s has the value %lld, expected %lld to %lld",
                index.name, static_cast<long long>(bad), static_cast<long long>(least), static_cast<long long>(most));
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::RoiPoolMmcvArgs& args) {
  DIOPI_TRY(check_images(ctx, args.rois, args.input.shape[0]));
  DIOPI_TRY(diopi::require_writable({&args.output, &args.argmax}));
  return run_roi_pool(ctx, args.spatial_scale, args.output, args.argmax, args.input, args.rois);
}

inline Status run(diopiContextHandle_t ctx, diopi::RoiPoolBackwardMmcvArgs& args) {
  DIOPI_TRY(check_images(ctx, args.rois, args.grad_input.shape[0]));
  DIOPI_TRY(require_indices(ctx, args.argmax, -1, args.grad_input.shape[2] * args.grad_input.shape[3] - 1));
  DIOPI_TRY(diopi::require_writable(args.grad_input));
  return run_roi_pool_backward(ctx, args.grad_input, args.grad_output, args.rois, args.argmax);
}

inline Status run(diopiContextHandle_t ctx, diopi::BorderAlignMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.output, &args.argmax_idx}));
  return run_border_align(ctx, args.pool_size, args.output, args.argmax_idx, args.input, args.boxes);
}

inline Status run(diopiContextHandle_t ctx, diopi::BorderAlignBackwardMmcvArgs& args) {
  DIOPI_TRY(require_indices(ctx, args.argmax_idx, 0, args.pool_size));
  DIOPI_TRY(diopi::require_writable(args.grad_input));
  return run_border_align_backward(ctx, args.pool_size, args.grad_input, args.grad_output, args.boxes, args.argmax_idx);
}

inline RoiGrid exact_grid(double scale) {
  RoiGrid grid;
  grid.kind = RoiKind::kExact;
  grid.scale = scale;
  return grid;
}

inline Status run(diopiContextHandle_t ctx, diopi::PrroiPoolMmcvArgs& args) {
  return roi_average(ctx, exact_grid(args.spatial_scale), args.output, args.input, args.rois);
}

inline Status run(diopiContextHandle_t ctx, diopi::PrroiPoolbackwardMmcvArgs& args) {
  return roi_average_backward(ctx, exact_grid(args.spatial_scale), args.grad_input, args.grad_output, args.rois);
}

inline Status run(diopiContextHandle_t ctx, diopi::PrroiPoolCoorBackwardMmcvArgs& args) {
  DIOPI_TRY(check_images(ctx, args.rois, args.input.shape[0]));
  DIOPI_TRY(diopi::require_writable(args.grad_rois));
  return run_roi_corner_backward(ctx, exact_grid(args.spatial_scale), args.grad_rois, args.output, args.grad_output,
                                 args.input, args.rois);
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_MMCV_ROI_POOL_HPP_
