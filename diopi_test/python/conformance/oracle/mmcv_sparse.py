# SPDX-License-Identifier: BSD-3-Clause
"""Voxelisation and sparse convolution of mmcv."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import Value, oracle

SUM, MEAN, MAX = range(3)


def _sizes(values: np.ndarray) -> np.ndarray:
    return np.abs(values)


@oracle("diopiDynamicPointToVoxelMmcv")
def dynamic_point_to_voxel(feats, coors, reduce_type, dtypes):
    valid = (coors >= 0).all(axis=1)
    rows, voxel = np.unique(coors[valid].reshape(-1, coors.shape[1]), axis=0, return_inverse=True)
    voxel = np.reshape(voxel, -1)
    if coors.shape[1] == 0:  # np.unique has no row for rows without columns
        rows, voxel = np.zeros((min(int(valid.sum()), 1), 0), np.int64), np.zeros(int(valid.sum()), np.int64)
    at = np.full(len(coors), -1, np.int64)
    at[valid] = voxel
    count = np.bincount(voxel, minlength=len(rows)).astype(np.int64)
    shape = (len(rows), feats.shape[1])
    if reduce_type == MAX:
        reduced = np.full(shape, -np.inf)
        np.fmax.at(reduced, voxel, feats[valid])
        magnitude = None
    else:
        reduced, magnitude = np.zeros(shape), np.zeros(shape)
        np.add.at(reduced, voxel, feats[valid])
        np.add.at(magnitude, voxel, np.abs(feats[valid]))
        if reduce_type == MEAN:
            reduced, magnitude = reduced / count[:, None], magnitude / count[:, None]
    return {
        "outlist": [
            Value(reduced, magnitude, dtype=dtypes.get("feats")),
            Value(rows, dtype=dtypes.get("coors")),
            Value(at, dtype="int32"),
            Value(count, dtype="int32"),
        ]
    }


@oracle("diopiDynamicPointToVoxelBackwardMmcv", dtype="feats")
def dynamic_point_to_voxel_backward(grad_reduced_feats, feats, reduced_feats, coors_idx, reduce_count, reduce_type):
    grad = np.zeros(feats.shape)
    there = coors_idx >= 0
    if reduce_type != MAX:
        taken = grad_reduced_feats[coors_idx[there]]
        grad[there] = taken / reduce_count[coors_idx[there], None] if reduce_type == MEAN else taken
        return grad
    open_ = np.ones(reduced_feats.shape, bool)
    for p in np.flatnonzero(there):
        v = coors_idx[p]
        first = open_[v] & (feats[p] == reduced_feats[v])
        grad[p, first] = grad_reduced_feats[v, first]
        open_[v] &= ~first
    return grad


def _cells(points: np.ndarray, voxel_size: np.ndarray, coors_range: np.ndarray, dtype: str) -> np.ndarray:
    """The cell of each point as [z, y, x]; -1 outside."""
    single = np.float64 if dtype == "float64" else np.float32
    size, low, high = (v.astype(np.float32) for v in (voxel_size, coors_range[:3], coors_range[3:]))
    quotient = (high - low) / size
    grid = np.sign(quotient) * np.floor(np.abs(quotient.astype(np.float64)) + 0.5)
    with np.errstate(all="ignore"):
        cell = np.floor((points[:, :3].astype(single) - low.astype(single)) / size.astype(single))
    inside = ((cell >= 0) & (cell < grid)).all(axis=1)
    return np.where(inside[:, None], cell, -1.0)[:, ::-1].astype(np.int64)


@oracle("diopiDynamicVoxelizeMmcv", dtype="int32")
def dynamic_voxelize(points, voxel_size, coors_range, dtypes):
    return _cells(points, voxel_size, coors_range, dtypes["points"])


@oracle(
    "diopiHardVoxelizeMmcv",
    dtype={"voxels": "points", "coors": "int32", "num_points_per_voxel": "int32", "voxel_num": "int64"},
)
def hard_voxelize(points, voxel_size, coors_range, max_points, max_voxels, dtypes):
    voxels = np.zeros((max_voxels, max_points, points.shape[1]))
    coors, counts = np.zeros((max_voxels, 3), np.int64), np.zeros(max_voxels, np.int64)
    number: dict[tuple[int, ...], int] = {}
    for point, cell in zip(points, _cells(points, voxel_size, coors_range, dtypes["points"])):
        key = tuple(cell.tolist())
        if key[0] < 0 or (key not in number and len(number) == max_voxels):
            continue
        v = number.setdefault(key, len(number))
        coors[v] = cell
        if counts[v] < max_points:
            voxels[v, counts[v]] = point
            counts[v] += 1
    return {
        "voxels": voxels,
        "coors": coors,
        "num_points_per_voxel": counts,
        "voxel_num": np.asarray(len(number), np.int64),
    }


def _pairs(indicePairs: np.ndarray, indiceNum: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    for k, count in enumerate(indiceNum.tolist()):
        yield k, indicePairs[k, 0, :count], indicePairs[k, 1, :count]


@oracle("diopiIndiceMaxpoolMmcv", dtype="features")
def indice_maxpool(features, indicePairs, indiceNum, numAct):
    out = np.zeros((numAct, features.shape[1]))
    for _, i, o in _pairs(indicePairs, indiceNum):
        np.fmax.at(out, o, features[i])
    return out


@oracle("diopiIndiceMaxpoolBackwardMmcv", dtype="features")
def indice_maxpool_backward(features, outFeatures, outGrad, indicePairs, indiceNum):
    out, magnitude = np.zeros(features.shape), np.zeros(features.shape)
    for _, i, o in _pairs(indicePairs, indiceNum):
        taken = np.where(features[i] == outFeatures[o], outGrad[o], 0.0)
        np.add.at(out, i, taken)
        np.add.at(magnitude, i, np.abs(taken))
    return Value(out, magnitude)


def _conv_pairs(indicePairs, indiceNum, rows: int, _inverse: int, _subM: int) -> Iterator[Any]:
    """The pairs of a convolution for each kernel position: rows of features, rows of the result."""
    if not indiceNum.any():
        return
    centre = int(np.argmax(indiceNum)) if _subM else -1
    for k, i, o in _pairs(indicePairs, indiceNum):
        if k == centre:
            yield k, np.arange(rows), np.arange(rows)
        elif len(i):
            yield (k, o, i) if _inverse else (k, i, o)


def _convolve(features, matrices, pairs, shape) -> np.ndarray:
    out = np.zeros(shape)
    for k, i, o in pairs:
        np.add.at(out, o, features[i] @ matrices[k])
    return out


def _matrices(filters: np.ndarray) -> np.ndarray:
    return filters.reshape(int(np.prod(filters.shape[:-2])), *filters.shape[-2:])


def _conv(features, filters, indicePairs, indiceNum, numActOut, _inverse, _subM) -> Value:
    pairs = list(_conv_pairs(indicePairs, indiceNum, len(features), _inverse, _subM))
    shape = (numActOut, filters.shape[-1])
    return Value(
        _convolve(features, _matrices(filters), pairs, shape),
        _convolve(_sizes(features), _sizes(_matrices(filters)), pairs, shape),
    )


@oracle("diopiIndiceConvMmcv", dtype="features")
def indice_conv(features, filters, indicePairs, indiceNum, numActOut, _inverse, _subM):
    return _conv(features, filters, indicePairs, indiceNum, numActOut, _inverse, _subM)


@oracle("diopiFusedIndiceConvBatchnormMmcv", dtype="features")
def fused_indice_conv(features, filters, bias, indicePairs, indiceNum, numActOut, _inverse, _subM):
    found = _conv(features, filters, indicePairs, indiceNum, numActOut, _inverse, _subM)
    return Value(found.array + bias, found.magnitude + np.abs(bias))


def _conv_gradients(features, matrices, grad, pairs) -> tuple[np.ndarray, np.ndarray]:
    to_features, to_filters = np.zeros(features.shape), np.zeros(matrices.shape)
    for k, i, o in pairs:
        np.add.at(to_features, i, grad[o] @ matrices[k].T)
        to_filters[k] = features[i].T @ grad[o]
    return to_features, to_filters


@oracle("diopiIndiceConvBackwardMmcv", dtype="features")
def indice_conv_backward(features, filters, outGrad, indicePairs, indiceNum, _inverse, _subM):
    pairs = list(_conv_pairs(indicePairs, indiceNum, len(features), _inverse, _subM))
    values = _conv_gradients(features, _matrices(filters), outGrad, pairs)
    sizes = _conv_gradients(_sizes(features), _sizes(_matrices(filters)), _sizes(outGrad), pairs)
    return {
        "outlist": [
            Value(values[0], sizes[0]),
            Value(values[1].reshape(filters.shape), sizes[1].reshape(filters.shape)),
        ]
    }
