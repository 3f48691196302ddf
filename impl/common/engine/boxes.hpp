// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for overlaps of boxes. The formulas are those of the registry (mmcv_box).
//
// Families have checked dtypes and shapes, and that the elements of outputs have different addresses; no two tensors of
// a call share memory. Boxes are floating point, in rows. Computations are in float64 except as the comments say.
#ifndef IMPL_COMMON_ENGINE_BOXES_HPP_
#define IMPL_COMMON_ENGINE_BOXES_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// Pairs of boxes: each with each, or row by row if `aligned`. `out` has an element for each pair, in any shape.
struct BoxPairs {
  const TensorView &out, &first, &second;
  bool over_first;  // divides by the area of the first box, not by that of the union
  bool aligned;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::BoxPairs;
using diopi::Status;
using diopi::TensorView;

// Boxes (x1, y1, x2, y2), in float32 or float64. `offset` is added to their sides.
Status upright_overlaps(diopiContextHandle_t ctx, const BoxPairs& pairs, double offset);
// Boxes (x, y, w, h, angle), and boxes of four corners.
Status rotated_overlaps(diopiContextHandle_t ctx, const BoxPairs& pairs);
Status quadrilateral_overlaps(diopiContextHandle_t ctx, const BoxPairs& pairs);
// The areas of the overlaps of boxes (x, y, z, dx, dy, dz, heading) of float32, seen from above.
Status overlaps_from_above(diopiContextHandle_t ctx, const TensorView& out, const TensorView& first,
                           const TensorView& second);

// Writes the positions of the boxes that greedy suppression keeps, then 0, to `keep`, and their number to `count`. The
// boxes are those of overlaps_from_above(). Here and in suppress_rotated(), overlaps are rounded to float32 before they
// are compared with the threshold.
Status suppress_from_above(diopiContextHandle_t ctx, const TensorView& keep, const TensorView& count,
                           const TensorView& boxes, float threshold, bool with_heading);
// Writes the kept elements of `order`, int64 without gaps, to the first `*count` elements of `kept`. Boxes are those of
// rotated_overlaps() and may have further columns. The vendor checks that `order` has numbers of boxes.
Status suppress_rotated(diopiContextHandle_t ctx, const TensorView& boxes, const TensorView& order, float threshold,
                        const TensorView& kept, int64_t* count);

// Sets of nine points in rows. The smallest rectangle around each set; and the overlap of the hull of each set with
// each quadrilateral.
Status smallest_rectangles(diopiContextHandle_t ctx, const TensorView& out, const TensorView& points);
Status hull_overlaps(diopiContextHandle_t ctx, const TensorView& out, const TensorView& points,
                     const TensorView& quadrilaterals);
// Row by row: the gradients of the generalised overlap for the 18 coordinates of a set, then this overlap.
Status hull_overlap_gradients(diopiContextHandle_t ctx, const TensorView& out, const TensorView& points,
                              const TensorView& quadrilaterals);
// `out` is contiguous. In float32.
Status sort_vertices(diopiContextHandle_t ctx, const TensorView& out, const TensorView& vertices,
                     const TensorView& mask, const TensorView& num_valid);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_BOXES_HPP_
