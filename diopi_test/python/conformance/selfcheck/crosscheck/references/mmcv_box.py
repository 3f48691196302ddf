# SPDX-License-Identifier: BSD-3-Clause
"""References for overlaps of boxes of mmcv: second implementations of the contract's text.

The area of an intersection is that of its corners in the order of their angles around their mean, or that of their hull
by the monotone chain; the oracles clip polygons and wrap hulls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np

from ..reference import SPECIFICATION, Reference, Table

Box = Any  # a row of numbers
Overlap = Callable[[Box, Box], float]


def _corners(x: float, y: float, w: float, h: float, angle: float) -> list[complex]:
    turn = complex(np.cos(angle), np.sin(angle))
    return [complex(x, y) + turn * complex(i * w / 2, j * h / 2) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


def _cross(a: complex, b: complex) -> float:
    return (a.conjugate() * b).imag


def _dot(a: complex, b: complex) -> float:
    return (a.conjugate() * b).real


def _edges(corners: list[complex]) -> Iterator[tuple[complex, complex]]:
    return zip(corners, corners[1:] + corners[:1])


def _crossings(one: list[complex], two: list[complex]) -> Iterator[complex]:
    """The points of two edges with their ends."""
    for a, b in _edges(one):
        for c, d in _edges(two):
            across = _cross(b - a, d - c)
            if abs(across) <= 1e-14:
                continue
            s, t = _cross(c - a, d - c) / across, _cross(c - a, b - a) / across
            if 0 <= s <= 1 and 0 <= t <= 1:
                yield a + s * (b - a)


def _fan_area(points: list[complex]) -> float:
    if len(points) < 3:
        return 0.0
    middle = sum(points) / len(points)
    turned = sorted((p - middle for p in points), key=lambda p: np.angle(p))
    return abs(sum(_cross(p, q) for p, q in _edges(turned))) / 2


def _chain(ordered: list[complex]) -> list[complex]:
    chain: list[complex] = []
    for p in ordered:
        while len(chain) > 1 and _cross(chain[-1] - chain[-2], p - chain[-1]) <= 0:
            chain.pop()
        chain.append(p)
    return chain[:-1]


def _hull_area(points: list[complex]) -> float:
    ordered = sorted(set(points), key=lambda p: (p.real, p.imag))
    if len(points) < 3 or len(ordered) < 3:
        return 0.0
    hull = _chain(ordered) + _chain(ordered[::-1])
    return abs(sum(_cross(p, q) for p, q in _edges([p - hull[0] for p in hull]))) / 2


def _ratio(shared: float, one: float, two: float, mode: int) -> float:
    return 0.0 if shared == 0 else shared / (one if mode else one + two - shared)


def _rotated(mode: int) -> Overlap:
    def overlap(a: Box, b: Box) -> float:
        one, two = a[2] * a[3], b[2] * b[3]
        if one < 1e-14 or two < 1e-14 or np.hypot(*(a[:2] - b[:2])) * 2 > np.hypot(*a[2:4]) + np.hypot(*b[2:4]):
            return 0.0
        middle = (a[:2] + b[:2]) / 2
        p, q = (_corners(box[0] - middle[0], box[1] - middle[1], box[2], box[3], box[4]) for box in (a, b))
        near = 1e-12 * max(one, two)
        found = list(_crossings(p, q))
        for inner, outer in ((p, q), (q, p)):
            found += [x for x in inner if all(_cross(d - c, x - c) >= -near for c, d in _edges(outer))]
        return _ratio(_fan_area(found), one, two, mode)

    return overlap


def _quadrilateral(mode: int) -> Overlap:
    def area(q: list[complex]) -> float:
        a, b, c = (x - q[0] for x in q[1:])
        return (abs(_cross(a, b)) + abs(_cross(b, c))) / 2

    def overlap(a: Box, b: Box) -> float:
        p, q = ([complex(*xy) for xy in box.reshape(4, 2)] for box in (a, b))
        one, two = area(p), area(q)
        if one < 1e-14 or two < 1e-14:
            return 0.0
        middle = (sum(p) + sum(q)) / 8
        p, q = [x - middle for x in p], [x - middle for x in q]
        found = list(_crossings(p, q))
        for inner, outer in ((p, q), (q, p)):
            sides = (outer[1] - outer[0], outer[3] - outer[0])
            found += [x for x in inner if all(0 <= _dot(x - outer[0], s) <= _dot(s, s) for s in sides)]
        return _ratio(_hull_area(found) if len(found) > 2 else 0.0, one, two, mode)

    return overlap


def _from_above(a: Box, b: Box) -> float:
    origin = a[:2]
    p, q = (_corners(box[0] - origin[0], box[1] - origin[1], box[3], box[4], box[6]) for box in (a, b))
    found = []
    for p0, p1 in _edges(p):
        for q0, q1 in _edges(q):
            sides = [_cross(p1 - p0, x - p0) for x in (q0, q1)], [_cross(q1 - q0, x - q0) for x in (p0, p1)]
            if all(s * t < 0 for s, t in sides):
                s, t = sides[0]
                found.append(q0 + s / (s - t) * (q1 - q0))
    for corners, box in ((q, a), (p, b)):
        back = complex(np.cos(box[6]), -np.sin(box[6]))
        local = [(x - complex(*(box[:2] - origin))) * back for x in corners]
        inside = [abs(x.real) < box[3] / 2 + 0.01 and abs(x.imag) < box[4] / 2 + 0.01 for x in local]
        found += [x for x, within in zip(corners, inside) if within]
    return _fan_area(found)


def _matrix(one: Any, two: Any, overlap: Overlap, aligned: bool = False) -> Any:
    if not one.size or not two.size:
        return np.zeros(len(one) if aligned else (len(one), len(two)))
    if aligned:
        return np.array([overlap(a, b) for a, b in zip(one, two)])
    return np.array([[overlap(a, b) for b in two] for a in one])


def _pairs(make: Callable[[int], Overlap]) -> Callable[..., Any]:
    def call(bboxes1: Any, bboxes2: Any, mode: int, aligned: bool, ious: Any = None) -> Any:
        found = _matrix(bboxes1, bboxes2, make(mode), aligned)
        return found if ious is None else found.reshape(ious)

    return call


def _upright(mode: int, offset: float) -> Overlap:
    def overlap(a: Box, b: Box) -> float:
        w, h = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]) + offset
        shared = np.maximum(w, 0) * np.maximum(h, 0)
        one, two = (np.prod(box[2:] - box[:2] + offset) for box in (a, b))
        return float(shared / np.maximum(one if mode else one + two - shared, offset))

    return overlap


def _suppress(count: int, is_over: Callable[[int, int], bool]) -> list[int]:
    kept: list[int] = []
    for j in range(count):
        if not any(is_over(i, j) for i in kept):
            kept.append(j)
    return kept


def _is_greater(overlap: float, threshold: float) -> bool:
    return bool(np.float32(overlap) > np.float32(threshold))


def _nms_from_above(shared: Overlap) -> Callable[..., Any]:
    def call(boxes: Any, nms_overlap_thresh: float) -> Any:
        def is_over(i: int, j: int) -> bool:
            both = shared(boxes[i], boxes[j])
            union = boxes[i, 3] * boxes[i, 4] + boxes[j, 3] * boxes[j, 4] - both
            return _is_greater(both / max(union, 1e-8), nms_overlap_thresh)

        kept = _suppress(len(boxes), is_over)
        return {"keep": np.array([*kept, *[0] * (len(boxes) - len(kept))], np.int64), "keep_num": np.array(len(kept))}

    return call


def _upright_area(a: Box, b: Box) -> float:
    low = np.maximum(a[:2] - a[3:5] / 2, b[:2] - b[3:5] / 2)
    return float(np.prod(np.maximum(np.minimum(a[:2] + a[3:5] / 2, b[:2] + b[3:5] / 2) - low, 0)))


def _ranked(scores: Any) -> list[int]:
    return sorted(range(len(scores)), key=lambda i: (not np.isnan(scores[i]), 0 if np.isnan(scores[i]) else -scores[i]))


def _nms(dets: Any, scores: Any, iou_threshold: float, offset: int) -> Any:
    ranked = _ranked(scores)
    boxes = dets[ranked] if len(ranked) else dets

    def is_over(i: int, j: int) -> bool:
        return _is_greater(_upright_ratio(boxes[i], boxes[j], offset), iou_threshold)

    return np.array([ranked[k] for k in _suppress(len(ranked), is_over)], np.int64)


def _upright_ratio(a: Box, b: Box, offset: int) -> Any:
    w, h = np.fmin(a[2:], b[2:]) - np.fmax(a[:2], b[:2]) + offset
    shared = np.fmax(w, 0) * np.fmax(h, 0)
    one, two = (np.prod(box[2:] - box[:2] + offset) for box in (a, b))
    return shared / (one + two - shared)


def _nms_rotated(dets: Any, scores: Any, order: Any, iou_threshold: float) -> Any:
    ranked = list(order) if order.size == len(scores) else _ranked(scores)
    ratio = _rotated(0)

    def is_over(i: int, j: int) -> bool:
        return _is_greater(ratio(dets[ranked[i]][:5], dets[ranked[j]][:5]), iou_threshold)

    kept = _suppress(len(ranked), is_over)
    return np.array([ranked[k] for k in kept], np.int64)


def _smallest(pointsets: Any) -> Any:
    """The rectangle of the least area among those along the lines of two points that have all points on one side."""
    result = np.zeros((len(pointsets), 8))
    quarter = float(np.float32(3.1415926)) / 2
    for row, xy in zip(result, pointsets):
        points = [complex(*p) for p in xy.reshape(9, 2)]
        start = min(points, key=lambda p: (p.imag, p.real))
        corner, edges = start, list[float]()
        for _ in points:
            ahead = [p for p in points if p != corner and all(_cross(p - corner, q - corner) >= 0 for q in points)]
            if not ahead:
                break
            after = max(ahead, key=lambda p: abs(p - corner))
            edges.append(float(np.angle(after - corner)))
            corner = after
            if corner == start:
                break
        found = []
        for t in edges or [0.0]:
            t = np.fmod(t, quarter) if t >= 0 else t - np.trunc(t / quarter - 1) * quarter
            turned = [p * complex(np.cos(t), -np.sin(t)) for p in points]
            x0, x1 = min(p.real for p in turned), max(p.real for p in turned)
            y0, y1 = min(p.imag for p in turned), max(p.imag for p in turned)
            back = complex(np.cos(t), np.sin(t))
            corners = [complex(*c) * back for c in ((x1, y0), (x0, y0), (x0, y1), (x1, y1))]
            found.append(((x1 - x0) * (y1 - y0), corners))
        best = reduce(lambda f, g: g if g[0] < (1 - 1e-10) * f[0] else f, found)
        row[:] = [v for p in best[1] for v in (p.real, p.imag)]
    return result


def _triangle_area(corner: complex, edge: tuple[complex, complex], other: tuple[complex, complex]) -> float:
    """The signed area that the triangles of a corner with two edges share."""
    shapes = [[corner, *ends] for ends in (edge, other)]
    signs = [np.sign(_cross(b - a, c - a)) for a, b, c in shapes]
    if 0 in signs:
        return 0.0
    p, q = (s if sign > 0 else [s[0], s[2], s[1]] for s, sign in zip(shapes, signs))
    found = list(_crossings(p, q))
    for inner, outer in ((p, q), (q, p)):
        found += [x for x in inner if all(_cross(d - c, x - c) >= -1e-14 for c, d in _edges(outer))]
    return float(signs[0] * signs[1]) * _fan_area(found)


def _hull_corners(points: list[complex]) -> list[complex]:
    ordered = sorted(set(points), key=lambda p: (p.real, p.imag))
    return _chain(ordered) + _chain(ordered[::-1]) if len(ordered) > 1 else ordered


def _hull_overlap(set_: Box, polygon: Box) -> float:
    """The intersection as the sum over pairs of edges, each with one corner of the hull."""
    hull = _hull_corners([complex(*p) for p in set_.reshape(9, 2)])
    quad = [complex(*p) for p in polygon.reshape(4, 2)]
    whole = [abs(sum(_cross(p - s[0], q - s[0]) for p, q in _edges(s))) / 2 for s in (hull, quad)]
    shared = abs(sum(_triangle_area(hull[0], a, b) for a in _edges(hull) for b in _edges(quad)))
    return float(np.float64(shared) / (sum(whole) - shared))


def _is_before(v: Any, w: Any) -> bool:
    near = np.float32(1e-8)
    if (np.abs(v - w) < near).all():
        return False
    if v[1] * w[1] < 0 or np.sign(v[1]) * np.sign(w[1]) < 0:
        return bool(v[1] > 0)
    rank = [np.abs(p[0]) * p[0] / (p[0] * p[0] + p[1] * p[1] + near) for p in (v, w)]
    if v[1] > 0 and w[1] > 0:
        return bool(rank[0] - rank[1] > near)
    return bool(v[1] < 0 and w[1] < 0 and rank[0] - rank[1] < near)


def _sort_vertices(vertices: Any, mask: Any, num_valid: Any) -> Any:
    result = np.zeros((*num_valid.shape, 9), np.int32)
    for at in np.ndindex(num_valid.shape):
        points, flags, count = vertices[at].astype(np.float32), mask[at], min(int(num_valid[at]), 8)
        pad = next((j for j in range(8, 24) if not flags[j]), 8)
        order: list[int] = []
        while count >= 3 and len(order) < count:
            best, number = np.array([1, -1e-8], np.float32), 0
            for k in np.flatnonzero(flags):
                if _is_before(points[k], best) and (not order or _is_before(points[order[-1]], points[k])):
                    best, number = points[k], int(k)
            order.append(number)
        if len(order) == 8 and sum(a == b for a in order[:4] for b in order[4:]) == 4:
            order = order[:4]
        order += order[:1]
        result[at] = order + [pad] * (9 - len(order))
    return result


def _specified(against: str, call: Callable[..., Any]) -> Reference:
    return Reference(against, call, SPECIFICATION)


TABLE: Table = {
    "diopiBboxOverlapsMmcv": _specified(
        "the formula for each pair",
        lambda bboxes1, bboxes2, mode, offset, aligned: _matrix(bboxes1, bboxes2, _upright(mode, offset), aligned),
    ),
    "diopiBoxIouRotatedMmcv": _specified("corners around their mean", _pairs(_rotated)),
    "diopiBoxIouQuadriMmcv": _specified("the hull by the monotone chain", _pairs(_quadrilateral)),
    "diopiIou3dBoxesOverlapBevMmcv": _specified(
        "corners around their mean", lambda boxes_a, boxes_b: _matrix(boxes_a, boxes_b, _from_above)
    ),
    "diopiIou3dNms3dMmcv": _specified("comparison with all kept boxes", _nms_from_above(_from_above)),
    "diopiIou3dNms3dNormalMmcv": _specified("comparison with all kept boxes", _nms_from_above(_upright_area)),
    "diopiNmsMmcv": _specified("comparison with all kept boxes", _nms),
    "diopiNmsRotatedMmcv": _specified("comparison with all kept boxes", _nms_rotated),
    "diopiMinAreaPolygonsMmcv": _specified("lines with all points on one side", _smallest),
    "diopiConvexIouMmcv": _specified(
        "the sum of shared triangles over pairs of edges",
        lambda pointsets, polygons: _matrix(pointsets, polygons, _hull_overlap),
    ),
    "diopiDiffIouRotatedSortVerticesMmcv": _specified("repeated choice of the next vertex", _sort_vertices),
}
