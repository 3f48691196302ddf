// SPDX-License-Identifier: BSD-3-Clause
// What the families of region operators share.
#ifndef IMPL_COMMON_FAMILIES_ROI_REGIONS_HPP_
#define IMPL_COMMON_FAMILIES_ROI_REGIONS_HPP_

#include "impl/common/engine/roi.hpp"
#include "impl/common/families/outputs.hpp"

namespace impl::DIOPI_VENDOR {

// The samples of upright regions. `aligned`: pixels are squares, whose centres have whole numbers.
inline RoiGrid upright_grid(double scale, int64_t ratio, bool aligned) {
  RoiGrid grid;
  grid.scale = scale;
  grid.shift = aligned ? 0.5 : 0;
  grid.at_least_one = !aligned;
  grid.ratio = ratio;
  return grid;
}

inline Status roi_average(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& out, const TensorView& input,
                          const TensorView& rois) {
  DIOPI_TRY(check_images(ctx, rois, input.shape[0]));
  DIOPI_TRY(diopi::require_writable(out));
  return run_roi_average(ctx, grid, out, input, rois);
}

inline Status roi_average_backward(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& grad_input,
                                   const TensorView& grad_output, const TensorView& rois) {
  DIOPI_TRY(check_images(ctx, rois, grad_input.shape[0]));
  DIOPI_TRY(diopi::require_writable(grad_input));
  return run_roi_average_backward(ctx, grid, grad_input, grad_output, rois);
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_ROI_REGIONS_HPP_
