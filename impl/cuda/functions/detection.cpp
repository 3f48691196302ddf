// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/detection.hpp"

#include <limits>

#include "impl/cuda/engine/outside.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/nms/nms.hpp"
#include "impl/cuda/kernels/roi/roi.hpp"

namespace impl::cuda {

namespace {

Status run(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& images, const TensorView& bins,
           const TensorView& rois, bool adjoint) {
  DIOPI_REQUIRE(grid.kind == RoiKind::kUpright && grid.offset == nullptr, diopiNoImplement,
                "regions with an angle, offsets or exact averages are not implemented");
  return average_regions(ctx, grid, images, bins, rois, adjoint);
}

}  // namespace

Status run_nms(diopiContextHandle_t ctx, const NmsProblem& problem, const TensorView& kept, int64_t* count) {
  return suppress_boxes(ctx, problem, kept.ptr<int64_t>(), count);
}

// The conversion to integers drops fractions, and makes NaN and numbers out of range negative.
Status find_roi_outside(diopiContextHandle_t ctx, const TensorView& rois, int64_t images, RoiOutside* found) {
  constexpr int64_t kNoImage = std::numeric_limits<int64_t>::max();  // which no number becomes
  if (rois.numel == 0) return diopiSuccess;
  const TensorView column = rois.select(1, 0);
  TensorView numbers, value;
  Outside outside;
  DIOPI_TRY(diopi::make_temporary(ctx, column.shape, diopi_dtype_int64, "images", &numbers));
  DIOPI_TRY(copy_apart(ctx, numbers, column));
  DIOPI_TRY(find_outside(ctx, numbers, images, kNoImage, &outside));
  if (outside.position < 0) return diopiSuccess;
  DIOPI_TRY(diopi::make_temporary(ctx, diopi::Dims(), diopi_dtype_float64, "image", &value));
  DIOPI_TRY(copy_apart(ctx, value, column.select(0, outside.position)));
  DIOPI_TRY(read_back(ctx, &found->image, value.data, sizeof(found->image)));
  found->row = outside.position;
  return diopiSuccess;
}

Status run_roi_average(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& out, const TensorView& input,
                       const TensorView& rois) {
  return out.numel == 0 ? Status(diopiSuccess) : run(ctx, grid, input, out, rois, false);
}

Status run_roi_average_backward(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& grad_input,
                                const TensorView& grad_output, const TensorView& rois) {
  return grad_input.numel == 0 ? Status(diopiSuccess) : run(ctx, grid, grad_input, grad_output, rois, true);
}

}  // namespace impl::cuda
