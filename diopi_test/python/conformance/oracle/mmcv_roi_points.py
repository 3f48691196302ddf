# SPDX-License-Identifier: BSD-3-Clause
"""Points in three-dimensional boxes: their features pooled in voxels, and samples of them."""

import numpy as np

from . import Value, oracle


def in_box(points, box):
    """Which points lie in the box (x, y, z of the bottom, dx, dy, dz, angle), and their places along its sides."""
    x, y, z, dx, dy, dz, angle = box
    sx, sy = points[:, 0] - x, points[:, 1] - y
    cosine, sine = np.cos(angle), np.sin(angle)
    u, v = sx * cosine + sy * sine, -sx * sine + sy * cosine
    inside = (np.abs(points[:, 2] - (z + dz / 2)) <= dz / 2) & (np.abs(u) < dx / 2) & (np.abs(v) < dy / 2)
    return inside, u, v


def _voxels(pts, box, grid):
    """The voxel of each point in the box: numbers of points, and their voxels [points, 3]."""
    inside, u, v = in_box(pts, box)
    sides = box[3:6]
    places = np.stack([u + sides[0] / 2, v + sides[1] / 2, pts[:, 2] - box[2]], 1)[inside]
    found = places / (sides / np.array(grid, np.float64))
    return np.flatnonzero(inside), np.trunc(found).astype(np.int64).clip(0, np.array(grid) - 1)


@oracle(
    "diopiRoiawarePool3dMmcv", dtype={"argmax": "int32", "pts_idx_of_voxels": "int32", "pooled_features": "pts_feature"}
)
def roiaware_pool3d(rois, pts, pts_feature, pool_method, pts_idx_of_voxels):
    given = np.shape(pts_idx_of_voxels) if isinstance(pts_idx_of_voxels, np.ndarray) else pts_idx_of_voxels
    grid, room = given[1:4], given[4] - 1
    shape = (*given[:4], pts_feature.shape[1])
    stored = np.zeros(given, np.int64)
    pooled, size = np.zeros(shape), np.zeros(shape)
    argmax = np.full(shape, -1 if pool_method == 0 else 0, np.int64)
    for r, box in enumerate(rois):
        with np.errstate(all="ignore"):
            points, voxels = _voxels(pts, box, grid)
        for p, voxel in zip(points, voxels):
            cell = stored[(r, *voxel)]
            if cell[0] < room:
                cell[0] += 1
                cell[cell[0]] = p
        for voxel in {tuple(v) for v in voxels}:
            members = stored[(r, *voxel)][1 : 1 + stored[(r, *voxel)][0]]
            if len(members) == 0:
                continue
            features = pts_feature[members]
            if pool_method == 1:
                pooled[(r, *voxel)] = features.sum(0) / len(members)
                size[(r, *voxel)] = np.abs(features).sum(0) / len(members)
                continue
            clean = np.where(np.isnan(features), -np.inf, features)
            found = clean.max(0) > -np.inf
            pooled[(r, *voxel)] = np.where(found, clean.max(0), 0.0)
            argmax[(r, *voxel)] = np.where(found, members[clean.argmax(0)], -1)
    features = Value(pooled, magnitude=size) if pool_method == 1 else pooled
    return {"argmax": argmax, "pts_idx_of_voxels": stored, "pooled_features": features}


@oracle("diopiRoiawarePool3dBackwardMmcv", dtype="grad_out")
def roiaware_pool3d_backward(pts_idx_of_voxels, argmax, grad_out, pool_method, grad_in):
    out, size = np.zeros(grad_in), np.zeros(grad_in)
    for place in np.ndindex(*grad_out.shape[:4]):
        g = grad_out[place]
        if pool_method == 0:
            columns = np.flatnonzero(argmax[place] != -1)
            np.add.at(out, (argmax[place][columns], columns), g[columns])
            np.add.at(size, (argmax[place][columns], columns), np.abs(g[columns]))
        else:
            count = pts_idx_of_voxels[place][0]
            for p in pts_idx_of_voxels[place][1 : 1 + count]:
                out[p] += g / count
                size[p] += np.abs(g) / count
    return Value(out, magnitude=size)


@oracle("diopiRoipointPool3dMmcv", dtype={"pooled_features": "pts_feature", "pooled_empty_flag": "int32"})
def roipoint_pool3d(xyz, boxes3d, pts_feature, pooled_features):
    pooled = np.zeros(pooled_features)
    flags = np.zeros(boxes3d.shape[:2], np.int64)
    for b, m in np.ndindex(*boxes3d.shape[:2]):
        with np.errstate(all="ignore"):
            points = np.flatnonzero(in_box(xyz[b], boxes3d[b, m])[0])
        flags[b, m] = len(points) == 0
        if len(points):
            chosen = points[np.arange(pooled.shape[2]) % len(points)]
            pooled[b, m] = np.concatenate([xyz[b][chosen], pts_feature[b][chosen]], 1)
    return {"pooled_features": pooled, "pooled_empty_flag": flags}
