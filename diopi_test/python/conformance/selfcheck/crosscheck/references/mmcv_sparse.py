# SPDX-License-Identifier: BSD-3-Clause
"""References for voxels and sparse convolution: torch.unique, index_add, scatter_reduce, matrix products, autograd."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..reference import SPECIFICATION, Reference, Table, composed, gradients, torch

MAX = 2
REDUCE = ("sum", "mean", "amax")


def _voxels(coors: Any) -> tuple[Any, Any, Any]:
    """The rows without a negative element: the different ones, the number of each row's, and how often each occurs."""
    valid = (coors >= 0).all(1)
    rows, inverse, counts = torch.unique(coors[valid], dim=0, return_inverse=True, return_counts=True)
    voxel = torch.full((len(coors),), -1)
    voxel[valid] = inverse.reshape(-1)
    return rows, voxel, counts


def _point_to_voxel(feats, coors, reduce_type):
    if not len(coors):
        none = torch.zeros(0, dtype=torch.int32)
        return [feats[:0], coors, none, none]
    rows, voxel, counts = _voxels(coors)
    valid = voxel >= 0
    taken = feats[valid]
    if reduce_type == MAX:
        taken = torch.where(taken.isnan(), torch.full_like(taken, -torch.inf), taken)
    reduced = torch.zeros(len(rows), feats.shape[1], dtype=feats.dtype)
    index = voxel[valid][:, None].expand(-1, feats.shape[1])
    reduced = reduced.scatter_reduce(0, index, taken, REDUCE[reduce_type], include_self=False)
    return [reduced, rows, voxel.int(), counts.int()]


def _point_to_voxel_backward(grad_reduced_feats, feats, reduced_feats, coors_idx, reduce_count, reduce_type):
    grad, seen = torch.zeros_like(feats), set()
    for p, v in enumerate(coors_idx.tolist()):
        if v < 0:
            continue
        if reduce_type != MAX:
            grad[p] = grad_reduced_feats[v] / (reduce_count[v] if reduce_type == 1 else 1)
            continue
        for c in torch.nonzero(feats[p] == reduced_feats[v]).flatten().tolist():
            if (v, c) not in seen:
                seen.add((v, c))
                grad[p, c] = grad_reduced_feats[v, c]
    return grad


def _cell(point: np.ndarray, voxel_size: np.ndarray, coors_range: np.ndarray) -> list[int] | None:
    """The voxel of a point as z, y, x; None outside of the grid."""
    wide = np.float64 if point.dtype == np.float64 else np.float32
    found = []
    for j in (2, 1, 0):
        low, high, size = np.float32(coors_range[j]), np.float32(coors_range[j + 3]), np.float32(voxel_size[j])
        cells = float((high - low) / size)
        cells = np.floor(cells + 0.5) if cells >= 0 else np.ceil(cells - 0.5)
        cell = np.floor((wide(point[j]) - wide(low)) / wide(size))
        if not 0 <= cell < cells:
            return None
        found.append(int(cell))
    return found


def _dynamic_voxelize(points, voxel_size, coors_range):
    cells = [_cell(p, voxel_size, coors_range) or [-1] * 3 for p in points]
    return np.asarray(cells, np.int64).reshape(len(points), 3)


def _hard_voxelize(points, voxel_size, coors_range, max_points, max_voxels):
    members: dict[tuple[int, ...], list[int]] = {}
    for i, point in enumerate(points):
        cell = _cell(point, voxel_size, coors_range)
        if cell is not None and (tuple(cell) in members or len(members) < max_voxels):
            members.setdefault(tuple(cell), []).append(i)
    voxels = np.zeros((max_voxels, max_points, points.shape[1]), points.dtype)
    coors, counts = np.zeros((max_voxels, 3), np.int64), np.zeros(max_voxels, np.int64)
    for v, (key, found) in enumerate(members.items()):
        kept = found[:max_points]
        voxels[v, : len(kept)], coors[v], counts[v] = points[kept], key, len(kept)
    return {
        "voxels": voxels,
        "coors": coors,
        "num_points_per_voxel": counts,
        "voxel_num": np.asarray(len(members)),
    }


def _pairs(indicePairs: Any, indiceNum: Any) -> list[tuple[Any, Any]]:
    return [(rows[0, :n].long(), rows[1, :n].long()) for rows, n in zip(indicePairs, indiceNum.tolist())]


def _maxpool(features, indicePairs, indiceNum, numAct):
    out = torch.zeros(numAct, features.shape[1], dtype=features.dtype)
    for i, o in _pairs(indicePairs, indiceNum):
        taken = torch.where(features[i].isnan(), torch.full_like(features[i], -torch.inf), features[i])
        out = out.index_reduce(0, o, taken, "amax")
    return out


def _maxpool_backward(features, outFeatures, outGrad, indicePairs, indiceNum):
    grad = torch.zeros_like(features)
    for i, o in _pairs(indicePairs, indiceNum):
        grad = grad.index_add(
            0, i, torch.where(features[i] == outFeatures[o], outGrad[o], torch.zeros_like(outGrad[o]))
        )
    return grad


def _conv(features, filters, indicePairs, indiceNum, numActOut, _inverse, _subM):
    out = torch.zeros(numActOut, filters.shape[-1], dtype=features.dtype)
    if not indiceNum.numel() or not int(indiceNum.max()):
        return out + 0 * (features.sum() * 0 + filters.sum() * 0).nan_to_num()
    matrices = filters.flatten(0, -3)
    everything = torch.arange(len(features))
    centre = int(indiceNum.long().argmax()) if _subM else -1
    for k, (i, o) in enumerate(_pairs(indicePairs, indiceNum)):
        first, second = (o, i) if _inverse else (i, o)
        if k == centre:
            first = second = everything
        out = out.index_add(0, second, features[first] @ matrices[k])
    return out


def _fused(features, filters, bias, indicePairs, indiceNum, numActOut, _inverse, _subM):
    return _conv(features, filters, indicePairs, indiceNum, numActOut, _inverse, _subM) + bias


def _conv_backward(features, filters, outGrad, indicePairs, indiceNum, _inverse, _subM):
    def forward(x, w):
        return _conv(x, w, indicePairs, indiceNum, len(outGrad), _inverse, _subM)

    return gradients(forward, outGrad, features, filters)


_CONV = "index_add of matrix products"

TABLE: Table = {
    "diopiDynamicPointToVoxelMmcv": composed("torch.unique, scatter_reduce", _point_to_voxel, double=True),
    "diopiDynamicPointToVoxelBackwardMmcv": composed("a loop over the points", _point_to_voxel_backward, double=True),
    "diopiHardVoxelizeMmcv": Reference("points by voxel", _hard_voxelize, SPECIFICATION),
    "diopiDynamicVoxelizeMmcv": Reference("one point after another", _dynamic_voxelize, SPECIFICATION),
    "diopiIndiceMaxpoolMmcv": composed("Tensor.index_reduce", _maxpool, double=True),
    "diopiIndiceMaxpoolBackwardMmcv": composed("Tensor.index_add", _maxpool_backward, double=True),
    "diopiIndiceConvMmcv": composed(_CONV, _conv, double=True),
    "diopiFusedIndiceConvBatchnormMmcv": composed(_CONV, _fused, double=True),
    "diopiIndiceConvBackwardMmcv": composed(f"torch.autograd of {_CONV}", _conv_backward, double=True),
}
