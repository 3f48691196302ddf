// SPDX-License-Identifier: BSD-3-Clause
// Averages and maxima of samples in upright and rotated regions. impl/common/families/mmcv_roi.hpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_MMCV_ROI_ALIGN_HPP_
#define IMPL_COMMON_FAMILIES_MMCV_ROI_ALIGN_HPP_

#include "arguments/mmcv_roi.hpp"
#include "impl/common/engine/roi_maximum.hpp"
#include "impl/common/families/roi_regions.hpp"

namespace impl::DIOPI_VENDOR {

// mmcv's kernels round numbers of samples up with ceilf, also those of float64. `aligned`: see upright_grid().
inline RoiGrid mmcv_grid(double scale, int64_t ratio, bool aligned) {
  RoiGrid grid = upright_grid(scale, ratio, aligned);
  grid.counts_in_float32 = true;
  return grid;
}

inline Status run(diopiContextHandle_t ctx, diopi::RoiAlignMmcvArgs& args) {
  const RoiGrid grid = mmcv_grid(args.spatial_scale, args.sampling_ratio, args.aligned);
  if (args.pool_mode == 1) return roi_average(ctx, grid, args.output, args.input, args.rois);
  DIOPI_TRY(check_images(ctx, args.rois, args.input.shape[0]));
  DIOPI_TRY(diopi::require_writable({&args.output, &args.argmax_y, &args.argmax_x}));
  return run_roi_maximum(ctx, grid, args.output, args.argmax_y, args.argmax_x, args.input, args.rois);
}

inline Status run(diopiContextHandle_t ctx, diopi::RoiAlignBackwardMmcvArgs& args) {
  const RoiGrid grid = mmcv_grid(args.spatial_scale, args.sampling_ratio, args.aligned);
  if (args.pool_mode == 1) return roi_average_backward(ctx, grid, args.grad_input, args.grad_output, args.rois);
  DIOPI_TRY(check_images(ctx, args.rois, args.grad_input.shape[0]));
  DIOPI_TRY(diopi::require_writable(args.grad_input));
  return run_roi_maximum_backward(ctx, args.grad_input, args.grad_output, args.rois, args.argmax_y, args.argmax_x);
}

template <typename Args>
RoiGrid deformed_grid(const Args& args) {
  RoiGrid grid = mmcv_grid(args.spatial_scale, args.sampling_ratio, true);
  grid.offset = args.offset.numel > 0 ? &args.offset : nullptr;
  grid.gamma = args.gamma;
  return grid;
}

inline Status run(diopiContextHandle_t ctx, diopi::DeformRoiPoolMmcvArgs& args) {
  return roi_average(ctx, deformed_grid(args), args.output, args.input, args.rois);
}

inline Status run(diopiContextHandle_t ctx, diopi::DeformRoiPoolBackwardMmcvArgs& args) {
  const RoiGrid grid = deformed_grid(args);
  DIOPI_TRY(diopi::require_writable({&args.grad_input, &args.grad_offset}));
  if (grid.offset == nullptr) return roi_average_backward(ctx, grid, args.grad_input, args.grad_output, args.rois);
  DIOPI_TRY(check_images(ctx, args.rois, args.input.shape[0]));
  return run_roi_offset_backward(ctx, grid, args.grad_input, args.grad_offset, args.grad_output, args.input, args.rois);
}

// Regions with an angle. `aligned`: see upright_grid().
inline RoiGrid rotated_grid(double scale, int64_t ratio, bool aligned, bool clockwise, int64_t orientations) {
  RoiGrid grid = mmcv_grid(scale, ratio, aligned);
  grid.kind = RoiKind::kRotated;
  grid.clockwise = clockwise;
  grid.orientations = orientations;
  return grid;
}

inline Status run(diopiContextHandle_t ctx, diopi::RoiAlignRotatedMmcvArgs& args) {
  const RoiGrid grid = rotated_grid(args.spatial_scale, args.sampling_ratio, args.aligned, args.clockwise, 1);
  return roi_average(ctx, grid, args.output, args.input, args.rois);
}

inline Status run(diopiContextHandle_t ctx, diopi::RoiAlignRotatedBackwardMmcvArgs& args) {
  const RoiGrid grid = rotated_grid(args.spatial_scale, args.sampling_ratio, args.aligned, args.clockwise, 1);
  return roi_average_backward(ctx, grid, args.bottom_grad, args.top_grad, args.rois);
}

inline Status run(diopiContextHandle_t ctx, diopi::RiroiAlignRotatedMmcvArgs& args) {
  const RoiGrid grid = rotated_grid(args.spatial_scale, args.num_samples, false, args.clockwise, args.num_orientations);
  return roi_average(ctx, grid, args.output, args.features, args.rois);
}

inline Status run(diopiContextHandle_t ctx, diopi::RiroiAlignRotatedBackwardMmcvArgs& args) {
  const RoiGrid grid = rotated_grid(args.spatial_scale, args.num_samples, false, args.clockwise, args.num_orientations);
  return roi_average_backward(ctx, grid, args.bottom_grad, args.top_grad, args.rois);
}

inline Status run(diopiContextHandle_t ctx, diopi::RotatedFeatureAlignMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.output));
  return run_box_samples(ctx, args.spatial_scale, args.points == 5, args.output, args.features, args.best_bboxes);
}

inline Status run(diopiContextHandle_t ctx, diopi::RotatedFeatureAlignBackwardMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.bottom_grad));
  return run_box_samples_backward(ctx, args.spatial_scale, args.points == 5, args.bottom_grad, args.top_grad,
                                  args.best_bboxes);
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_MMCV_ROI_ALIGN_HPP_
