// SPDX-License-Identifier: BSD-3-Clause
// Upright regions. The host computes the other functions of the family.
#include "impl/common/families/mmcv_roi_align.hpp"

#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/fill.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cuda/engine/index/places.hpp"
#include "impl/cuda/kernels/roi/roi.hpp"

namespace impl::cuda {

Status run_roi_maximum(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& out, const TensorView& at_y,
                       const TensorView& at_x, const TensorView& input, const TensorView& rois) {
  return out.numel == 0 ? Status(diopiSuccess) : find_maxima(ctx, grid, out, at_y, at_x, input, rois);
}

// Positions are the four elements that each maximum reads; their order is that of the sums.
Status run_roi_maximum_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                                const TensorView& rois, const TensorView& at_y, const TensorView& at_x) {
  constexpr int64_t kTaps = 4;
  constexpr bool kNoSlices[diopi::kMaxDims] = {};
  if (grad_input.numel == 0) return diopiSuccess;
  const diopiDtype_t dtype = diopi::compute_dtype(grad_input.dtype);
  Dims positions, packed;
  positions.push_back(kTaps * grad_output.numel);
  packed.push_back(1);
  TensorView sums;
  Places places;
  MaximumTerms terms;
  DIOPI_TRY(diopi::make_temporary(ctx, grad_input.shape, dtype, "sums", &sums));
  DIOPI_TRY(diopi::make_temporary(ctx, positions, dtype, "terms", &terms.terms));
  places.begin(PlaceKind::kNumbers, sums, kNoSlices, sums.stride, positions, packed);
  DIOPI_TRY(places.take_list(ctx));
  terms.places = places.places;
  terms.none = places.none;
  if (grad_output.numel > 0) {
    DIOPI_TRY(find_maximum_terms(ctx, grad_input, grad_output, rois, at_y, at_x, terms));
  }
  DIOPI_TRY(run_combine(ctx, PlaceOp::kAdd, places, sums, ScatterBase::zeros(), terms.terms));
  return copy(ctx, grad_input, sums);
}

diopiError_t diopiRoiAlignMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiTensorHandle_t argmax_y,
                               diopiTensorHandle_t argmax_x, diopiConstTensorHandle_t input,
                               diopiConstTensorHandle_t rois, int64_t aligned_height, int64_t aligned_width,
                               int64_t sampling_ratio, int64_t pool_mode, float spatial_scale, bool aligned) {
  diopi::RoiAlignMmcvArgs args;
  DIOPI_TRY(diopi::read_roi_align_mmcv(ctx, output, argmax_y, argmax_x, input, rois, aligned_height, aligned_width,
                                       sampling_ratio, pool_mode, spatial_scale, aligned, &args));
  return run(ctx, args);
}

diopiError_t diopiRoiAlignBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                       diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t rois,
                                       diopiConstTensorHandle_t argmax_y, diopiConstTensorHandle_t argmax_x,
                                       int64_t aligned_height, int64_t aligned_width, int64_t sampling_ratio,
                                       int64_t pool_mode, float spatial_scale, bool aligned) {
  diopi::RoiAlignBackwardMmcvArgs args;
  DIOPI_TRY(diopi::read_roi_align_backward_mmcv(ctx, grad_input, grad_output, rois, argmax_y, argmax_x, aligned_height,
                                                aligned_width, sampling_ratio, pool_mode, spatial_scale, aligned,
                                                &args));
  return run(ctx, args);
}

}  // namespace impl::cuda
