# SPDX-License-Identifier: BSD-3-Clause
"""Convex hulls of nine points, and the order of the vertices of an intersection, of mmcv."""

import numpy as np

from . import Value, oracle
from .polygons import cross, hull, keep_left, signed_area, successors

QUARTER = float(np.float32(3.1415926)) / 2  # of a turn, with mmcv's number for pi


def _hulls(pointsets):
    points = pointsets.reshape(len(pointsets), 9, 2)
    corners, exists = hull(points, np.ones(points.shape[:2], bool))
    return corners[:, :10], exists[:, :10]


def _first_least(area):
    """The position of the least area of each row, of which a later one must be smaller by 1e-10 of it."""
    best = np.zeros(len(area), np.int64)
    for edge in range(1, area.shape[-1]):
        least = np.take_along_axis(area, best[:, None], -1)[:, 0]
        best = np.where(area[:, edge] < (1 - 1e-10) * least, edge, best)
    return best


@oracle("diopiMinAreaPolygonsMmcv")
def min_area_polygons(pointsets):
    corners, exists = _hulls(pointsets)
    edge = successors(corners, exists) - corners
    t = np.arctan2(edge[..., 1], edge[..., 0])
    t = np.where(t >= 0, np.fmod(t, QUARTER), t - np.trunc(t / QUARTER - 1) * QUARTER)
    c, s = np.cos(t)[..., None], np.sin(t)[..., None]
    px, py = corners[:, None, :, 0], corners[:, None, :, 1]
    turned = (px * c + py * s, py * c - px * s)  # [sets, edges, corners]
    low = [np.where(exists[:, None], p, np.inf).min(-1) for p in turned]
    high = [np.where(exists[:, None], p, -np.inf).max(-1) for p in turned]
    area = np.where(exists, (high[0] - low[0]) * (high[1] - low[1]), np.inf)
    best = _first_least(area)[:, None]
    c, s, x0, y0, x1, y1 = (np.take_along_axis(v, best, 1) for v in (c[..., 0], s[..., 0], *low, *high))
    xs, ys = np.concatenate([x1, x0, x0, x1], 1), np.concatenate([y0, y0, y1, y1], 1)
    return np.stack([xs * c - ys * s, xs * s + ys * c], -1).reshape(-1 if len(xs) else 0, 8)


@oracle("diopiConvexIouMmcv")
def convex_iou(pointsets, polygons):
    corners, exists = (x[:, None] for x in _hulls(pointsets))
    quad = polygons.reshape(len(polygons), 4, 2)[None]
    shape = (len(pointsets), len(polygons))
    shared, whole = np.zeros(shape), np.zeros(shape)
    for k in (1, 2):
        a, b, c = quad[:, :, 0], quad[:, :, k], quad[:, :, k + 1]
        turn = cross(b - a, c - a)
        b, c = np.where(turn[..., None] >= 0, b, c), np.where(turn[..., None] >= 0, c, b)
        points, inside = (
            np.broadcast_to(corners, (*shape, *corners.shape[2:])),
            np.broadcast_to(exists, (*shape, *exists.shape[2:])),
        )
        for start, end in ((a, b), (b, c), (c, a)):
            points, inside = keep_left(points, inside, start, end)
        shared = shared + np.sign(turn) * np.maximum(signed_area(points, inside), 0)
        whole = whole + turn / 2
    shared = np.abs(shared)
    return shared / (signed_area(corners, exists) + np.abs(whole) - shared)


def _is_before(v, w):
    """Whether vertices come before others, in float32."""
    near = np.float32(1e-8)
    xv, yv, xw, yw = v[..., 0], v[..., 1], w[..., 0], w[..., 1]
    f = np.abs(xv) * xv / (xv * xv + yv * yv + near) - np.abs(xw) * xw / (xw * xw + yw * yw + near)
    upper, lower = (yv > 0) & (yw > 0), (yv < 0) & (yw < 0)
    before = ((yv > 0) & (yw < 0)) | (upper & (f > near)) | (lower & (f < near))
    return before & ~((np.abs(xv - xw) < near) & (np.abs(yv - yw) < near))


@oracle("diopiDiffIouRotatedSortVerticesMmcv", dtype="int32")
def sort_vertices(vertices, mask, num_valid):
    shape, rows = num_valid.shape, num_valid.size
    v, mask = vertices.astype(np.float32).reshape(rows, 24, 2), mask.reshape(rows, 24)
    valid, row = np.minimum(num_valid.reshape(rows), 8), np.arange(rows)
    free = ~mask[:, 8:]
    pad = 8 + np.where(free.any(1), np.argmax(free, 1), 0)
    out = np.repeat(pad[:, None], 9, 1)
    for j in range(8):
        best, number = np.tile(np.array([1, -1e-8], np.float32), (rows, 1)), np.zeros(rows, np.int64)
        last = v[row, out[:, j - 1]] if j else None
        for k in range(24):
            better = mask[:, k] & _is_before(v[:, k], best)
            if last is not None:
                better &= _is_before(last, v[:, k])
            best, number = np.where(better[:, None], v[:, k], best), np.where(better, k, number)
        out[:, j] = np.where((valid >= 3) & (j < valid), number, out[:, j])
    closing = valid >= 3
    out[row[closing], valid[closing]] = out[closing, 0]
    equal = (out[:, :4, None] == out[:, None, 4:8]).sum((1, 2))
    same = (valid == 8) & (equal == 4)
    out[same, 4], out[same, 5:] = out[same, 0], pad[same, None]
    return Value(out.reshape(*shape, 9), dtype="int32")
