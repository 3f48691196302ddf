# SPDX-License-Identifier: BSD-3-Clause
"""Polygons of few corners, for many at a time: arrays [..., corners, 2] with masks of the corners that exist."""

import numpy as np


def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def packed(points, exists):
    """The points that exist, in front of the others, in the same order."""
    order = np.argsort(~exists, axis=-1, kind="stable")
    return np.take_along_axis(points, order[..., None], -2), np.take_along_axis(exists, order, -1)


def successors(points, exists):
    """The corner behind each corner of packed polygons."""
    count = exists.sum(-1, keepdims=True)
    place = np.arange(points.shape[-2])
    following = np.where(place + 1 < count, place + 1, 0)
    following = np.minimum(following, max(points.shape[-2] - 1, 0))
    return np.take_along_axis(points, following[..., None], -2)


def signed_area(points, exists):
    """The area of packed polygons; negative if the corners go clockwise."""
    origin = points[..., :1, :]
    terms = cross(points - origin, successors(points, exists) - origin)
    return np.where(exists, terms, 0.0).sum(-1) / 2


def keep_left(points, exists, a, b):
    """The part of convex polygons on the left side of the lines from a to b."""
    following = successors(points, exists)
    side = cross((b - a)[..., None, :], points - a[..., None, :])
    then = cross((b - a)[..., None, :], following - a[..., None, :])
    crosses = exists & (((side > 0) & (then < 0)) | ((side < 0) & (then > 0)))
    share = np.where(crosses, side / np.where(crosses, side - then, 1.0), 0.0)
    between = points + share[..., None] * (following - points)
    both = np.stack([points, between], -2).reshape(*points.shape[:-2], 2 * points.shape[-2], 2)
    kept = np.stack([exists & (side >= 0), crosses], -1).reshape(both.shape[:-1])
    both, kept = packed(both, kept)
    most = min(points.shape[-2] + 1, both.shape[-2])
    return both[..., :most, :], kept[..., :most]


def shared_area(first, second):
    """The area of the intersection of convex polygons [..., corners, 2], all corners counterclockwise."""
    points, exists = first, np.ones(first.shape[:-1], bool)
    for k in range(second.shape[-2]):
        points, exists = keep_left(points, exists, second[..., k, :], second[..., (k + 1) % second.shape[-2], :])
    return np.maximum(signed_area(points, exists), 0)


def _push(stack, size, least, point, wanted):
    """Pushes points after those that would not be corners have been popped, down to `least` of each stack."""
    row = np.arange(len(stack))
    while True:
        top, below = stack[row, np.maximum(size - 1, 0)], stack[row, np.maximum(size - 2, 0)]
        pops = wanted & (size >= least) & ~(cross(top - below, point - top) > 0)
        if not pops.any():
            break
        size = size - pops
    stack[row[wanted], size[wanted]] = point[wanted]
    return size + wanted


def hull(points, exists):
    """The convex hulls of sets of points, counterclockwise from the lowest, then leftmost point."""
    shape, n = points.shape[:-2], points.shape[-2]
    points, exists = points.reshape(int(np.prod(shape)), n, 2), exists.reshape(int(np.prod(shape)), n)
    keys = np.where(exists[..., None], points, np.inf)
    order = np.lexsort((keys[..., 0], keys[..., 1]), axis=-1)
    points = np.take_along_axis(np.where(exists[..., None], points, 0.0), order[..., None], 1)
    exists = np.take_along_axis(exists, order, 1)
    stack, size = np.zeros((len(points), 2 * n + 1, 2)), np.zeros(len(points), np.int64)
    for k in range(n):
        size = _push(stack, size, np.full_like(size, 2), points[:, k], exists[:, k])
    least, count = size + 1, exists.sum(1)
    for k in range(n - 2, -1, -1):
        size = _push(stack, size, least, points[:, k], exists[:, k] & (k < count - 1))
    size = np.where(count > 1, size - 1, size)  # the last point is the first one
    kept = np.arange(2 * n + 1) < size[:, None]
    return stack.reshape(*shape, 2 * n + 1, 2), kept.reshape(*shape, 2 * n + 1)
