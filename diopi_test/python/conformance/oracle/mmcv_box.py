# SPDX-License-Identifier: BSD-3-Clause
"""Overlaps and suppression of boxes of mmcv."""

import numpy as np

from . import Value, oracle
from .detection import greedy_suppression
from .polygons import cross, hull, packed, shared_area, signed_area

LEAST_AREA = 1e-14
MARGIN = 0.01  # by which mmcv enlarges boxes seen from above


def _rows(boxes, columns):
    """Boxes as rows; a tensor without boxes may have any shape."""
    return boxes if boxes.size else boxes.reshape(0, columns)


def _paired(first, second, aligned):
    """Operands that broadcast to one element for each pair."""
    return (first, second) if aligned else (first[:, None], second[None])


def _overlap(shared, one, two, mode):
    with np.errstate(all="ignore"):
        return np.where(shared == 0, 0.0, shared / (one if mode else one + two - shared))


@oracle("diopiBboxOverlapsMmcv", dtype="bboxes1")
def bbox_overlaps(bboxes1, bboxes2, mode, offset, aligned):
    one, two = _paired(_rows(bboxes1, 4), _rows(bboxes2, 4), aligned)
    sides = [np.minimum(one[..., k + 2], two[..., k + 2]) - np.maximum(one[..., k], two[..., k]) for k in (0, 1)]
    shared = np.prod([np.maximum(side + offset, 0) for side in sides], axis=0)
    of_both = [[b[..., k + 2] - b[..., k] for k in (0, 1)] for b in (one, two)]
    of_one, of_two = ((x + offset) * (y + offset) for x, y in of_both)
    divisor = np.maximum(of_one if mode else of_one + of_two - shared, offset)
    # A side and the offset may cancel, so that the rounding error of the side counts more.
    shared_size, *of_sizes = (
        np.prod([(np.abs(s) + np.abs(s + offset)) / 2 for s in pair], 0) for pair in (sides, *of_both)
    )
    result = shared / divisor
    size = np.where(shared > 0, shared_size, 0) + np.abs(result) * (of_sizes[0] if mode else sum(of_sizes))
    return Value(result, magnitude=np.maximum(np.abs(result), size / divisor / 2))


def _corners(centre, width, height, angle):
    """The corners of turned boxes, counterclockwise."""
    c, s = np.cos(angle), np.sin(angle)
    x = np.stack([c * width / 2, s * width / 2], -1)
    y = np.stack([-s * height / 2, c * height / 2], -1)
    return np.stack([-x - y, x - y, x + y, y - x], -2) + centre[..., None, :]


def rotated_overlaps(one, two, mode):
    """The overlaps of boxes (x, y, w, h, angle) whose arrays broadcast."""
    shape = np.broadcast_shapes(one.shape[:-1], two.shape[:-1])
    one, two = (np.broadcast_to(b, (*shape, b.shape[-1])) for b in (one, two))
    half = (one[..., :2] - two[..., :2]) / 2
    corners = [_corners(sign * half, b[..., 2], b[..., 3], b[..., 4]) for sign, b in ((1, one), (-1, two))]
    areas = [b[..., 2] * b[..., 3] for b in (one, two)]
    shared = np.where((areas[0] < LEAST_AREA) | (areas[1] < LEAST_AREA), 0.0, shared_area(*corners))
    return _overlap(shared, areas[0], areas[1], mode)


@oracle("diopiBoxIouRotatedMmcv", dtype="bboxes1")
def box_iou_rotated(bboxes1, bboxes2, mode, aligned, ious=None):
    one, two = _paired(_rows(bboxes1, 5), _rows(bboxes2, 5), aligned)
    result = rotated_overlaps(one, two, mode)
    return result.reshape(ious) if ious is not None else result


def _quadrilateral_hull(one, two):
    """The area of the convex hull of the intersections of edges and the corners inside the other quadrilateral."""
    mean = (one.sum(-2) + two.sum(-2)) / 8
    one, two = one - mean[..., None, :], two - mean[..., None, :]
    points, exists = [], []
    for i in range(4):
        for j in range(4):
            a, c = one[..., i, :], two[..., j, :]
            d, e = one[..., (i + 1) % 4, :] - a, two[..., (j + 1) % 4, :] - c
            det = cross(e, d)
            meets = np.abs(det) > 1e-14
            det = np.where(meets, det, 1.0)
            s, t = cross(e, c - a) / det, cross(d, c - a) / det
            points.append(a + s[..., None] * d)
            exists.append(meets & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1))
    for inner, outer in ((one, two), (two, one)):
        ab, ad = outer[..., 1, :] - outer[..., 0, :], outer[..., 3, :] - outer[..., 0, :]
        for k in range(4):
            ap = inner[..., k, :] - outer[..., 0, :]
            along, across = (ap * ab).sum(-1), (ap * ad).sum(-1)
            points.append(inner[..., k, :])
            inside = (along >= 0) & (across >= 0) & (along <= (ab * ab).sum(-1)) & (across <= (ad * ad).sum(-1))
            exists.append(inside)
    points, exists = packed(np.stack(points, -2), np.stack(exists, -1))
    return np.where(exists.sum(-1) < 3, 0.0, signed_area(*hull(points, exists)))


@oracle("diopiBoxIouQuadriMmcv", dtype="bboxes1")
def box_iou_quadri(bboxes1, bboxes2, mode, aligned, ious=None):
    one, two = (_rows(b, 8).reshape(-1 if b.size else 0, 4, 2) for b in (bboxes1, bboxes2))
    one, two = _paired(one, two, aligned)
    shape = np.broadcast_shapes(one.shape, two.shape)
    one, two = np.broadcast_to(one, shape), np.broadcast_to(two, shape)
    areas = [
        (np.abs(cross(q[..., 1, :] - a, q[..., 2, :] - a)) + np.abs(cross(q[..., 2, :] - a, q[..., 3, :] - a))) / 2
        for q, a in ((one, one[..., 0, :]), (two, two[..., 0, :]))
    ]
    shared = np.where((areas[0] < LEAST_AREA) | (areas[1] < LEAST_AREA), 0.0, _quadrilateral_hull(one, two))
    result = _overlap(shared, areas[0], areas[1], mode)
    return result.reshape(ious) if ious is not None else result


def _inside_enlarged(points, box):
    """Whether points [..., 4, 2] lie inside boxes that the margin enlarges."""
    d = points - box[..., None, :2]
    c, s = np.cos(box[..., 6])[..., None], np.sin(box[..., 6])[..., None]
    x, y = d[..., 0] * c + d[..., 1] * s, d[..., 1] * c - d[..., 0] * s
    return (np.abs(x) < box[..., None, 3] / 2 + MARGIN) & (np.abs(y) < box[..., None, 4] / 2 + MARGIN)


def overlaps_from_above(one, two):
    """The overlaps of boxes (x, y, z, dx, dy, dz, heading) whose arrays broadcast."""
    shape = np.broadcast_shapes(one.shape, two.shape)
    one, two = np.broadcast_to(one, shape).copy(), np.broadcast_to(two, shape).copy()
    origin = one[..., :2].copy()
    for b in (one, two):
        b[..., :2] -= origin
    p, q = (_corners(b[..., :2], b[..., 3], b[..., 4], b[..., 6]) for b in (one, two))
    points, exists = [], []
    for i in range(4):
        for j in range(4):
            a, b, c, d = p[..., i, :], p[..., (i + 1) % 4, :], q[..., j, :], q[..., (j + 1) % 4, :]
            touch = (np.minimum(a, b) <= np.maximum(c, d)) & (np.minimum(c, d) <= np.maximum(a, b))
            s1, s2, s3, s4 = cross(c - a, b - a), cross(b - a, d - a), cross(a - c, d - c), cross(d - c, b - c)
            meets = touch.all(-1) & (s1 * s2 > 0) & (s3 * s4 > 0)
            s5 = cross(d - a, b - a)
            share = np.where(meets, s5 - s1, 1.0)[..., None]
            points.append((s5[..., None] * c - s1[..., None] * d) / share)
            exists.append(meets)
    inside = (_inside_enlarged(q, one), _inside_enlarged(p, two))
    for k in range(4):
        points += [q[..., k, :], p[..., k, :]]
        exists += [inside[0][..., k], inside[1][..., k]]
    points, exists = packed(np.stack(points, -2), np.stack(exists, -1))
    count = np.maximum(exists.sum(-1, keepdims=True), 1)
    mean = np.where(exists[..., None], points, 0.0).sum(-2) / count
    angle = np.arctan2(points[..., 1] - mean[..., None, 1], points[..., 0] - mean[..., None, 0])
    order = np.argsort(np.where(exists, angle, np.inf), axis=-1, kind="stable")
    return np.abs(signed_area(np.take_along_axis(points, order[..., None], -2), exists))


@oracle("diopiIou3dBoxesOverlapBevMmcv")
def iou3d_boxes_overlap_bev(boxes_a, boxes_b):
    return overlaps_from_above(boxes_a[:, None], boxes_b[None])


def kept_boxes(count, is_over):
    """The positions of the boxes that greedy suppression keeps; is_over(i, rest) tells which boxes i drops."""
    dropped, kept = np.zeros(count, bool), []
    for i in range(count):
        if not dropped[i]:
            kept.append(i)
            dropped[i + 1 :] |= is_over(i, slice(i + 1, None))
    return np.array(kept, np.int64)


def _nms_from_above(boxes, threshold, shared):
    area = boxes[:, 3] * boxes[:, 4]

    def is_over(i, rest):
        both = shared(boxes[i : i + 1], boxes[rest])
        return np.float32(both / np.maximum(area[i] + area[rest] - both, 1e-8)) > np.float32(threshold)

    kept = kept_boxes(len(boxes), is_over)
    keep = np.zeros(len(boxes), np.int64)
    keep[: len(kept)] = kept
    return {"keep": Value(keep, dtype="int64"), "keep_num": Value(np.array(len(kept)), dtype="int64")}


@oracle("diopiIou3dNms3dMmcv")
def iou3d_nms3d(boxes, nms_overlap_thresh):
    return _nms_from_above(boxes, nms_overlap_thresh, overlaps_from_above)


def _upright_area(one, two):
    low = np.maximum(*(b[..., :2] - b[..., 3:5] / 2 for b in (one, two)))
    high = np.minimum(*(b[..., :2] + b[..., 3:5] / 2 for b in (one, two)))
    return np.maximum(high - low, 0).prod(-1)


@oracle("diopiIou3dNms3dNormalMmcv")
def iou3d_nms3d_normal(boxes, nms_overlap_thresh):
    return _nms_from_above(boxes, nms_overlap_thresh, _upright_area)


@oracle("diopiNmsMmcv", dtype="int64")
def nms(dets, scores, iou_threshold, offset):
    return greedy_suppression(_rows(dets, 4), scores, np.float32(iou_threshold), offset, np.float32)


def descending(scores):
    """The stable descending order; NaN comes first."""
    best = np.argsort(np.where(np.isnan(scores), -np.inf, -scores), kind="stable")
    return np.concatenate([best[np.isnan(scores[best])], best[~np.isnan(scores[best])]])


@oracle("diopiNmsRotatedMmcv", dtype="int64")
def nms_rotated(dets, scores, order, iou_threshold):
    if not len(scores):
        return np.zeros(0, np.int64)
    order = order if order.size == len(scores) else descending(scores)
    boxes = dets[order][:, :5]

    def is_over(i, rest):
        return np.float32(rotated_overlaps(boxes[i : i + 1], boxes[rest], 0)) > np.float32(iou_threshold)

    return order[kept_boxes(len(boxes), is_over)]
