# SPDX-License-Identifier: BSD-3-Clause
"""The reference for the generalised overlap of hulls and its gradient: numbers that carry their derivatives.

All areas are computed from such numbers, and none of the formulas of derivatives stands here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..reference import SPECIFICATION, Reference, Table

NEAR = 1e-8


class _Number:
    """A number and its derivatives for the 18 coordinates of a set of points."""

    def __init__(self, value: float, slopes: Any = 0.0) -> None:
        self.value, self.slopes = value, slopes

    def __add__(self, other: _Number) -> _Number:
        return _Number(self.value + other.value, self.slopes + other.slopes)

    def __sub__(self, other: _Number) -> _Number:
        return _Number(self.value - other.value, self.slopes - other.slopes)

    def __mul__(self, other: _Number) -> _Number:
        return _Number(self.value * other.value, self.slopes * other.value + other.slopes * self.value)

    def __truediv__(self, other: _Number) -> _Number:
        value = self.value / other.value
        return _Number(value, (self.slopes - value * other.slopes) / other.value)


Point = tuple[_Number, _Number]


def _cross(o: Point, p: Point, q: Point) -> _Number:
    return (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0])


def _sign(value: float) -> int:
    return int(value > NEAR) - int(value < -NEAR)


def _near(p: Point, q: Point) -> bool:
    return all(abs(s.value - t.value) < NEAR for s, t in zip(p, q))


def _same(p: Point, q: Point) -> bool:
    return p[0].value == q[0].value and p[1].value == q[1].value


def _edges(corners: list[Point]) -> Iterator[tuple[Point, Point]]:
    return zip(corners, corners[1:] + corners[:1])


def _area(corners: list[Point]) -> _Number:
    origin = (_Number(0.0), _Number(0.0))
    # A corner whose neighbours are one point has no influence, so that a polygon of two corners has no area.
    twice = sum((_cross(origin, p, q) for p, q in _edges(corners)), _Number(0.0))
    return twice / _Number(2.0)


def _hull(points: list[Point]) -> list[Point]:
    """By the monotone chain, of points with different positions."""
    chain: list[Point] = []
    ordered = sorted(points, key=lambda p: (p[0].value, p[1].value))
    if len(ordered) < 2:
        return ordered
    for side in (ordered, ordered[::-1]):
        start = len(chain)
        for p in side:
            while len(chain) - start > 1 and _cross(chain[-2], chain[-1], p).value <= 0:
                chain.pop()
            chain.append(p)
        chain.pop()
    return chain


def _clip(corners: list[Point], u: Point, v: Point) -> list[Point]:
    found: list[Point] = []
    for p, r in _edges(corners):
        s, t = _cross(u, v, p), _cross(u, v, r)
        if _sign(s.value) > 0:
            found.append(p)
        if _sign(s.value) != _sign(t.value):
            found.append(((p[0] * t - r[0] * s) / (t - s), (p[1] * t - r[1] * s) / (t - s)))
    kept = [p for i, p in enumerate(found) if i == 0 or not _near(p, found[i - 1])]
    while len(kept) > 1 and _near(kept[-1], kept[0]):
        kept.pop()
    return kept


def _shared(hull: list[Point], quad: list[Point]) -> _Number:
    total, origin = _Number(0.0), (_Number(0.0), _Number(0.0))
    for a, b in _edges(hull):
        for c, d in _edges(quad):
            one, two = (_sign(_cross(origin, *edge).value) for edge in ((a, b), (c, d)))
            if one * two == 0:
                continue
            part = [origin, a, b] if one > 0 else [origin, b, a]
            c, d = (c, d) if two > 0 else (d, c)
            for u, v in ((origin, c), (c, d), (d, origin)):
                part = _clip(part, u, v)
            if part:
                total = total + _Number(float(one * two)) * _area(part)
    return total


def _giou(xy: Any, polygon: Any) -> Any:
    numbers = [_Number(float(xy[k]), np.eye(18)[k]) for k in range(18)]
    points = list(zip(numbers[::2], numbers[1::2]))
    corners = _hull([p for i, p in enumerate(points) if not any(_same(p, q) for q in points[:i])])
    # The gradient of a corner belongs to the first point near to it.
    owners = [next(q for q in points if _near(p, q)) for p in corners]
    corners = [(_Number(p[0].value, q[0].slopes), _Number(p[1].value, q[1].slopes)) for p, q in zip(corners, owners)]
    quad = [(_Number(float(polygon[2 * i])), _Number(float(polygon[2 * i + 1]))) for i in range(4)]
    whole = _area(quad)
    if whole.value < 0:
        quad, whole = quad[::-1], _Number(-whole.value)
    shared = _shared(corners, quad)
    union = _area(corners) + whole - shared
    others = [q for i, q in enumerate(quad) if not any(_near(q, p) for p in corners)]
    others = [q for i, q in enumerate(others) if not any(_same(q, p) for p in others[:i])]
    outer = _area(_hull(corners + others))
    found = shared / union - (outer - union) / outer
    return np.append(np.broadcast_to(found.slopes, 18), found.value)


def _convex_giou(pointsets: Any, polygons: Any) -> Any:
    rows = [_giou(xy, polygon) for xy, polygon in zip(pointsets, polygons)]
    return np.array(rows).reshape(len(rows), 19)


TABLE: Table = {
    "diopiConvexGiouMmcv": Reference("numbers that carry their derivatives", _convex_giou, SPECIFICATION),
}
