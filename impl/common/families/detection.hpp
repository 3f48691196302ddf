// SPDX-License-Identifier: BSD-3-Clause
// Non-maximum suppression, and the average of samples in regions. impl/<vendor>/functions/detection.cpp includes this
// file.
#ifndef IMPL_COMMON_FAMILIES_DETECTION_HPP_
#define IMPL_COMMON_FAMILIES_DETECTION_HPP_

#include "arguments/detection.hpp"
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/nms.hpp"
#include "impl/common/engine/sort.hpp"
#include "impl/common/families/returned_tensor.hpp"
#include "impl/common/families/roi_regions.hpp"
#include "impl/common/temporary.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::NmsArgs& args) {
  const diopi::Dims& scores = args.confidence.shape;
  TensorView order, kept;
  int64_t count = 0;
  if (args.confidence.numel > 0) {
    DIOPI_TRY(diopi::make_temporary(ctx, scores, diopi_dtype_int64, "order", &order));
    DIOPI_TRY(diopi::make_temporary(ctx, scores, diopi_dtype_int64, "kept", &kept));
    DIOPI_TRY(run_sort(ctx, nullptr, order, args.confidence, 0, true));
    DIOPI_TRY(run_nms(ctx, {args.boxes, order, args.iou_threshold, 0}, kept, &count));
  }
  diopi::Dims shape;
  shape.push_back(count);
  return return_tensor(ctx, shape, diopi_dtype_int64, args.out, [&](const TensorView& out) {
    return count > 0 ? copy(ctx, out, kept.narrow(0, 0, count)) : Status();
  });
}

inline Status run(diopiContextHandle_t ctx, diopi::RoiAlignArgs& args) {
  const RoiGrid grid = upright_grid(args.spatial_scale, args.sampling_ratio, args.aligned);
  return roi_average(ctx, grid, args.out, args.input, args.rois);
}

inline Status run(diopiContextHandle_t ctx, diopi::RoiAlignBackwardArgs& args) {
  const RoiGrid grid = upright_grid(args.spatial_scale, args.sampling_ratio, args.aligned);
  return roi_average_backward(ctx, grid, args.out, args.grad, args.rois);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/detection.hpp"

#endif  // IMPL_COMMON_FAMILIES_DETECTION_HPP_
