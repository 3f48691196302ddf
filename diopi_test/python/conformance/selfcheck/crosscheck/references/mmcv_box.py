# SPDX-License-Identifier: BSD-3-Clause
"""References for overlaps of boxes of mmcv: second implementations of the contract's text.

The area of an intersection is that of its corners in the order of their angles around their mean, or that of their hull
by the monotone chain; the oracles clip polygons and wrap hulls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


def _hull_area(points: list[complex]) -> float:
    def half(ordered: list[complex]) -> list[complex]:
        chain: list[complex] = []
        for p in ordered:
            while len(chain) > 1 and _cross(chain[-1] - chain[-2], p - chain[-1]) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]

    ordered = sorted(set(points), key=lambda p: (p.real, p.imag))
    if len(points) < 3 or len(ordered) < 3:
        return 0.0
    hull = half(ordered) + half(ordered[::-1])
    return abs(sum(_cross(p, q) for p, q in _edges([p - hull[0] for p in hull]))) / 2


def _ratio(shared: float, one: float, two: float, mode: int) -> float:
    return 0.0 if shared == 0 else shared / (one if mode else one + two - shared)


def _rotated(mode: int) -> Overlap:
    def overlap(a: Box, b: Box) -> float:
        one, two = a[2] * a[3], b[2] * b[3]
        if one < 1e-14 or two < 1e-14 or np.hypot(*(a[:2] - b[:2])) * 2 > np.hypot(*a[2:4]) + np.hypot(*b[2:4]):
            return 0.0
        middle = (a[:2] + b[:2]) / 2
        p, q = (_corners(*(box[:2] - middle), *box[2:5]) for box in (a, b))
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
    p, q = (_corners(*(box[:2] - origin), box[3], box[4], box[6]) for box in (a, b))
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


def _nms_from_above(shared: Overlap) -> Callable[..., Any]:
    def call(boxes: Any, nms_overlap_thresh: float) -> Any:
        def is_over(i: int, j: int) -> bool:
            both = shared(boxes[i], boxes[j])
            union = boxes[i, 3] * boxes[i, 4] + boxes[j, 3] * boxes[j, 4] - both
            return bool(both / max(union, 1e-8) > np.float32(nms_overlap_thresh))

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
        return bool(_upright_ratio(boxes[i], boxes[j], offset) > np.float32(iou_threshold))

    return np.array([ranked[k] for k in _suppress(len(ranked), is_over)], np.int64)


def _upright_ratio(a: Box, b: Box, offset: int) -> Any:
    w, h = np.fmin(a[2:], b[2:]) - np.fmax(a[:2], b[:2]) + offset
    shared = np.fmax(w, 0) * np.fmax(h, 0)
    one, two = (np.prod(box[2:] - box[:2] + offset) for box in (a, b))
    return shared / (one + two - shared)


def _nms_rotated(dets: Any, scores: Any, order: Any, iou_threshold: float) -> Any:
    ranked = list(order) if order.size == len(scores) else _ranked(scores)
    ratio = _rotated(0)
    kept = _suppress(
        len(ranked), lambda i, j: ratio(dets[ranked[i]][:5], dets[ranked[j]][:5]) > np.float32(iou_threshold)
    )
    return np.array([ranked[k] for k in kept], np.int64)


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
}
