// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for averages of samples in the bins of regions. The formulas are those of the
// registry. Images, results and their gradients are [N, C, H, W] and [R, C, PH, PW] tensors of any strides and of one
// floating-point dtype; planes [H, W] are not empty. `rois` is [R, 5], (image, x1, y1, x2, y2), or for rotated regions
// [R, 6], (image, xc, yc, w, h, angle); families have checked the images. Results overlap no operand. Gradients are
// overwritten. Every tensor may be empty.
#ifndef IMPL_COMMON_ENGINE_ROI_HPP_
#define IMPL_COMMON_ENGINE_ROI_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

enum class RoiKind {
  kUpright,
  kRotated,
  kExact,  // the integral of the interpolated image instead of samples
};

// How a region is divided into samples.
struct RoiGrid {
  RoiKind kind = RoiKind::kUpright;
  double scale = 1;                    // of the coordinates of `rois`
  double shift = 0;                    // is subtracted from scaled coordinates
  bool at_least_one = false;           // whether sides are at least 1
  int64_t ratio = 0;                   // samples of a bin in each direction; 0 or less: adaptive
  bool counts_in_float32 = false;      // whether the quotient that is rounded up for that is a float32 first
  bool clockwise = false;              // rotated regions: whether angles are negated
  int64_t orientations = 1;            // rotated regions: the size of the groups of channels that turn with the region
  const TensorView* offset = nullptr;  // [R, 2, PH, PW]: a shift of each bin in x and y, in units of gamma * size
  double gamma = 0;
};

// Whether a number, without its fraction, is that of one of `images` images. Kernels call it, too.
constexpr bool is_image(double number, int64_t images) {
  return images > 0 && number > -1 && number < static_cast<double>(images);
}

// The error for a row of `rois` whose first number is no image.
inline Status refuse_image(double number, int64_t row, int64_t images) {
  return fail(diopiErrorOccurred, "rois has the image %g in row %lld, expected 0 to %lld", number,
              static_cast<long long>(row), static_cast<long long>(images - 1));
}

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::RoiGrid;
using diopi::RoiKind;
using diopi::Status;
using diopi::TensorView;

// Requires that the first number of each row of `rois` is_image(). A vendor returns refuse_image() for the first row
// that is refused, or reports it at synchronisation; then it never accesses memory out of bounds.
Status check_images(diopiContextHandle_t ctx, const TensorView& rois, int64_t images);

Status run_roi_average(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& out, const TensorView& input,
                       const TensorView& rois);
Status run_roi_average_backward(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& grad_input,
                                const TensorView& grad_output, const TensorView& rois);
// Both gradients of an average with offsets. `grid` has offsets of at least one element.
Status run_roi_offset_backward(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& grad_input,
                               const TensorView& grad_offset, const TensorView& grad_output, const TensorView& input,
                               const TensorView& rois);
// The gradient of a kExact average with respect to `rois`; `output` is that average.
Status run_roi_corner_backward(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& grad_rois,
                               const TensorView& output, const TensorView& grad_output, const TensorView& input,
                               const TensorView& rois);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_ROI_HPP_
