# SPDX-License-Identifier: BSD-3-Clause
"""Generalised overlap of convex hulls with quadrilaterals and its gradient, of mmcv.

The area of the intersection is a sum over pairs of edges. Its gradient is carried through the clips: a point has ten
numbers, x, y and their derivatives for the four coordinates of the edge of the hull.
"""

import numpy as np

from . import oracle
from .polygons import cross, hull, packed, signed_area, successors

NEAR = 1e-8


def _sign(values):
    return np.where(values > NEAR, 1, np.where(values < -NEAR, -1, 0))


def _equal(p, q):
    return (np.abs(p[..., 0] - q[..., 0]) < NEAR) & (np.abs(p[..., 1] - q[..., 1]) < NEAR)


def _following(values, exists):
    """The values of the successors of the points of packed polygons; values [..., points, numbers]."""
    count = exists.sum(-1, keepdims=True)
    place = np.arange(values.shape[-2])
    return np.take_along_axis(values, np.where(place + 1 < count, place + 1, 0)[..., None], -2)


def _without_repeats(points, exists):
    """Drops points that equal their predecessors, then last points that equal the first one."""
    repeats = exists[..., 1:] & _equal(points[..., 1:, :], points[..., :-1, :])
    exists = exists & ~np.concatenate([np.zeros_like(exists[..., :1]), repeats], -1)
    points, exists = packed(points, exists)
    place = np.arange(points.shape[-2])
    for last in range(points.shape[-2] - 1, 0, -1):
        drops = (exists.sum(-1) == last + 1) & _equal(points[..., last, :], points[..., 0, :])
        exists = exists & ~((place == last) & drops[..., None])
    return points, exists


def _clipped(points, exists, u, v):
    """The part on the left side of the lines from u to v. Each point is x, y and eight derivatives."""
    side = cross((v - u)[..., None, :], points[..., :2] - u[..., None, :])
    following = _following(points, exists)
    then = _following(side[..., None], exists)[..., 0]
    crosses = exists & (_sign(side) != _sign(then))
    apart = np.where(crosses, then - side, 1.0)
    between = (points[..., :2] * then[..., None] - following[..., :2] * side[..., None]) / apart[..., None]
    # The derivatives of the intersection: of x and y for each of the four coordinates.
    normal = np.stack([u[..., 1] - v[..., 1], v[..., 0] - u[..., 0]], -1)[..., None, :]
    dp, dr = (t[..., 2:].reshape(*t.shape[:-1], 2, 4) for t in (points, following))
    ds, dthen = ((normal[..., None] * d).sum(-2) for d in (dp, dr))
    share = (-side / apart)[..., None, None]  # of the way from p to r
    dshare = (side[..., None] * dthen - then[..., None] * ds) / (apart**2)[..., None]
    way = following[..., :2] - points[..., :2]
    dbetween = dp + share * (dr - dp) + way[..., None] * dshare[..., None, :]
    added = np.concatenate([between, dbetween.reshape(*between.shape[:-1], 8)], -1)
    both = np.stack([points, added], -2).reshape(*points.shape[:-2], -1, 10)
    kept = np.stack([exists & (_sign(side) > 0), crosses], -1).reshape(both.shape[:-1])
    both, kept = _without_repeats(*packed(both, kept))
    most = points.shape[-2] + 2
    return both[..., :most, :], kept[..., :most]


def _shoelace(points, exists):
    """The derivative of the area for each corner."""
    count = np.maximum(exists.sum(-1, keepdims=True), 1)
    place = np.arange(points.shape[-2])
    after, before = (
        np.take_along_axis(points, np.where(exists, k % count, 0)[..., None], -2)
        for k in (place + 1, place - 1)
    )  # fmt: skip
    slope = np.stack([after[..., 1] - before[..., 1], before[..., 0] - after[..., 0]], -1) / 2
    return np.where(exists[..., None], slope, 0.0)


def _intersection(corners, exists, quad):
    """The area of the intersections, and its derivatives for the corners of the hulls."""
    rows, most = exists.shape
    a, b = corners, successors(corners, exists)
    c, d = quad, np.roll(quad, -1, 1)
    shape = (rows, most, 4, 2)
    a, b = (np.broadcast_to(t[:, :, None], shape) for t in (a, b))
    c, d = (np.broadcast_to(t[:, None], shape) for t in (c, d))
    one, two = _sign(cross(a, b)), _sign(cross(c, d))
    used = exists[:, :, None] & (one * two != 0)
    jacobian = np.broadcast_to(np.eye(4), (*shape[:-1], 4, 4))
    first = np.concatenate([a, jacobian[..., :2, :].reshape(*shape[:-1], 8)], -1)
    second = np.concatenate([b, jacobian[..., 2:, :].reshape(*shape[:-1], 8)], -1)
    turned = (one < 0)[..., None]
    points = np.stack([np.zeros_like(first), np.where(turned, second, first), np.where(turned, first, second)], -2)
    turned = (two < 0)[..., None]
    c, d = np.where(turned, d, c), np.where(turned, c, d)
    inside, origin = np.repeat(used[..., None], 3, -1), np.zeros(shape)
    for u, v in ((origin, c), (c, d), (d, origin)):
        points, inside = _clipped(points, inside, u, v)
    area = signed_area(points[..., :2], inside)
    slope = _shoelace(points[..., :2], inside)
    derivative = (slope[..., None] * points[..., 2:].reshape(*points.shape[:-1], 2, 4)).sum((-3, -2))
    factor = (one * two)[..., None]
    derivative = (np.where(used[..., None], factor * derivative, 0.0)).sum(2).reshape(rows, most, 2, 2)
    # The edge k has the corners k and k + 1.
    of_second = np.zeros((rows, most, 2))
    count = np.maximum(exists.sum(-1), 1)
    for k in range(most):
        np.add.at(of_second, (np.arange(rows), (k + 1) % count), np.where(exists[:, k, None], derivative[:, k, 1], 0.0))
    return np.where(used, one * two * area, 0.0).sum((1, 2)), derivative[:, :, 0] + of_second


def _outer(corners, exists, quad):
    """The area of the hulls of both shapes, and its derivatives for the corners of the hulls of the points."""
    repeats = (_equal(quad[:, :, None], corners[:, None]) & exists[:, None]).any(2)
    points, there = hull(np.concatenate([corners, quad], 1), np.concatenate([exists, ~repeats], 1))
    slope = _shoelace(points, there)
    same = (points[:, None] == corners[:, :, None]).all(-1) & there[:, None] & exists[:, :, None]
    return signed_area(points, there), (same[..., None] * slope[:, None]).sum(2)


@oracle("diopiConvexGiouMmcv", dtype="pointsets")
def convex_giou(pointsets, polygons):
    rows = len(pointsets)
    if rows == 0:
        return np.zeros((0, 19))
    points, quad = pointsets.reshape(rows, 9, 2), polygons.reshape(rows, 4, 2)
    corners, exists = (t[:, :9] for t in hull(points, np.ones((rows, 9), bool)))
    whole = signed_area(quad, np.ones((rows, 4), bool))
    quad = np.where((whole < 0)[:, None, None], quad[:, ::-1], quad)
    area, d_area = signed_area(corners, exists), _shoelace(corners, exists)
    shared, d_shared = _intersection(corners, exists, quad)
    outer, d_outer = _outer(corners, exists, quad)
    union = area + np.abs(whole) - shared
    i, u, c = (t[:, None, None] for t in (shared, union, outer))
    slope = (u + i) / u**2 * d_shared - i / u**2 * d_area - (d_shared - d_area) / c - u / c**2 * d_outer
    result = np.zeros((rows, 19))
    for k in range(9):
        at = np.argmax(_equal(points, corners[:, k, None]), 1)
        for row in np.flatnonzero(exists[:, k]):
            result[row, 2 * at[row] : 2 * at[row] + 2] = slope[row, k]
    result[:, 18] = shared / union - (outer - union) / outer
    return result
