# SPDX-License-Identifier: BSD-3-Clause
"""Point clouds of mmcv: sampling, neighbours and membership.

Whether a point counts depends on the last bits of its distance, so distances are computed in the dtype of the contract:
in float32, or in float64 for float64.
"""

import numpy as np

from . import Value, oracle


def as_computed(dtype, *arrays):
    """The arrays in the dtype in which the operator computes."""
    return [a.astype(np.float64 if dtype == "float64" else np.float32) for a in arrays]


def squared_distances(centres, points):
    """[..., centres, points]: the sum of the squares of the differences, from left to right."""
    difference = centres[..., :, None, :] - points[..., None, :, :]
    total = difference[..., 0] * difference[..., 0]
    for dim in range(1, points.shape[-1]):
        total = total + difference[..., dim] * difference[..., dim]
    return total


def _samples(hits, count, if_none):
    """The first `count` positions of the hits, then the first one again."""
    found = np.flatnonzero(hits)[:count]
    row = np.full(count, found[0] if len(found) else 0)
    row[: len(found)] = found
    if not len(found):
        row[:1] = if_none
    return row


@oracle("diopiBallQueryMmcv")
def ball_query(center_xyz, xyz, sample_num, min_radius, max_radius, dtypes):
    centres, points = as_computed(dtypes["xyz"], center_xyz, xyz)
    square = squared_distances(centres, points)
    low, high = np.float32(min_radius) * np.float32(min_radius), np.float32(max_radius) * np.float32(max_radius)
    hits = (square == 0) | ((square >= low) & (square < high))
    rows = [_samples(row, sample_num, 0) for row in hits.reshape(-1, hits.shape[-1])] if hits.shape[-1] else []
    idx = np.array(rows, np.int64) if rows else np.zeros(hits.shape[:2] + (sample_num,), np.int64)
    return {"idx": Value(idx.reshape(*hits.shape[:2], sample_num), dtype="int32")}


def batches_of(counts, rows):
    """The batch of each row; rows beyond the counts belong to the last batch, -1 if there is none."""
    ends = np.cumsum(counts)
    return np.minimum(np.searchsorted(ends, np.arange(rows), "right"), len(counts) - 1)


@oracle("diopiStackBallQueryMmcv")
def stack_ball_query(center_xyz, center_xyz_batch_cnt, xyz, xyz_batch_cnt, max_radius, sample_num, dtypes):
    centres, points = as_computed(dtypes["xyz"], center_xyz, xyz)
    starts = np.concatenate([[0], np.cumsum(xyz_batch_cnt)]).astype(np.int64)
    square = np.float32(max_radius) * np.float32(max_radius)
    idx = np.zeros((len(centres), sample_num), np.int64)
    for p, batch in enumerate(batches_of(center_xyz_batch_cnt, len(centres))):
        own = points[starts[batch] : starts[batch + 1]] if batch >= 0 else points[:0]
        idx[p] = _samples(squared_distances(centres[p : p + 1], own)[0] < square, sample_num, -1)
    return {"idx": Value(idx, dtype="int32")}


def _pick(distance_from, least, count):
    """Picks `count` points; distance_from(i) are the distances from point i."""
    picked = np.zeros(count, np.int64)
    for j in range(1, count if len(least) else 0):
        distance = distance_from(picked[j - 1])
        least = np.where(distance < least, distance, least)
        above = np.where(least > -1, least, -1)  # NaN counts as -1
        picked[j] = np.argmax(above) if (above > -1).any() else 0
    return picked, least


def _furthest(least, count, distance_from):
    pairs = [_pick(lambda i, b=b: distance_from(b, i), row, count) for b, row in enumerate(least)]
    return {
        "temp_tensor": Value(np.array([p[1] for p in pairs]).reshape(least.shape), dtype="float32"),
        "idx_tensor": Value(np.array([p[0] for p in pairs], np.int64).reshape(len(least), count), dtype="int32"),
    }


@oracle("diopiFurthestPointSamplingMmcv")
def furthest_point_sampling(temp_tensor, points_xyz, num_points):
    points, least = as_computed("float32", points_xyz, temp_tensor)
    return _furthest(least, num_points, lambda b, i: squared_distances(points[b, i : i + 1], points[b])[0])


@oracle("diopiFurthestPointSamplingWithDistMmcv")
def furthest_point_sampling_with_dist(temp_tensor, points_dist, num_points):
    distance, least = as_computed("float32", points_dist, temp_tensor)
    return _furthest(least, num_points, lambda b, i: distance[b, i])


def _nearest(centres, points, k, limit):
    """The k nearest points with a distance below `limit`, in the order of distance and index."""
    square = squared_distances(centres, points)
    near = np.where(square < limit, square, np.inf)
    order = np.argsort(near, axis=-1, kind="stable")[..., :k]
    distance = np.take_along_axis(near, order, -1)
    wanted = np.take_along_axis(square < limit, order, -1)
    idx, least = np.zeros(square.shape[:-1] + (k,), np.int64), np.full(square.shape[:-1] + (k,), limit)
    idx[..., : order.shape[-1]] = np.where(wanted, order, 0)
    least[..., : order.shape[-1]] = np.where(wanted, distance, limit)
    return idx, least


@oracle("diopiKnnMmcv")
def knn(xyz_tensor, new_xyz_tensor, nsample, dtypes):
    points, centres = as_computed(dtypes["xyz_tensor"], xyz_tensor, new_xyz_tensor)
    idx, distance = _nearest(centres, points, nsample, 1e10)
    return {"idx_tensor": Value(idx, dtype="int32"), "dist2_tensor": distance}


@oracle("diopiThreeNnMmcv")
def three_nn(unknown, known, dtypes):
    centres, points = as_computed(dtypes["known"], unknown, known)
    idx, distance = _nearest(centres, points, 3, 1e40)
    return {"dist2": distance, "idx": Value(idx, dtype="int32")}


@oracle("diopiChamferDistanceMmcv", dtype="xyz1")
def chamfer_distance(xyz1, xyz2, dtypes):
    one, two = as_computed(dtypes["xyz1"], xyz1, xyz2)
    result = {}
    for side, (centres, points) in enumerate(((one, two), (two, one)), 1):
        idx, least = _nearest(centres, points, 1, np.inf)
        result[f"dist{side}"] = least[..., 0] if points.shape[1] else np.zeros(centres.shape[:2])
        result[f"idx{side}"] = Value(idx[..., 0], dtype="int32")
    return result


@oracle("diopiChamferDistanceBackwardMmcv", dtype="xyz1")
def chamfer_distance_backward(xyz1, xyz2, idx1, idx2, grad_dist1, grad_dist2):
    sets = [xyz1, xyz2]
    grads, sizes = ([np.zeros(x.shape) for x in sets] for _ in range(2))
    for own, (idx, grad) in enumerate(((idx1, grad_dist1), (idx2, grad_dist2))):
        other = 1 - own
        if sets[other].shape[1] == 0:
            continue
        batch = np.arange(len(idx))[:, None]
        p, q = sets[own], sets[other][batch, idx]
        step, size = 2 * grad[..., None] * (p - q), 2 * np.abs(grad[..., None]) * (np.abs(p) + np.abs(q))
        grads[own] += step
        sizes[own] += size
        np.add.at(grads[other], (batch, idx), -step)
        np.add.at(sizes[other], (batch, idx), size)
    return {f"grad_xyz{k + 1}": Value(grads[k], magnitude=sizes[k]) for k in range(2)}


def _inside_boxes(boxes, pts, dtype):
    """[B, M, T]: whether the box contains the point. The sine and the cosine are rounded from float64."""
    boxes, pts = as_computed(dtype, boxes, pts)
    x, y, z, dx, dy, dz, rz = np.moveaxis(boxes[:, None], -1, 0)
    px, py, pz = (pts[..., k, None] for k in range(3))
    angle = -rz.astype(np.float64)
    cosine, sine = np.cos(angle).astype(rz.dtype), np.sin(angle).astype(rz.dtype)
    half = boxes.dtype.type(2)
    sx, sy = px - x, py - y
    lx, ly = sx * cosine - sy * sine, sx * sine + sy * cosine
    inside = np.abs(pz - (z + dz / half)) <= dz / half
    return inside & (np.abs(lx) < dx / half) & (np.abs(ly) < dy / half)


@oracle("diopiPointsInBoxesPartMmcv")
def points_in_boxes_part(boxes, pts, dtypes):
    inside = _inside_boxes(boxes, pts, dtypes["pts"])
    first = np.argmax(inside, -1) if inside.shape[-1] else np.zeros(inside.shape[:-1], np.int64)
    return {"box_idx_of_points": Value(np.where(inside.any(-1), first, -1), dtype="int32")}


@oracle("diopiPointsInBoxesAllMmcv")
def points_in_boxes_all(boxes, pts, dtypes):
    return {"box_idx_of_points": Value(_inside_boxes(boxes, pts, dtypes["pts"]).astype(np.int64), dtype="int32")}


@oracle("diopiPointsInPolygonsMmcv")
def points_in_polygons(points, polygons, dtypes):
    points, polygons = as_computed(dtypes["points"], points, polygons)
    px, py = points[:, None, 0], points[:, None, 1]
    xs, ys = polygons[None, :, 0::2], polygons[None, :, 1::2]
    odd = np.zeros((len(points), len(polygons)), bool)
    open_ = np.ones_like(odd)
    for k in range(4):
        sx, sy, tx, ty = xs[..., k], ys[..., k], xs[..., k - 1], ys[..., k - 1]
        between = open_ & (np.where(sy < ty, sy, ty) <= py) & (py <= np.where(sy < ty, ty, sy))
        corner = between & (((px == sx) & (py == sy)) | ((px == tx) & (py == ty)))
        crosses = between & ~corner & (((sy < py) & (py <= ty)) | ((ty < py) & (py <= sy)))
        x = sx + (py - sy) * (tx - sx) / (ty - sy)
        odd ^= crosses & (x > px)
        open_ &= ~(corner | (crosses & (x == px)))
    return {"output": Value(odd.astype(np.float64), dtype="float32")}
