/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated from proto/registry by adaptor/codegen/headers.py. Do not edit. */
/**
 * @file
 * Operators of DIOPI. All are weak: where a vendor's library has no such operator, its address is null. Rules that
 * hold for every operator are in proto/registry/README.md. A parameter's comment names the dtypes that it may have:
 * - integral: int8, uint8, int16, uint16, int32, uint32, int64, uint64
 * - floating: float16, bfloat16, float32, float64
 * - complex: complex64, complex128
 */
#ifndef DIOPI_FUNCTIONS_MMCV_H_
#define DIOPI_FUNCTIONS_MMCV_H_

#include "diopirt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name mmcv_box
 * Overlaps and suppression of axis-aligned, rotated and polygonal boxes, as in mmcv.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: None.
 * - empty: Empty tensors are ordinary.
 * - nan: A NaN or an infinity in a box gives an unspecified number for its pairs.
 * - accumulation: None.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Overlap of axis-aligned boxes, mmcv's `bbox_overlaps`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] ious     floating
 * @param[in]  bboxes1  floating
 * @param[in]  bboxes2  floating
 * @param[in]  mode     0: intersection over union; 1: over the first box
 * @param[in]  offset   added to widths and heights, 0 or 1
 * @param[in]  aligned  pair by pair instead of all against all
 *
 * - formula: for boxes (x1, y1, x2, y2): w = max(min(x2, x2') - max(x1, x1') + offset, 0), h alike, I = w * h, A = (x2
 *   - x1 + offset) * (y2 - y1 + offset); ious = I / max(D, offset) with D = A + A' - I in mode 0, D = A in mode 1
 * - shape: bboxes1 is [M, 4], bboxes2 [N, 4], ious [M, N], or [M] if aligned; a tensor without boxes may have any shape
 *   with a first extent of 0.
 * - nan: NaN in a box gives NaN; so do two boxes without area and an offset of 0.
 * - accumulation: In float32, or in float64 for float64; rounded once.
 * - checks:
 *   - bboxes1 must have at least 1 dimension. [diopiBboxOverlapsMmcv-bboxes1-ndim]
 *   - bboxes2 must have at least 1 dimension. [diopiBboxOverlapsMmcv-bboxes2-ndim]
 *   - If bboxes1 has at least 1 element, bboxes1 must have the shape [any, 4]. [diopiBboxOverlapsMmcv-bboxes1-shape]
 *   - If bboxes1 has 0 elements, bboxes1[0] must be at most 0. [diopiBboxOverlapsMmcv-bboxes1-no-rows]
 *   - If bboxes2 has at least 1 element, bboxes2 must have the shape [any, 4]. [diopiBboxOverlapsMmcv-bboxes2-shape]
 *   - If bboxes2 has 0 elements, bboxes2[0] must be at most 0. [diopiBboxOverlapsMmcv-bboxes2-no-rows]
 *   - If aligned is true, bboxes1[0] and bboxes2[0] must be equal. [diopiBboxOverlapsMmcv-bboxes1-equal]
 *   - If aligned is true, ious must have the shape [bboxes1[0]]. [diopiBboxOverlapsMmcv-ious-aligned]
 *   - If aligned is false, ious must have the shape [bboxes1[0], bboxes2[0]]. [diopiBboxOverlapsMmcv-ious-shape]
 *   - bboxes1, bboxes2 and ious must have the same dtype. [diopiBboxOverlapsMmcv-bboxes1-same-dtype]
 *   - mode must be at least 0 and be at most 1. [diopiBboxOverlapsMmcv-mode-value]
 *   - offset must be at least 0 and be at most 1. [diopiBboxOverlapsMmcv-offset-value]
 * - source: mmcv.ops.bbox_overlaps
 * - notes: mmcv's CUDA kernel limits the divisor to at least offset; its CPU kernel does not. mmcv passes ious of shape
 *   [M] for aligned boxes, not [M, 1].
 */
DIOPI_API diopiError_t diopiBboxOverlapsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ious,
                                             diopiConstTensorHandle_t bboxes1, diopiConstTensorHandle_t bboxes2,
                                             int64_t mode, int64_t offset, bool aligned);

/**
 * Overlap of rotated boxes (x, y, w, h, angle), mmcv's `box_iou_rotated`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] ious     floating
 * @param[in]  bboxes1  floating
 * @param[in]  bboxes2  floating
 * @param[in]  mode     0: intersection over union; 1: over the first box
 * @param[in]  aligned  pair by pair instead of all against all
 *
 * - formula: (x, y, w, h, a) is the rectangle with the centre (x, y) and the sides w and h, turned by a radians from
 *   the x axis towards the y axis; I is the area of the intersection of two boxes and A the area of a box, w * h; ious
 *   = I / (A1 + A2 - I) in mode 0, I / A1 in mode 1; 0 if an area is below 1e-14
 * - shape: bboxes1 is [N, 5], bboxes2 [M, 5], ious [N, M] or [N * M], or [N] if aligned; a tensor without boxes may
 *   have any shape with a first extent of 0.
 * - accumulation: In float64, rounded once.
 * - checks:
 *   - bboxes1 must have at least 1 dimension. [diopiBoxIouRotatedMmcv-bboxes1-ndim]
 *   - bboxes2 must have at least 1 dimension. [diopiBoxIouRotatedMmcv-bboxes2-ndim]
 *   - If bboxes1 has at least 1 element, bboxes1 must have the shape [any, 5]. [diopiBoxIouRotatedMmcv-bboxes1-shape]
 *   - If bboxes1 has 0 elements, bboxes1[0] must be at most 0. [diopiBoxIouRotatedMmcv-bboxes1-no-rows]
 *   - If bboxes2 has at least 1 element, bboxes2 must have the shape [any, 5]. [diopiBoxIouRotatedMmcv-bboxes2-shape]
 *   - If bboxes2 has 0 elements, bboxes2[0] must be at most 0. [diopiBoxIouRotatedMmcv-bboxes2-no-rows]
 *   - If aligned is true, bboxes1[0] and bboxes2[0] must be equal. [diopiBoxIouRotatedMmcv-bboxes1-equal]
 *   - If aligned is true, ious must have the shape [bboxes1[0]]. [diopiBoxIouRotatedMmcv-ious-aligned]
 *   - If aligned is false, ious must have 1 or 2 dimensions. [diopiBoxIouRotatedMmcv-ious-ndim]
 *   - If aligned is false and ious has 2 dimensions, ious must have the shape [bboxes1[0], bboxes2[0]].
 *     [diopiBoxIouRotatedMmcv-ious-matrix]
 *   - If aligned is false and ious has 1 dimension, ious must have the shape [bboxes1[0] * bboxes2[0]].
 *     [diopiBoxIouRotatedMmcv-ious-flat]
 *   - bboxes1, bboxes2 and ious must have the same dtype. [diopiBoxIouRotatedMmcv-bboxes1-same-dtype]
 *   - mode must be at least 0 and be at most 1. [diopiBoxIouRotatedMmcv-mode-value]
 * - source: mmcv.ops.box_iou_rotated
 * - notes: mmcv passes a flat tensor and reshapes it afterwards. For the other direction of rotation mmcv negates the
 *   angles before the call.
 */
DIOPI_API diopiError_t diopiBoxIouRotatedMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ious,
                                              diopiConstTensorHandle_t bboxes1, diopiConstTensorHandle_t bboxes2,
                                              int64_t mode, bool aligned);

/**
 * Overlap of quadrilaterals of four corners, mmcv's `box_iou_quadri`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] ious     floating
 * @param[in]  bboxes1  floating
 * @param[in]  bboxes2  floating
 * @param[in]  mode     0: intersection over union; 1: over the first box
 * @param[in]  aligned  pair by pair instead of all against all
 *
 * - formula: (x1, y1, ..., x4, y4) are the corners 0 to 3 of a quadrilateral. The points of a pair are the
 *   intersections of the edges, the corners of the first one inside the second one, and the reverse, where P is inside
 *   if 0 <= AP * AB <= AB * AB and 0 <= AP * AD <= AD * AD with A = corner 0, AB = corner 1 - A, AD = corner 3 - A; I
 *   is the area of the convex hull of the points, A the sum of the areas of the triangles (0, 1, 2) and (0, 2, 3); ious
 *   = I / (A1 + A2 - I) in mode 0, I / A1 in mode 1; 0 if an area is below 1e-14
 * - shape: bboxes1 is [N, 8], bboxes2 [M, 8], ious [N, M] or [N * M], or [N] if aligned; a tensor without boxes may
 *   have any shape with a first extent of 0.
 * - accumulation: In float64, rounded once.
 * - checks:
 *   - bboxes1 must have at least 1 dimension. [diopiBoxIouQuadriMmcv-bboxes1-ndim]
 *   - bboxes2 must have at least 1 dimension. [diopiBoxIouQuadriMmcv-bboxes2-ndim]
 *   - If bboxes1 has at least 1 element, bboxes1 must have the shape [any, 8]. [diopiBoxIouQuadriMmcv-bboxes1-shape]
 *   - If bboxes1 has 0 elements, bboxes1[0] must be at most 0. [diopiBoxIouQuadriMmcv-bboxes1-no-rows]
 *   - If bboxes2 has at least 1 element, bboxes2 must have the shape [any, 8]. [diopiBoxIouQuadriMmcv-bboxes2-shape]
 *   - If bboxes2 has 0 elements, bboxes2[0] must be at most 0. [diopiBoxIouQuadriMmcv-bboxes2-no-rows]
 *   - If aligned is true, bboxes1[0] and bboxes2[0] must be equal. [diopiBoxIouQuadriMmcv-bboxes1-equal]
 *   - If aligned is true, ious must have the shape [bboxes1[0]]. [diopiBoxIouQuadriMmcv-ious-aligned]
 *   - If aligned is false, ious must have 1 or 2 dimensions. [diopiBoxIouQuadriMmcv-ious-ndim]
 *   - If aligned is false and ious has 2 dimensions, ious must have the shape [bboxes1[0], bboxes2[0]].
 *     [diopiBoxIouQuadriMmcv-ious-matrix]
 *   - If aligned is false and ious has 1 dimension, ious must have the shape [bboxes1[0] * bboxes2[0]].
 *     [diopiBoxIouQuadriMmcv-ious-flat]
 *   - bboxes1, bboxes2 and ious must have the same dtype. [diopiBoxIouQuadriMmcv-bboxes1-same-dtype]
 *   - mode must be at least 0 and be at most 1. [diopiBoxIouQuadriMmcv-mode-value]
 * - source: mmcv.ops.box_iou_quadri
 * - notes: The test for points inside is that of rectangles, also for other quadrilaterals; mmcv and its tests have
 *   these numbers. mmcv passes a flat tensor.
 */
DIOPI_API diopiError_t diopiBoxIouQuadriMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ious,
                                             diopiConstTensorHandle_t bboxes1, diopiConstTensorHandle_t bboxes2,
                                             int64_t mode, bool aligned);

/**
 * Area of overlap of 3D boxes seen from above, mmcv's `boxes_overlap_bev`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] ans_overlap  floating
 * @param[in]  boxes_a      floating
 * @param[in]  boxes_b      floating
 *
 * - formula: the box (x, y, z, dx, dy, dz, heading) seen from above is the rectangle with the centre (x, y) and the
 *   sides dx and dy, turned by heading from the x axis towards the y axis. The points of a pair are the proper
 *   crossings of the edges, and the corners of each rectangle inside the other one, enlarged by 0.01 on each side;
 *   ans_overlap = the area of the polygon of the points in the order of their angles around their mean
 * - shape: boxes_a is [M, 7], boxes_b [N, 7], ans_overlap [M, N].
 * - accumulation: In float64, rounded once.
 * - checks:
 *   - boxes_a must have the shape [any, 7]. [diopiIou3dBoxesOverlapBevMmcv-boxes_a-shape]
 *   - boxes_b must have the shape [any, 7]. [diopiIou3dBoxesOverlapBevMmcv-boxes_b-shape]
 *   - ans_overlap must have the shape [boxes_a[0], boxes_b[0]]. [diopiIou3dBoxesOverlapBevMmcv-ans_overlap-shape]
 *   - boxes_a, boxes_b and ans_overlap must have the same dtype. [diopiIou3dBoxesOverlapBevMmcv-boxes_a-same-dtype]
 * - source: mmcv.ops.boxes_overlap_bev
 * - notes: The margin of 0.01 is mmcv's; it makes the area slightly too large for boxes that nearly touch. An edge
 *   crosses another one if the ends of each lie strictly on both sides of the other.
 */
DIOPI_API diopiError_t diopiIou3dBoxesOverlapBevMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ans_overlap,
                                                     diopiConstTensorHandle_t boxes_a,
                                                     diopiConstTensorHandle_t boxes_b);

/**
 * Suppression of rotated 3D boxes by their overlap seen from above, mmcv's `nms3d`.
 *
 * @param[in]  ctx                 context of the call
 * @param[out] keep                indices of the boxes kept; the first keep_num are valid; int64
 * @param[out] keep_num            number of boxes kept; int64
 * @param[in]  boxes               (x, y, z, dx, dy, dz, heading), best score first; float32
 * @param[in]  nms_overlap_thresh  number
 *
 * - formula: keep the first box and drop each later one with S / max(dx * dy + dx' * dy' - S, 1e-8) >
 *   nms_overlap_thresh, then the next one of the rest, and so on; S is the overlap of diopiIou3dBoxesOverlapBevMmcv;
 *   keep = the positions of the kept boxes, then 0; keep_num = their number
 * - shape: boxes is [N, 7], keep [N], keep_num has no dimensions.
 * - accumulation: In float64; the quotient is rounded to float32 before it is compared with nms_overlap_thresh.
 * - checks:
 *   - boxes must have the shape [any, 7]. [diopiIou3dNms3dMmcv-boxes-shape]
 *   - keep must have the shape [boxes[0]]. [diopiIou3dNms3dMmcv-keep-shape]
 *   - keep_num must have 1 element. [diopiIou3dNms3dMmcv-keep_num-numel]
 *   - keep_num must have at most 1 dimension. [diopiIou3dNms3dMmcv-keep_num-ndim]
 * - source: mmcv.ops.nms3d
 * - notes: mmcv leaves the places behind the kept ones as they are; here they are 0.
 */
DIOPI_API diopiError_t diopiIou3dNms3dMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t keep,
                                           diopiTensorHandle_t keep_num, diopiConstTensorHandle_t boxes,
                                           float nms_overlap_thresh);

/**
 * Suppression of 3D boxes by their overlap seen from above with heading ignored, mmcv's `nms3d_normal`.
 *
 * @param[in]  ctx                 context of the call
 * @param[out] keep                indices of the boxes kept; the first keep_num are valid; int64
 * @param[out] keep_num            number of boxes kept; int64
 * @param[in]  boxes               (x, y, z, dx, dy, dz, heading), best score first; float32
 * @param[in]  nms_overlap_thresh  number
 *
 * - formula: keep the first box and drop each later one with S / max(dx * dy + dx' * dy' - S, 1e-8) >
 *   nms_overlap_thresh, then the next one of the rest, and so on; S is the area of the intersection of the boxes with
 *   the heading 0; keep = the positions of the kept boxes, then 0; keep_num = their number
 * - shape: boxes is [N, 7], keep [N], keep_num has no dimensions.
 * - accumulation: In float64; the quotient is rounded to float32 before it is compared with nms_overlap_thresh.
 * - checks:
 *   - boxes must have the shape [any, 7]. [diopiIou3dNms3dNormalMmcv-boxes-shape]
 *   - keep must have the shape [boxes[0]]. [diopiIou3dNms3dNormalMmcv-keep-shape]
 *   - keep_num must have 1 element. [diopiIou3dNms3dNormalMmcv-keep_num-numel]
 *   - keep_num must have at most 1 dimension. [diopiIou3dNms3dNormalMmcv-keep_num-ndim]
 * - source: mmcv.ops.nms3d_normal
 * - notes: mmcv leaves the places behind the kept ones as they are; here they are 0.
 */
DIOPI_API diopiError_t diopiIou3dNms3dNormalMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t keep,
                                                 diopiTensorHandle_t keep_num, diopiConstTensorHandle_t boxes,
                                                 float nms_overlap_thresh);

/**
 * Indices of the boxes kept by non-maximum suppression, mmcv's `nms`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] out            created by the callee; int64
 * @param[in]  dets           floating
 * @param[in]  scores         floating
 * @param[in]  iou_threshold  number
 * @param[in]  offset         added to widths and heights, 0 or 1
 *
 * - formula: of the boxes in the order of decreasing scores, keep the best one and drop each later one with I / (A + A'
 *   - I) > iou_threshold, where sides have offset added as in diopiBboxOverlapsMmcv, then the best one of the rest, and
 *   so on; out = the numbers of the kept boxes
 * - shape: dets is [N, 4], scores [N], out has one element for each kept box; dets without boxes may have the shape
 *   [0].
 * - nan: A score of NaN is the best one; an intersection or an area that is NaN drops no box.
 * - accumulation: In float64; the quotient and iou_threshold are rounded to float32 before they are compared.
 * - checks:
 *   - dets must have at least 1 dimension. [diopiNmsMmcv-dets-ndim]
 *   - If dets has at least 1 element, dets must have the shape [any, 4]. [diopiNmsMmcv-dets-shape]
 *   - If dets has 0 elements, dets[0] must be at most 0. [diopiNmsMmcv-dets-no-rows]
 *   - scores must have the shape [dets[0]]. [diopiNmsMmcv-scores-shape]
 *   - dets and scores must have the same dtype. [diopiNmsMmcv-dets-same-dtype]
 *   - offset must be at least 0 and be at most 1. [diopiNmsMmcv-offset-value]
 * - source: mmcv.ops.nms
 * - notes: Boxes of equal scores keep their order. mmcv computes in float32. Its CUDA kernel compares I with
 *   iou_threshold * (A + A' - I), which differs where A + A' - I is negative; its CPU kernel compares the quotient.
 */
DIOPI_API diopiError_t diopiNmsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t dets,
                                    diopiConstTensorHandle_t scores, double iou_threshold, int64_t offset);

/**
 * Indices of the rotated boxes kept by non-maximum suppression, mmcv's `nms_rotated`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] out            created by the callee; int64
 * @param[in]  dets           floating
 * @param[in]  scores         floating
 * @param[in]  order          indices of the boxes, best score first; int64
 * @param[in]  dets_sorted    `dets` in that order; not read; floating
 * @param[in]  labels         not read; int32, int64
 * @param[in]  iou_threshold  number
 * @param[in]  multi_label    dets has a sixth column with labels; has no effect
 *
 * - formula: of the boxes in the given order, keep the best one and drop each later one whose ious of
 *   diopiBoxIouRotatedMmcv with it in mode 0 is greater than iou_threshold, then the best one of the rest, and so on;
 *   out = the numbers of the kept boxes; if order does not have N elements, the order is that of decreasing scores
 * - shape: dets is [N, 5] or [N, 6], scores [N], order [N] or of another length, out has one element for each kept box.
 * - nan: A score of NaN is the best one. A NaN or an infinity in a box gives an unspecified result for this box.
 * - accumulation: In float64; the quotient is rounded to float32 before it is compared with iou_threshold.
 * - checks:
 *   - dets must have at least 1 dimension. [diopiNmsRotatedMmcv-dets-ndim]
 *   - If dets has at least 1 element, dets must have 2 dimensions. [diopiNmsRotatedMmcv-dets-rows]
 *   - If dets has at least 1 element, dets[-1] must be at least 5 and at most 6. [diopiNmsRotatedMmcv-dets-extent]
 *   - If dets has 0 elements, dets[0] must be at most 0. [diopiNmsRotatedMmcv-dets-no-rows]
 *   - scores must have the shape [dets[0]]. [diopiNmsRotatedMmcv-scores-shape]
 *   - dets and scores must have the same dtype. [diopiNmsRotatedMmcv-dets-same-dtype]
 *   - order must have 1 dimension. [diopiNmsRotatedMmcv-order-ndim]
 *   - Each element of order must be a position of dets in dimension 0. A device may report this when the stream is
 *     synchronised. [diopiNmsRotatedMmcv-order-index]
 * - source: mmcv.ops.nms_rotated
 * - notes: Boxes of all labels suppress each other, as in mmcv, whose flag multi_label only says that rows have six
 *   columns. dets_sorted and labels are not read. mmcv's CPU kernel drops boxes at the threshold, too; its CUDA kernel
 *   does not, nor does this operator.
 */
DIOPI_API diopiError_t diopiNmsRotatedMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                           diopiConstTensorHandle_t dets, diopiConstTensorHandle_t scores,
                                           diopiConstTensorHandle_t order, diopiConstTensorHandle_t dets_sorted,
                                           diopiConstTensorHandle_t labels, float iou_threshold, bool multi_label);

/**
 * Corners of the smallest rectangle around each set of nine points, mmcv's `min_area_polygons`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] polygons   floating
 * @param[in]  pointsets  floating
 *
 * - formula: of the rectangles around the convex hull of nine points (x1, y1, ..., x9, y9) that have a side along an
 *   edge of the hull, the one with the smallest area, the first one of equal areas (a later one must be smaller by
 *   1e-10 of the area); the edges start at the lowest, then leftmost point, counterclockwise if y points up; an edge
 *   has the angle t = atan2(dy, dx), turned by quarters of pi = 3.1415926 into [0, pi / 2]; polygons = the corners
 *   (Xmax, Ymin), (Xmin, Ymin), (Xmin, Ymax), (Xmax, Ymax) in the directions (cos t, sin t) and (-sin t, cos t)
 * - shape: pointsets is [N, 18], polygons [N, 8].
 * - nan: A NaN or an infinity gives an unspecified rectangle.
 * - accumulation: In float64, rounded once.
 * - checks:
 *   - pointsets must have the shape [any, 18]. [diopiMinAreaPolygonsMmcv-pointsets-shape]
 *   - polygons must have the shape [pointsets[0], 8]. [diopiMinAreaPolygonsMmcv-polygons-shape]
 *   - pointsets and polygons must have the same dtype. [diopiMinAreaPolygonsMmcv-pointsets-same-dtype]
 * - source: mmcv.ops.min_area_polygons
 */
DIOPI_API diopiError_t diopiMinAreaPolygonsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t polygons,
                                                diopiConstTensorHandle_t pointsets);

/**
 * Overlap of the convex hulls of point sets with polygons, mmcv's `convex_iou`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] ious       floating
 * @param[in]  pointsets  floating
 * @param[in]  polygons   floating
 *
 * - formula: ious[n, k] = I / (H + Q - I), where H is the area of the convex hull of the nine points of pointsets[n], Q
 *   that of the simple quadrilateral polygons[k], and I that of their intersection
 * - shape: pointsets is [N, 18], polygons [K, 8], ious [N, K].
 * - nan: A NaN or an infinity gives an unspecified number; two shapes without area give NaN.
 * - accumulation: In float64, rounded once.
 * - checks:
 *   - pointsets must have the shape [any, 18]. [diopiConvexIouMmcv-pointsets-shape]
 *   - polygons must have the shape [any, 8]. [diopiConvexIouMmcv-polygons-shape]
 *   - ious must have the shape [pointsets[0], polygons[0]]. [diopiConvexIouMmcv-ious-shape]
 *   - pointsets, polygons and ious must have the same dtype. [diopiConvexIouMmcv-pointsets-same-dtype]
 * - source: mmcv.ops.convex_iou
 * - notes: The corners of a quadrilateral may go either way round. mmcv's documentation gives polygons the shape [N,
 *   8].
 */
DIOPI_API diopiError_t diopiConvexIouMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ious,
                                          diopiConstTensorHandle_t pointsets, diopiConstTensorHandle_t polygons);

/**
 * Generalised overlap of convex hulls with polygons and its gradient, [N, 19], mmcv's `convex_giou`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] output     18 gradients of the points, then the overlap, per row; floating
 * @param[in]  pointsets  floating
 * @param[in]  polygons   floating
 *
 * - formula: With A, B and I the areas of the convex hull of the nine points of pointsets[n], of the quadrilateral
 *   polygons[n] and of their intersection, U = A + B - I, and C the area of the convex hull of both: output[n, 18] = I
 *   / U - (C - U) / C. The gradient for a corner of the hull, (U + I) / U^2 * dI - I / U^2 * dA - (dI - dA) / C - U /
 *   C^2 * dC, stands at the first point that equals the corner within 1e-8 in both coordinates; all other elements are
 *   0
 * - shape: pointsets is [N, 18], polygons [N, 8], output [N, 19].
 * - nan: A NaN or an infinity gives unspecified numbers in its row; two shapes without area give NaN in column 18.
 * - accumulation: In float64, rounded once.
 * - checks:
 *   - pointsets must have the shape [any, 18]. [diopiConvexGiouMmcv-pointsets-shape]
 *   - polygons must have the shape [pointsets[0], 8]. [diopiConvexGiouMmcv-polygons-shape]
 *   - output must have the shape [pointsets[0], 19]. [diopiConvexGiouMmcv-output-shape]
 *   - pointsets, polygons and output must have the same dtype. [diopiConvexGiouMmcv-pointsets-same-dtype]
 * - source: mmcv.ops.convex_giou
 * - notes: The gradient is not multiplied by a gradient of the output. dA is that of the shoelace formula; dC is that
 *   of the outer hull where its corner is a corner of the hull of the points, else 0, and corners of the quadrilateral
 *   within 1e-8 of a corner of the hull of the points count once. dI is one-sided where shapes touch, as in mmcv: I is
 *   the sum over the edges a, b of the hull and c, d of the quadrilateral of the areas that the triangles O, a, b and
 *   O, c, d share, O the origin, negative if one of both goes clockwise; a triangle whose cross product is at most 1e-8
 *   is left out. The first triangle, counterclockwise, is clipped by the lines from O to c, c to d and d to O: a point
 *   p with a successor r stays if its cross product s_p is more than 1e-8, and the point (p * s_r - r * s_p) / (s_r -
 *   s_p) is added if the signs of s_p and s_r, 0 up to 1e-8, differ; a point that equals its predecessor within 1e-8 is
 *   dropped, and so are last points that equal the first one. dI is the derivative of this with the lines fixed.
 */
DIOPI_API diopiError_t diopiConvexGiouMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                           diopiConstTensorHandle_t pointsets, diopiConstTensorHandle_t polygons);

/**
 * Order of the vertices of box intersections around their centre, mmcv's `diff_iou_rotated_sort_vertices`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] out        created by the callee; int32
 * @param[in]  vertices   float32
 * @param[in]  mask       bool
 * @param[in]  num_valid  int32
 *
 * - formula: v is before w unless both are equal within 1e-8: if y_v > 0 > y_w; or, with f(v) = |x| * x / (x * x + y *
 *   y + 1e-8), if both y are positive and f(v) - f(w) > 1e-8, or both are negative and f(v) - f(w) < 1e-8. pad = the
 *   first j from 8 on whose mask is false, 8 if there is none. With fewer than 3 valid vertices all of out is pad. Else
 *   out[j] for j < num_valid is the last k that becomes the best one in a scan of all vertices: mask[k], v_k before the
 *   best one so far, which is (1, -1e-8) with the number 0 at first, and for j > 0 vertex out[j - 1] before v_k;
 *   out[num_valid] = out[0]; the rest is pad. If num_valid is 8 and there are four pairs of equal numbers between
 *   out[0..3] and out[4..7], out[4] = out[0] and the rest is pad
 * - shape: vertices is [B, N, 24, 2], mask [B, N, 24], num_valid [B, N], out [B, N, 9].
 * - nan: NaN compares false with everything.
 * - accumulation: In float32, without a fused multiplication and addition.
 * - checks:
 *   - vertices must have the shape [any, any, 24, 2]. [diopiDiffIouRotatedSortVerticesMmcv-vertices-shape]
 *   - mask must have the shape [vertices[:3]]. [diopiDiffIouRotatedSortVerticesMmcv-mask-shape]
 *   - num_valid must have the shape [vertices[:2]]. [diopiDiffIouRotatedSortVerticesMmcv-num_valid-shape]
 * - source: mmcv.ops.diff_iou_rotated_sort_vertices
 * - notes: A vertex with y = 0 is never chosen, as in mmcv. num_valid above 8 counts as 8, because a row has nine
 *   places.
 */
DIOPI_API diopiError_t diopiDiffIouRotatedSortVerticesMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                                           diopiConstTensorHandle_t vertices,
                                                           diopiConstTensorHandle_t mask,
                                                           diopiConstTensorHandle_t num_valid);

/** @} */

/** @name mmcv_carafe
 * Upsampling, correlation, masked and filtering operators of mmcv.
 * - shape: As the checks say.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: Outputs must not overlap inputs.
 * - empty: Empty tensors are ordinary.
 * - nan: Elements are copied.
 * - accumulation: Elements are copied.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Content-aware reassembly of features, mmcv's `carafe`.
 *
 * @param[in]  ctx           context of the call
 * @param[out] rfeatures     `features` with channels last, read by the backward call; any shape of as many elements;
 *         floating
 * @param[in]  routput       may be null; has no effect and is never written; any shape; floating
 * @param[in]  rmasks        may be null; has no effect and is never written; any shape; floating
 * @param[out] output        floating
 * @param[in]  features      floating
 * @param[in]  masks         floating
 * @param[in]  kernel_size   integer
 * @param[in]  group_size    integer
 * @param[in]  scale_factor  integer
 *
 * - formula: output[n, c, y, x] = sum over i, j < kernel_size of features[n, c, y / scale_factor + i - r, x /
 *   scale_factor + j - r] * masks[n, (g * kernel_size + i) * kernel_size + j, y, x] with r = (kernel_size - 1) / 2, g =
 *   c / (C / group_size) and integer divisions; a tap outside of features counts as 0. rfeatures holds features in the
 *   order N, H, W, C
 * - shape: features [N, C, H, W], masks [N, kernel_size * kernel_size * group_size, scale_factor * H, scale_factor *
 *   W]; output [N, C, scale_factor * H, scale_factor * W]; rfeatures has the elements of features in row-major order of
 *   [N, H, W, C] and is declared [N, C, H, W] or [N, H, W, C].
 * - nan: As sums of products in IEEE arithmetic. A tap outside of the feature map counts as 0, also where its mask is
 *   NaN or infinite.
 * - accumulation: float16 and bfloat16 compute and sum in float32 and are rounded once; float32 and float64 sum in
 *   their own precision.
 * - checks:
 *   - output, rfeatures, features and masks must have the same dtype. [diopiCarafeMmcv-output-same-dtype]
 *   - features must have 4 dimensions. [diopiCarafeMmcv-features-ndim]
 *   - kernel_size must be at least 1. [diopiCarafeMmcv-kernel_size-value]
 *   - group_size must be at least 1. [diopiCarafeMmcv-group_size-value]
 *   - scale_factor must be at least 1. [diopiCarafeMmcv-scale_factor-value]
 *   - kernel_size + 1 must be a multiple of 2. [diopiCarafeMmcv-kernel_size-odd]
 *   - features[1] must be a multiple of group_size. [diopiCarafeMmcv-features-divisible]
 *   - masks must have the shape [features[0], kernel_size * kernel_size * group_size, scale_factor * features[2],
 *     scale_factor * features[3]]. [diopiCarafeMmcv-masks-shape]
 *   - output must have the shape [features[0], features[1], scale_factor * features[2], scale_factor * features[3]].
 *     [diopiCarafeMmcv-output-shape]
 *   - Numel(rfeatures) and numel(features) must be equal. [diopiCarafeMmcv-rfeatures-numel]
 * - source: mmcv.ops.carafe
 * - notes: mmcv gives four scratch tensors of zeros with the shapes of features, output and masks and reads rfeatures
 *   alone again; the others are neither read nor written.
 */
DIOPI_API diopiError_t diopiCarafeMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t rfeatures,
                                       diopiTensorHandle_t routput, diopiTensorHandle_t rmasks,
                                       diopiTensorHandle_t output, diopiConstTensorHandle_t features,
                                       diopiConstTensorHandle_t masks, int64_t kernel_size, int64_t group_size,
                                       int64_t scale_factor);

/**
 * Gradients of diopiCarafeMmcv with respect to features and masks.
 *
 * @param[in]  ctx              context of the call
 * @param[in]  rtop_grad        may be null; has no effect and is never written; any shape; floating
 * @param[in]  rbottom_grad_hs  may be null; has no effect and is never written; any shape; floating
 * @param[in]  rbottom_grad     may be null; has no effect and is never written; any shape; floating
 * @param[in]  rmask_grad       may be null; has no effect and is never written; any shape; floating
 * @param[out] bottom_grad      floating
 * @param[out] mask_grad        floating
 * @param[in]  top_grad         floating
 * @param[in]  rfeatures        of diopiCarafeMmcv; floating
 * @param[in]  masks            floating
 * @param[in]  kernel_size      integer
 * @param[in]  group_size       integer
 * @param[in]  scale_factor     integer
 *
 * - formula: With features in rfeatures and the taps i, j of diopiCarafeMmcv: mask_grad[n, (g * kernel_size + i) *
 *   kernel_size + j, y, x] = sum over the channels c of group g of top_grad[n, c, y, x] * features[n, c, y /
 *   scale_factor + i - r, x / scale_factor + j - r], 0 where the tap is outside; bottom_grad[n, c, h, w] = sum over all
 *   y, x, i, j whose tap is h, w of top_grad[n, c, y, x] * masks[n, (g * kernel_size + i) * kernel_size + j, y, x]
 * - shape: top_grad, masks and rfeatures as output, masks and rfeatures of diopiCarafeMmcv; bottom_grad as features,
 *   mask_grad as masks.
 * - nan: As sums of products in IEEE arithmetic. A tap outside of the feature map counts as 0, also where its factor is
 *   NaN or infinite.
 * - accumulation: float16 and bfloat16 compute and sum in float32 and are rounded once; float32 and float64 sum in
 *   their own precision.
 * - checks:
 *   - bottom_grad, mask_grad, top_grad, rfeatures and masks must have the same dtype.
 *     [diopiCarafeBackwardMmcv-bottom_grad-same-dtype]
 *   - bottom_grad must have 4 dimensions. [diopiCarafeBackwardMmcv-bottom_grad-ndim]
 *   - kernel_size must be at least 1. [diopiCarafeBackwardMmcv-kernel_size-value]
 *   - group_size must be at least 1. [diopiCarafeBackwardMmcv-group_size-value]
 *   - scale_factor must be at least 1. [diopiCarafeBackwardMmcv-scale_factor-value]
 *   - kernel_size + 1 must be a multiple of 2. [diopiCarafeBackwardMmcv-kernel_size-odd]
 *   - bottom_grad[1] must be a multiple of group_size. [diopiCarafeBackwardMmcv-bottom_grad-divisible]
 *   - masks must have the shape [bottom_grad[0], kernel_size * kernel_size * group_size, scale_factor * bottom_grad[2],
 *     scale_factor * bottom_grad[3]]. [diopiCarafeBackwardMmcv-masks-shape]
 *   - top_grad must have the shape [bottom_grad[0], bottom_grad[1], scale_factor * bottom_grad[2], scale_factor *
 *     bottom_grad[3]]. [diopiCarafeBackwardMmcv-top_grad-shape]
 *   - mask_grad and masks must have the same shape. [diopiCarafeBackwardMmcv-mask_grad-same-shape]
 *   - Numel(rfeatures) and numel(bottom_grad) must be equal. [diopiCarafeBackwardMmcv-rfeatures-numel]
 * - source: mmcv.ops.carafe
 * - notes: The scratch tensors are neither read nor written. Both gradients are overwritten.
 */
DIOPI_API diopiError_t diopiCarafeBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t rtop_grad,
                                               diopiTensorHandle_t rbottom_grad_hs, diopiTensorHandle_t rbottom_grad,
                                               diopiTensorHandle_t rmask_grad, diopiTensorHandle_t bottom_grad,
                                               diopiTensorHandle_t mask_grad, diopiConstTensorHandle_t top_grad,
                                               diopiConstTensorHandle_t rfeatures, diopiConstTensorHandle_t masks,
                                               int64_t kernel_size, int64_t group_size, int64_t scale_factor);

/**
 * diopiCarafeMmcv without scratch tensors, mmcv's `carafe_naive`.
 *
 * @param[in]  ctx           context of the call
 * @param[out] output        floating
 * @param[in]  features      floating
 * @param[in]  masks         floating
 * @param[in]  kernel_size   integer
 * @param[in]  group_size    integer
 * @param[in]  scale_factor  integer
 *
 * - formula: output[n, c, y, x] = sum over i, j < kernel_size of features[n, c, y / scale_factor + i - r, x /
 *   scale_factor + j - r] * masks[n, (g * kernel_size + i) * kernel_size + j, y, x] with r = (kernel_size - 1) / 2, g =
 *   c / (C / group_size) and integer divisions; a tap outside of features counts as 0
 * - shape: features [N, C, H, W], masks [N, kernel_size * kernel_size * group_size, scale_factor * H, scale_factor *
 *   W]; output [N, C, scale_factor * H, scale_factor * W].
 * - nan: As sums of products in IEEE arithmetic. A tap outside of the feature map counts as 0, also where its mask is
 *   NaN or infinite.
 * - accumulation: float16 and bfloat16 compute and sum in float32 and are rounded once; float32 and float64 sum in
 *   their own precision.
 * - checks:
 *   - output, features and masks must have the same dtype. [diopiCarafeNaiveMmcv-output-same-dtype]
 *   - features must have 4 dimensions. [diopiCarafeNaiveMmcv-features-ndim]
 *   - kernel_size must be at least 1. [diopiCarafeNaiveMmcv-kernel_size-value]
 *   - group_size must be at least 1. [diopiCarafeNaiveMmcv-group_size-value]
 *   - scale_factor must be at least 1. [diopiCarafeNaiveMmcv-scale_factor-value]
 *   - kernel_size + 1 must be a multiple of 2. [diopiCarafeNaiveMmcv-kernel_size-odd]
 *   - features[1] must be a multiple of group_size. [diopiCarafeNaiveMmcv-features-divisible]
 *   - masks must have the shape [features[0], kernel_size * kernel_size * group_size, scale_factor * features[2],
 *     scale_factor * features[3]]. [diopiCarafeNaiveMmcv-masks-shape]
 *   - output must have the shape [features[0], features[1], scale_factor * features[2], scale_factor * features[3]].
 *     [diopiCarafeNaiveMmcv-output-shape]
 * - source: mmcv.ops.carafe_naive
 */
DIOPI_API diopiError_t diopiCarafeNaiveMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                            diopiConstTensorHandle_t features, diopiConstTensorHandle_t masks,
                                            int64_t kernel_size, int64_t group_size, int64_t scale_factor);

/**
 * Gradients of diopiCarafeNaiveMmcv with respect to features and masks.
 *
 * @param[in]  ctx           context of the call
 * @param[out] bottom_grad   floating
 * @param[out] mask_grad     floating
 * @param[in]  top_grad      floating
 * @param[in]  features      floating
 * @param[in]  masks         floating
 * @param[in]  kernel_size   integer
 * @param[in]  group_size    integer
 * @param[in]  scale_factor  integer
 *
 * - formula: With the taps i, j of diopiCarafeNaiveMmcv: mask_grad[n, (g * kernel_size + i) * kernel_size + j, y, x] =
 *   sum over the channels c of group g of top_grad[n, c, y, x] * features[n, c, y / scale_factor + i - r, x /
 *   scale_factor + j - r], 0 where the tap is outside; bottom_grad[n, c, h, w] = sum over all y, x, i, j whose tap is
 *   h, w of top_grad[n, c, y, x] * masks[n, (g * kernel_size + i) * kernel_size + j, y, x]
 * - shape: top_grad as output of diopiCarafeNaiveMmcv; bottom_grad as features, mask_grad as masks.
 * - nan: As sums of products in IEEE arithmetic. A tap outside of the feature map counts as 0, also where its factor is
 *   NaN or infinite.
 * - accumulation: float16 and bfloat16 compute and sum in float32 and are rounded once; float32 and float64 sum in
 *   their own precision.
 * - checks:
 *   - The checks of diopiCarafeNaiveMmcv hold too, with top_grad for output.
 *   - bottom_grad, mask_grad and features must have the same dtype.
 *     [diopiCarafeNaiveBackwardMmcv-bottom_grad-same-dtype]
 *   - bottom_grad and features must have the same shape. [diopiCarafeNaiveBackwardMmcv-bottom_grad-same-shape]
 *   - mask_grad and masks must have the same shape. [diopiCarafeNaiveBackwardMmcv-mask_grad-same-shape]
 * - source: mmcv.ops.carafe_naive
 * - notes: Both gradients are overwritten.
 */
DIOPI_API diopiError_t diopiCarafeNaiveBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t bottom_grad,
                                                    diopiTensorHandle_t mask_grad, diopiConstTensorHandle_t top_grad,
                                                    diopiConstTensorHandle_t features, diopiConstTensorHandle_t masks,
                                                    int64_t kernel_size, int64_t group_size, int64_t scale_factor);

/**
 * Correlation of patches of two feature maps for optical flow, mmcv's `Correlation`.
 *
 * @param[in]  ctx              context of the call
 * @param[out] output           floating
 * @param[in]  input1           floating
 * @param[in]  input2           floating
 * @param[in]  kH               integer
 * @param[in]  kW               integer
 * @param[in]  patchH           integer
 * @param[in]  patchW           integer
 * @param[in]  padH             integer
 * @param[in]  padW             integer
 * @param[in]  dilationH        integer
 * @param[in]  dilationW        integer
 * @param[in]  dilation_patchH  integer
 * @param[in]  dilation_patchW  integer
 * @param[in]  dH               integer
 * @param[in]  dW               integer
 *
 * - formula: output[n, p, q, h, w] = sum over c, i < kH, j < kW of input1[n, c, y, x] * input2[n, c, y + p *
 *   dilation_patchH - RH, x + q * dilation_patchW - RW] with y = h * dH - padH + i * dilationH, x = w * dW - padW + j *
 *   dilationW, RH = dilation_patchH * (patchH - 1) / 2 and RW likewise, rounded down; only terms whose two positions
 *   are inside of the maps count
 * - shape: input1 and input2 [N, C, H, W]; output [N, patchH, patchW, Ho, Wo] with Ho = (H + 2 * padH - dilationH * (kH
 *   - 1) - 1) / dH + 1, rounded down, and Wo likewise.
 * - nan: As sums of products in IEEE arithmetic. A term of which one position is outside does not exist.
 * - accumulation: float16 and bfloat16 compute and sum in float32 and are rounded once; float32 and float64 sum in
 *   their own precision.
 * - checks:
 *   - output, input1 and input2 must have the same dtype. [diopiCorrelationMmcv-output-same-dtype]
 *   - input1 must have 4 dimensions. [diopiCorrelationMmcv-input1-ndim]
 *   - input1 and input2 must have the same shape. [diopiCorrelationMmcv-input1-same-shape]
 *   - kH must be at least 1. [diopiCorrelationMmcv-kH-value]
 *   - kW must be at least 1. [diopiCorrelationMmcv-kW-value]
 *   - patchH must be at least 1. [diopiCorrelationMmcv-patchH-value]
 *   - patchW must be at least 1. [diopiCorrelationMmcv-patchW-value]
 *   - dilationH must be at least 1. [diopiCorrelationMmcv-dilationH-value]
 *   - dilationW must be at least 1. [diopiCorrelationMmcv-dilationW-value]
 *   - dilation_patchH must be at least 1. [diopiCorrelationMmcv-dilation_patchH-value]
 *   - dilation_patchW must be at least 1. [diopiCorrelationMmcv-dilation_patchW-value]
 *   - dH must be at least 1. [diopiCorrelationMmcv-dH-value]
 *   - dW must be at least 1. [diopiCorrelationMmcv-dW-value]
 *   - padH must be at least 0. [diopiCorrelationMmcv-padH-value]
 *   - padW must be at least 0. [diopiCorrelationMmcv-padW-value]
 *   - The dilated kernel must not be larger than the padded input. [diopiCorrelationMmcv-input-fits-kernel]
 *   - The extents of the dilated patch, (patchH - 1) * dilation_patchH and (patchW - 1) * dilation_patchW, must be at
 *     most 2^61. [diopiCorrelationMmcv-patch-fits]
 *   - output must have the shape of the result. [diopiCorrelationMmcv-output-shape]
 * - source: mmcv.ops.Correlation
 */
DIOPI_API diopiError_t diopiCorrelationMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                            diopiConstTensorHandle_t input1, diopiConstTensorHandle_t input2,
                                            int64_t kH, int64_t kW, int64_t patchH, int64_t patchW, int64_t padH,
                                            int64_t padW, int64_t dilationH, int64_t dilationW,
                                            int64_t dilation_patchH, int64_t dilation_patchW, int64_t dH, int64_t dW);

/**
 * Gradients of diopiCorrelationMmcv with respect to both inputs.
 *
 * @param[in]  ctx              context of the call
 * @param[out] grad_input1      floating
 * @param[out] grad_input2      floating
 * @param[in]  grad_output      floating
 * @param[in]  input1           floating
 * @param[in]  input2           floating
 * @param[in]  kH               integer
 * @param[in]  kW               integer
 * @param[in]  patchH           integer
 * @param[in]  patchW           integer
 * @param[in]  padH             integer
 * @param[in]  padW             integer
 * @param[in]  dilationH        integer
 * @param[in]  dilationW        integer
 * @param[in]  dilation_patchH  integer
 * @param[in]  dilation_patchW  integer
 * @param[in]  dH               integer
 * @param[in]  dW               integer
 *
 * - formula: With the terms n, p, q, h, w, c, i, j of diopiCorrelationMmcv: grad_input1 = sum of grad_output[n, p, q,
 *   h, w] * input2[n, c, ...] over the terms that read its element of input1; grad_input2 = sum of grad_output[n, p, q,
 *   h, w] * input1[n, c, ...] over those that read its element of input2
 * - shape: grad_output as output of diopiCorrelationMmcv; grad_input1 as input1, grad_input2 as input2.
 * - nan: As sums of products in IEEE arithmetic. A term of which one position is outside does not exist.
 * - accumulation: float16 and bfloat16 compute and sum in float32 and are rounded once; float32 and float64 sum in
 *   their own precision.
 * - checks:
 *   - The checks of diopiCorrelationMmcv hold too, with grad_output for output.
 *   - grad_input1, grad_input2 and input1 must have the same dtype.
 *     [diopiCorrelationBackwardMmcv-grad_input1-same-dtype]
 *   - grad_input1 and input1 must have the same shape. [diopiCorrelationBackwardMmcv-grad_input1-same-shape]
 *   - grad_input2 and input1 must have the same shape. [diopiCorrelationBackwardMmcv-grad_input2-same-shape]
 * - source: mmcv.ops.Correlation
 * - notes: Both gradients are overwritten. For patches of even extents, mmcv's gradient rounds RH and RW in another way
 *   than its forward call; here both are those of diopiCorrelationMmcv.
 */
DIOPI_API diopiError_t diopiCorrelationBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input1,
                                                    diopiTensorHandle_t grad_input2,
                                                    diopiConstTensorHandle_t grad_output,
                                                    diopiConstTensorHandle_t input1, diopiConstTensorHandle_t input2,
                                                    int64_t kH, int64_t kW, int64_t patchH, int64_t patchW,
                                                    int64_t padH, int64_t padW, int64_t dilationH, int64_t dilationW,
                                                    int64_t dilation_patchH, int64_t dilation_patchW, int64_t dH,
                                                    int64_t dW);

/**
 * Adds bias, applies leaky ReLU and scales, or gives a derivative of that, mmcv's `fused_bias_leakyrelu`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    created by the callee; of the dtype of `input`
 * @param[in]  input  floating
 * @param[in]  bias   empty or null: none; floating
 * @param[in]  refer  output of the forward call where grad > 0; empty or null otherwise; floating
 * @param[in]  act    3: leaky ReLU; 1: linear
 * @param[in]  grad   0: the value; 1, 2: first and second derivative
 * @param[in]  alpha  number
 * @param[in]  scale  number
 *
 * - formula: With x = input + bias[channel], or x = input without bias: out = scale * y. act 1, grad 0 or 1: y = x. act
 *   3, grad 0: y = x if x > 0, else alpha * x. act 3, grad 1: y = x if refer > 0, else alpha * x; an absent refer is 0.
 *   grad 2: y = 0
 * - shape: input [N, C, ...], bias [C] or without elements, refer as input or without elements; out as input.
 * - nan: NaN is not greater than 0.
 * - accumulation: float16 and bfloat16 compute in float32 and are rounded once.
 * - checks:
 *   - input, bias and refer must have the same dtype. [diopiFusedBiasLeakyreluMmcv-input-same-dtype]
 *   - input must have at least 2 dimensions. [diopiFusedBiasLeakyreluMmcv-input-ndim]
 *   - If bias has at least 1 element, bias must have the shape [input[1]]. [diopiFusedBiasLeakyreluMmcv-bias-shape]
 *   - If refer has at least 1 element, refer and input must have the same shape.
 *     [diopiFusedBiasLeakyreluMmcv-refer-same-shape]
 *   - act must be at least 1 and be at most 3. [diopiFusedBiasLeakyreluMmcv-act-value]
 *   - act must not be 2. [diopiFusedBiasLeakyreluMmcv-act-not-two]
 *   - grad must be at least 0 and be at most 2. [diopiFusedBiasLeakyreluMmcv-grad-value]
 * - source: mmcv.ops.fused_bias_leakyrelu
 * - notes: mmcv's first derivative has grad_output as input and the forward output as refer, and sums the gradient of
 *   bias itself. Its kernel takes any other pair of act and grad for act 1, grad 0; here such a pair is an error.
 */
DIOPI_API diopiError_t diopiFusedBiasLeakyreluMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                                   diopiConstTensorHandle_t input, diopiConstTensorHandle_t bias,
                                                   diopiConstTensorHandle_t refer, int64_t act, int64_t grad,
                                                   float alpha, float scale);

/**
 * Columns of the image blocks around masked positions, mmcv's `masked_im2col_forward`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] col         floating
 * @param[in]  im          floating
 * @param[in]  mask_h_idx  int64
 * @param[in]  mask_w_idx  int64
 * @param[in]  kernel_h    integer
 * @param[in]  kernel_w    integer
 * @param[in]  pad_h       integer
 * @param[in]  pad_w       integer
 *
 * - formula: col[(c * kernel_h + i) * kernel_w + j, m] = im[0, c, mask_h_idx[m] - pad_h + i, mask_w_idx[m] - pad_w +
 *   j], 0 outside of im
 * - shape: im [1, C, H, W], mask_h_idx and mask_w_idx [M]; col [C * kernel_h * kernel_w, M].
 * - checks:
 *   - col and im must have the same dtype. [diopiMaskedIm2colMmcv-col-same-dtype]
 *   - im must have the shape [1, any, any, any]. [diopiMaskedIm2colMmcv-im-shape]
 *   - mask_h_idx must have 1 dimension. [diopiMaskedIm2colMmcv-mask_h_idx-ndim]
 *   - mask_h_idx and mask_w_idx must have the same shape. [diopiMaskedIm2colMmcv-mask_h_idx-same-shape]
 *   - kernel_h must be at least 1. [diopiMaskedIm2colMmcv-kernel_h-value]
 *   - kernel_w must be at least 1. [diopiMaskedIm2colMmcv-kernel_w-value]
 *   - pad_h must be at least 0 and be at most 2147483647. [diopiMaskedIm2colMmcv-pad_h-value]
 *   - pad_w must be at least 0 and be at most 2147483647. [diopiMaskedIm2colMmcv-pad_w-value]
 *   - col must have the shape [im[1] * kernel_h * kernel_w, mask_h_idx[0]]. [diopiMaskedIm2colMmcv-col-shape]
 * - source: torch.nn.functional.unfold at the positions of the mask
 * - notes: As in the kernels of mmcv, mask_h_idx and mask_w_idx may hold any number: what lies outside of im is 0.
 */
DIOPI_API diopiError_t diopiMaskedIm2colMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t col,
                                             diopiConstTensorHandle_t im, diopiConstTensorHandle_t mask_h_idx,
                                             diopiConstTensorHandle_t mask_w_idx, int64_t kernel_h, int64_t kernel_w,
                                             int64_t pad_h, int64_t pad_w);

/**
 * Writes columns back to the masked positions of an image, mmcv's `masked_col2im_forward`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] im          floating
 * @param[in]  col         floating
 * @param[in]  mask_h_idx  int64
 * @param[in]  mask_w_idx  int64
 * @param[in]  height      integer
 * @param[in]  width       integer
 * @param[in]  channels    integer
 *
 * - formula: im[0, c, mask_h_idx[m], mask_w_idx[m]] = col[c, m]; the last m of a position counts; all other elements
 *   are 0
 * - shape: col [channels, M], mask_h_idx and mask_w_idx [M]; im [1, channels, height, width].
 * - checks:
 *   - im and col must have the same dtype. [diopiMaskedCol2imMmcv-im-same-dtype]
 *   - mask_h_idx must have 1 dimension. [diopiMaskedCol2imMmcv-mask_h_idx-ndim]
 *   - mask_h_idx and mask_w_idx must have the same shape. [diopiMaskedCol2imMmcv-mask_h_idx-same-shape]
 *   - height must be at least 0. [diopiMaskedCol2imMmcv-height-value]
 *   - width must be at least 0. [diopiMaskedCol2imMmcv-width-value]
 *   - channels must be at least 0. [diopiMaskedCol2imMmcv-channels-value]
 *   - im must have the shape [1, channels, height, width]. [diopiMaskedCol2imMmcv-im-shape]
 *   - col must have the shape [channels, mask_h_idx[0]]. [diopiMaskedCol2imMmcv-col-shape]
 *   - Each element of mask_h_idx must be 0 to below height. A device may report this when the stream is synchronised.
 *     [diopiMaskedCol2imMmcv-mask_h_idx-index]
 *   - Each element of mask_w_idx must be 0 to below width. A device may report this when the stream is synchronised.
 *     [diopiMaskedCol2imMmcv-mask_w_idx-index]
 * - source: mmcv.ops.MaskedConv2d
 * - notes: The columns are results of a matrix product, so nothing is added up.
 */
DIOPI_API diopiError_t diopiMaskedCol2imMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t im,
                                             diopiConstTensorHandle_t col, diopiConstTensorHandle_t mask_h_idx,
                                             diopiConstTensorHandle_t mask_w_idx, int64_t height, int64_t width,
                                             int64_t channels);

/**
 * Attention mask of point-wise spatial attention, mmcv's `PSAMask`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] output       floating
 * @param[in]  input        floating
 * @param[in]  psa_type     0: collect; 1: distribute
 * @param[in]  num_         integer
 * @param[in]  h_feature    integer
 * @param[in]  w_feature    integer
 * @param[in]  h_mask       integer
 * @param[in]  w_mask       integer
 * @param[in]  half_h_mask  integer
 * @param[in]  half_w_mask  integer
 *
 * - formula: For each position h, w and each cell i, j of the mask with y = h + i - half_h_mask and x = w + j -
 *   half_w_mask inside of the feature map: output[n, y * w_feature + x, h, w] = input[n, i * w_mask + j, h, w] if
 *   psa_type is 0, output[n, h * w_feature + w, y, x] = the same if it is 1; all other elements are 0
 * - shape: input [num_, h_mask * w_mask, h_feature, w_feature]; output [num_, h_feature * w_feature, h_feature,
 *   w_feature].
 * - checks:
 *   - output and input must have the same dtype. [diopiPsamaskMmcv-output-same-dtype]
 *   - psa_type must be at least 0 and be at most 1. [diopiPsamaskMmcv-psa_type-value]
 *   - num_ must be at least 0. [diopiPsamaskMmcv-num_-value]
 *   - h_feature must be at least 0. [diopiPsamaskMmcv-h_feature-value]
 *   - w_feature must be at least 0. [diopiPsamaskMmcv-w_feature-value]
 *   - h_mask must be at least 1. [diopiPsamaskMmcv-h_mask-value]
 *   - w_mask must be at least 1. [diopiPsamaskMmcv-w_mask-value]
 *   - half_h_mask must be at least 0 and be at most h_mask - 1. [diopiPsamaskMmcv-half_h_mask-value]
 *   - half_w_mask must be at least 0 and be at most w_mask - 1. [diopiPsamaskMmcv-half_w_mask-value]
 *   - input must have the shape [num_, h_mask * w_mask, h_feature, w_feature]. [diopiPsamaskMmcv-input-shape]
 *   - output must have the shape [num_, h_feature * w_feature, h_feature, w_feature]. [diopiPsamaskMmcv-output-shape]
 * - source: mmcv.ops.PSAMask
 */
DIOPI_API diopiError_t diopiPsamaskMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                        diopiConstTensorHandle_t input, int64_t psa_type, int64_t num_,
                                        int64_t h_feature, int64_t w_feature, int64_t h_mask, int64_t w_mask,
                                        int64_t half_h_mask, int64_t half_w_mask);

/**
 * Gradient of diopiPsamaskMmcv with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  psa_type     0: collect; 1: distribute
 * @param[in]  num_         integer
 * @param[in]  h_feature    integer
 * @param[in]  w_feature    integer
 * @param[in]  h_mask       integer
 * @param[in]  w_mask       integer
 * @param[in]  half_h_mask  integer
 * @param[in]  half_w_mask  integer
 *
 * - formula: grad_input[n, i * w_mask + j, h, w] = grad_output at the place where diopiPsamaskMmcv writes this element;
 *   0 if it writes the element nowhere
 * - shape: grad_output as output and grad_input as input of diopiPsamaskMmcv.
 * - checks:
 *   - grad_input and grad_output must have the same dtype. [diopiPsamaskBackwardMmcv-grad_input-same-dtype]
 *   - psa_type must be at least 0 and be at most 1. [diopiPsamaskBackwardMmcv-psa_type-value]
 *   - num_ must be at least 0. [diopiPsamaskBackwardMmcv-num_-value]
 *   - h_feature must be at least 0. [diopiPsamaskBackwardMmcv-h_feature-value]
 *   - w_feature must be at least 0. [diopiPsamaskBackwardMmcv-w_feature-value]
 *   - h_mask must be at least 1. [diopiPsamaskBackwardMmcv-h_mask-value]
 *   - w_mask must be at least 1. [diopiPsamaskBackwardMmcv-w_mask-value]
 *   - half_h_mask must be at least 0 and be at most h_mask - 1. [diopiPsamaskBackwardMmcv-half_h_mask-value]
 *   - half_w_mask must be at least 0 and be at most w_mask - 1. [diopiPsamaskBackwardMmcv-half_w_mask-value]
 *   - grad_input must have the shape [num_, h_mask * w_mask, h_feature, w_feature].
 *     [diopiPsamaskBackwardMmcv-grad_input-shape]
 *   - grad_output must have the shape [num_, h_feature * w_feature, h_feature, w_feature].
 *     [diopiPsamaskBackwardMmcv-grad_output-shape]
 * - source: mmcv.ops.PSAMask
 */
DIOPI_API diopiError_t diopiPsamaskBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                diopiConstTensorHandle_t grad_output, int64_t psa_type, int64_t num_,
                                                int64_t h_feature, int64_t w_feature, int64_t h_mask, int64_t w_mask,
                                                int64_t half_h_mask, int64_t half_w_mask);

/**
 * Shifts groups of channels along time, mmcv's `tin_shift`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] output  floating
 * @param[in]  input   floating
 * @param[in]  shift   int32
 *
 * - formula: output[n, t + s, c] = input[n, t, c] with s = shift[n, c / (C / G)], where t + s is a frame; 0 elsewhere
 * - shape: input and output [N, T, C, HW], shift [N, G].
 * - checks:
 *   - output and input must have the same dtype. [diopiTinShiftMmcv-output-same-dtype]
 *   - input must have 4 dimensions. [diopiTinShiftMmcv-input-ndim]
 *   - output and input must have the same shape. [diopiTinShiftMmcv-output-same-shape]
 *   - shift must have 2 dimensions. [diopiTinShiftMmcv-shift-ndim]
 *   - input[0] and shift[0] must be equal. [diopiTinShiftMmcv-input-equal]
 *   - input[2] must be a multiple of shift[1]. [diopiTinShiftMmcv-input-divisible]
 * - source: mmcv.ops.tin_shift
 * - notes: As in mmcv, shift may hold any number: a shift by at least T frames, in either direction, leaves only zeros.
 */
DIOPI_API diopiError_t diopiTinShiftMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                         diopiConstTensorHandle_t input, diopiConstTensorHandle_t shift);

/**
 * Shifts the gradient of diopiTinShiftMmcv as the forward operator shifts its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  shift        int32
 *
 * - formula: grad_input[n, t + s, c] = grad_output[n, t, c] with s = shift[n, c / (C / G)], where t + s is a frame; 0
 *   elsewhere
 * - shape: grad_input and grad_output [N, T, C, HW], shift [N, G].
 * - checks:
 *   - grad_input and grad_output must have the same dtype. [diopiTinShiftBackwardMmcv-grad_input-same-dtype]
 *   - grad_output must have 4 dimensions. [diopiTinShiftBackwardMmcv-grad_output-ndim]
 *   - grad_input and grad_output must have the same shape. [diopiTinShiftBackwardMmcv-grad_input-same-shape]
 *   - shift must have 2 dimensions. [diopiTinShiftBackwardMmcv-shift-ndim]
 *   - grad_output[0] and shift[0] must be equal. [diopiTinShiftBackwardMmcv-grad_output-equal]
 *   - grad_output[2] must be a multiple of shift[1]. [diopiTinShiftBackwardMmcv-grad_output-divisible]
 * - source: mmcv.ops.tin_shift
 * - notes: As in mmcv, the gradient is shifted in the direction of the forward operator. This is not the adjoint of the
 *   forward operator, which would shift it back; programs and recorded numbers depend on it. As in mmcv, shift may hold
 *   any number: a shift by at least T frames, in either direction, leaves only zeros.
 */
DIOPI_API diopiError_t diopiTinShiftBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                 diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t shift);

/**
 * Upsamples with zeros, filters and downsamples images, mmcv's `upfirdn2d`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     created by the callee; of the dtype of `input`
 * @param[in]  input   floating
 * @param[in]  kernel  floating
 * @param[in]  up_x    integer
 * @param[in]  up_y    integer
 * @param[in]  down_x  integer
 * @param[in]  down_y  integer
 * @param[in]  pad_x0  integer
 * @param[in]  pad_x1  integer
 * @param[in]  pad_y0  integer
 * @param[in]  pad_y1  integer
 *
 * - formula: With U[i * up_y, j * up_x] = input[n, i, j, m] and P = U padded by pad_y0 rows above, pad_y1 below, pad_x0
 *   columns on the left and pad_x1 on the right, where a negative number crops: out[n, y, x, m] = sum over the a < kh,
 *   b < kw at which P holds an element of input of P[y * down_y + a, x * down_x + b] * kernel[kh - 1 - a, kw - 1 - b]
 * - shape: input [major, H, W, minor], kernel [kh, kw]; out [major, oh, ow, minor] with oh = (H * up_y + pad_y0 +
 *   pad_y1 - kh) / down_y + 1, rounded down, and ow likewise.
 * - nan: As sums of products in IEEE arithmetic. The zeros between and around the elements are not multiplied, so that
 *   a NaN in kernel reaches only sums with an element of input.
 * - accumulation: float16 and bfloat16 compute and sum in float32 and are rounded once; float32 and float64 sum in
 *   their own precision.
 * - checks:
 *   - input and kernel must have the same dtype. [diopiUpfirdn2dOpMmcv-input-same-dtype]
 *   - input must have 4 dimensions. [diopiUpfirdn2dOpMmcv-input-ndim]
 *   - kernel must have 2 dimensions. [diopiUpfirdn2dOpMmcv-kernel-ndim]
 *   - kernel must have no extent of 0. [diopiUpfirdn2dOpMmcv-kernel-not-empty]
 *   - up_x must be at least 1. [diopiUpfirdn2dOpMmcv-up_x-value]
 *   - up_y must be at least 1. [diopiUpfirdn2dOpMmcv-up_y-value]
 *   - down_x must be at least 1. [diopiUpfirdn2dOpMmcv-down_x-value]
 *   - down_y must be at least 1. [diopiUpfirdn2dOpMmcv-down_y-value]
 *   - input[1] * up_y + pad_y0 + pad_y1 - kernel[0] must be at least 0. [diopiUpfirdn2dOpMmcv-input-rows]
 *   - input[2] * up_x + pad_x0 + pad_x1 - kernel[1] must be at least 0. [diopiUpfirdn2dOpMmcv-input-columns]
 * - source: mmcv.ops.upfirdn2d
 * - notes: mmcv passes an image [n, c, h, w] as [n * c, h, w, 1].
 */
DIOPI_API diopiError_t diopiUpfirdn2dOpMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                            diopiConstTensorHandle_t input, diopiConstTensorHandle_t kernel,
                                            int64_t up_x, int64_t up_y, int64_t down_x, int64_t down_y,
                                            int64_t pad_x0, int64_t pad_x1, int64_t pad_y0, int64_t pad_y1);

/**
 * Rotated copies of oriented filters, mmcv's `active_rotated_filter`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] output   floating
 * @param[in]  input    floating
 * @param[in]  indices  int32
 *
 * - formula: With E = no * kH * kW entries in a plane: entry indices[l, r] - 1 of output plane (o * R + r, i) = entry l
 *   of input plane (o, i); the largest l of an entry counts, and an entry without one is 0
 * - shape: input [O, I, no, kH, kW], indices [no, kH, kW, R]; output [O * R, I * no, kH, kW].
 * - checks:
 *   - output and input must have the same dtype. [diopiActiveRotatedFilterMmcv-output-same-dtype]
 *   - input must have 5 dimensions. [diopiActiveRotatedFilterMmcv-input-ndim]
 *   - indices must have the shape [input[2], input[3], input[4], any]. [diopiActiveRotatedFilterMmcv-indices-shape]
 *   - output must have the shape [input[0] * indices[3], input[1] * input[2], input[3], input[4]].
 *     [diopiActiveRotatedFilterMmcv-output-shape]
 *   - Each element of indices must be at least 1 and at most input[2] * input[3] * input[4]. A device may report this
 *     when the stream is synchronised. [diopiActiveRotatedFilterMmcv-indices-elements]
 * - source: mmcv.ops.active_rotated_filter
 */
DIOPI_API diopiError_t diopiActiveRotatedFilterMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                    diopiConstTensorHandle_t input, diopiConstTensorHandle_t indices);

/**
 * Gradient of diopiActiveRotatedFilterMmcv with respect to its input.
 *
 * @param[in]  ctx       context of the call
 * @param[out] grad_in   floating
 * @param[in]  grad_out  floating
 * @param[in]  indices   int32
 *
 * - formula: With E = no * kH * kW entries in a plane: entry l of grad_in plane (o, i) = sum over r of entry indices[l,
 *   r] - 1 of grad_out plane (o * R + r, i)
 * - shape: grad_out [O * R, I * no, kH, kW], indices [no, kH, kW, R]; grad_in [O, I, no, kH, kW].
 * - nan: As sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and are rounded once; float64 sums in its own precision, float32
 *   in float64.
 * - checks:
 *   - grad_in and grad_out must have the same dtype. [diopiActiveRotatedFilterBackwardMmcv-grad_in-same-dtype]
 *   - grad_in must have 5 dimensions. [diopiActiveRotatedFilterBackwardMmcv-grad_in-ndim]
 *   - indices must have the shape [grad_in[2], grad_in[3], grad_in[4], any].
 *     [diopiActiveRotatedFilterBackwardMmcv-indices-shape]
 *   - grad_out must have the shape [grad_in[0] * indices[3], grad_in[1] * grad_in[2], grad_in[3], grad_in[4]].
 *     [diopiActiveRotatedFilterBackwardMmcv-grad_out-shape]
 *   - Each element of indices must be at least 1 and at most grad_in[2] * grad_in[3] * grad_in[4]. A device may report
 *     this when the stream is synchronised. [diopiActiveRotatedFilterBackwardMmcv-indices-elements]
 * - source: mmcv.ops.active_rotated_filter
 */
DIOPI_API diopiError_t diopiActiveRotatedFilterBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_in,
                                                            diopiConstTensorHandle_t grad_out,
                                                            diopiConstTensorHandle_t indices);

/** @} */

/** @name mmcv_deform
 * Deformable convolution and deformable attention, as in mmcv.
 * - shape: As the checks say.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: Outputs must not overlap inputs.
 * - empty: Without images, positions or queries the outputs are empty; gradients that are sums over nothing are 0.
 * - nan: A coordinate that is NaN or infinite lies outside: the sample is 0 and has no gradient. Other numbers follow
 *   IEEE arithmetic, so an infinity times a weight of 0 is NaN; a neighbour outside of the plane counts as the number
 *   0.
 * - accumulation: Positions are computed in float64. float16 and bfloat16 compute and sum in float32 and are rounded
 *   once; float32 and float64 sum in their own precision.
 * - determinism: The same bits for any number of threads; gradients are added in ascending order of the output's
 *   positions.
 */
/** @{ */

/**
 * Deformable convolution, version 1, mmcv's `deform_conv2d`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] output         floating
 * @param[in]  columns        may be null; has no effect and is never written; any shape, also [0]; floating
 * @param[in]  ones           may be null; has no effect and is never written; any shape, also [0]; floating
 * @param[in]  input          floating
 * @param[in]  weight         floating
 * @param[in]  offset         floating
 * @param[in]  kW             integer
 * @param[in]  kH             integer
 * @param[in]  dW             integer
 * @param[in]  dH             integer
 * @param[in]  padW           integer
 * @param[in]  padH           integer
 * @param[in]  dilationW      integer
 * @param[in]  dilationH      integer
 * @param[in]  groups         integer
 * @param[in]  deform_groups  integer
 * @param[in]  im2col_step    integer
 *
 * - formula: output[n, o, h, w] = sum over the channels c of the group of o and over i, j of weight[o, c, i, j] *
 *   ZB(input[n, c], h * dH - padH + i * dilationH + dy, w * dW - padW + j * dilationW + dx). ZB(f, y, x) is 0 unless -1
 *   < y < H and -1 < x < W, otherwise the bilinear interpolation of the four neighbours, of which those outside of f
 *   count as 0. dy and dx are offset[n, 2 * ((d * kH + i) * kW + j), h, w] and the next channel, where d = c / (C /
 *   deform_groups)
 * - shape: input [N, C, H, W], weight [O, C / groups, kH, kW], offset [N, 2 * deform_groups * kH * kW, Ho, Wo]; output
 *   [N, O, Ho, Wo] with Ho = (H + 2 * padH - dilationH * (kH - 1) - 1) / dH + 1, rounded down, and Wo likewise.
 * - checks:
 *   - output, input, weight and offset must have the same dtype. [diopiDeformConvMmcv-output-same-dtype]
 *   - output must have 4 dimensions. [diopiDeformConvMmcv-output-ndim]
 *   - input must have 4 dimensions. [diopiDeformConvMmcv-input-ndim]
 *   - weight must have 4 dimensions. [diopiDeformConvMmcv-weight-ndim]
 *   - offset must have 4 dimensions. [diopiDeformConvMmcv-offset-ndim]
 *   - kH must be at least 1. [diopiDeformConvMmcv-kH-value]
 *   - kW must be at least 1. [diopiDeformConvMmcv-kW-value]
 *   - dH must be at least 1. [diopiDeformConvMmcv-dH-value]
 *   - dW must be at least 1. [diopiDeformConvMmcv-dW-value]
 *   - dilationH must be at least 1. [diopiDeformConvMmcv-dilationH-value]
 *   - dilationW must be at least 1. [diopiDeformConvMmcv-dilationW-value]
 *   - groups must be at least 1. [diopiDeformConvMmcv-groups-value]
 *   - deform_groups must be at least 1. [diopiDeformConvMmcv-deform_groups-value]
 *   - im2col_step must be at least 1. [diopiDeformConvMmcv-im2col_step-value]
 *   - padH must be at least 0. [diopiDeformConvMmcv-padH-value]
 *   - padW must be at least 0. [diopiDeformConvMmcv-padW-value]
 *   - weight[0] must be a positive multiple of groups. [diopiDeformConvMmcv-weight-divisible]
 *   - input[1] and groups * weight[1] must be equal. [diopiDeformConvMmcv-input-equal]
 *   - input[1] must be a positive multiple of deform_groups. [diopiDeformConvMmcv-input-divisible]
 *   - weight must have the shape [any, any, kH, kW]. [diopiDeformConvMmcv-weight-shape]
 *   - The dilated kernel must not be larger than the padded input. [diopiDeformConvMmcv-input-fits-kernel]
 *   - output must have the shape of the result. [diopiDeformConvMmcv-output-shape]
 *   - offset must have the shape [input[0], 2 * deform_groups * kH * kW, any, any]. [diopiDeformConvMmcv-offset-shape]
 *   - offset must have the positions of the result. [diopiDeformConvMmcv-offset-positions]
 *   - Min(im2col_step, input[0]) must divide input[0]. [diopiDeformConvMmcv-im2col_step-divides]
 * - source: mmcv.ops.deform_conv2d, torchvision.ops.deform_conv2d without a mask
 * - notes: im2col_step has no influence on the result.
 */
DIOPI_API diopiError_t diopiDeformConvMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                           diopiTensorHandle_t columns, diopiTensorHandle_t ones,
                                           diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                           diopiConstTensorHandle_t offset, int64_t kW, int64_t kH, int64_t dW,
                                           int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                           int64_t dilationH, int64_t groups, int64_t deform_groups,
                                           int64_t im2col_step);

/**
 * Gradients of diopiDeformConvMmcv with respect to input and offset.
 *
 * @param[in]  ctx            context of the call
 * @param[out] gradInput      floating
 * @param[out] gradOffset     floating
 * @param[in]  input          floating
 * @param[in]  offset         floating
 * @param[in]  gradOutput     floating
 * @param[in]  weight         floating
 * @param[in]  columns        may be null; has no effect and is never written; any shape, also [0]; floating
 * @param[in]  kW             integer
 * @param[in]  kH             integer
 * @param[in]  dW             integer
 * @param[in]  dH             integer
 * @param[in]  padW           integer
 * @param[in]  padH           integer
 * @param[in]  dilationW      integer
 * @param[in]  dilationH      integer
 * @param[in]  groups         integer
 * @param[in]  deform_groups  integer
 * @param[in]  im2col_step    integer
 *
 * - formula: G[n, c, i, j, h, w] = sum over the outputs o of the group of c of weight[o, c, i, j] * gradOutput[n, o, h,
 *   w]; gradInput adds G times the four weights of each sample to its neighbours inside of input; gradOffset[n, dy or
 *   dx, h, w] = sum over the channels of the deformable group of G * the derivative of ZB with respect to y or x, which
 *   is 0 for a sample outside and that of the cell to the right of and below an integer coordinate
 * - shape: gradOutput as output of diopiDeformConvMmcv; gradInput as input, gradOffset as offset.
 * - checks:
 *   - The checks of diopiDeformConvMmcv hold too, with gradOutput for output.
 *   - gradInput, gradOffset and input must have the same dtype. [diopiDeformConvBackwardInputMmcv-gradInput-same-dtype]
 *   - gradInput and input must have the same shape. [diopiDeformConvBackwardInputMmcv-gradInput-same-shape]
 *   - gradOffset and offset must have the same shape. [diopiDeformConvBackwardInputMmcv-gradOffset-same-shape]
 * - source: Autograd of torchvision.ops.deform_conv2d without a mask
 * - notes: Both gradients are overwritten.
 */
DIOPI_API diopiError_t diopiDeformConvBackwardInputMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t gradInput,
                                                        diopiTensorHandle_t gradOffset,
                                                        diopiConstTensorHandle_t input,
                                                        diopiConstTensorHandle_t offset,
                                                        diopiConstTensorHandle_t gradOutput,
                                                        diopiConstTensorHandle_t weight,
                                                        diopiConstTensorHandle_t columns, int64_t kW, int64_t kH,
                                                        int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                                        int64_t dilationW, int64_t dilationH, int64_t groups,
                                                        int64_t deform_groups, int64_t im2col_step);

/**
 * Adds scale times the weight gradient of diopiDeformConvMmcv to gradWeight.
 *
 * @param[in]     ctx            context of the call
 * @param[in]     gradOutput     read only, although the handle is not const; floating
 * @param[in,out] gradWeight     floating
 * @param[in]     input          floating
 * @param[in]     offset         floating
 * @param[in]     columns        may be null; has no effect and is never written; any shape, also [0]; floating
 * @param[in]     ones           may be null; has no effect and is never written; any shape, also [0]; floating
 * @param[in]     kW             integer
 * @param[in]     kH             integer
 * @param[in]     dW             integer
 * @param[in]     dH             integer
 * @param[in]     padW           integer
 * @param[in]     padH           integer
 * @param[in]     dilationW      integer
 * @param[in]     dilationH      integer
 * @param[in]     groups         integer
 * @param[in]     deform_groups  integer
 * @param[in]     im2col_step    integer
 * @param[in]     scale          number
 *
 * - formula: gradWeight[o, c, i, j] += scale * sum over n, h, w of gradOutput[n, o, h, w] * ZB(input[n, c], ...) of
 *   diopiDeformConvMmcv
 * - shape: gradOutput as output of diopiDeformConvMmcv; gradWeight [O, C / groups, kH, kW].
 * - empty: Without images gradWeight stays as it is.
 * - checks:
 *   - The checks of diopiDeformConvMmcv hold too, with gradOutput for output, gradWeight for weight.
 * - source: Autograd of torchvision.ops.deform_conv2d without a mask
 * - notes: As in mmcv, scale times the gradient is added to what gradWeight holds; the caller clears it where it wants
 *   the gradient alone. float16 and bfloat16 are rounded once, after this addition.
 */
DIOPI_API diopiError_t diopiDeformConvBackwardParametersMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t gradOutput,
                                                             diopiTensorHandle_t gradWeight,
                                                             diopiConstTensorHandle_t input,
                                                             diopiConstTensorHandle_t offset,
                                                             diopiConstTensorHandle_t columns,
                                                             diopiConstTensorHandle_t ones, int64_t kW, int64_t kH,
                                                             int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                                             int64_t dilationW, int64_t dilationH, int64_t groups,
                                                             int64_t deform_groups, int64_t im2col_step, float scale);

/**
 * Deformable convolution, version 2 with a modulation mask, mmcv's `modulated_deform_conv2d`.
 *
 * @param[in]  ctx               context of the call
 * @param[out] output            floating
 * @param[in]  columns           may be null; has no effect and is never written; any shape, also [0]; floating
 * @param[in]  ones              may be null; has no effect and is never written; any shape, also [0]; floating
 * @param[in]  input             floating
 * @param[in]  weight            floating
 * @param[in]  bias              read where with_bias is true; may be null otherwise; floating
 * @param[in]  offset            floating
 * @param[in]  mask              floating
 * @param[in]  kernel_h          integer
 * @param[in]  kernel_w          integer
 * @param[in]  stride_h          integer
 * @param[in]  stride_w          integer
 * @param[in]  pad_h             integer
 * @param[in]  pad_w             integer
 * @param[in]  dilation_h        integer
 * @param[in]  dilation_w        integer
 * @param[in]  group             integer
 * @param[in]  deformable_group  integer
 * @param[in]  with_bias         flag
 *
 * - formula: As diopiDeformConvMmcv, with each sample multiplied by mask[n, (d * kernel_h + i) * kernel_w + j, h, w],
 *   plus bias[o] if with_bias
 * - shape: input [N, C, H, W], weight [O, C / group, kernel_h, kernel_w], bias [O], offset [N, 2 * deformable_group *
 *   kernel_h * kernel_w, Ho, Wo], mask [N, deformable_group * kernel_h * kernel_w, Ho, Wo]; output [N, O, Ho, Wo].
 * - checks:
 *   - output, input, weight, bias, offset and mask must have the same dtype.
 *     [diopiModulatedDeformConvMmcv-output-same-dtype]
 *   - output must have 4 dimensions. [diopiModulatedDeformConvMmcv-output-ndim]
 *   - input must have 4 dimensions. [diopiModulatedDeformConvMmcv-input-ndim]
 *   - weight must have 4 dimensions. [diopiModulatedDeformConvMmcv-weight-ndim]
 *   - offset must have 4 dimensions. [diopiModulatedDeformConvMmcv-offset-ndim]
 *   - mask must have 4 dimensions. [diopiModulatedDeformConvMmcv-mask-ndim]
 *   - bias must have 1 dimension. [diopiModulatedDeformConvMmcv-bias-ndim]
 *   - kernel_h must be at least 1. [diopiModulatedDeformConvMmcv-kernel_h-value]
 *   - kernel_w must be at least 1. [diopiModulatedDeformConvMmcv-kernel_w-value]
 *   - stride_h must be at least 1. [diopiModulatedDeformConvMmcv-stride_h-value]
 *   - stride_w must be at least 1. [diopiModulatedDeformConvMmcv-stride_w-value]
 *   - dilation_h must be at least 1. [diopiModulatedDeformConvMmcv-dilation_h-value]
 *   - dilation_w must be at least 1. [diopiModulatedDeformConvMmcv-dilation_w-value]
 *   - group must be at least 1. [diopiModulatedDeformConvMmcv-group-value]
 *   - deformable_group must be at least 1. [diopiModulatedDeformConvMmcv-deformable_group-value]
 *   - pad_h must be at least 0. [diopiModulatedDeformConvMmcv-pad_h-value]
 *   - pad_w must be at least 0. [diopiModulatedDeformConvMmcv-pad_w-value]
 *   - weight[0] must be a positive multiple of group. [diopiModulatedDeformConvMmcv-weight-divisible]
 *   - input[1] and group * weight[1] must be equal. [diopiModulatedDeformConvMmcv-input-equal]
 *   - input[1] must be a positive multiple of deformable_group. [diopiModulatedDeformConvMmcv-input-divisible]
 *   - weight must have the shape [any, any, kernel_h, kernel_w]. [diopiModulatedDeformConvMmcv-weight-shape]
 *   - The dilated kernel must not be larger than the padded input. [diopiModulatedDeformConvMmcv-input-fits-kernel]
 *   - output must have the shape of the result. [diopiModulatedDeformConvMmcv-output-shape]
 *   - offset must have the shape [input[0], 2 * deformable_group * kernel_h * kernel_w, any, any].
 *     [diopiModulatedDeformConvMmcv-offset-shape]
 *   - mask must have the shape [input[0], deformable_group * kernel_h * kernel_w, any, any].
 *     [diopiModulatedDeformConvMmcv-mask-shape]
 *   - offset must have the positions of the result. [diopiModulatedDeformConvMmcv-offset-positions]
 *   - mask must have the positions of the result. [diopiModulatedDeformConvMmcv-mask-positions]
 *   - If with_bias is true, bias must not be null. [diopiModulatedDeformConvMmcv-bias-given]
 *   - If with_bias is true, bias must have the shape [weight[0]]. [diopiModulatedDeformConvMmcv-bias-shape]
 * - source: mmcv.ops.modulated_deform_conv2d, torchvision.ops.deform_conv2d
 * - notes: mask is used as it is, without a sigmoid. Without with_bias, bias may have the shape [0].
 */
DIOPI_API diopiError_t diopiModulatedDeformConvMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                    diopiTensorHandle_t columns, diopiTensorHandle_t ones,
                                                    diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                                    diopiConstTensorHandle_t bias, diopiConstTensorHandle_t offset,
                                                    diopiConstTensorHandle_t mask, int64_t kernel_h, int64_t kernel_w,
                                                    const int64_t stride_h, const int64_t stride_w,
                                                    const int64_t pad_h, const int64_t pad_w,
                                                    const int64_t dilation_h, const int64_t dilation_w,
                                                    const int64_t group, const int64_t deformable_group,
                                                    const bool with_bias);

/**
 * Gradients of diopiModulatedDeformConvMmcv with respect to input, weight, bias, offset and mask.
 *
 * @param[in]  ctx               context of the call
 * @param[out] grad_input        floating
 * @param[out] grad_weight       floating
 * @param[out] grad_bias         may be null if with_bias is false; written only if with_bias is true, otherwise left as
 *         it is; floating
 * @param[out] grad_offset       floating
 * @param[out] grad_mask         floating
 * @param[in]  input             floating
 * @param[in]  weight            floating
 * @param[in]  bias              read where with_bias is true; may be null otherwise; floating
 * @param[in]  ones              may be null; has no effect and is never written; any shape, also [0]; floating
 * @param[in]  offset            floating
 * @param[in]  mask              floating
 * @param[in]  columns           may be null; has no effect and is never written; any shape, also [0]; floating
 * @param[in]  grad_output       floating
 * @param[in]  kernel_h          integer
 * @param[in]  kernel_w          integer
 * @param[in]  stride_h          integer
 * @param[in]  stride_w          integer
 * @param[in]  pad_h             integer
 * @param[in]  pad_w             integer
 * @param[in]  dilation_h        integer
 * @param[in]  dilation_w        integer
 * @param[in]  group             integer
 * @param[in]  deformable_group  integer
 * @param[in]  with_bias         flag
 *
 * - formula: G = mask times G of diopiDeformConvBackwardInputMmcv; grad_input and grad_offset as there; grad_mask[n,
 *   (d, i, j), h, w] = sum over the channels of d of the unmasked G * ZB; grad_weight = sum over n, h, w of grad_output
 *   * mask * ZB; grad_bias[o] = sum over n, h, w of grad_output if with_bias
 * - shape: grad_output as output of diopiModulatedDeformConvMmcv; each gradient as its tensor.
 * - checks:
 *   - The checks of diopiModulatedDeformConvMmcv hold too, with grad_output for output.
 *   - grad_input, grad_weight, grad_bias, grad_offset, grad_mask and input must have the same dtype.
 *     [diopiModulatedDeformConvBackwardMmcv-grad_input-same-dtype]
 *   - grad_bias must have 1 dimension. [diopiModulatedDeformConvBackwardMmcv-grad_bias-ndim]
 *   - grad_input and input must have the same shape. [diopiModulatedDeformConvBackwardMmcv-grad_input-same-shape]
 *   - grad_weight and weight must have the same shape. [diopiModulatedDeformConvBackwardMmcv-grad_weight-same-shape]
 *   - grad_offset and offset must have the same shape. [diopiModulatedDeformConvBackwardMmcv-grad_offset-same-shape]
 *   - grad_mask and mask must have the same shape. [diopiModulatedDeformConvBackwardMmcv-grad_mask-same-shape]
 *   - If with_bias is true, grad_bias must not be null. [diopiModulatedDeformConvBackwardMmcv-grad_bias-given]
 *   - If with_bias is true, grad_bias must have the shape [weight[0]].
 *     [diopiModulatedDeformConvBackwardMmcv-grad_bias-shape]
 * - source: Autograd of torchvision.ops.deform_conv2d
 * - notes: All gradients are overwritten. Without with_bias, grad_bias may have the shape [0].
 */
DIOPI_API diopiError_t diopiModulatedDeformConvBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                            diopiTensorHandle_t grad_weight,
                                                            diopiTensorHandle_t grad_bias,
                                                            diopiTensorHandle_t grad_offset,
                                                            diopiTensorHandle_t grad_mask,
                                                            diopiConstTensorHandle_t input,
                                                            diopiConstTensorHandle_t weight,
                                                            diopiConstTensorHandle_t bias,
                                                            diopiConstTensorHandle_t ones,
                                                            diopiConstTensorHandle_t offset,
                                                            diopiConstTensorHandle_t mask,
                                                            diopiConstTensorHandle_t columns,
                                                            diopiConstTensorHandle_t grad_output, int64_t kernel_h,
                                                            int64_t kernel_w, int64_t stride_h, int64_t stride_w,
                                                            int64_t pad_h, int64_t pad_w, int64_t dilation_h,
                                                            int64_t dilation_w, int64_t group,
                                                            int64_t deformable_group, const bool with_bias);

/**
 * Multi-scale deformable attention, mmcv's `MultiScaleDeformableAttnFunction`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] out                created by the callee; of the dtype of `value`
 * @param[in]  value              floating
 * @param[in]  spatial_shapes     int32, int64
 * @param[in]  level_start_index  int32, int64
 * @param[in]  sampling_loc       floating
 * @param[in]  attn_weight        floating
 * @param[in]  im2col_step        images processed together
 *
 * - formula: out[n, q, m * D + d] = sum over l, p of attn_weight[n, q, m, l, p] * ZB(V, y * H - 0.5, x * W - 0.5),
 *   where [H, W] = spatial_shapes[l], V[i, j] = value[n, level_start_index[l] + i * W + j, m, d], and [x, y] =
 *   sampling_loc[n, q, m, l, p]; ZB as in diopiDeformConvMmcv
 * - shape: value [N, S, heads, D], spatial_shapes [L, 2], level_start_index [L], sampling_loc [N, Q, heads, L, P, 2],
 *   attn_weight [N, Q, heads, L, P]; out [N, Q, heads * D].
 * - checks:
 *   - value, sampling_loc and attn_weight must have the same dtype. [diopiMsDeformAttnMmcv-value-same-dtype]
 *   - value must have 4 dimensions. [diopiMsDeformAttnMmcv-value-ndim]
 *   - sampling_loc must have 6 dimensions. [diopiMsDeformAttnMmcv-sampling_loc-ndim]
 *   - spatial_shapes must have 2 dimensions. [diopiMsDeformAttnMmcv-spatial_shapes-ndim]
 *   - spatial_shapes must have the shape [any, 2]. [diopiMsDeformAttnMmcv-spatial_shapes-shape]
 *   - level_start_index must have the shape [spatial_shapes[0]]. [diopiMsDeformAttnMmcv-level_start_index-shape]
 *   - sampling_loc must have the shape [value[0], any, value[2], spatial_shapes[0], any, 2].
 *     [diopiMsDeformAttnMmcv-sampling_loc-shape]
 *   - attn_weight must have the shape sampling_loc[:-1]. [diopiMsDeformAttnMmcv-attn_weight-shape]
 *   - im2col_step must be at least 1. [diopiMsDeformAttnMmcv-im2col_step-value]
 *   - Min(im2col_step, value[0]) must divide value[0]. [diopiMsDeformAttnMmcv-im2col_step-divides]
 *   - Each element of spatial_shapes must be at least 0. A device may report this when the stream is synchronised.
 *     [diopiMsDeformAttnMmcv-spatial_shapes-elements]
 *   - Each element of level_start_index must be at least 0. A device may report this when the stream is synchronised.
 *     [diopiMsDeformAttnMmcv-level_start_index-elements]
 *   - Each level must lie within value: level_start_index[l] + H * W must be at most value[1]. A device may report this
 *     when the stream is synchronised. [diopiMsDeformAttnMmcv-level-inside]
 * - source: mmcv.ops.multi_scale_deformable_attn_pytorch; torch.nn.functional.grid_sample of each level with 2 *
 *   sampling_loc - 1, zeros, align_corners=False
 * - notes: The weights need not add up to 1. im2col_step has no influence on the result.
 */
DIOPI_API diopiError_t diopiMsDeformAttnMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                             diopiConstTensorHandle_t value, diopiConstTensorHandle_t spatial_shapes,
                                             diopiConstTensorHandle_t level_start_index,
                                             diopiConstTensorHandle_t sampling_loc,
                                             diopiConstTensorHandle_t attn_weight, int64_t im2col_step);

/**
 * Gradients of diopiMsDeformAttnMmcv with respect to value, locations and weights.
 *
 * @param[in]  ctx                context of the call
 * @param[out] grad_value         floating
 * @param[out] grad_sampling_loc  floating
 * @param[out] grad_attn_weight   floating
 * @param[in]  value              floating
 * @param[in]  spatial_shapes     int32, int64
 * @param[in]  level_start_index  int32, int64
 * @param[in]  sampling_loc       floating
 * @param[in]  attn_weight        floating
 * @param[in]  grad_output        floating
 * @param[in]  im2col_step        images processed together
 *
 * - formula: grad_value adds attn_weight * grad_output times the four weights of each sample to its neighbours inside
 *   of the level; grad_attn_weight[n, q, m, l, p] = sum over d of grad_output[n, q, m * D + d] * ZB;
 *   grad_sampling_loc[..., 0] = W * attn_weight * sum over d of grad_output * the derivative of ZB with respect to x,
 *   and [..., 1] = H * attn_weight * the same with respect to y
 * - shape: grad_output as out of diopiMsDeformAttnMmcv; each gradient as its tensor.
 * - checks:
 *   - The checks of diopiMsDeformAttnMmcv hold too.
 *   - grad_value, grad_sampling_loc, grad_attn_weight, grad_output and value must have the same dtype.
 *     [diopiMsDeformAttnBackwardMmcv-grad_value-same-dtype]
 *   - grad_output must have the shape [value[0], sampling_loc[1], value[2] * value[3]].
 *     [diopiMsDeformAttnBackwardMmcv-grad_output-shape]
 *   - grad_value and value must have the same shape. [diopiMsDeformAttnBackwardMmcv-grad_value-same-shape]
 *   - grad_sampling_loc and sampling_loc must have the same shape.
 *     [diopiMsDeformAttnBackwardMmcv-grad_sampling_loc-same-shape]
 *   - grad_attn_weight and attn_weight must have the same shape.
 *     [diopiMsDeformAttnBackwardMmcv-grad_attn_weight-same-shape]
 * - source: Autograd of torch.nn.functional.grid_sample as in diopiMsDeformAttnMmcv
 * - notes: All gradients are overwritten.
 */
DIOPI_API diopiError_t diopiMsDeformAttnBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_value,
                                                     diopiTensorHandle_t grad_sampling_loc,
                                                     diopiTensorHandle_t grad_attn_weight,
                                                     diopiConstTensorHandle_t value,
                                                     diopiConstTensorHandle_t spatial_shapes,
                                                     diopiConstTensorHandle_t level_start_index,
                                                     diopiConstTensorHandle_t sampling_loc,
                                                     diopiConstTensorHandle_t attn_weight,
                                                     diopiConstTensorHandle_t grad_output, int64_t im2col_step);

/** @} */

/** @name mmcv_norm
 * Focal losses and synchronised batch normalisation, as in mmcv.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: Outputs overlap nothing.
 * - empty: Empty tensors are ordinary.
 * - nan: As IEEE arithmetic has it.
 * - accumulation: float16 and bfloat16 are computed in float32 and rounded once; sums are merged in float64.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Focal loss of logits and class indices without reduction, mmcv's `sigmoid_focal_loss`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] output  floating
 * @param[in]  input   floating
 * @param[in]  target  class of each sample; a number outside [0, classes) is the background; int32, int64
 * @param[in]  weight  weight of each class; empty: one; floating
 * @param[in]  gamma   number
 * @param[in]  alpha   number
 *
 * - formula: p = sigmoid(input[i, c]); output[i, c] = -alpha * (1 - p)^gamma * log(max(p, m)) if target[i] = c, else
 *   -(1 - alpha) * p^gamma * log(max(1 - p, m)), times weight[target[i]], where m = 2^-126; a background sample has the
 *   weight 1
 * - shape: input and output have a row for each sample and a column for each class; target an element for each sample,
 *   weight an element for each class or none.
 * - checks:
 *   - input must have 2 dimensions. [diopiSigmoidFocalLossMmcv-input-ndim]
 *   - input and output must have the same shape. [diopiSigmoidFocalLossMmcv-input-same-shape]
 *   - target must have the shape [input[0]]. [diopiSigmoidFocalLossMmcv-target-shape]
 *   - If weight has at least 1 element, weight must have the shape [input[1]]. [diopiSigmoidFocalLossMmcv-weight-shape]
 * - source: mmcv.ops.sigmoid_focal_loss
 * - notes: 1 - p is formed without cancellation, so that the logarithm of a small probability is precise.
 */
DIOPI_API diopiError_t diopiSigmoidFocalLossMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t target,
                                                 diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * Gradient of diopiSigmoidFocalLossMmcv with respect to its input, for an upstream gradient of one.
 *
 * @param[in]  ctx         context of the call
 * @param[out] grad_input  floating
 * @param[in]  input       floating
 * @param[in]  target      class of each sample; a number outside [0, classes) is the background; int32, int64
 * @param[in]  weight      weight of each class; empty: one; floating
 * @param[in]  gamma       number
 * @param[in]  alpha       number
 *
 * - formula: p = sigmoid(input[i, c]); grad_input[i, c] = -alpha * (1 - p)^gamma * (1 - p - gamma * p * log(max(p, m)))
 *   if target[i] = c, else -(1 - alpha) * p^gamma * (gamma * (1 - p) * log(max(1 - p, m)) - p), times
 *   weight[target[i]], where m = 2^-126; a background sample has the weight 1
 * - shape: input and grad_input have a row for each sample and a column for each class; target an element for each
 *   sample, weight an element for each class or none.
 * - checks:
 *   - input must have 2 dimensions. [diopiSigmoidFocalLossBackwardMmcv-input-ndim]
 *   - input and grad_input must have the same shape. [diopiSigmoidFocalLossBackwardMmcv-input-same-shape]
 *   - target must have the shape [input[0]]. [diopiSigmoidFocalLossBackwardMmcv-target-shape]
 *   - If weight has at least 1 element, weight must have the shape [input[1]].
 *     [diopiSigmoidFocalLossBackwardMmcv-weight-shape]
 * - source: mmcv.ops.sigmoid_focal_loss
 */
DIOPI_API diopiError_t diopiSigmoidFocalLossBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                         diopiConstTensorHandle_t input,
                                                         diopiConstTensorHandle_t target,
                                                         diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * Focal loss of softmax probabilities without reduction, mmcv's `softmax_focal_loss`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] output   floating
 * @param[in]  softmax  floating
 * @param[in]  target   class of each sample; a sample with a number outside [0, classes) has the loss 0; int32, int64
 * @param[in]  weight   weight of each class; empty: one; floating
 * @param[in]  gamma    number
 * @param[in]  alpha    number
 *
 * - formula: p = softmax[i, target[i]]; output[i] = -alpha * (1 - p)^gamma * log(max(p, 2^-126)) * weight[target[i]]; 0
 *   for a target outside [0, classes)
 * - shape: softmax has a row for each sample and a column for each class; target and output an element for each sample,
 *   weight an element for each class or none.
 * - checks:
 *   - softmax must have 2 dimensions. [diopiSoftmaxFocalLossMmcv-softmax-ndim]
 *   - output must have the shape [softmax[0]]. [diopiSoftmaxFocalLossMmcv-output-shape]
 *   - target must have the shape [softmax[0]]. [diopiSoftmaxFocalLossMmcv-target-shape]
 *   - If weight has at least 1 element, weight must have the shape [softmax[1]].
 *     [diopiSoftmaxFocalLossMmcv-weight-shape]
 * - source: mmcv.ops.softmax_focal_loss
 */
DIOPI_API diopiError_t diopiSoftmaxFocalLossMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                 diopiConstTensorHandle_t softmax, diopiConstTensorHandle_t target,
                                                 diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * Gradient of diopiSoftmaxFocalLossMmcv with respect to the logits, for an upstream gradient of one.
 *
 * @param[in]  ctx         context of the call
 * @param[out] grad_input  floating
 * @param[out] buff        scratch, one number per sample; receives the derivative with respect to the probability of
 *         the class; floating
 * @param[in]  softmax     floating
 * @param[in]  target      class of each sample; a sample with a number outside [0, classes) has the gradient 0; int32,
 *         int64
 * @param[in]  weight      weight of each class; empty: one; floating
 * @param[in]  gamma       number
 * @param[in]  alpha       number
 *
 * - formula: p = softmax[i, target[i]]; buff[i] = weight[target[i]] * alpha * (gamma * (1 - p)^(gamma - 1) * p *
 *   log(max(p, 2^-126)) - (1 - p)^gamma); grad_input[i, c] = buff[i] * ((1 if c = target[i] else 0) - softmax[i, c]);
 *   both 0 for a target outside [0, classes)
 * - shape: softmax and grad_input have a row for each sample and a column for each class; target and buff an element
 *   for each sample, weight an element for each class or none.
 * - checks:
 *   - softmax must have 2 dimensions. [diopiSoftmaxFocalLossBackwardMmcv-softmax-ndim]
 *   - softmax and grad_input must have the same shape. [diopiSoftmaxFocalLossBackwardMmcv-softmax-same-shape]
 *   - buff must have the shape [softmax[0]]. [diopiSoftmaxFocalLossBackwardMmcv-buff-shape]
 *   - target must have the shape [softmax[0]]. [diopiSoftmaxFocalLossBackwardMmcv-target-shape]
 *   - If weight has at least 1 element, weight must have the shape [softmax[1]].
 *     [diopiSoftmaxFocalLossBackwardMmcv-weight-shape]
 * - source: mmcv.ops.softmax_focal_loss
 */
DIOPI_API diopiError_t diopiSoftmaxFocalLossBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                         diopiTensorHandle_t buff, diopiConstTensorHandle_t softmax,
                                                         diopiConstTensorHandle_t target,
                                                         diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * Mean of each channel over batch and positions, first step of mmcv's `SyncBatchNorm`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] mean   floating
 * @param[in]  input  floating
 *
 * - formula: mean = mean of input over dimensions 0 and 2
 * - shape: input has the dimensions batch, channels and positions; mean an element for each channel.
 * - empty: The mean of nothing is 0.
 * - checks:
 *   - input must have 3 dimensions. [diopiSyncBnMeanMmcv-input-ndim]
 *   - mean must have the shape [input[1]]. [diopiSyncBnMeanMmcv-mean-shape]
 * - source: mmcv.ops.SyncBatchNorm
 */
DIOPI_API diopiError_t diopiSyncBnMeanMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t mean,
                                           diopiConstTensorHandle_t input);

/**
 * Biased variance of each channel around mean, second step of mmcv's `SyncBatchNorm`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] var    floating
 * @param[in]  input  floating
 * @param[in]  mean   floating
 *
 * - formula: var = mean of (input - mean)^2 over dimensions 0 and 2
 * - shape: input has the dimensions batch, channels and positions; mean and var an element for each channel.
 * - empty: The variance of nothing is 0.
 * - checks:
 *   - input must have 3 dimensions. [diopiSyncBnVarMmcv-input-ndim]
 *   - mean must have the shape [input[1]]. [diopiSyncBnVarMmcv-mean-shape]
 *   - var must have the shape [input[1]]. [diopiSyncBnVarMmcv-var-shape]
 * - source: mmcv.ops.SyncBatchNorm
 * - notes: mean may be that of all processes, and then differs from the mean of input.
 */
DIOPI_API diopiError_t diopiSyncBnVarMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t var,
                                          diopiConstTensorHandle_t input, diopiConstTensorHandle_t mean);

/**
 * Normalises, scales and updates the running statistics, third step of mmcv's `SyncBatchNorm`.
 *
 * @param[in]     ctx           context of the call
 * @param[in,out] running_mean  floating
 * @param[in,out] running_var   floating
 * @param[out]    norm          normalised input, for the backward call; floating
 * @param[out]    std           standard deviation of each channel, for the backward call; floating
 * @param[out]    output        floating
 * @param[in]     input         floating
 * @param[in]     mean          floating
 * @param[in]     var           floating
 * @param[in]     weight        floating
 * @param[in]     bias          floating
 * @param[in]     eps           number
 * @param[in]     momentum      share of the new statistics
 * @param[in]     group_size    number of processes
 *
 * - formula: std = sqrt(var + eps); norm = (input - mean) / std; output = norm * weight + bias; running_mean = momentum
 *   * mean + (1 - momentum) * running_mean; running_var = momentum * u + (1 - momentum) * running_var, where n = batch
 *   * positions * group_size and u = var * n / (n - 1) if n > 1, else var
 * - shape: input has the dimensions batch, channels and positions; norm and output have its shape, all other tensors an
 *   element for each channel.
 * - empty: std and the running statistics are written for an empty input, too.
 * - checks:
 *   - input must have 3 dimensions. [diopiSyncBnOutputMmcv-input-ndim]
 *   - input, norm and output must have the same shape. [diopiSyncBnOutputMmcv-input-same-shape]
 *   - running_mean must have the shape [input[1]]. [diopiSyncBnOutputMmcv-running_mean-shape]
 *   - running_var must have the shape [input[1]]. [diopiSyncBnOutputMmcv-running_var-shape]
 *   - std must have the shape [input[1]]. [diopiSyncBnOutputMmcv-std-shape]
 *   - mean must have the shape [input[1]]. [diopiSyncBnOutputMmcv-mean-shape]
 *   - var must have the shape [input[1]]. [diopiSyncBnOutputMmcv-var-shape]
 *   - weight must have the shape [input[1]]. [diopiSyncBnOutputMmcv-weight-shape]
 *   - bias must have the shape [input[1]]. [diopiSyncBnOutputMmcv-bias-shape]
 *   - group_size must be at least 1. [diopiSyncBnOutputMmcv-group_size-value]
 * - source: mmcv.ops.SyncBatchNorm
 */
DIOPI_API diopiError_t diopiSyncBnOutputMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t running_mean,
                                             diopiTensorHandle_t running_var, diopiTensorHandle_t norm,
                                             diopiTensorHandle_t std, diopiTensorHandle_t output,
                                             diopiConstTensorHandle_t input, diopiConstTensorHandle_t mean,
                                             diopiConstTensorHandle_t var, diopiConstTensorHandle_t weight,
                                             diopiConstTensorHandle_t bias, float eps, float momentum,
                                             int64_t group_size);

/**
 * Gradients of weight and bias of mmcv's `SyncBatchNorm`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_weight  floating
 * @param[out] grad_bias    floating
 * @param[in]  grad_output  floating
 * @param[in]  norm         floating
 *
 * - formula: grad_weight, grad_bias = sums of grad_output * norm, grad_output over dimensions 0 and 2
 * - shape: grad_output has the dimensions batch, channels and positions; norm has its shape, the gradients an element
 *   for each channel.
 * - empty: Sums of nothing are 0.
 * - checks:
 *   - norm must have 3 dimensions. [diopiSyncBnBackwardParamMmcv-norm-ndim]
 *   - norm and grad_output must have the same shape. [diopiSyncBnBackwardParamMmcv-norm-same-shape]
 *   - grad_weight must have the shape [norm[1]]. [diopiSyncBnBackwardParamMmcv-grad_weight-shape]
 *   - grad_bias must have the shape [norm[1]]. [diopiSyncBnBackwardParamMmcv-grad_bias-shape]
 * - source: mmcv.ops.SyncBatchNorm
 */
DIOPI_API diopiError_t diopiSyncBnBackwardParamMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_weight,
                                                    diopiTensorHandle_t grad_bias,
                                                    diopiConstTensorHandle_t grad_output,
                                                    diopiConstTensorHandle_t norm);

/**
 * Gradient of the input of mmcv's `SyncBatchNorm`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  weight       floating
 * @param[in]  grad_weight  mean over all processes; floating
 * @param[in]  grad_bias    mean over all processes; floating
 * @param[in]  norm         floating
 * @param[in]  std          floating
 *
 * - formula: grad_input = weight * (grad_output - (grad_weight * norm + grad_bias) / n) / std, where n = batch *
 *   positions
 * - shape: grad_output has the dimensions batch, channels and positions; norm and grad_input have its shape, all other
 *   tensors an element for each channel.
 * - aliasing: grad_input may be grad_output or norm; other overlap is not allowed.
 * - checks:
 *   - norm must have 3 dimensions. [diopiSyncBnBackwardDataMmcv-norm-ndim]
 *   - norm, grad_output and grad_input must have the same shape. [diopiSyncBnBackwardDataMmcv-norm-same-shape]
 *   - weight must have the shape [norm[1]]. [diopiSyncBnBackwardDataMmcv-weight-shape]
 *   - grad_weight must have the shape [norm[1]]. [diopiSyncBnBackwardDataMmcv-grad_weight-shape]
 *   - grad_bias must have the shape [norm[1]]. [diopiSyncBnBackwardDataMmcv-grad_bias-shape]
 *   - std must have the shape [norm[1]]. [diopiSyncBnBackwardDataMmcv-std-shape]
 * - source: mmcv.ops.SyncBatchNorm
 */
DIOPI_API diopiError_t diopiSyncBnBackwardDataMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                   diopiConstTensorHandle_t grad_output,
                                                   diopiConstTensorHandle_t weight,
                                                   diopiConstTensorHandle_t grad_weight,
                                                   diopiConstTensorHandle_t grad_bias, diopiConstTensorHandle_t norm,
                                                   diopiConstTensorHandle_t std);

/** @} */

/** @name mmcv_points
 * Point cloud operators of mmcv: sampling, grouping, neighbours and membership.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: None.
 * - empty: Empty tensors are ordinary.
 * - nan: As IEEE arithmetic has it.
 * - accumulation: None.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Aggregates point features by predicted scores, mmcv's `assign_score_withk`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] output     floating
 * @param[in]  points     floating
 * @param[in]  centers    floating
 * @param[in]  scores     floating
 * @param[in]  knn_idx    int64
 * @param[in]  B          integer
 * @param[in]  N          integer
 * @param[in]  npoint     integer
 * @param[in]  M          integer
 * @param[in]  K          integer
 * @param[in]  out_dim    integer
 * @param[in]  aggregate  0, 1 or 2; has no effect
 *
 * - formula: output[b, o, n, k] = sum over m of scores[b, n, k, m] * (points[b, i, m, o] - centers[b, j, m, o]) with i
 *   = knn_idx[b, n, k] and j = knn_idx[b, n, 0]; 0 if i or j is not in [0, N)
 * - shape: points and centers are [B, N, M, out_dim], scores [B, npoint, K, M], knn_idx [B, npoint, K], output [B,
 *   out_dim, npoint, K].
 * - nan: As IEEE arithmetic has it; an entry with an index out of range is 0.
 * - accumulation: In float32, or in float64 for float64; rounded once.
 * - checks:
 *   - points must have the shape [B, N, M, out_dim]. [diopiAssignScoreWithkMmcv-points-shape]
 *   - centers must have the shape [B, N, M, out_dim]. [diopiAssignScoreWithkMmcv-centers-shape]
 *   - scores must have the shape [B, npoint, K, M]. [diopiAssignScoreWithkMmcv-scores-shape]
 *   - knn_idx must have the shape [B, npoint, K]. [diopiAssignScoreWithkMmcv-knn_idx-shape]
 *   - output must have the shape [B, out_dim, npoint, K]. [diopiAssignScoreWithkMmcv-output-shape]
 *   - points, centers, scores and output must have the same dtype. [diopiAssignScoreWithkMmcv-points-same-dtype]
 *   - aggregate must be at least 0 and be at most 2. [diopiAssignScoreWithkMmcv-aggregate-value]
 * - source: mmcv.ops.assign_score_withk
 * - notes: aggregate has no effect in any kernel of mmcv, because the neighbours are not reduced. mmcv adds to an
 *   output of zeros; this operator overwrites the output. As in the kernels of mmcv, an index out of range is no error.
 *   mmcv has an assertion for j on the device, but not for i; here both are alike.
 */
DIOPI_API diopiError_t diopiAssignScoreWithkMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                 diopiConstTensorHandle_t points, diopiConstTensorHandle_t centers,
                                                 diopiConstTensorHandle_t scores, diopiConstTensorHandle_t knn_idx,
                                                 int64_t B, int64_t N, int64_t npoint, int64_t M, int64_t K,
                                                 int64_t out_dim, int64_t aggregate);

/**
 * Gradients of diopiAssignScoreWithkMmcv with respect to points, centers and scores.
 *
 * @param[in]  ctx           context of the call
 * @param[out] grad_points   floating
 * @param[out] grad_centers  floating
 * @param[out] grad_scores   floating
 * @param[in]  grad_out      floating
 * @param[in]  points        floating
 * @param[in]  centers       floating
 * @param[in]  scores        floating
 * @param[in]  knn_idx       int64
 * @param[in]  B             integer
 * @param[in]  N             integer
 * @param[in]  npoint        integer
 * @param[in]  M             integer
 * @param[in]  K             integer
 * @param[in]  out_dim       integer
 * @param[in]  aggregate     0, 1 or 2; has no effect
 *
 * - formula: the derivatives of diopiAssignScoreWithkMmcv: grad_points[b, i, m, o] += s * g and grad_centers[b, j, m,
 *   o] -= s * g, from zero, and grad_scores[b, n, k, m] = sum over o of (points[b, i, m, o] - centers[b, j, m, o]) * g,
 *   with s = scores[b, n, k, m] and g = grad_out[b, o, n, k]; entries whose i or j is not in [0, N) are skipped
 * - shape: As in diopiAssignScoreWithkMmcv; grad_out has the shape of its output.
 * - accumulation: In float64, in the order of the indices; rounded once.
 * - checks:
 *   - points must have the shape [B, N, M, out_dim]. [diopiAssignScoreWithkBackwardMmcv-points-shape]
 *   - centers must have the shape [B, N, M, out_dim]. [diopiAssignScoreWithkBackwardMmcv-centers-shape]
 *   - grad_points must have the shape [B, N, M, out_dim]. [diopiAssignScoreWithkBackwardMmcv-grad_points-shape]
 *   - grad_centers must have the shape [B, N, M, out_dim]. [diopiAssignScoreWithkBackwardMmcv-grad_centers-shape]
 *   - scores must have the shape [B, npoint, K, M]. [diopiAssignScoreWithkBackwardMmcv-scores-shape]
 *   - grad_scores must have the shape [B, npoint, K, M]. [diopiAssignScoreWithkBackwardMmcv-grad_scores-shape]
 *   - knn_idx must have the shape [B, npoint, K]. [diopiAssignScoreWithkBackwardMmcv-knn_idx-shape]
 *   - grad_out must have the shape [B, out_dim, npoint, K]. [diopiAssignScoreWithkBackwardMmcv-grad_out-shape]
 *   - points, centers, scores, grad_out, grad_points, grad_centers and grad_scores must have the same dtype.
 *     [diopiAssignScoreWithkBackwardMmcv-points-same-dtype]
 *   - aggregate must be at least 0 and be at most 2. [diopiAssignScoreWithkBackwardMmcv-aggregate-value]
 * - source: the derivative of mmcv.ops.assign_score_withk
 */
DIOPI_API diopiError_t diopiAssignScoreWithkBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_points,
                                                         diopiTensorHandle_t grad_centers,
                                                         diopiTensorHandle_t grad_scores,
                                                         diopiConstTensorHandle_t grad_out,
                                                         diopiConstTensorHandle_t points,
                                                         diopiConstTensorHandle_t centers,
                                                         diopiConstTensorHandle_t scores,
                                                         diopiConstTensorHandle_t knn_idx, int64_t B, int64_t N,
                                                         int64_t npoint, int64_t M, int64_t K, int64_t out_dim,
                                                         int64_t aggregate);

/**
 * Indices of up to sample_num points in a shell around each centre, mmcv's `ball_query`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] idx         int32
 * @param[in]  center_xyz  floating
 * @param[in]  xyz         floating
 * @param[in]  B           integer
 * @param[in]  N           integer
 * @param[in]  npoint      integer
 * @param[in]  sample_num  integer
 * @param[in]  min_radius  number
 * @param[in]  max_radius  number
 *
 * - formula: point k is in the shell of a centre if d2 == 0 or min_radius ^ 2 <= d2 < max_radius ^ 2 with d2 = (dx * dx
 *   + dy * dy) + dz * dz; idx[b, p, :] = the first sample_num such points in ascending order, and the first of them in
 *   the places that are left; 0 if there is none
 * - shape: center_xyz is [B, npoint, 3], xyz [B, N, 3], idx [B, npoint, sample_num].
 * - nan: A distance that is NaN compares false with everything.
 * - accumulation: Distances are computed in float32, or in float64 for float64, without a fused multiplication and
 *   addition.
 * - checks:
 *   - center_xyz must have the shape [B, npoint, 3]. [diopiBallQueryMmcv-center_xyz-shape]
 *   - xyz must have the shape [B, N, 3]. [diopiBallQueryMmcv-xyz-shape]
 *   - idx must have the shape [B, npoint, sample_num]. [diopiBallQueryMmcv-idx-shape]
 *   - xyz and center_xyz must have the same dtype. [diopiBallQueryMmcv-xyz-same-dtype]
 *   - The dtype of idx must hold every index below xyz[1]. [diopiBallQueryMmcv-idx-fits-index]
 * - source: mmcv.ops.ball_query
 * - notes: The radii are squared in float32. Every element of idx is written, so that the caller need not clear it.
 */
DIOPI_API diopiError_t diopiBallQueryMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t idx,
                                          diopiConstTensorHandle_t center_xyz, diopiConstTensorHandle_t xyz,
                                          int64_t B, int64_t N, int64_t npoint, int64_t sample_num, float min_radius,
                                          float max_radius);

/**
 * diopiBallQueryMmcv for batches of different sizes stacked into one tensor.
 *
 * @param[in]  ctx                   context of the call
 * @param[out] idx                   int32
 * @param[in]  center_xyz            floating
 * @param[in]  center_xyz_batch_cnt  int32
 * @param[in]  xyz                   floating
 * @param[in]  xyz_batch_cnt         int32
 * @param[in]  max_radius            number
 * @param[in]  sample_num            integer
 *
 * - formula: as diopiBallQueryMmcv without min_radius: point k is near a centre if d2 < max_radius ^ 2; centres and
 *   points belong to the batches that the counts give, and idx holds positions in the points of the batch; a centre
 *   without a point near it gets -1 in column 0 and 0 elsewhere
 * - shape: xyz is [points of all batches, 3], center_xyz [centres of all batches, 3], the counts are [B], idx is
 *   [centres, sample_num].
 * - nan: A distance that is NaN compares false with everything.
 * - accumulation: Distances are computed in float32, or in float64 for float64, without a fused multiplication and
 *   addition.
 * - checks:
 *   - xyz_batch_cnt must have 1 dimension. [diopiStackBallQueryMmcv-xyz_batch_cnt-ndim]
 *   - center_xyz_batch_cnt and xyz_batch_cnt must have the same shape.
 *     [diopiStackBallQueryMmcv-center_xyz_batch_cnt-same-shape]
 *   - xyz must have the shape [any, 3]. [diopiStackBallQueryMmcv-xyz-shape]
 *   - center_xyz must have the shape [any, 3]. [diopiStackBallQueryMmcv-center_xyz-shape]
 *   - idx must have the shape [center_xyz[0], sample_num]. [diopiStackBallQueryMmcv-idx-shape]
 *   - xyz and center_xyz must have the same dtype. [diopiStackBallQueryMmcv-xyz-same-dtype]
 *   - The dtype of idx must hold every index below xyz[0]. [diopiStackBallQueryMmcv-idx-fits-index]
 *   - Each element of xyz_batch_cnt must be at least 0. A device may report this when the stream is synchronised.
 *     [diopiStackBallQueryMmcv-xyz_batch_cnt-elements]
 *   - Each element of center_xyz_batch_cnt must be at least 0. A device may report this when the stream is
 *     synchronised. [diopiStackBallQueryMmcv-center_xyz_batch_cnt-elements]
 *   - The counts in xyz_batch_cnt must add up to at most the number of rows of xyz. A device may report this when the
 *     stream is synchronised. [diopiStackBallQueryMmcv-xyz_batch_cnt-sum]
 *   - The counts in center_xyz_batch_cnt must add up to at most the number of rows of center_xyz. A device may report
 *     this when the stream is synchronised. [diopiStackBallQueryMmcv-center_xyz_batch_cnt-sum]
 * - source: mmcv.ops.ball_query with batch counts
 * - notes: Centres beyond the counts belong to the last batch. Every element of idx is written. Callers test column 0
 *   for -1.
 */
DIOPI_API diopiError_t diopiStackBallQueryMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t idx,
                                               diopiConstTensorHandle_t center_xyz,
                                               diopiConstTensorHandle_t center_xyz_batch_cnt,
                                               diopiConstTensorHandle_t xyz, diopiConstTensorHandle_t xyz_batch_cnt,
                                               float max_radius, int64_t sample_num);

/**
 * Picks points that are furthest from those picked before, mmcv's `furthest_point_sample`.
 *
 * @param[in]     ctx          context of the call
 * @param[in,out] temp_tensor  squared distance of each point to the set so far; filled with a large number by the
 *         caller; float32
 * @param[out]    idx_tensor   int32
 * @param[in]     points_xyz   float32
 * @param[in]     B            integer
 * @param[in]     N            integer
 * @param[in]     num_points   integer
 *
 * - formula: idx_tensor[b, 0] = 0; for j from 1 on, temp_tensor[b, k] = min(temp_tensor[b, k], squared distance of
 *   points k and idx_tensor[b, j - 1]) for every k, and idx_tensor[b, j] = the first k with the largest temp_tensor[b,
 *   k]
 * - shape: points_xyz is [B, N, 3], temp_tensor [B, N], idx_tensor [B, num_points].
 * - empty: Empty tensors are ordinary; without points every index is 0.
 * - nan: A distance or a number of temp_tensor that is NaN compares false with everything; if no number of temp_tensor
 *   is above -1, the index is 0.
 * - accumulation: Distances are computed in float32, or in float64 for float64, without a fused multiplication and
 *   addition.
 * - checks:
 *   - points_xyz must have the shape [B, N, 3]. [diopiFurthestPointSamplingMmcv-points_xyz-shape]
 *   - temp_tensor must have the shape [B, N]. [diopiFurthestPointSamplingMmcv-temp_tensor-shape]
 *   - idx_tensor must have the shape [B, num_points]. [diopiFurthestPointSamplingMmcv-idx_tensor-shape]
 *   - The dtype of idx_tensor must hold every index below points_xyz[1].
 *     [diopiFurthestPointSamplingMmcv-idx_tensor-fits-index]
 * - source: mmcv.ops.furthest_point_sample
 * - notes: temp_tensor is the caller's, filled with 1e10 as mmcv does; other numbers limit the distances. Of equal
 *   distances mmcv's kernels take one that depends on the number of threads of a block; here the lowest index wins.
 */
DIOPI_API diopiError_t diopiFurthestPointSamplingMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t temp_tensor,
                                                      diopiTensorHandle_t idx_tensor,
                                                      diopiConstTensorHandle_t points_xyz, int64_t B, int64_t N,
                                                      int64_t num_points);

/**
 * diopiFurthestPointSamplingMmcv from a given matrix of distances, mmcv's `furthest_point_sample_with_dist`.
 *
 * @param[in]     ctx          context of the call
 * @param[in,out] temp_tensor  distance of each point to the set so far; filled with a large number by the caller;
 *         float32
 * @param[out]    idx_tensor   int32
 * @param[in]     points_dist  float32
 * @param[in]     B            integer
 * @param[in]     N            integer
 * @param[in]     num_points   integer
 *
 * - formula: as diopiFurthestPointSamplingMmcv with points_dist[b, idx_tensor[b, j - 1], k] as the distance
 * - shape: points_dist is [B, N, N], temp_tensor [B, N], idx_tensor [B, num_points].
 * - empty: Empty tensors are ordinary; without points every index is 0.
 * - nan: A distance or a number of temp_tensor that is NaN compares false with everything; if no number of temp_tensor
 *   is above -1, the index is 0.
 * - checks:
 *   - points_dist must have the shape [B, N, N]. [diopiFurthestPointSamplingWithDistMmcv-points_dist-shape]
 *   - temp_tensor must have the shape [B, N]. [diopiFurthestPointSamplingWithDistMmcv-temp_tensor-shape]
 *   - idx_tensor must have the shape [B, num_points]. [diopiFurthestPointSamplingWithDistMmcv-idx_tensor-shape]
 *   - The dtype of idx_tensor must hold every index below points_dist[1].
 *     [diopiFurthestPointSamplingWithDistMmcv-idx_tensor-fits-index]
 * - source: mmcv.ops.furthest_point_sample_with_dist
 * - notes: temp_tensor is the caller's, filled with 1e10 as mmcv does; other numbers limit the distances. The matrix
 *   need not be symmetric.
 */
DIOPI_API diopiError_t diopiFurthestPointSamplingWithDistMmcv(diopiContextHandle_t ctx,
                                                              diopiTensorHandle_t temp_tensor,
                                                              diopiTensorHandle_t idx_tensor,
                                                              diopiConstTensorHandle_t points_dist, int64_t B,
                                                              int64_t N, int64_t num_points);

/**
 * Features of the points named by idx, mmcv's `gather_points`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] out      floating
 * @param[in]  points   floating
 * @param[in]  idx      int32
 * @param[in]  b        integer
 * @param[in]  c        integer
 * @param[in]  n        integer
 * @param[in]  npoints  integer
 *
 * - formula: out[b, c, p] = points[b, c, idx[b, p]]
 * - shape: points is [b, c, n], idx [b, npoints], out [b, c, npoints].
 * - nan: Moved like every other value.
 * - checks:
 *   - points must have the shape [b, c, n]. [diopiGatherPointsMmcv-points-shape]
 *   - idx must have the shape [b, npoints]. [diopiGatherPointsMmcv-idx-shape]
 *   - out must have the shape [b, c, npoints]. [diopiGatherPointsMmcv-out-shape]
 *   - points and out must have the same dtype. [diopiGatherPointsMmcv-points-same-dtype]
 *   - Each element of idx must be a position of points in dimension 2. A device may report this when the stream is
 *     synchronised. [diopiGatherPointsMmcv-idx-index]
 * - source: mmcv.ops.gather_points
 */
DIOPI_API diopiError_t diopiGatherPointsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                             diopiConstTensorHandle_t points, diopiConstTensorHandle_t idx, int64_t b,
                                             int64_t c, int64_t n, int64_t npoints);

/**
 * Gradient of diopiGatherPointsMmcv with respect to points.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_points  floating
 * @param[in]  grad_out     floating
 * @param[in]  idx          int32
 * @param[in]  b            integer
 * @param[in]  c            integer
 * @param[in]  n            integer
 * @param[in]  npoints      integer
 *
 * - formula: grad_points = 0; grad_points[b, c, idx[b, p]] += grad_out[b, c, p]
 * - shape: grad_points is [b, c, n], idx [b, npoints], grad_out [b, c, npoints].
 * - accumulation: In float64, in the order of the indices; rounded once.
 * - checks:
 *   - grad_points must have the shape [b, c, n]. [diopiGatherPointsBackwardMmcv-grad_points-shape]
 *   - idx must have the shape [b, npoints]. [diopiGatherPointsBackwardMmcv-idx-shape]
 *   - grad_out must have the shape [b, c, npoints]. [diopiGatherPointsBackwardMmcv-grad_out-shape]
 *   - grad_out and grad_points must have the same dtype. [diopiGatherPointsBackwardMmcv-grad_out-same-dtype]
 *   - Each element of idx must be a position of grad_points in dimension 2. A device may report this when the stream is
 *     synchronised. [diopiGatherPointsBackwardMmcv-idx-index]
 * - source: the derivative of mmcv.ops.gather_points
 */
DIOPI_API diopiError_t diopiGatherPointsBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_points,
                                                     diopiConstTensorHandle_t grad_out, diopiConstTensorHandle_t idx,
                                                     int64_t b, int64_t c, int64_t n, int64_t npoints);

/**
 * Features of groups of points named by idx, mmcv's `grouping_operation`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] out      floating
 * @param[in]  points   floating
 * @param[in]  idx      int32
 * @param[in]  b        integer
 * @param[in]  c        integer
 * @param[in]  n        integer
 * @param[in]  npoints  integer
 * @param[in]  nsample  integer
 *
 * - formula: out[b, c, p, s] = points[b, c, idx[b, p, s]]
 * - shape: points is [b, c, n], idx [b, npoints, nsample], out [b, c, npoints, nsample].
 * - nan: Moved like every other value.
 * - checks:
 *   - points must have the shape [b, c, n]. [diopiGroupPointsMmcv-points-shape]
 *   - idx must have the shape [b, npoints, nsample]. [diopiGroupPointsMmcv-idx-shape]
 *   - out must have the shape [b, c, npoints, nsample]. [diopiGroupPointsMmcv-out-shape]
 *   - points and out must have the same dtype. [diopiGroupPointsMmcv-points-same-dtype]
 *   - Each element of idx must be a position of points in dimension 2. A device may report this when the stream is
 *     synchronised. [diopiGroupPointsMmcv-idx-index]
 * - source: mmcv.ops.grouping_operation
 */
DIOPI_API diopiError_t diopiGroupPointsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                            diopiConstTensorHandle_t points, diopiConstTensorHandle_t idx, int64_t b,
                                            int64_t c, int64_t n, int64_t npoints, int64_t nsample);

/**
 * Gradient of diopiGroupPointsMmcv with respect to points.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_points  floating
 * @param[in]  grad_out     floating
 * @param[in]  idx          int32
 * @param[in]  b            integer
 * @param[in]  c            integer
 * @param[in]  n            integer
 * @param[in]  npoints      integer
 * @param[in]  nsample      integer
 *
 * - formula: grad_points = 0; grad_points[b, c, idx[b, p, s]] += grad_out[b, c, p, s]
 * - shape: grad_points is [b, c, n], idx [b, npoints, nsample], grad_out [b, c, npoints, nsample].
 * - accumulation: In float64, in the order of the indices; rounded once.
 * - checks:
 *   - grad_points must have the shape [b, c, n]. [diopiGroupPointsBackwardMmcv-grad_points-shape]
 *   - idx must have the shape [b, npoints, nsample]. [diopiGroupPointsBackwardMmcv-idx-shape]
 *   - grad_out must have the shape [b, c, npoints, nsample]. [diopiGroupPointsBackwardMmcv-grad_out-shape]
 *   - grad_out and grad_points must have the same dtype. [diopiGroupPointsBackwardMmcv-grad_out-same-dtype]
 *   - Each element of idx must be a position of grad_points in dimension 2. A device may report this when the stream is
 *     synchronised. [diopiGroupPointsBackwardMmcv-idx-index]
 * - source: the derivative of mmcv.ops.grouping_operation
 */
DIOPI_API diopiError_t diopiGroupPointsBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_points,
                                                    diopiConstTensorHandle_t grad_out, diopiConstTensorHandle_t idx,
                                                    int64_t b, int64_t c, int64_t n, int64_t npoints, int64_t nsample);

/**
 * diopiGroupPointsMmcv for batches of different sizes stacked into one tensor.
 *
 * @param[in]  ctx                        context of the call
 * @param[out] out_tensor                 floating
 * @param[in]  features_tensor            floating
 * @param[in]  features_batch_cnt_tensor  int32
 * @param[in]  idx_tensor                 int32
 * @param[in]  idx_batch_cnt_tensor       int32
 * @param[in]  b                          integer
 * @param[in]  c                          integer
 * @param[in]  m                          integer
 * @param[in]  nsample                    integer
 *
 * - formula: out_tensor[p, ch, s] = features_tensor[first + idx_tensor[p, s], ch], where the batch of row p has the
 *   rows from first on; 0 if idx_tensor[p, s] is not in [0, rows of this batch)
 * - shape: features_tensor is [rows, c], idx_tensor [m, nsample], the counts are [b], out_tensor is [m, c, nsample].
 * - nan: Moved like every other value.
 * - checks:
 *   - features_tensor must have the shape [any, c]. [diopiStackGroupPointsMmcv-features_tensor-shape]
 *   - features_batch_cnt_tensor must have the shape [b]. [diopiStackGroupPointsMmcv-features_batch_cnt_tensor-shape]
 *   - idx_batch_cnt_tensor must have the shape [b]. [diopiStackGroupPointsMmcv-idx_batch_cnt_tensor-shape]
 *   - idx_tensor must have the shape [m, nsample]. [diopiStackGroupPointsMmcv-idx_tensor-shape]
 *   - out_tensor must have the shape [m, c, nsample]. [diopiStackGroupPointsMmcv-out_tensor-shape]
 *   - features_tensor and out_tensor must have the same dtype. [diopiStackGroupPointsMmcv-features_tensor-same-dtype]
 *   - Each element of features_batch_cnt_tensor must be at least 0. A device may report this when the stream is
 *     synchronised. [diopiStackGroupPointsMmcv-features_batch_cnt_tensor-elements]
 *   - Each element of idx_batch_cnt_tensor must be at least 0. A device may report this when the stream is
 *     synchronised. [diopiStackGroupPointsMmcv-idx_batch_cnt_tensor-elements]
 *   - The counts in features_batch_cnt_tensor must add up to at most the number of rows of features_tensor. A device
 *     may report this when the stream is synchronised. [diopiStackGroupPointsMmcv-features_batch_cnt_tensor-sum]
 *   - The counts in idx_batch_cnt_tensor must add up to at most m. A device may report this when the stream is
 *     synchronised. [diopiStackGroupPointsMmcv-idx_batch_cnt_tensor-sum]
 * - source: mmcv.ops.grouping_operation with batch counts
 * - notes: mmcv compares an index with the end of its batch in all rows, so that other indices, such as the -1 of an
 *   empty ball, read foreign memory; here they give 0. Rows of idx_tensor beyond the counts belong to the last batch.
 */
DIOPI_API diopiError_t diopiStackGroupPointsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out_tensor,
                                                 diopiConstTensorHandle_t features_tensor,
                                                 diopiConstTensorHandle_t features_batch_cnt_tensor,
                                                 diopiConstTensorHandle_t idx_tensor,
                                                 diopiConstTensorHandle_t idx_batch_cnt_tensor, int64_t b, int64_t c,
                                                 int64_t m, int64_t nsample);

/**
 * Gradient of diopiStackGroupPointsMmcv with respect to the features.
 *
 * @param[in]  ctx                        context of the call
 * @param[out] grad_features_tensor       floating
 * @param[in]  grad_out_tensor            floating
 * @param[in]  idx_tensor                 int32
 * @param[in]  idx_batch_cnt_tensor       int32
 * @param[in]  features_batch_cnt_tensor  int32
 * @param[in]  b                          integer
 * @param[in]  c                          integer
 * @param[in]  m                          integer
 * @param[in]  n                          integer
 * @param[in]  nsample                    integer
 *
 * - formula: grad_features_tensor = 0; grad_features_tensor[first + idx_tensor[p, s], ch] += grad_out_tensor[p, ch, s],
 *   where the batch of row p has the rows from first on; indices that are not in [0, rows of this batch) are skipped
 * - shape: grad_features_tensor is [n, c], idx_tensor [m, nsample], the counts are [b], grad_out_tensor is [m, c,
 *   nsample].
 * - accumulation: In float64, in the order of the indices; rounded once.
 * - checks:
 *   - grad_features_tensor must have the shape [n, c]. [diopiStackGroupPointsBackwardMmcv-grad_features_tensor-shape]
 *   - features_batch_cnt_tensor must have the shape [b].
 *     [diopiStackGroupPointsBackwardMmcv-features_batch_cnt_tensor-shape]
 *   - idx_batch_cnt_tensor must have the shape [b]. [diopiStackGroupPointsBackwardMmcv-idx_batch_cnt_tensor-shape]
 *   - idx_tensor must have the shape [m, nsample]. [diopiStackGroupPointsBackwardMmcv-idx_tensor-shape]
 *   - grad_out_tensor must have the shape [m, c, nsample]. [diopiStackGroupPointsBackwardMmcv-grad_out_tensor-shape]
 *   - grad_out_tensor and grad_features_tensor must have the same dtype.
 *     [diopiStackGroupPointsBackwardMmcv-grad_out_tensor-same-dtype]
 *   - Each element of features_batch_cnt_tensor must be at least 0. A device may report this when the stream is
 *     synchronised. [diopiStackGroupPointsBackwardMmcv-features_batch_cnt_tensor-elements]
 *   - Each element of idx_batch_cnt_tensor must be at least 0. A device may report this when the stream is
 *     synchronised. [diopiStackGroupPointsBackwardMmcv-idx_batch_cnt_tensor-elements]
 *   - The counts in features_batch_cnt_tensor must add up to at most n. A device may report this when the stream is
 *     synchronised. [diopiStackGroupPointsBackwardMmcv-features_batch_cnt_tensor-sum]
 *   - The counts in idx_batch_cnt_tensor must add up to at most m. A device may report this when the stream is
 *     synchronised. [diopiStackGroupPointsBackwardMmcv-idx_batch_cnt_tensor-sum]
 * - source: the derivative of mmcv.ops.grouping_operation with batch counts
 */
DIOPI_API diopiError_t diopiStackGroupPointsBackwardMmcv(diopiContextHandle_t ctx,
                                                         diopiTensorHandle_t grad_features_tensor,
                                                         diopiConstTensorHandle_t grad_out_tensor,
                                                         diopiConstTensorHandle_t idx_tensor,
                                                         diopiConstTensorHandle_t idx_batch_cnt_tensor,
                                                         diopiConstTensorHandle_t features_batch_cnt_tensor,
                                                         int64_t b, int64_t c, int64_t m, int64_t n, int64_t nsample);

/**
 * Indices and squared distances of the nearest neighbours of each point, mmcv's `knn`.
 *
 * @param[in]  ctx             context of the call
 * @param[out] idx_tensor      int32
 * @param[out] dist2_tensor    floating
 * @param[in]  xyz_tensor      floating
 * @param[in]  new_xyz_tensor  floating
 * @param[in]  b               integer
 * @param[in]  n               integer
 * @param[in]  m               integer
 * @param[in]  nsample         integer
 *
 * - formula: idx_tensor[b, p, :] = the nsample points of xyz_tensor[b] that are nearest to new_xyz_tensor[b, p], by
 *   ascending squared distance, then ascending index; dist2_tensor = their squared distances; points with a squared
 *   distance of 1e10 or more are ignored, and places without a point hold the index 0 and the distance 1e10
 * - shape: xyz_tensor is [b, n, 3], new_xyz_tensor [b, m, 3], idx_tensor and dist2_tensor are [b, m, nsample].
 * - nan: A distance that is NaN compares false with everything.
 * - accumulation: Distances are computed in float32, or in float64 for float64, without a fused multiplication and
 *   addition.
 * - checks:
 *   - xyz_tensor must have the shape [b, n, 3]. [diopiKnnMmcv-xyz_tensor-shape]
 *   - new_xyz_tensor must have the shape [b, m, 3]. [diopiKnnMmcv-new_xyz_tensor-shape]
 *   - idx_tensor must have the shape [b, m, nsample]. [diopiKnnMmcv-idx_tensor-shape]
 *   - dist2_tensor must have the shape [b, m, nsample]. [diopiKnnMmcv-dist2_tensor-shape]
 *   - xyz_tensor and new_xyz_tensor must have the same dtype. [diopiKnnMmcv-xyz_tensor-same-dtype]
 *   - The dtype of idx_tensor must hold every index below xyz_tensor[1]. [diopiKnnMmcv-idx_tensor-fits-index]
 * - source: mmcv.ops.knn
 * - notes: mmcv passes a float32 dist2_tensor for every dtype of the points; any floating point dtype is accepted.
 *   mmcv's heap leaves the order of equal distances open.
 */
DIOPI_API diopiError_t diopiKnnMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t idx_tensor,
                                    diopiTensorHandle_t dist2_tensor, diopiConstTensorHandle_t xyz_tensor,
                                    diopiConstTensorHandle_t new_xyz_tensor, int64_t b, int64_t n, int64_t m,
                                    int64_t nsample);

/**
 * First box that contains each point, or -1, mmcv's `points_in_boxes_part`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] box_idx_of_points  int32
 * @param[in]  boxes              floating
 * @param[in]  pts                floating
 *
 * - formula: box_idx_of_points[b, m] = the lowest t such that box t = (x, y, z, dx, dy, dz, rz) of boxes[b] contains
 *   the point, -1 if there is none. The box contains (px, py, pz) if |pz - (z + dz / 2)| <= dz / 2, |lx| < dx / 2 and
 *   |ly| < dy / 2, with lx = sx * cos(-rz) - sy * sin(-rz), ly = sx * sin(-rz) + sy * cos(-rz), sx = px - x, sy = py -
 *   y
 * - shape: boxes is [B, T, 7], pts [B, M, 3], box_idx_of_points [B, M].
 * - nan: NaN compares false with everything.
 * - accumulation: In float32, or in float64 for float64, without a fused multiplication and addition; the sine and the
 *   cosine are rounded from float64.
 * - checks:
 *   - boxes must have the shape [any, any, 7]. [diopiPointsInBoxesPartMmcv-boxes-shape]
 *   - pts must have the shape [boxes[0], any, 3]. [diopiPointsInBoxesPartMmcv-pts-shape]
 *   - box_idx_of_points must have the shape [pts[:2]]. [diopiPointsInBoxesPartMmcv-box_idx_of_points-shape]
 *   - boxes and pts must have the same dtype. [diopiPointsInBoxesPartMmcv-boxes-same-dtype]
 *   - The dtype of box_idx_of_points must hold every index below boxes[1].
 *     [diopiPointsInBoxesPartMmcv-box_idx_of_points-fits-index]
 * - source: mmcv.ops.points_in_boxes_part
 * - notes: z is the bottom of the box. Every element of the output is written, so that the caller need not fill it.
 */
DIOPI_API diopiError_t diopiPointsInBoxesPartMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t box_idx_of_points,
                                                  diopiConstTensorHandle_t boxes, diopiConstTensorHandle_t pts);

/**
 * Whether each point lies in each box, mmcv's `points_in_boxes_all`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] box_idx_of_points  int32
 * @param[in]  boxes              floating
 * @param[in]  pts                floating
 *
 * - formula: box_idx_of_points[b, m, t] = 1 if box t of boxes[b] contains pts[b, m], as diopiPointsInBoxesPartMmcv
 *   defines it, else 0
 * - shape: boxes is [B, T, 7], pts [B, M, 3], box_idx_of_points [B, M, T].
 * - nan: NaN compares false with everything.
 * - accumulation: In float32, or in float64 for float64, without a fused multiplication and addition; the sine and the
 *   cosine are rounded from float64.
 * - checks:
 *   - boxes must have the shape [any, any, 7]. [diopiPointsInBoxesAllMmcv-boxes-shape]
 *   - pts must have the shape [boxes[0], any, 3]. [diopiPointsInBoxesAllMmcv-pts-shape]
 *   - box_idx_of_points must have the shape [pts[:2], boxes[1]]. [diopiPointsInBoxesAllMmcv-box_idx_of_points-shape]
 *   - boxes and pts must have the same dtype. [diopiPointsInBoxesAllMmcv-boxes-same-dtype]
 * - source: mmcv.ops.points_in_boxes_all
 * - notes: The shape that mmcv's documentation gives, [B, M] filled with -1, is that of diopiPointsInBoxesPartMmcv.
 *   Every element of the output is written.
 */
DIOPI_API diopiError_t diopiPointsInBoxesAllMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t box_idx_of_points,
                                                 diopiConstTensorHandle_t boxes, diopiConstTensorHandle_t pts);

/**
 * Weighted sum of the features of three neighbours, mmcv's `three_interpolate`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     floating
 * @param[in]  points  floating
 * @param[in]  idx     int32
 * @param[in]  weight  floating
 * @param[in]  b       integer
 * @param[in]  c       integer
 * @param[in]  m       integer
 * @param[in]  n       integer
 *
 * - formula: out[b, c, i] = sum over j < 3 of weight[b, i, j] * points[b, c, idx[b, i, j]]
 * - shape: points is [b, c, m], idx and weight are [b, n, 3], out is [b, c, n].
 * - accumulation: In float32, or in float64 for float64; rounded once.
 * - checks:
 *   - points must have the shape [b, c, m]. [diopiThreeInterpolateMmcv-points-shape]
 *   - idx must have the shape [b, n, 3]. [diopiThreeInterpolateMmcv-idx-shape]
 *   - weight must have the shape [b, n, 3]. [diopiThreeInterpolateMmcv-weight-shape]
 *   - out must have the shape [b, c, n]. [diopiThreeInterpolateMmcv-out-shape]
 *   - points, weight and out must have the same dtype. [diopiThreeInterpolateMmcv-points-same-dtype]
 *   - Each element of idx must be a position of points in dimension 2. A device may report this when the stream is
 *     synchronised. [diopiThreeInterpolateMmcv-idx-index]
 * - source: mmcv.ops.three_interpolate
 * - notes: The weights are not normalised.
 */
DIOPI_API diopiError_t diopiThreeInterpolateMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                                 diopiConstTensorHandle_t points, diopiConstTensorHandle_t idx,
                                                 diopiConstTensorHandle_t weight, int64_t b, int64_t c, int64_t m,
                                                 int64_t n);

/**
 * Gradient of diopiThreeInterpolateMmcv with respect to points.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_points  floating
 * @param[in]  grad_out     floating
 * @param[in]  idx          int32
 * @param[in]  weight       floating
 * @param[in]  b            integer
 * @param[in]  c            integer
 * @param[in]  n            integer
 * @param[in]  m            integer
 *
 * - formula: grad_points = 0; grad_points[b, c, idx[b, i, j]] += weight[b, i, j] * grad_out[b, c, i]
 * - shape: grad_points is [b, c, m], idx and weight are [b, n, 3], grad_out is [b, c, n].
 * - accumulation: In float64, in the order of the indices; rounded once.
 * - checks:
 *   - grad_points must have the shape [b, c, m]. [diopiThreeInterpolateBackwardMmcv-grad_points-shape]
 *   - idx must have the shape [b, n, 3]. [diopiThreeInterpolateBackwardMmcv-idx-shape]
 *   - weight must have the shape [b, n, 3]. [diopiThreeInterpolateBackwardMmcv-weight-shape]
 *   - grad_out must have the shape [b, c, n]. [diopiThreeInterpolateBackwardMmcv-grad_out-shape]
 *   - grad_out, weight and grad_points must have the same dtype.
 *     [diopiThreeInterpolateBackwardMmcv-grad_out-same-dtype]
 *   - Each element of idx must be a position of grad_points in dimension 2. A device may report this when the stream is
 *     synchronised. [diopiThreeInterpolateBackwardMmcv-idx-index]
 * - source: the derivative of mmcv.ops.three_interpolate
 * - notes: There is no gradient for weight.
 */
DIOPI_API diopiError_t diopiThreeInterpolateBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_points,
                                                         diopiConstTensorHandle_t grad_out,
                                                         diopiConstTensorHandle_t idx,
                                                         diopiConstTensorHandle_t weight, int64_t b, int64_t c,
                                                         int64_t n, int64_t m);

/**
 * Squared distances and indices of the three nearest known points, mmcv's `three_nn`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] dist2    floating
 * @param[out] idx      int32
 * @param[in]  unknown  floating
 * @param[in]  known    floating
 * @param[in]  b        integer
 * @param[in]  n        integer
 * @param[in]  m        integer
 *
 * - formula: idx[b, i, :] = the three points of known[b] that are nearest to unknown[b, i], by ascending squared
 *   distance, then ascending index; dist2 = their squared distances; places without a point hold the index 0 and the
 *   distance 1e40, which is infinite in all dtypes but float64
 * - shape: unknown is [b, n, 3], known [b, m, 3], dist2 and idx are [b, n, 3].
 * - nan: A distance that is NaN compares false with everything. Points with a distance that is not below 1e40 are
 *   ignored.
 * - accumulation: Distances are computed in float32, or in float64 for float64, without a fused multiplication and
 *   addition.
 * - checks:
 *   - unknown must have the shape [b, n, 3]. [diopiThreeNnMmcv-unknown-shape]
 *   - known must have the shape [b, m, 3]. [diopiThreeNnMmcv-known-shape]
 *   - dist2 must have the shape [b, n, 3]. [diopiThreeNnMmcv-dist2-shape]
 *   - idx must have the shape [b, n, 3]. [diopiThreeNnMmcv-idx-shape]
 *   - unknown, known and dist2 must have the same dtype. [diopiThreeNnMmcv-unknown-same-dtype]
 *   - The dtype of idx must hold every index below known[1]. [diopiThreeNnMmcv-idx-fits-index]
 * - source: mmcv.ops.three_nn
 */
DIOPI_API diopiError_t diopiThreeNnMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t dist2, diopiTensorHandle_t idx,
                                        diopiConstTensorHandle_t unknown, diopiConstTensorHandle_t known, int64_t b,
                                        int64_t n, int64_t m);

/**
 * Whether each point lies in each quadrilateral, mmcv's `points_in_polygons`.
 *
 * @param[in]  ctx       context of the call
 * @param[out] output    floating
 * @param[in]  points    floating
 * @param[in]  polygons  floating
 *
 * - formula: output[i, j] = 1 if points[i] lies in the quadrilateral polygons[j] = (x1, y1, ..., x4, y4), else 0, by
 *   the even-odd rule: for each corner s and the corner t before it, with min(sy, ty) <= py <= max(sy, ty), stop if the
 *   point is s or t; if sy < py <= ty or ty < py <= sy, let x = sx + (py - sy) * (tx - sx) / (ty - sy), stop if x = px,
 *   and count the edge if x > px; the result is whether the count is odd when the loop ends
 * - shape: points is [B, 2], polygons [M, 8], output [B, M].
 * - nan: NaN compares false with everything.
 * - accumulation: In float32, or in float64 for float64, without a fused multiplication and addition.
 * - checks:
 *   - points must have the shape [any, 2]. [diopiPointsInPolygonsMmcv-points-shape]
 *   - polygons must have the shape [any, 8]. [diopiPointsInPolygonsMmcv-polygons-shape]
 *   - output must have the shape [points[0], polygons[0]]. [diopiPointsInPolygonsMmcv-output-shape]
 *   - points and polygons must have the same dtype. [diopiPointsInPolygonsMmcv-points-same-dtype]
 * - source: mmcv.ops.points_in_polygons
 * - notes: The result for a point on the boundary depends on the order of the corners. mmcv always passes a float32
 *   output; any floating point dtype is accepted.
 */
DIOPI_API diopiError_t diopiPointsInPolygonsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                 diopiConstTensorHandle_t points, diopiConstTensorHandle_t polygons);

/**
 * Squared distance from each 2D point to the nearest of the other set, both ways, mmcv's `chamfer_distance`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] dist1  floating
 * @param[out] dist2  floating
 * @param[out] idx1   int32
 * @param[out] idx2   int32
 * @param[in]  xyz1   floating
 * @param[in]  xyz2   floating
 *
 * - formula: dist1[b, i] = the least squared distance from xyz1[b, i] to a point of xyz2[b], idx1[b, i] = the first
 *   point that has it; dist2 and idx2 the other way; without a point to compare with, distance and index are 0
 * - shape: xyz1 is [B, N, 2], xyz2 [B, M, 2], dist1 and idx1 are [B, N], dist2 and idx2 [B, M].
 * - nan: A distance that is NaN compares false with everything. If no distance is below infinity, the distance is
 *   infinite and the index 0.
 * - accumulation: Distances, dx * dx + dy * dy, are computed in float32, or in float64 for float64, without a fused
 *   multiplication and addition.
 * - checks:
 *   - xyz1 must have the shape [any, any, 2]. [diopiChamferDistanceMmcv-xyz1-shape]
 *   - xyz2 must have the shape [xyz1[0], any, 2]. [diopiChamferDistanceMmcv-xyz2-shape]
 *   - dist1 must have the shape [xyz1[:2]]. [diopiChamferDistanceMmcv-dist1-shape]
 *   - idx1 must have the shape [xyz1[:2]]. [diopiChamferDistanceMmcv-idx1-shape]
 *   - dist2 must have the shape [xyz2[:2]]. [diopiChamferDistanceMmcv-dist2-shape]
 *   - idx2 must have the shape [xyz2[:2]]. [diopiChamferDistanceMmcv-idx2-shape]
 *   - xyz1, xyz2, dist1 and dist2 must have the same dtype. [diopiChamferDistanceMmcv-xyz1-same-dtype]
 *   - The dtype of idx1 must hold every index below xyz2[1]. [diopiChamferDistanceMmcv-idx1-fits-index]
 *   - The dtype of idx2 must hold every index below xyz1[1]. [diopiChamferDistanceMmcv-idx2-fits-index]
 * - source: mmcv.ops.chamfer_distance
 * - notes: The two sets may have different sizes. mmcv's kernel limits distances to 1e10; here there is no limit.
 */
DIOPI_API diopiError_t diopiChamferDistanceMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t dist1,
                                                diopiTensorHandle_t dist2, diopiTensorHandle_t idx1,
                                                diopiTensorHandle_t idx2, diopiConstTensorHandle_t xyz1,
                                                diopiConstTensorHandle_t xyz2);

/**
 * Gradients of diopiChamferDistanceMmcv with respect to both point sets.
 *
 * @param[in]  ctx         context of the call
 * @param[out] grad_xyz1   floating
 * @param[out] grad_xyz2   floating
 * @param[in]  xyz1        floating
 * @param[in]  xyz2        floating
 * @param[in]  idx1        int32
 * @param[in]  idx2        int32
 * @param[in]  grad_dist1  floating
 * @param[in]  grad_dist2  floating
 *
 * - formula: grad_xyz1 = grad_xyz2 = 0; for each point p = xyz1[b, i], q = xyz2[b, idx1[b, i]] and g = 2 *
 *   grad_dist1[b, i] * (p - q): grad_xyz1[b, i] += g and grad_xyz2[b, idx1[b, i]] -= g; then the same from the second
 *   set with idx2 and grad_dist2
 * - shape: As in diopiChamferDistanceMmcv; gradients have the shapes of what they belong to.
 * - empty: Empty tensors are ordinary; without a second set there is no gradient.
 * - accumulation: In float64, in the order of the indices; rounded once.
 * - checks:
 *   - xyz1 must have the shape [any, any, 2]. [diopiChamferDistanceBackwardMmcv-xyz1-shape]
 *   - grad_xyz1 must have the shape [any, any, 2]. [diopiChamferDistanceBackwardMmcv-grad_xyz1-shape]
 *   - xyz2 must have the shape [xyz1[0], any, 2]. [diopiChamferDistanceBackwardMmcv-xyz2-shape]
 *   - grad_xyz2 must have the shape [xyz1[0], any, 2]. [diopiChamferDistanceBackwardMmcv-grad_xyz2-shape]
 *   - grad_xyz1 and xyz1 must have the same shape. [diopiChamferDistanceBackwardMmcv-grad_xyz1-same-shape]
 *   - grad_xyz2 and xyz2 must have the same shape. [diopiChamferDistanceBackwardMmcv-grad_xyz2-same-shape]
 *   - idx1 must have the shape [xyz1[:2]]. [diopiChamferDistanceBackwardMmcv-idx1-shape]
 *   - grad_dist1 must have the shape [xyz1[:2]]. [diopiChamferDistanceBackwardMmcv-grad_dist1-shape]
 *   - idx2 must have the shape [xyz2[:2]]. [diopiChamferDistanceBackwardMmcv-idx2-shape]
 *   - grad_dist2 must have the shape [xyz2[:2]]. [diopiChamferDistanceBackwardMmcv-grad_dist2-shape]
 *   - xyz1, xyz2, grad_dist1, grad_dist2, grad_xyz1 and grad_xyz2 must have the same dtype.
 *     [diopiChamferDistanceBackwardMmcv-xyz1-same-dtype]
 *   - If xyz2 has at least 1 element, each element of idx1 must be a position of xyz2 in dimension 1. A device may
 *     report this when the stream is synchronised. [diopiChamferDistanceBackwardMmcv-idx1-index]
 *   - If xyz1 has at least 1 element, each element of idx2 must be a position of xyz1 in dimension 1. A device may
 *     report this when the stream is synchronised. [diopiChamferDistanceBackwardMmcv-idx2-index]
 * - source: the derivative of mmcv.ops.chamfer_distance
 * - notes: mmcv's launcher exchanges the numbers of points, so that its results are right for sets of one size only.
 */
DIOPI_API diopiError_t diopiChamferDistanceBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_xyz1,
                                                        diopiTensorHandle_t grad_xyz2, diopiConstTensorHandle_t xyz1,
                                                        diopiConstTensorHandle_t xyz2, diopiConstTensorHandle_t idx1,
                                                        diopiConstTensorHandle_t idx2,
                                                        diopiConstTensorHandle_t grad_dist1,
                                                        diopiConstTensorHandle_t grad_dist2);

/** @} */

/** @name mmcv_roi
 * Region pooling operators of mmcv.
 * - broadcasting: None.
 * - strides: Any, for inputs and outputs.
 * - aliasing: None.
 * - empty: Without regions or channels, a result is empty; a gradient without terms is 0.
 * - nan: As IEEE arithmetic has it. A region with a number that is NaN or infinite has no samples.
 * - accumulation: Positions and weights are computed in float64. How many samples a bin has and which of them lie
 *   inside of the map is decided by positions in float32, or in float64 for float64, of which each operation is
 *   rounded, as in mmcv's kernels without fused operations; a quotient that is rounded up to a number of samples is
 *   rounded to float32 first, also for float64. Sums of float16 and bfloat16 are computed in float32, others in their
 *   own precision, in the order of the regions.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - input must have 4 dimensions. [input-ndim]
 *   - features must have 4 dimensions. [features-ndim]
 *   - grad_input must have 4 dimensions. [grad_input-ndim]
 *   - bottom_grad must have 4 dimensions. [bottom_grad-ndim]
 *   - input must have no extent of 0 among its last 2. [input-not-empty]
 *   - features must have no extent of 0 among its last 2. [features-not-empty]
 *   - grad_input must have no extent of 0 among its last 2. [grad_input-not-empty]
 *   - bottom_grad must have no extent of 0 among its last 2. [bottom_grad-not-empty]
 *   - spatial_scale must be finite. [spatial_scale-value]
 *   - gamma must be finite. [gamma-value]
 *   - pooled_height must be at least 0. [pooled_height-value]
 *   - pooled_width must be at least 0. [pooled_width-value]
 *   - aligned_height must be at least 0. [aligned_height-value]
 *   - aligned_width must be at least 0. [aligned_width-value]
 *   - sampling_ratio must be at least -2147483648 and be at most 32768. [sampling_ratio-value]
 *   - num_samples must be at least -2147483648 and be at most 32768. [num_samples-value]
 *   - pool_mode must be at least 0 and be at most 1. [pool_mode-value]
 *   - pool_method must be at least 0 and be at most 1. [pool_method-value]
 *   - pool_size must be at least 1 and be at most 2147483647. [pool_size-value]
 *   - num_orientations must be at least 1. [num_orientations-value]
 *   - points must be at least 1 and be at most 5 and not be 2, 3 or 4. [points-value]
 */
/** @{ */

/**
 * Maximum of samples along each border of each box, mmcv's `border_align`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] output      floating
 * @param[out] argmax_idx  which sample won, for the backward call; int32
 * @param[in]  input       floating
 * @param[in]  boxes       floating
 * @param[in]  pool_size   integer
 *
 * - formula: with w = x2 - x1, h = y2 - y1 and i from 0 to pool_size, the samples of the borders lie at: top (x1 + i *
 *   w / pool_size, y1); left (x1, y1 + i * h / pool_size); bottom (x2 - i * w / pool_size, y2); right (x2, y2 - i * h /
 *   pool_size). output[n, c, k, e] = maximum of the bilinear samples of input[n, e * C + c] on border e of box k;
 *   argmax_idx = i of the first maximum
 * - shape: input [N, 4 C, H, W]; boxes [N, K, 4]; output and argmax_idx [N, C, K, 4], where the last dimension is top,
 *   left, bottom, right.
 * - nan: A sample of NaN is the maximum only if it is the first one. A sample at a position that is NaN or infinite is
 *   0.
 * - accumulation: Samples are computed in float64 and rounded once. Which of them lie inside of the map is decided in
 *   float32, or in float64 for float64, where each operation is rounded, as in mmcv's kernel.
 * - checks:
 *   - input[1] must be a multiple of 4. [diopiBorderAlignMmcv-input-divisible]
 *   - boxes must have the shape [input[0], any, 4]. [diopiBorderAlignMmcv-boxes-shape]
 *   - 4 * output[1] and input[1] must be equal. [diopiBorderAlignMmcv-output-equal]
 *   - output must have the shape [input[0], any, boxes[1], 4]. [diopiBorderAlignMmcv-output-shape]
 *   - argmax_idx must have the shape of output. [diopiBorderAlignMmcv-argmax_idx-shape]
 *   - output, input and boxes must have the same dtype. [diopiBorderAlignMmcv-output-same-dtype]
 * - source: mmcv's border_align
 * - notes: Samples outside of [-1, H] or [-1, W] are 0. Boxes have no half-pixel shift and no scale. mmcv adds the step
 *   repeatedly; so do the positions in float32 here, but not those in float64.
 */
DIOPI_API diopiError_t diopiBorderAlignMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                            diopiTensorHandle_t argmax_idx, diopiConstTensorHandle_t input,
                                            diopiConstTensorHandle_t boxes, int64_t pool_size);

/**
 * Gradient of diopiBorderAlignMmcv with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  boxes        floating
 * @param[in]  argmax_idx   int32
 * @param[in]  pool_size    integer
 *
 * - formula: grad_input = sum of grad_output times the bilinear weight of the element in the sample argmax_idx, whose
 *   position is as in diopiBorderAlignMmcv
 * - shape: grad_input [N, 4 C, H, W]; boxes [N, K, 4]; grad_output and argmax_idx [N, C, K, 4].
 * - checks:
 *   - grad_input[1] must be a multiple of 4. [diopiBorderAlignBackwardMmcv-grad_input-divisible]
 *   - boxes must have the shape [grad_input[0], any, 4]. [diopiBorderAlignBackwardMmcv-boxes-shape]
 *   - 4 * grad_output[1] and grad_input[1] must be equal. [diopiBorderAlignBackwardMmcv-grad_output-equal]
 *   - grad_output must have the shape [grad_input[0], any, boxes[1], 4].
 *     [diopiBorderAlignBackwardMmcv-grad_output-shape]
 *   - argmax_idx must have the shape of grad_output. [diopiBorderAlignBackwardMmcv-argmax_idx-shape]
 *   - grad_input, grad_output and boxes must have the same dtype. [diopiBorderAlignBackwardMmcv-grad_input-same-dtype]
 *   - Each element of argmax_idx must be 0 to below pool_size + 1. A device may report this when the stream is
 *     synchronised. [diopiBorderAlignBackwardMmcv-argmax_idx-index]
 * - source: gradient of mmcv's border_align with respect to input
 * - notes: Every element of grad_input is written; the caller need not clear it.
 */
DIOPI_API diopiError_t diopiBorderAlignBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                    diopiConstTensorHandle_t grad_output,
                                                    diopiConstTensorHandle_t boxes,
                                                    diopiConstTensorHandle_t argmax_idx, int64_t pool_size);

/**
 * Region pooling with a learned shift per bin, mmcv's `deform_roi_pool`.
 *
 * @param[in]  ctx             context of the call
 * @param[out] output          floating
 * @param[in]  input           floating
 * @param[in]  rois            floating
 * @param[in]  offset          shift of each bin; empty: none; floating
 * @param[in]  pooled_height   integer
 * @param[in]  pooled_width    integer
 * @param[in]  sampling_ratio  integer
 * @param[in]  spatial_scale   number
 * @param[in]  gamma           number
 *
 * - formula: start = coordinate * spatial_scale - 0.5; size = end - start; bin = size / pooled; g = sampling_ratio, or
 *   size / pooled rounded up if it is not positive; samples lie at start + p * bin + (i + 0.5) * bin / g + gamma * size
 *   * offset[r, d, ph, pw] with d = 0 for x and 1 for y; output = sum of the samples of a bin / max(number of samples,
 *   1)
 * - shape: input [N, C, H, W]; rois [R, 5]; offset [R, 2, pooled_height, pooled_width], or no elements; output [R, C,
 *   pooled_height, pooled_width].
 * - checks:
 *   - rois must have the shape [any, 5]. [diopiDeformRoiPoolMmcv-rois-shape]
 *   - If offset has at least 1 element, offset must have the shape [rois[0], 2, pooled_height, pooled_width].
 *     [diopiDeformRoiPoolMmcv-offset-shape]
 *   - output must have the shape [rois[0], input[1], pooled_height, pooled_width].
 *     [diopiDeformRoiPoolMmcv-output-shape]
 *   - output, input, rois and offset must have the same dtype. [diopiDeformRoiPoolMmcv-output-same-dtype]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of input. A device may
 *     report this when the stream is synchronised. [diopiDeformRoiPoolMmcv-rois-image]
 * - source: mmcv's deform_roi_pool
 * - notes: An offset without elements means no shift.
 */
DIOPI_API diopiError_t diopiDeformRoiPoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                              diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                              diopiConstTensorHandle_t offset, int64_t pooled_height,
                                              int64_t pooled_width, int64_t sampling_ratio, float spatial_scale,
                                              float gamma);

/**
 * Gradients of diopiDeformRoiPoolMmcv with respect to input and offset.
 *
 * @param[in]  ctx             context of the call
 * @param[out] grad_input      floating
 * @param[out] grad_offset     floating
 * @param[in]  grad_output     floating
 * @param[in]  input           floating
 * @param[in]  rois            floating
 * @param[in]  offset          shift of each bin; empty: none; floating
 * @param[in]  pooled_height   integer
 * @param[in]  pooled_width    integer
 * @param[in]  sampling_ratio  integer
 * @param[in]  spatial_scale   number
 * @param[in]  gamma           number
 *
 * - formula: grad_input = sum over all samples of grad_output / max(number of samples, 1) times the bilinear weight of
 *   the element. With g the same quotient, f the four elements of a sample at (y0, x0) .. (y1, x1), and x, y its
 *   position before it is clamped: grad_offset[r, 0] = gamma * width * sum of g * (f11 * (y - y0) + f10 * (y1 - y) +
 *   f01 * (y0 - y) + f00 * (y - y1)) and grad_offset[r, 1] = gamma * height * sum of g * (f11 * (x - x0) + f01 * (x1 -
 *   x) + f10 * (x0 - x) + f00 * (x - x1)), where f10 = f(y0, x1) and f01 = f(y1, x0)
 * - shape: grad_input and input [N, C, H, W]; rois [R, 5]; offset and grad_offset [R, 2, pooled_height, pooled_width],
 *   or no elements; grad_output [R, C, pooled_height, pooled_width].
 * - checks:
 *   - rois must have the shape [any, 5]. [diopiDeformRoiPoolBackwardMmcv-rois-shape]
 *   - If offset has at least 1 element, offset must have the shape [rois[0], 2, pooled_height, pooled_width].
 *     [diopiDeformRoiPoolBackwardMmcv-offset-shape]
 *   - grad_input and input must have the same shape. [diopiDeformRoiPoolBackwardMmcv-grad_input-same-shape]
 *   - grad_offset and offset must have the same shape. [diopiDeformRoiPoolBackwardMmcv-grad_offset-same-shape]
 *   - grad_output must have the shape [rois[0], input[1], pooled_height, pooled_width].
 *     [diopiDeformRoiPoolBackwardMmcv-grad_output-shape]
 *   - grad_input, grad_offset, grad_output, input, rois and offset must have the same dtype.
 *     [diopiDeformRoiPoolBackwardMmcv-grad_input-same-dtype]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of input. A device may
 *     report this when the stream is synchronised. [diopiDeformRoiPoolBackwardMmcv-rois-image]
 * - source: gradients of mmcv's deform_roi_pool with respect to input and offset
 * - notes: Every element of the gradients is written. The formulas are those of mmcv; in the last row and column, and
 *   between -1 and 0, they differ from the derivative.
 */
DIOPI_API diopiError_t diopiDeformRoiPoolBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                      diopiTensorHandle_t grad_offset,
                                                      diopiConstTensorHandle_t grad_output,
                                                      diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                                      diopiConstTensorHandle_t offset, int64_t pooled_height,
                                                      int64_t pooled_width, int64_t sampling_ratio,
                                                      float spatial_scale, float gamma);

/**
 * Average or maximum of bilinear samples in each bin of regions, mmcv's `roi_align`.
 *
 * @param[in]  ctx             context of the call
 * @param[out] output          floating
 * @param[out] argmax_y        where the maximum lies; written only if pool_mode is not 1, otherwise left as it is;
 *         floating
 * @param[out] argmax_x        where the maximum lies; written only if pool_mode is not 1, otherwise left as it is;
 *         floating
 * @param[in]  input           floating
 * @param[in]  rois            floating
 * @param[in]  aligned_height  integer
 * @param[in]  aligned_width   integer
 * @param[in]  sampling_ratio  integer
 * @param[in]  pool_mode       0: maximum; 1: average
 * @param[in]  spatial_scale   number
 * @param[in]  aligned         flag
 *
 * - formula: start = coordinate * spatial_scale - (0.5 if aligned, else 0); size = end - start, at least 1 if not
 *   aligned; bin = size / pooled; g = sampling_ratio, or size / pooled rounded up if it is not positive; samples lie at
 *   start + p * bin + (i + 0.5) * bin / g; output = sum of the samples of a bin / max(number of samples, 1), or their
 *   maximum; argmax_y and argmax_x = the position of the first maximum
 * - shape: input [N, C, H, W]; rois [R, 5]; output [R, C, aligned_height, aligned_width]; for the maximum argmax_y and
 *   argmax_x as output, for the average any shape.
 * - nan: As IEEE arithmetic has it; a sample of NaN is never the maximum. A region with a number that is NaN or
 *   infinite has no samples.
 * - accumulation: Positions, weights and the samples of a maximum are computed in float64. How many samples a bin has,
 *   which of them lie inside of the map, and argmax_y and argmax_x are those of positions in float32, or in float64 for
 *   float64, of which each operation is rounded, as in mmcv's kernel without fused operations; a quotient that is
 *   rounded up to a number of samples is rounded to float32 first, also for float64. Sums of float16 and bfloat16 are
 *   computed in float32, others in their own precision.
 * - checks:
 *   - rois must have the shape [any, 5]. [diopiRoiAlignMmcv-rois-shape]
 *   - output must have the shape [rois[0], input[1], aligned_height, aligned_width]. [diopiRoiAlignMmcv-output-shape]
 *   - If pool_mode is 0, argmax_y must have the shape of output. [diopiRoiAlignMmcv-argmax_y-shape]
 *   - If pool_mode is 0, argmax_x must have the shape of output. [diopiRoiAlignMmcv-argmax_x-shape]
 *   - output, argmax_y, argmax_x, input and rois must have the same dtype. [diopiRoiAlignMmcv-output-same-dtype]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of input. A device may
 *     report this when the stream is synchronised. [diopiRoiAlignMmcv-rois-image]
 * - source: mmcv's roi_align
 * - notes: A sample outside of [-1, H] or [-1, W] is 0, also for the maximum. For the average, argmax_y and argmax_x
 *   have no effect; mmcv passes tensors without elements. The maximum of a bin without samples is the lowest float32,
 *   or -inf in float16 and bfloat16, and its position (-1, -1).
 */
DIOPI_API diopiError_t diopiRoiAlignMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                         diopiTensorHandle_t argmax_y, diopiTensorHandle_t argmax_x,
                                         diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                         int64_t aligned_height, int64_t aligned_width, int64_t sampling_ratio,
                                         int64_t pool_mode, float spatial_scale, bool aligned);

/**
 * Gradient of diopiRoiAlignMmcv with respect to its input.
 *
 * @param[in]  ctx             context of the call
 * @param[out] grad_input      floating
 * @param[in]  grad_output     floating
 * @param[in]  rois            floating
 * @param[in]  argmax_y        floating
 * @param[in]  argmax_x        floating
 * @param[in]  aligned_height  integer
 * @param[in]  aligned_width   integer
 * @param[in]  sampling_ratio  integer
 * @param[in]  pool_mode       0: maximum; 1: average
 * @param[in]  spatial_scale   number
 * @param[in]  aligned         flag
 *
 * - formula: average: grad_input = sum over all samples of grad_output / max(number of samples, 1) times the bilinear
 *   weight of the element in the sample; maximum: grad_input = sum over all bins of grad_output times the bilinear
 *   weight of the element at (argmax_y, argmax_x), where argmax_y is not -1
 * - shape: grad_input [N, C, H, W]; rois [R, 5]; grad_output [R, C, aligned_height, aligned_width]; for the maximum
 *   argmax_y and argmax_x as grad_output, for the average any shape.
 * - checks:
 *   - rois must have the shape [any, 5]. [diopiRoiAlignBackwardMmcv-rois-shape]
 *   - grad_output must have the shape [rois[0], grad_input[1], aligned_height, aligned_width].
 *     [diopiRoiAlignBackwardMmcv-grad_output-shape]
 *   - If pool_mode is 0, argmax_y must have the shape of grad_output. [diopiRoiAlignBackwardMmcv-argmax_y-shape]
 *   - If pool_mode is 0, argmax_x must have the shape of grad_output. [diopiRoiAlignBackwardMmcv-argmax_x-shape]
 *   - grad_input, grad_output, rois, argmax_y and argmax_x must have the same dtype.
 *     [diopiRoiAlignBackwardMmcv-grad_input-same-dtype]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of grad_input. A
 *     device may report this when the stream is synchronised. [diopiRoiAlignBackwardMmcv-rois-image]
 * - source: gradient of mmcv's roi_align with respect to input
 * - notes: Every element of grad_input is written; the caller need not clear it.
 */
DIOPI_API diopiError_t diopiRoiAlignBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                 diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t rois,
                                                 diopiConstTensorHandle_t argmax_y, diopiConstTensorHandle_t argmax_x,
                                                 int64_t aligned_height, int64_t aligned_width,
                                                 int64_t sampling_ratio, int64_t pool_mode, float spatial_scale,
                                                 bool aligned);

/**
 * diopiRoiAlignMmcv with the average for rotated regions, mmcv's `roi_align_rotated`.
 *
 * @param[in]  ctx             context of the call
 * @param[out] output          floating
 * @param[in]  input           floating
 * @param[in]  rois            floating
 * @param[in]  aligned_height  integer
 * @param[in]  aligned_width   integer
 * @param[in]  sampling_ratio  integer
 * @param[in]  spatial_scale   number
 * @param[in]  aligned         flag
 * @param[in]  clockwise       flag
 *
 * - formula: (x, y) = (xc, yc) * spatial_scale - (0.5 if aligned, else 0); (w, h) * spatial_scale, at least 1 if not
 *   aligned; t = angle, negated if clockwise; bin = size / pooled; g = sampling_ratio, or size / pooled rounded up if
 *   it is not positive. Along the sides of the region, samples lie at v = -h / 2 + ph * bin + (i + 0.5) * bin / g and u
 *   alike; in the map at (y + v * cos t - u * sin t, x + v * sin t + u * cos t); output = sum of the samples of a bin /
 *   max(number of samples, 1)
 * - shape: input [N, C, H, W]; rois [R, 6], (image, xc, yc, w, h, angle); output [R, C, aligned_height, aligned_width].
 * - checks:
 *   - rois must have the shape [any, 6]. [diopiRoiAlignRotatedMmcv-rois-shape]
 *   - output must have the shape [rois[0], input[1], aligned_height, aligned_width].
 *     [diopiRoiAlignRotatedMmcv-output-shape]
 *   - output, input and rois must have the same dtype. [diopiRoiAlignRotatedMmcv-output-same-dtype]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of input. A device may
 *     report this when the stream is synchronised. [diopiRoiAlignRotatedMmcv-rois-image]
 * - source: mmcv's roi_align_rotated
 * - notes: The angle is in radians.
 */
DIOPI_API diopiError_t diopiRoiAlignRotatedMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                                int64_t aligned_height, int64_t aligned_width, int64_t sampling_ratio,
                                                float spatial_scale, bool aligned, bool clockwise);

/**
 * Gradient of diopiRoiAlignRotatedMmcv with respect to its input.
 *
 * @param[in]  ctx             context of the call
 * @param[out] bottom_grad     floating
 * @param[in]  top_grad        floating
 * @param[in]  rois            floating
 * @param[in]  aligned_height  integer
 * @param[in]  aligned_width   integer
 * @param[in]  sampling_ratio  integer
 * @param[in]  spatial_scale   number
 * @param[in]  aligned         flag
 * @param[in]  clockwise       flag
 *
 * - formula: bottom_grad = sum over all samples of top_grad / max(number of samples, 1) times the bilinear weight of
 *   the element in the sample of diopiRoiAlignRotatedMmcv
 * - shape: bottom_grad [N, C, H, W]; rois [R, 6], (image, xc, yc, w, h, angle); top_grad [R, C, aligned_height,
 *   aligned_width].
 * - checks:
 *   - rois must have the shape [any, 6]. [diopiRoiAlignRotatedBackwardMmcv-rois-shape]
 *   - top_grad must have the shape [rois[0], bottom_grad[1], aligned_height, aligned_width].
 *     [diopiRoiAlignRotatedBackwardMmcv-top_grad-shape]
 *   - bottom_grad, top_grad and rois must have the same dtype.
 *     [diopiRoiAlignRotatedBackwardMmcv-bottom_grad-same-dtype]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of bottom_grad. A
 *     device may report this when the stream is synchronised. [diopiRoiAlignRotatedBackwardMmcv-rois-image]
 * - source: gradient of mmcv's roi_align_rotated with respect to input
 * - notes: Every element of bottom_grad is written. The regions get no gradient.
 */
DIOPI_API diopiError_t diopiRoiAlignRotatedBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t bottom_grad,
                                                        diopiConstTensorHandle_t top_grad,
                                                        diopiConstTensorHandle_t rois, int64_t aligned_height,
                                                        int64_t aligned_width, int64_t sampling_ratio,
                                                        float spatial_scale, bool aligned, bool clockwise);

/**
 * Rotation-invariant pooling of rotated regions with oriented channels, mmcv's `riroi_align_rotated`.
 *
 * @param[in]  ctx               context of the call
 * @param[out] output            floating
 * @param[in]  features          floating
 * @param[in]  rois              floating
 * @param[in]  pooled_height     integer
 * @param[in]  pooled_width      integer
 * @param[in]  num_samples       integer
 * @param[in]  num_orientations  integer
 * @param[in]  spatial_scale     number
 * @param[in]  clockwise         flag
 *
 * - formula: (x, y) = (xc, yc) * spatial_scale - 0; (w, h) * spatial_scale, at least 1; t = angle, negated if
 *   clockwise; bin = size / pooled; g = num_samples, or size / pooled rounded up if it is not positive. Along the sides
 *   of the region, samples lie at v = -h / 2 + ph * bin + (i + 0.5) * bin / g and u alike; in the map at (y + v * cos t
 *   - u * sin t, x + v * sin t + u * cos t); v[c] = sum of the samples of channel c in a bin / max(number of samples,
 *   1); with f = angle * num_orientations / (2 pi), j = floor(f), l = f - j and i = (o - j) mod num_orientations:
 *   output[c * num_orientations + o] = (1 - l) * v[c * num_orientations + i] + l * v[c * num_orientations + (i + 1) mod
 *   num_orientations]
 * - shape: features [N, C * num_orientations, H, W]; rois [R, 6], (image, xc, yc, w, h, angle); output [R, C *
 *   num_orientations, pooled_height, pooled_width].
 * - checks:
 *   - rois must have the shape [any, 6]. [diopiRiroiAlignRotatedMmcv-rois-shape]
 *   - features[1] must be a multiple of num_orientations. [diopiRiroiAlignRotatedMmcv-features-divisible]
 *   - output must have the shape [rois[0], features[1], pooled_height, pooled_width].
 *     [diopiRiroiAlignRotatedMmcv-output-shape]
 *   - output, features and rois must have the same dtype. [diopiRiroiAlignRotatedMmcv-output-same-dtype]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of features. A device
 *     may report this when the stream is synchronised. [diopiRiroiAlignRotatedMmcv-rois-image]
 * - source: mmcv's riroi_align_rotated
 * - notes: The angle of f is not negated if clockwise. f is rounded to float32 before it is rounded down, as in mmcv.
 *   The modulus is never negative; mmcv's is wrong for angles below -2 pi.
 */
DIOPI_API diopiError_t diopiRiroiAlignRotatedMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                  diopiConstTensorHandle_t features, diopiConstTensorHandle_t rois,
                                                  int64_t pooled_height, int64_t pooled_width, int64_t num_samples,
                                                  int64_t num_orientations, float spatial_scale, bool clockwise);

/**
 * Gradient of diopiRiroiAlignRotatedMmcv with respect to features.
 *
 * @param[in]  ctx               context of the call
 * @param[out] bottom_grad       floating
 * @param[in]  top_grad          floating
 * @param[in]  rois              floating
 * @param[in]  pooled_height     integer
 * @param[in]  pooled_width      integer
 * @param[in]  num_samples       integer
 * @param[in]  num_orientations  integer
 * @param[in]  spatial_scale     number
 * @param[in]  clockwise         flag
 *
 * - formula: bottom_grad = sum over all samples of top_grad / max(number of samples, 1) times the weight of the element
 *   in the sample of diopiRiroiAlignRotatedMmcv, times 1 - l for the first and l for the second of its channels
 * - shape: bottom_grad [N, C * num_orientations, H, W]; rois [R, 6], (image, xc, yc, w, h, angle); top_grad [R, C *
 *   num_orientations, pooled_height, pooled_width].
 * - checks:
 *   - rois must have the shape [any, 6]. [diopiRiroiAlignRotatedBackwardMmcv-rois-shape]
 *   - bottom_grad[1] must be a multiple of num_orientations. [diopiRiroiAlignRotatedBackwardMmcv-bottom_grad-divisible]
 *   - top_grad must have the shape [rois[0], bottom_grad[1], pooled_height, pooled_width].
 *     [diopiRiroiAlignRotatedBackwardMmcv-top_grad-shape]
 *   - bottom_grad, top_grad and rois must have the same dtype.
 *     [diopiRiroiAlignRotatedBackwardMmcv-bottom_grad-same-dtype]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of bottom_grad. A
 *     device may report this when the stream is synchronised. [diopiRiroiAlignRotatedBackwardMmcv-rois-image]
 * - source: gradient of mmcv's riroi_align_rotated with respect to features
 * - notes: Every element of bottom_grad is written.
 */
DIOPI_API diopiError_t diopiRiroiAlignRotatedBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t bottom_grad,
                                                          diopiConstTensorHandle_t top_grad,
                                                          diopiConstTensorHandle_t rois, int64_t pooled_height,
                                                          int64_t pooled_width, int64_t num_samples,
                                                          int64_t num_orientations, float spatial_scale,
                                                          bool clockwise);

/**
 * Pools point features into the voxels of each 3D box, mmcv's `RoIAwarePool3d`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] argmax             int32
 * @param[out] pts_idx_of_voxels  int32
 * @param[out] pooled_features    floating
 * @param[in]  rois               floating
 * @param[in]  pts                floating
 * @param[in]  pts_feature        floating
 * @param[in]  pool_method        0: maximum; 1: average
 *
 * - formula: a point lies in a box (x, y, z, dx, dy, dz, angle) with bottom z if |pz - (z + dz / 2)| <= dz / 2 and,
 *   with u = (px - x) * cos(angle) + (py - y) * sin(angle) and v = -(px - x) * sin(angle) + (py - y) * cos(angle), |u|
 *   < dx / 2 and |v| < dy / 2; it falls into the voxel (floor((u + dx / 2) / (dx / X)), floor((v + dy / 2) / (dy / Y)),
 *   floor((pz - z) / (dz / Z))), clamped to the grid. pts_idx_of_voxels[r, x, y, z] = (count, indices of the first V -
 *   1 points of the voxel, zeros); pooled_features = the maximum or mean of the features of these points in each
 *   channel, 0 without points; argmax = the first point with the maximum, -1 without points
 * - shape: rois [R, 7]; pts [P, 3]; pts_feature [P, C]; pts_idx_of_voxels [R, X, Y, Z, V]; pooled_features and argmax
 *   [R, X, Y, Z, C].
 * - nan: A feature of NaN is never the maximum; a voxel whose features are all NaN has the maximum 0 and argmax -1. A
 *   point or box with NaN is outside.
 * - accumulation: Positions are computed in float64; sums of float16 and bfloat16 in float32, others in their own
 *   precision.
 * - checks:
 *   - rois must have the shape [any, 7]. [diopiRoiawarePool3dMmcv-rois-shape]
 *   - pts must have the shape [any, 3]. [diopiRoiawarePool3dMmcv-pts-shape]
 *   - pts_feature must have the shape [pts[0], any]. [diopiRoiawarePool3dMmcv-pts_feature-shape]
 *   - pts_idx_of_voxels must have 5 dimensions. [diopiRoiawarePool3dMmcv-pts_idx_of_voxels-ndim]
 *   - pts_idx_of_voxels[0] and rois[0] must be equal. [diopiRoiawarePool3dMmcv-pts_idx_of_voxels-equal]
 *   - pts_idx_of_voxels[1] must be at least 1 and at most 255. [diopiRoiawarePool3dMmcv-voxels-x]
 *   - pts_idx_of_voxels[2] must be at least 1 and at most 255. [diopiRoiawarePool3dMmcv-voxels-y]
 *   - pts_idx_of_voxels[3] must be at least 1 and at most 255. [diopiRoiawarePool3dMmcv-voxels-z]
 *   - pts_idx_of_voxels[4] must be at least 1. [diopiRoiawarePool3dMmcv-voxel-room]
 *   - pooled_features must have the shape [pts_idx_of_voxels[:-1], pts_feature[1]].
 *     [diopiRoiawarePool3dMmcv-pooled_features-shape]
 *   - argmax must have the shape of pooled_features. [diopiRoiawarePool3dMmcv-argmax-shape]
 *   - pooled_features, rois, pts and pts_feature must have the same dtype.
 *     [diopiRoiawarePool3dMmcv-pooled_features-same-dtype]
 *   - The dtype of pts_idx_of_voxels must hold every index below pts[0].
 *     [diopiRoiawarePool3dMmcv-pts_idx_of_voxels-fits-index]
 * - source: mmcv's RoIAwarePool3d
 * - notes: Every element of the outputs is written. For the mean, argmax is 0.
 */
DIOPI_API diopiError_t diopiRoiawarePool3dMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t argmax,
                                               diopiTensorHandle_t pts_idx_of_voxels,
                                               diopiTensorHandle_t pooled_features, diopiConstTensorHandle_t rois,
                                               diopiConstTensorHandle_t pts, diopiConstTensorHandle_t pts_feature,
                                               int64_t pool_method);

/**
 * Gradient of diopiRoiawarePool3dMmcv with respect to the point features.
 *
 * @param[in]  ctx                context of the call
 * @param[out] grad_in            floating
 * @param[in]  pts_idx_of_voxels  int32
 * @param[in]  argmax             int32
 * @param[in]  grad_out           floating
 * @param[in]  pool_method        0: maximum; 1: average
 *
 * - formula: pool_method 0: grad_in[p, c] = sum of grad_out over all voxels with argmax p; pool_method 1: grad_in[p, c]
 *   = sum of grad_out / count over all voxels that store the point p
 * - shape: grad_in [P, C]; pts_idx_of_voxels [R, X, Y, Z, V]; argmax and grad_out [R, X, Y, Z, C].
 * - checks:
 *   - grad_in must have 2 dimensions. [diopiRoiawarePool3dBackwardMmcv-grad_in-ndim]
 *   - pts_idx_of_voxels must have 5 dimensions. [diopiRoiawarePool3dBackwardMmcv-pts_idx_of_voxels-ndim]
 *   - pts_idx_of_voxels[4] must be at least 1. [diopiRoiawarePool3dBackwardMmcv-voxel-room]
 *   - grad_out must have the shape [pts_idx_of_voxels[:-1], grad_in[1]].
 *     [diopiRoiawarePool3dBackwardMmcv-grad_out-shape]
 *   - argmax must have the shape of grad_out. [diopiRoiawarePool3dBackwardMmcv-argmax-shape]
 *   - grad_in and grad_out must have the same dtype. [diopiRoiawarePool3dBackwardMmcv-grad_in-same-dtype]
 *   - For pool_method 0, each element of argmax must be the number of a point, or -1. A device may report this when the
 *     stream is synchronised. [diopiRoiawarePool3dBackwardMmcv-argmax-point]
 *   - For pool_method 1, the first number of each voxel of pts_idx_of_voxels must be at least 0 and less than its last
 *     extent, and each index that it counts must be the number of a point. A device may report this when the stream is
 *     synchronised. [diopiRoiawarePool3dBackwardMmcv-voxel-count]
 * - source: gradient of mmcv's RoIAwarePool3d with respect to pts_feature
 * - notes: Every element of grad_in is written.
 */
DIOPI_API diopiError_t diopiRoiawarePool3dBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_in,
                                                       diopiConstTensorHandle_t pts_idx_of_voxels,
                                                       diopiConstTensorHandle_t argmax,
                                                       diopiConstTensorHandle_t grad_out, int64_t pool_method);

/**
 * Samples the points in each 3D box with their features, mmcv's `RoIPointPool3d`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] pooled_features    floating
 * @param[out] pooled_empty_flag  1 where a box holds no point; int32
 * @param[in]  xyz                floating
 * @param[in]  boxes3d            floating
 * @param[in]  pts_feature        floating
 *
 * - formula: a point lies in a box (x, y, z, dx, dy, dz, angle) with bottom z if |pz - (z + dz / 2)| <= dz / 2 and,
 *   with u = (px - x) * cos(angle) + (py - y) * sin(angle) and v = -(px - x) * sin(angle) + (py - y) * cos(angle), |u|
 *   < dx / 2 and |v| < dy / 2; pooled_features[b, m, k] = (xyz, pts_feature) of the k-th point in box m, in ascending
 *   order of points; with fewer than S points, they repeat cyclically. pooled_empty_flag = 1 for a box without points,
 *   whose features are 0, else 0
 * - shape: xyz [B, N, 3]; pts_feature [B, N, C]; boxes3d [B, M, 7]; pooled_features [B, M, S, 3 + C]; pooled_empty_flag
 *   [B, M].
 * - nan: A point or box with NaN is outside. Features are copied.
 * - accumulation: Positions are computed in float64; features are copied.
 * - checks:
 *   - xyz must have the shape [any, any, 3]. [diopiRoipointPool3dMmcv-xyz-shape]
 *   - boxes3d must have the shape [xyz[0], any, 7]. [diopiRoipointPool3dMmcv-boxes3d-shape]
 *   - pts_feature must have the shape [xyz[0], xyz[1], any]. [diopiRoipointPool3dMmcv-pts_feature-shape]
 *   - pooled_features must have the shape [xyz[0], boxes3d[1], any, pts_feature[2] + 3].
 *     [diopiRoipointPool3dMmcv-pooled_features-shape]
 *   - pooled_empty_flag must have the shape [xyz[0], boxes3d[1]]. [diopiRoipointPool3dMmcv-pooled_empty_flag-shape]
 *   - pooled_features, xyz, boxes3d and pts_feature must have the same dtype.
 *     [diopiRoipointPool3dMmcv-pooled_features-same-dtype]
 * - source: mmcv's RoIPointPool3d
 * - notes: Every element of the outputs is written.
 */
DIOPI_API diopiError_t diopiRoipointPool3dMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t pooled_features,
                                               diopiTensorHandle_t pooled_empty_flag, diopiConstTensorHandle_t xyz,
                                               diopiConstTensorHandle_t boxes3d, diopiConstTensorHandle_t pts_feature);

/**
 * Maximum in each bin of regions, mmcv's `roi_pool`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] output         floating
 * @param[out] argmax         position of the maximum, for the backward call; int32
 * @param[in]  input          floating
 * @param[in]  rois           floating
 * @param[in]  pooled_height  integer
 * @param[in]  pooled_width   integer
 * @param[in]  spatial_scale  number
 *
 * - formula: x1 * spatial_scale, y1 * spatial_scale, (x2 + 1) * spatial_scale, (y2 + 1) * spatial_scale, w and h the
 *   differences; the bin (ph, pw) has the rows from floor(ph * (h / pooled_height) + y1) to below ceil((ph + 1) * (h /
 *   pooled_height) + y1), clamped to [0, H], and the columns alike; output = the maximum, argmax = row * W + column of
 *   the first maximum
 * - shape: input [N, C, H, W]; rois [R, 5]; output and argmax [R, C, pooled_height, pooled_width].
 * - nan: A NaN is never the maximum. A bin whose elements are all NaN or not above the lowest float32 gives the lowest
 *   float32, or -inf in float16 and bfloat16, and argmax -1. A region with NaN is empty.
 * - accumulation: Positions are computed in float32, or in float64 for float64, and each operation is rounded, as in
 *   mmcv's kernel; before they are rounded to a row or column, those of float64 are rounded to float32, too. The
 *   maximum is an element.
 * - checks:
 *   - rois must have the shape [any, 5]. [diopiRoiPoolMmcv-rois-shape]
 *   - output must have the shape [rois[0], input[1], pooled_height, pooled_width]. [diopiRoiPoolMmcv-output-shape]
 *   - argmax must have the shape of output. [diopiRoiPoolMmcv-argmax-shape]
 *   - output, input and rois must have the same dtype. [diopiRoiPoolMmcv-output-same-dtype]
 *   - The dtype of argmax must hold every index below input[2] * input[3]. [diopiRoiPoolMmcv-argmax-fits-index]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of input. A device may
 *     report this when the stream is synchronised. [diopiRoiPoolMmcv-rois-image]
 * - source: mmcv's roi_pool
 * - notes: Coordinates are not rounded, unlike in torchvision. A region without area and a bin without elements give 0
 *   and argmax -1; mmcv has argmax 0 for the former, and its gradient is wrong there.
 */
DIOPI_API diopiError_t diopiRoiPoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                        diopiTensorHandle_t argmax, diopiConstTensorHandle_t input,
                                        diopiConstTensorHandle_t rois, int64_t pooled_height, int64_t pooled_width,
                                        float spatial_scale);

/**
 * Gradient of diopiRoiPoolMmcv with respect to its input.
 *
 * @param[in]  ctx            context of the call
 * @param[out] grad_input     floating
 * @param[in]  grad_output    floating
 * @param[in]  rois           floating
 * @param[in]  argmax         int32
 * @param[in]  pooled_height  integer
 * @param[in]  pooled_width   integer
 * @param[in]  spatial_scale  number
 *
 * - formula: grad_input[n, c, argmax] = sum of grad_output over all bins of regions of image n with this argmax; -1
 *   means none
 * - shape: grad_input [N, C, H, W]; rois [R, 5]; grad_output and argmax [R, C, pooled_height, pooled_width].
 * - checks:
 *   - rois must have the shape [any, 5]. [diopiRoiPoolBackwardMmcv-rois-shape]
 *   - grad_output must have the shape [rois[0], grad_input[1], pooled_height, pooled_width].
 *     [diopiRoiPoolBackwardMmcv-grad_output-shape]
 *   - argmax must have the shape of grad_output. [diopiRoiPoolBackwardMmcv-argmax-shape]
 *   - grad_input, grad_output and rois must have the same dtype. [diopiRoiPoolBackwardMmcv-grad_input-same-dtype]
 *   - Each element of argmax must be a position of a plane of grad_input, or -1. A device may report this when the
 *     stream is synchronised. [diopiRoiPoolBackwardMmcv-argmax-position]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of grad_input. A
 *     device may report this when the stream is synchronised. [diopiRoiPoolBackwardMmcv-rois-image]
 * - source: gradient of mmcv's roi_pool with respect to input
 * - notes: Every element of grad_input is written. spatial_scale and the coordinates of rois have no effect.
 */
DIOPI_API diopiError_t diopiRoiPoolBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t rois,
                                                diopiConstTensorHandle_t argmax, int64_t pooled_height,
                                                int64_t pooled_width, float spatial_scale);

/**
 * Adds features sampled at refined rotated anchors, mmcv's `rotated_feature_align`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] output         floating
 * @param[in]  features       floating
 * @param[in]  best_bboxes    floating
 * @param[in]  spatial_scale  number
 * @param[in]  points         samples per anchor, 1 or 5
 *
 * - formula: with (y, x, w, h) = best_bboxes[n, i, j, 0 to 3] * spatial_scale and a = best_bboxes[n, i, j, 4],
 *   output[n, c, i, j] = features[n, c, i, j] + the sum of bilinear samples of features[n, c] at (y, x) and, with 5
 *   points, at the corners (x + wx + hx, y + wy + hy), (x - wx + hx, y - wy + hy), (x - wx - hx, y - wy - hy), (x + wx
 *   - hx, y + wy - hy), where wx = cos a * w / 2, wy = sin a * w / 2, hx = -sin a * h / 2, hy = cos a * h / 2
 * - shape: features and output [N, C, H, W]; best_bboxes [N, H, W, 5].
 * - checks:
 *   - best_bboxes must have the shape [features[0], features[2], features[3], 5].
 *     [diopiRotatedFeatureAlignMmcv-best_bboxes-shape]
 *   - output and features must have the same shape. [diopiRotatedFeatureAlignMmcv-output-same-shape]
 *   - output, features and best_bboxes must have the same dtype. [diopiRotatedFeatureAlignMmcv-output-same-dtype]
 * - source: mmcv's rotated_feature_align
 * - notes: The first two numbers of a box are y and x, as in mmcv's kernels.
 */
DIOPI_API diopiError_t diopiRotatedFeatureAlignMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                    diopiConstTensorHandle_t features,
                                                    diopiConstTensorHandle_t best_bboxes, float spatial_scale,
                                                    int64_t points);

/**
 * Gradient of diopiRotatedFeatureAlignMmcv with respect to features.
 *
 * @param[in]  ctx            context of the call
 * @param[out] bottom_grad    floating
 * @param[in]  top_grad       floating
 * @param[in]  best_bboxes    floating
 * @param[in]  spatial_scale  number
 * @param[in]  points         samples per anchor, 1 or 5
 *
 * - formula: bottom_grad = top_grad + the sum over all samples of top_grad times the bilinear weight of the element in
 *   the sample of diopiRotatedFeatureAlignMmcv
 * - shape: bottom_grad and top_grad [N, C, H, W]; best_bboxes [N, H, W, 5].
 * - checks:
 *   - best_bboxes must have the shape [bottom_grad[0], bottom_grad[2], bottom_grad[3], 5].
 *     [diopiRotatedFeatureAlignBackwardMmcv-best_bboxes-shape]
 *   - bottom_grad and top_grad must have the same shape. [diopiRotatedFeatureAlignBackwardMmcv-bottom_grad-same-shape]
 *   - bottom_grad, top_grad and best_bboxes must have the same dtype.
 *     [diopiRotatedFeatureAlignBackwardMmcv-bottom_grad-same-dtype]
 * - source: gradient of mmcv's rotated_feature_align with respect to features
 * - notes: Every element of bottom_grad is written. The boxes get no gradient.
 */
DIOPI_API diopiError_t diopiRotatedFeatureAlignBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t bottom_grad,
                                                            diopiConstTensorHandle_t top_grad,
                                                            diopiConstTensorHandle_t best_bboxes, float spatial_scale,
                                                            int64_t points);

/**
 * Exact integral average of each bin of regions, mmcv's `prroi_pool`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] output         floating
 * @param[in]  input          floating
 * @param[in]  rois           floating
 * @param[in]  pooled_height  integer
 * @param[in]  pooled_width   integer
 * @param[in]  spatial_scale  number
 *
 * - formula: coordinates * spatial_scale; w and h = max(end - start, 0); bin = size / pooled; output = the integral of
 *   F over the bin / the area of the bin, 0 for an area of 0, where F(y, x) = sum over all i, j of input[i, j] * max(0,
 *   1 - |y - i|) * max(0, 1 - |x - j|)
 * - shape: input [N, C, H, W]; rois [R, 5]; output [R, C, pooled_height, pooled_width].
 * - nan: As IEEE arithmetic has it; elements outside of a bin by one or more have no effect. A region with NaN or
 *   infinity gives 0.
 * - checks:
 *   - rois must have the shape [any, 5]. [diopiPrroiPoolMmcv-rois-shape]
 *   - output must have the shape [rois[0], input[1], pooled_height, pooled_width]. [diopiPrroiPoolMmcv-output-shape]
 *   - output, input and rois must have the same dtype. [diopiPrroiPoolMmcv-output-same-dtype]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of input. A device may
 *     report this when the stream is synchronised. [diopiPrroiPoolMmcv-rois-image]
 * - source: mmcv's prroi_pool
 * - notes: mmcv has float32 only.
 */
DIOPI_API diopiError_t diopiPrroiPoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                          diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                          int64_t pooled_height, int64_t pooled_width, float spatial_scale);

/**
 * Gradient of diopiPrroiPoolMmcv with respect to its input.
 *
 * @param[in]  ctx            context of the call
 * @param[out] grad_input     floating
 * @param[in]  grad_output    floating
 * @param[in]  rois           floating
 * @param[in]  pooled_height  integer
 * @param[in]  pooled_width   integer
 * @param[in]  spatial_scale  number
 *
 * - formula: grad_input[i, j] = sum over all bins of grad_output times the derivative of output with respect to
 *   input[i, j]
 * - shape: grad_input [N, C, H, W]; rois [R, 5]; grad_output [R, C, pooled_height, pooled_width].
 * - checks:
 *   - rois must have the shape [any, 5]. [diopiPrroiPoolbackwardMmcv-rois-shape]
 *   - grad_output must have the shape [rois[0], grad_input[1], pooled_height, pooled_width].
 *     [diopiPrroiPoolbackwardMmcv-grad_output-shape]
 *   - grad_input, grad_output and rois must have the same dtype. [diopiPrroiPoolbackwardMmcv-grad_input-same-dtype]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of grad_input. A
 *     device may report this when the stream is synchronised. [diopiPrroiPoolbackwardMmcv-rois-image]
 * - source: gradient of mmcv's prroi_pool with respect to input
 * - notes: Every element of grad_input is written. mmcv has float32 only.
 */
DIOPI_API diopiError_t diopiPrroiPoolbackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                  diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t rois,
                                                  int64_t pooled_height, int64_t pooled_width, float spatial_scale);

/**
 * Gradient of diopiPrroiPoolMmcv with respect to the coordinates of the regions.
 *
 * @param[in]  ctx            context of the call
 * @param[out] grad_rois      floating
 * @param[in]  output         floating
 * @param[in]  grad_output    floating
 * @param[in]  input          floating
 * @param[in]  rois           floating
 * @param[in]  pooled_height  integer
 * @param[in]  pooled_width   integer
 * @param[in]  spatial_scale  number
 *
 * - formula: with (X1, Y1, X2, Y2) the corners of a bin, A its area and v its output: dX1 = (-integral of F(y, X1) over
 *   y + (Y2 - Y1) * v) / A, dX2 = (integral of F(y, X2) over y - (Y2 - Y1) * v) / A, and dY1, dY2 alike. grad_rois of
 *   x1 = sum over channels and bins of spatial_scale * grad_output * (dX1 * (1 - pw / pooled_width) + dX2 * (1 - (pw +
 *   1) / pooled_width)), of x2 = the same with dX1 * pw / pooled_width + dX2 * (pw + 1) / pooled_width, of y1 and y2
 *   alike; of the image 0
 * - shape: grad_rois and rois [R, 5]; input [N, C, H, W]; output and grad_output [R, C, pooled_height, pooled_width].
 * - nan: As IEEE arithmetic has it; elements outside of a bin by one or more have no effect. A region with NaN or
 *   infinity has no gradient.
 * - accumulation: Sums over channels are computed in float32, or in float64 for float64, and added in float64.
 * - checks:
 *   - rois must have the shape [any, 5]. [diopiPrroiPoolCoorBackwardMmcv-rois-shape]
 *   - grad_rois and rois must have the same shape. [diopiPrroiPoolCoorBackwardMmcv-grad_rois-same-shape]
 *   - output must have the shape [rois[0], input[1], pooled_height, pooled_width].
 *     [diopiPrroiPoolCoorBackwardMmcv-output-shape]
 *   - grad_output must have the shape [rois[0], input[1], pooled_height, pooled_width].
 *     [diopiPrroiPoolCoorBackwardMmcv-grad_output-shape]
 *   - grad_rois, output, grad_output, input and rois must have the same dtype.
 *     [diopiPrroiPoolCoorBackwardMmcv-grad_rois-same-dtype]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of input. A device may
 *     report this when the stream is synchronised. [diopiPrroiPoolCoorBackwardMmcv-rois-image]
 * - source: gradient of mmcv's prroi_pool with respect to rois
 * - notes: Every element of grad_rois is written. A bin without area has no gradient. mmcv has float32 only.
 */
DIOPI_API diopiError_t diopiPrroiPoolCoorBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_rois,
                                                      diopiConstTensorHandle_t output,
                                                      diopiConstTensorHandle_t grad_output,
                                                      diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                                      int64_t pooled_height, int64_t pooled_width, float spatial_scale);

/** @} */

/** @name mmcv_sparse
 * Voxelisation and sparse convolution of mmcv.
 * - shape: As the checks say.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: Outputs must not overlap inputs.
 * - empty: Without points, rows or pairs the results are empty or 0.
 * - nan: As sums of products in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 compute and sum in float32 and are rounded once; float32 and float64 sum in
 *   their own precision.
 * - determinism: The same bits for any number of threads; sums add points or pairs in ascending order.
 */
/** @{ */

/**
 * Reduces point features per voxel, mmcv's `dynamic_scatter`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] outlist      list of 4 tensors; created by the callee; features, coordinates, voxel of each point, points
 *         per voxel; floating, int32, int64
 * @param[in]  feats        floating
 * @param[in]  coors        int32, int64
 * @param[in]  reduce_type  0: sum; 1: mean; 2: maximum
 *
 * - formula: The M different rows of coors without a negative element, sorted with the first column as the first key,
 *   are outlist[1]; outlist[2][p] is the number of the row of point p, or -1; outlist[3] counts the points of each row;
 *   outlist[0][v] is the sum (reduce_type 0), the mean (1) or the maximum (2) of the feats of its points
 * - shape: feats [n, C], coors [n, d]; outlist: [M, C] in the dtype of feats, [M, d] in the dtype of coors, int32 [n],
 *   int32 [M].
 * - nan: A sum with a NaN is NaN. The maximum passes over NaN; of nothing but NaN it is minus infinity.
 * - checks:
 *   - feats must have 2 dimensions. [diopiDynamicPointToVoxelMmcv-feats-ndim]
 *   - coors must have 2 dimensions. [diopiDynamicPointToVoxelMmcv-coors-ndim]
 *   - feats[0] and coors[0] must be equal. [diopiDynamicPointToVoxelMmcv-feats-equal]
 *   - coors[1] must be at least 1. [diopiDynamicPointToVoxelMmcv-coors-extent]
 *   - reduce_type must be at least 0 and be at most 2. [diopiDynamicPointToVoxelMmcv-reduce_type-value]
 * - source: mmcv.ops.dynamic_scatter; torch.unique of the rows, index_add, scatter_reduce
 */
DIOPI_API diopiError_t diopiDynamicPointToVoxelMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* outlist,
                                                    diopiConstTensorHandle_t feats, diopiConstTensorHandle_t coors,
                                                    int64_t reduce_type);

/**
 * Gradient of diopiDynamicPointToVoxelMmcv with respect to the point features.
 *
 * @param[in]  ctx                 context of the call
 * @param[out] grad_feats          floating
 * @param[in]  grad_reduced_feats  floating
 * @param[in]  feats               floating
 * @param[in]  reduced_feats       floating
 * @param[in]  coors_idx           int32
 * @param[in]  reduce_count        int32
 * @param[in]  reduce_type         0: sum; 1: mean; 2: maximum
 *
 * - formula: With v = coors_idx[p]: grad_feats[p] = grad_reduced_feats[v] for a sum, divided by reduce_count[v] for a
 *   mean; for a maximum grad_feats[p, c] = grad_reduced_feats[v, c] if p is the first point of v with feats[p, c] =
 *   reduced_feats[v, c], otherwise 0; 0 if v = -1
 * - shape: grad_feats and feats [n, C]; grad_reduced_feats and reduced_feats [M, C]; coors_idx [n]; reduce_count [M].
 * - checks:
 *   - feats must have 2 dimensions. [diopiDynamicPointToVoxelBackwardMmcv-feats-ndim]
 *   - reduced_feats must have 2 dimensions. [diopiDynamicPointToVoxelBackwardMmcv-reduced_feats-ndim]
 *   - grad_feats, grad_reduced_feats, feats and reduced_feats must have the same dtype.
 *     [diopiDynamicPointToVoxelBackwardMmcv-grad_feats-same-dtype]
 *   - grad_feats and feats must have the same shape. [diopiDynamicPointToVoxelBackwardMmcv-grad_feats-same-shape]
 *   - grad_reduced_feats and reduced_feats must have the same shape.
 *     [diopiDynamicPointToVoxelBackwardMmcv-grad_reduced_feats-same-shape]
 *   - feats[1] and reduced_feats[1] must be equal. [diopiDynamicPointToVoxelBackwardMmcv-feats-equal]
 *   - coors_idx must have the shape [feats[0]]. [diopiDynamicPointToVoxelBackwardMmcv-coors_idx-shape]
 *   - reduce_count must have the shape [reduced_feats[0]]. [diopiDynamicPointToVoxelBackwardMmcv-reduce_count-shape]
 *   - reduce_type must be at least 0 and be at most 2. [diopiDynamicPointToVoxelBackwardMmcv-reduce_type-value]
 *   - Each element of coors_idx must be at least -1 and at most reduced_feats[0] - 1. A device may report this when the
 *     stream is synchronised. [diopiDynamicPointToVoxelBackwardMmcv-coors_idx-elements]
 * - source: Autograd of index_add and scatter_reduce; mmcv.ops.dynamic_scatter for ties
 */
DIOPI_API diopiError_t diopiDynamicPointToVoxelBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_feats,
                                                            diopiConstTensorHandle_t grad_reduced_feats,
                                                            diopiConstTensorHandle_t feats,
                                                            diopiConstTensorHandle_t reduced_feats,
                                                            diopiConstTensorHandle_t coors_idx,
                                                            diopiConstTensorHandle_t reduce_count, int64_t reduce_type);

/**
 * Gathers points into at most max_voxels voxels of at most max_points points, mmcv's `voxelization`.
 *
 * @param[in]  ctx                   context of the call
 * @param[out] voxels                floating
 * @param[out] coors                 int32
 * @param[out] num_points_per_voxel  int32
 * @param[out] voxel_num             number of voxels used; in host memory; int64
 * @param[in]  points                floating
 * @param[in]  voxel_size            of x, y, z; in host memory; float32
 * @param[in]  coors_range           least x, y, z, greatest x, y, z; in host memory; float32
 * @param[in]  max_points            integer
 * @param[in]  max_voxels            integer
 * @param[in]  NDim                  number of spatial dimensions, 3
 * @param[in]  deterministic         whether the points of a voxel keep their order
 *
 * - formula: The cell of a point is c_j = floor((p_j - min_j) / size_j) for j = x, y, z, and the grid has round((max_j
 *   - min_j) / size_j) cells, halves rounded away from 0. In the order of the points: one outside of the grid is left
 *   out; the first one of a cell opens the next voxel if fewer than max_voxels are open; each one of an open voxel is
 *   stored if the voxel has fewer than max_points points. coors are the cells as [z, y, x], num_points_per_voxel the
 *   stored points, voxel_num the open voxels; all other elements are 0
 * - shape: points [n, f] with x, y, z first; voxels [max_voxels, max_points, f], coors [max_voxels, 3],
 *   num_points_per_voxel [max_voxels], voxel_num 0-d.
 * - nan: A point with NaN or an infinity in x, y or z is left out. Other features are copied.
 * - accumulation: Cells are computed in float64 for float64 points, otherwise in float32.
 * - checks:
 *   - voxels and points must have the same dtype. [diopiHardVoxelizeMmcv-voxels-same-dtype]
 *   - points must have 2 dimensions. [diopiHardVoxelizeMmcv-points-ndim]
 *   - points[1] must be at least 3. [diopiHardVoxelizeMmcv-points-extent]
 *   - voxel_size must have the shape [3]. [diopiHardVoxelizeMmcv-voxel_size-shape]
 *   - coors_range must have the shape [6]. [diopiHardVoxelizeMmcv-coors_range-shape]
 *   - NDim must be at least 3 and be at most 3. [diopiHardVoxelizeMmcv-NDim-value]
 *   - Each element of voxel_size must be within (0, inf). A device may report this when the stream is synchronised.
 *     [diopiHardVoxelizeMmcv-voxel_size-elements]
 *   - Each element of coors_range must be within (-inf, inf). A device may report this when the stream is synchronised.
 *     [diopiHardVoxelizeMmcv-coors_range-elements]
 *   - The range must have fewer than 2^31 voxels in each direction. A device may report this when the stream is
 *     synchronised. [diopiHardVoxelizeMmcv-grid-size]
 *   - max_points must be at least 1. [diopiHardVoxelizeMmcv-max_points-value]
 *   - max_voxels must be at least 1. [diopiHardVoxelizeMmcv-max_voxels-value]
 *   - voxels must have the shape [max_voxels, max_points, points[1]]. [diopiHardVoxelizeMmcv-voxels-shape]
 *   - coors must have the shape [max_voxels, 3]. [diopiHardVoxelizeMmcv-coors-shape]
 *   - num_points_per_voxel must have the shape [max_voxels]. [diopiHardVoxelizeMmcv-num_points_per_voxel-shape]
 *   - voxel_num must have the shape []. [diopiHardVoxelizeMmcv-voxel_num-shape]
 * - source: mmcv.ops.voxelization
 * - notes: The result is that of deterministic = true for both values, because it is also a valid result of
 *   deterministic = false. All elements of the outputs are written. voxel_size, coors_range and voxel_num are in host
 *   memory, and voxel_num is valid when the call returns.
 */
DIOPI_API diopiError_t diopiHardVoxelizeMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t voxels,
                                             diopiTensorHandle_t coors, diopiTensorHandle_t num_points_per_voxel,
                                             diopiTensorHandle_t voxel_num, diopiConstTensorHandle_t points,
                                             diopiConstTensorHandle_t voxel_size,
                                             diopiConstTensorHandle_t coors_range, const int64_t max_points,
                                             const int64_t max_voxels, const int64_t NDim, const bool deterministic);

/**
 * Voxel coordinates of each point, -1 outside the range, mmcv's `voxelization` without limits.
 *
 * @param[in]  ctx          context of the call
 * @param[out] coors        int32
 * @param[in]  points       floating
 * @param[in]  voxel_size   of x, y, z; in host memory; float32
 * @param[in]  coors_range  least x, y, z, greatest x, y, z; in host memory; float32
 * @param[in]  NDim         number of spatial dimensions, 3
 *
 * - formula: coors[p] = the cell of point p as in diopiHardVoxelizeMmcv, as [z, y, x]; [-1, -1, -1] outside of the grid
 * - shape: points [n, f] with x, y, z first; coors [n, 3].
 * - nan: A point with NaN or an infinity in x, y or z lies outside.
 * - accumulation: Cells are computed in float64 for float64 points, otherwise in float32.
 * - checks:
 *   - points must have 2 dimensions. [diopiDynamicVoxelizeMmcv-points-ndim]
 *   - points[1] must be at least 3. [diopiDynamicVoxelizeMmcv-points-extent]
 *   - voxel_size must have the shape [3]. [diopiDynamicVoxelizeMmcv-voxel_size-shape]
 *   - coors_range must have the shape [6]. [diopiDynamicVoxelizeMmcv-coors_range-shape]
 *   - NDim must be at least 3 and be at most 3. [diopiDynamicVoxelizeMmcv-NDim-value]
 *   - Each element of voxel_size must be within (0, inf). A device may report this when the stream is synchronised.
 *     [diopiDynamicVoxelizeMmcv-voxel_size-elements]
 *   - Each element of coors_range must be within (-inf, inf). A device may report this when the stream is synchronised.
 *     [diopiDynamicVoxelizeMmcv-coors_range-elements]
 *   - The range must have fewer than 2^31 voxels in each direction. A device may report this when the stream is
 *     synchronised. [diopiDynamicVoxelizeMmcv-grid-size]
 *   - coors must have the shape [points[0], 3]. [diopiDynamicVoxelizeMmcv-coors-shape]
 * - source: mmcv.ops.voxelization with max_points or max_voxels of -1
 * - notes: All three coordinates of a point outside are -1, as in mmcv on the CPU. voxel_size and coors_range are in
 *   host memory.
 */
DIOPI_API diopiError_t diopiDynamicVoxelizeMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t coors,
                                                diopiConstTensorHandle_t points, diopiConstTensorHandle_t voxel_size,
                                                diopiConstTensorHandle_t coors_range, const int64_t NDim);

/**
 * Maximum of 0 and of sparse features by index pairs, mmcv's `indice_maxpool`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          created by the callee; of the dtype of `features`
 * @param[in]  features     floating
 * @param[in]  indicePairs  int32
 * @param[in]  indiceNum    int32
 * @param[in]  numAct       integer
 *
 * - formula: out[o] = maximum of 0 and of features[i] over the pairs i = indicePairs[k, 0, j], o = indicePairs[k, 1, j]
 *   with j < indiceNum[k]
 * - shape: features [n, C], indicePairs [K, 2, m], indiceNum [K]; out [numAct, C].
 * - nan: A NaN never replaces a number.
 * - checks:
 *   - features must have 2 dimensions. [diopiIndiceMaxpoolMmcv-features-ndim]
 *   - indicePairs must have the shape [any, 2, any]. [diopiIndiceMaxpoolMmcv-indicePairs-shape]
 *   - indiceNum must have the shape [indicePairs[0]]. [diopiIndiceMaxpoolMmcv-indiceNum-shape]
 *   - Each element of indiceNum must be at least 0 and at most indicePairs[2]. A device may report this when the stream
 *     is synchronised. [diopiIndiceMaxpoolMmcv-indiceNum-elements]
 *   - The first indiceNum[k] pairs of each k must be rows of features and rows of out. A device may report this when
 *     the stream is synchronised. [diopiIndiceMaxpoolMmcv-pairs-inside]
 *   - numAct must be at least 0. [diopiIndiceMaxpoolMmcv-numAct-value]
 * - source: mmcv.ops.SparseMaxPool3d
 * - notes: As in mmcv, negative maxima become 0.
 */
DIOPI_API diopiError_t diopiIndiceMaxpoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                              diopiConstTensorHandle_t features, diopiConstTensorHandle_t indicePairs,
                                              diopiConstTensorHandle_t indiceNum, int64_t numAct);

/**
 * Gradient of diopiIndiceMaxpoolMmcv with respect to features.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          created by the callee; gradient of `features`; of the dtype of `features`
 * @param[in]  features     floating
 * @param[in]  outFeatures  floating
 * @param[in]  outGrad      floating
 * @param[in]  indicePairs  int32
 * @param[in]  indiceNum    int32
 *
 * - formula: out[i] = sum of outGrad[o] over the pairs of diopiIndiceMaxpoolMmcv with features[i] = outFeatures[o], for
 *   each channel
 * - shape: features and out [n, C]; outFeatures and outGrad [numAct, C].
 * - nan: A NaN equals nothing.
 * - checks:
 *   - features, outFeatures and outGrad must have the same dtype. [diopiIndiceMaxpoolBackwardMmcv-features-same-dtype]
 *   - outFeatures must have 2 dimensions. [diopiIndiceMaxpoolBackwardMmcv-outFeatures-ndim]
 *   - outGrad and outFeatures must have the same shape. [diopiIndiceMaxpoolBackwardMmcv-outGrad-same-shape]
 *   - features[1] and outFeatures[1] must be equal. [diopiIndiceMaxpoolBackwardMmcv-features-equal]
 *   - features must have 2 dimensions. [diopiIndiceMaxpoolBackwardMmcv-features-ndim]
 *   - indicePairs must have the shape [any, 2, any]. [diopiIndiceMaxpoolBackwardMmcv-indicePairs-shape]
 *   - indiceNum must have the shape [indicePairs[0]]. [diopiIndiceMaxpoolBackwardMmcv-indiceNum-shape]
 *   - Each element of indiceNum must be at least 0 and at most indicePairs[2]. A device may report this when the stream
 *     is synchronised. [diopiIndiceMaxpoolBackwardMmcv-indiceNum-elements]
 *   - The first indiceNum[k] pairs of each k must be rows of features and rows of outFeatures. A device may report this
 *     when the stream is synchronised. [diopiIndiceMaxpoolBackwardMmcv-pairs-inside]
 * - source: mmcv.ops.SparseMaxPool3d
 * - notes: Each of several equal features gets the whole gradient.
 */
DIOPI_API diopiError_t diopiIndiceMaxpoolBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                                      diopiConstTensorHandle_t features,
                                                      diopiConstTensorHandle_t outFeatures,
                                                      diopiConstTensorHandle_t outGrad,
                                                      diopiConstTensorHandle_t indicePairs,
                                                      diopiConstTensorHandle_t indiceNum);

/**
 * Sparse convolution by index pairs, mmcv's `indice_conv`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          created by the callee; of the dtype of `features`
 * @param[in]  features     floating
 * @param[in]  filters      floating
 * @param[in]  indicePairs  int32
 * @param[in]  indiceNum    int32
 * @param[in]  numActOut    integer
 * @param[in]  _inverse     non-zero: inverse convolution
 * @param[in]  _subM        non-zero: submanifold convolution
 *
 * - formula: out[o] = sum over k and over the pairs i = indicePairs[k, 0, j], o = indicePairs[k, 1, j] with j <
 *   indiceNum[k] of features[i] * filters[k]; i and o are exchanged if _inverse is not 0. If _subM is not 0, the pairs
 *   of the centre are (i, i) for all rows; the centre is the first k with the largest indiceNum. If all indiceNum are
 *   0, out is 0
 * - shape: features [n, Cin], filters [k..., Cin, Cout] with K matrices, indicePairs [K, 2, m], indiceNum [K]; out
 *   [numActOut, Cout].
 * - checks:
 *   - features and filters must have the same dtype. [diopiIndiceConvMmcv-features-same-dtype]
 *   - filters must have at least 3 dimensions and at most 5 dimensions. [diopiIndiceConvMmcv-filters-ndim]
 *   - filters[-2] and features[1] must be equal. [diopiIndiceConvMmcv-filters-equal]
 *   - Prod(filters[:-2]) and indicePairs[0] must be equal. [diopiIndiceConvMmcv-filters-matrices]
 *   - features must have 2 dimensions. [diopiIndiceConvMmcv-features-ndim]
 *   - indicePairs must have the shape [any, 2, any]. [diopiIndiceConvMmcv-indicePairs-shape]
 *   - indiceNum must have the shape [indicePairs[0]]. [diopiIndiceConvMmcv-indiceNum-shape]
 *   - Each element of indiceNum must be at least 0 and at most indicePairs[2]. A device may report this when the stream
 *     is synchronised. [diopiIndiceConvMmcv-indiceNum-elements]
 *   - The first indiceNum[k] pairs of each k must be rows of features and rows of out. A device may report this when
 *     the stream is synchronised. [diopiIndiceConvMmcv-pairs-inside]
 *   - numActOut must be at least 0. [diopiIndiceConvMmcv-numActOut-value]
 *   - If _subM is not 0, features[0] and numActOut must be equal. [diopiIndiceConvMmcv-features-equal]
 * - source: mmcv.ops.sparse_functional.indice_conv
 */
DIOPI_API diopiError_t diopiIndiceConvMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                           diopiConstTensorHandle_t features, diopiConstTensorHandle_t filters,
                                           diopiConstTensorHandle_t indicePairs, diopiConstTensorHandle_t indiceNum,
                                           int64_t numActOut, int64_t _inverse, int64_t _subM);

/**
 * Gradients of diopiIndiceConvMmcv.
 *
 * @param[in]  ctx          context of the call
 * @param[out] outlist      list of 2 tensors; created by the callee; gradient of `features`, gradient of `filters`;
 *         floating
 * @param[in]  features     floating
 * @param[in]  filters      floating
 * @param[in]  outGrad      floating
 * @param[in]  indicePairs  int32
 * @param[in]  indiceNum    int32
 * @param[in]  _inverse     non-zero: inverse convolution
 * @param[in]  _subM        non-zero: submanifold convolution
 *
 * - formula: Over the pairs of diopiIndiceConvMmcv: outlist[0][i] = sum of outGrad[o] * transposed(filters[k]);
 *   outlist[1][k] = sum of transposed(features[i]) * outGrad[o]
 * - shape: outlist: the shapes of features and of filters; outGrad [numActOut, Cout].
 * - checks:
 *   - features, filters and outGrad must have the same dtype. [diopiIndiceConvBackwardMmcv-features-same-dtype]
 *   - filters must have at least 3 dimensions and at most 5 dimensions. [diopiIndiceConvBackwardMmcv-filters-ndim]
 *   - filters[-2] and features[1] must be equal. [diopiIndiceConvBackwardMmcv-filters-equal]
 *   - Prod(filters[:-2]) and indicePairs[0] must be equal. [diopiIndiceConvBackwardMmcv-filters-matrices]
 *   - outGrad must have 2 dimensions. [diopiIndiceConvBackwardMmcv-outGrad-ndim]
 *   - outGrad[1] and filters[-1] must be equal. [diopiIndiceConvBackwardMmcv-outGrad-equal]
 *   - features must have 2 dimensions. [diopiIndiceConvBackwardMmcv-features-ndim]
 *   - indicePairs must have the shape [any, 2, any]. [diopiIndiceConvBackwardMmcv-indicePairs-shape]
 *   - indiceNum must have the shape [indicePairs[0]]. [diopiIndiceConvBackwardMmcv-indiceNum-shape]
 *   - Each element of indiceNum must be at least 0 and at most indicePairs[2]. A device may report this when the stream
 *     is synchronised. [diopiIndiceConvBackwardMmcv-indiceNum-elements]
 *   - The first indiceNum[k] pairs of each k must be rows of features and rows of outGrad. A device may report this
 *     when the stream is synchronised. [diopiIndiceConvBackwardMmcv-pairs-inside]
 *   - If _subM is not 0, features[0] and outGrad[0] must be equal. [diopiIndiceConvBackwardMmcv-features-equal]
 * - source: Autograd of mmcv.ops.sparse_functional.indice_conv
 */
DIOPI_API diopiError_t diopiIndiceConvBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* outlist,
                                                   diopiConstTensorHandle_t features,
                                                   diopiConstTensorHandle_t filters, diopiConstTensorHandle_t outGrad,
                                                   diopiConstTensorHandle_t indicePairs,
                                                   diopiConstTensorHandle_t indiceNum, int64_t _inverse, int64_t _subM);

/**
 * Sparse convolution by index pairs plus bias, mmcv's `fused_indice_conv`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          created by the callee; of the dtype of `features`
 * @param[in]  features     floating
 * @param[in]  filters      floating
 * @param[in]  bias         floating
 * @param[in]  indicePairs  int32
 * @param[in]  indiceNum    int32
 * @param[in]  numActOut    integer
 * @param[in]  _inverse     non-zero: inverse convolution
 * @param[in]  _subM        non-zero: submanifold convolution
 *
 * - formula: out = the result of diopiIndiceConvMmcv + bias
 * - shape: As diopiIndiceConvMmcv; bias [Cout].
 * - checks:
 *   - The checks of diopiIndiceConvMmcv hold too.
 *   - features and bias must have the same dtype. [diopiFusedIndiceConvBatchnormMmcv-bias-same-dtype]
 *   - bias must have the shape [filters[-1]]. [diopiFusedIndiceConvBatchnormMmcv-bias-shape]
 * - source: mmcv.ops.sparse_functional.fused_indice_conv
 * - notes: mmcv loses the bias of a submanifold convolution on CUDA; here it is added in all cases. There is no batch
 *   normalisation: callers fold it into filters and bias.
 */
DIOPI_API diopiError_t diopiFusedIndiceConvBatchnormMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                                         diopiConstTensorHandle_t features,
                                                         diopiConstTensorHandle_t filters,
                                                         diopiConstTensorHandle_t bias,
                                                         diopiConstTensorHandle_t indicePairs,
                                                         diopiConstTensorHandle_t indiceNum, int64_t numActOut,
                                                         int64_t _inverse, int64_t _subM);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DIOPI_FUNCTIONS_MMCV_H_ */
