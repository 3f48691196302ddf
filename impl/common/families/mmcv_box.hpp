// SPDX-License-Identifier: BSD-3-Clause
// Overlaps and suppression of boxes of mmcv. impl/<vendor>/functions/mmcv_box.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_MMCV_BOX_HPP_
#define IMPL_COMMON_FAMILIES_MMCV_BOX_HPP_

#include <cmath>
#include <limits>

#include "arguments/mmcv_box.hpp"
#include "impl/common/engine/boxes.hpp"
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/nms.hpp"
#include "impl/common/engine/sort.hpp"
#include "impl/common/families/outputs.hpp"
#include "impl/common/families/returned_tensor.hpp"
#include "impl/common/temporary.hpp"

namespace impl::DIOPI_VENDOR {

template <typename Args>
BoxPairs box_pairs(const Args& args) {
  return {args.ious, args.bboxes1, args.bboxes2, args.mode == 1, args.aligned};
}

inline Status run(diopiContextHandle_t ctx, diopi::BboxOverlapsMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.ious));
  return upright_overlaps(ctx, box_pairs(args), static_cast<double>(args.offset));
}

inline Status run(diopiContextHandle_t ctx, diopi::BoxIouRotatedMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.ious));
  return rotated_overlaps(ctx, box_pairs(args));
}

inline Status run(diopiContextHandle_t ctx, diopi::BoxIouQuadriMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.ious));
  return quadrilateral_overlaps(ctx, box_pairs(args));
}

inline Status run(diopiContextHandle_t ctx, diopi::Iou3dBoxesOverlapBevMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.ans_overlap));
  return overlaps_from_above(ctx, args.ans_overlap, args.boxes_a, args.boxes_b);
}

inline Status run(diopiContextHandle_t ctx, diopi::Iou3dNms3dMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.keep, &args.keep_num}));
  return suppress_from_above(ctx, args.keep, args.keep_num, args.boxes, args.nms_overlap_thresh, true);
}

inline Status run(diopiContextHandle_t ctx, diopi::Iou3dNms3dNormalMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.keep, &args.keep_num}));
  return suppress_from_above(ctx, args.keep, args.keep_num, args.boxes, args.nms_overlap_thresh, false);
}

// Returns the kept boxes: suppress(order, kept, &count) writes them. `order` has the numbers of the boxes, the best one
// first; it is made from the scores unless it is given.
template <typename Suppress>
Status return_kept(diopiContextHandle_t ctx, const TensorView& scores, const TensorView* given,
                   diopiTensorHandle_t* out, const Suppress& suppress) {
  TensorView order, kept;
  int64_t count = 0;
  if (scores.numel > 0) {
    DIOPI_TRY(diopi::make_temporary(ctx, scores.shape, diopi_dtype_int64, "order", &order));
    DIOPI_TRY(diopi::make_temporary(ctx, scores.shape, diopi_dtype_int64, "kept", &kept));
    DIOPI_TRY(given != nullptr ? copy(ctx, order, *given) : run_sort(ctx, nullptr, order, scores, 0, true));
    DIOPI_TRY(suppress(order, kept, &count));
  }
  diopi::Dims shape;
  shape.push_back(count);
  return return_tensor(ctx, shape, diopi_dtype_int64, out, [&](const TensorView& result) {
    return count > 0 ? copy(ctx, result, kept.narrow(0, 0, count)) : Status();
  });
}

// A number is greater than the result if it is greater than `threshold` when rounded to float32.
inline double limit_before_rounding(float threshold) {
  const float next = std::nextafter(threshold, std::numeric_limits<float>::infinity());
  const double middle = (static_cast<double>(threshold) + static_cast<double>(next)) / 2;
  const bool rounds_up = static_cast<float>(middle) > threshold;
  return rounds_up ? std::nextafter(middle, -std::numeric_limits<double>::infinity()) : middle;
}

inline Status run(diopiContextHandle_t ctx, diopi::NmsMmcvArgs& args) {
  return return_kept(ctx, args.scores, nullptr, args.out,
                     [&](const TensorView& order, const TensorView& kept, int64_t* count) {
                       const double threshold = limit_before_rounding(static_cast<float>(args.iou_threshold));
                       const auto offset = static_cast<double>(args.offset);
                       return run_nms(ctx, {args.dets, order, threshold, offset}, kept, count);
                     });
}

inline Status run(diopiContextHandle_t ctx, diopi::NmsRotatedMmcvArgs& args) {
  const TensorView* given = args.order.numel == args.scores.numel ? &args.order : nullptr;
  return return_kept(ctx, args.scores, given, args.out, [&](TensorView& order, const TensorView& kept, int64_t* count) {
    order.name = args.order.name;
    return suppress_rotated(ctx, args.dets, order, args.iou_threshold, kept, count);
  });
}

inline Status run(diopiContextHandle_t ctx, diopi::MinAreaPolygonsMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.polygons));
  return smallest_rectangles(ctx, args.polygons, args.pointsets);
}

inline Status run(diopiContextHandle_t ctx, diopi::ConvexIouMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.ious));
  return hull_overlaps(ctx, args.ious, args.pointsets, args.polygons);
}

inline Status run(diopiContextHandle_t ctx, diopi::ConvexGiouMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.output));
  return hull_overlap_gradients(ctx, args.output, args.pointsets, args.polygons);
}

inline Status run(diopiContextHandle_t ctx, diopi::DiffIouRotatedSortVerticesMmcvArgs& args) {
  diopi::Dims shape = args.num_valid.shape;
  shape.push_back(9);
  return return_tensor(ctx, shape, diopi_dtype_int32, args.out, [&](const TensorView& out) {
    return sort_vertices(ctx, out, args.vertices, args.mask, args.num_valid);
  });
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/mmcv_box.hpp"

#endif  // IMPL_COMMON_FAMILIES_MMCV_BOX_HPP_
