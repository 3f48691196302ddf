// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/detection.hpp"

#include "impl/cuda/kernels/elementwise/check.hpp"
#include "impl/cuda/kernels/nms/nms.hpp"
#include "impl/cuda/kernels/roi/roi.hpp"

namespace impl::cuda {

Status run_nms(diopiContextHandle_t ctx, const NmsProblem& problem, const TensorView& kept, int64_t* count) {
  return suppress_boxes(ctx, problem, kept.ptr<int64_t>(), count);
}

Status check_images(diopiContextHandle_t ctx, const TensorView& rois, int64_t images) {
  if (rois.numel == 0) return diopiSuccess;
  return check_image_numbers(ctx, rois.select(1, 0), images);
}

// Grids are upright and without offsets: the host computes the functions of other regions.
Status run_roi_average(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& out, const TensorView& input,
                       const TensorView& rois) {
  return out.numel == 0 ? Status(diopiSuccess) : average_regions(ctx, grid, input, out, rois, false);
}

Status run_roi_average_backward(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& grad_input,
                                const TensorView& grad_output, const TensorView& rois) {
  return grad_input.numel == 0 ? Status(diopiSuccess) : average_regions(ctx, grid, grad_input, grad_output, rois, true);
}

}  // namespace impl::cuda
