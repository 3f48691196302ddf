# SPDX-License-Identifier: BSD-3-Clause
"""Features of points that indices name, and their gradients."""

import numpy as np

from . import Value, oracle
from .mmcv_points import batches_of


def _picked(points, idx):
    batch = np.arange(len(points)).reshape((-1, 1) + (1,) * (idx.ndim - 1))
    channel = np.arange(points.shape[1]).reshape((1, -1) + (1,) * (idx.ndim - 1))
    return batch, channel, idx[:, None]


def _added(shape, at, values):
    """The sums of the values at each place, from zero, and the sums of their magnitudes."""
    total, size = np.zeros(shape), np.zeros(shape)
    np.add.at(total, at, values)
    np.add.at(size, at, np.abs(values))
    return Value(total, magnitude=size)


@oracle("diopiGatherPointsMmcv", "diopiGroupPointsMmcv", dtype="points", signed_zero=True)
def gather_points(points, idx):
    return points[_picked(points, idx)]


@oracle("diopiGatherPointsBackwardMmcv", "diopiGroupPointsBackwardMmcv", dtype="grad_out")
def gather_points_backward(grad_out, idx, b, c, n):
    return _added((b, c, n), _picked(np.zeros((b, c, 0)), idx), grad_out)


def _rows(features_counts, idx, idx_counts):
    """The row of each index in the stacked features, and whether the index is valid."""
    batch = batches_of(idx_counts, len(idx))
    starts = np.concatenate([[0], np.cumsum(features_counts)]).astype(np.int64)
    first, count = (starts[batch], features_counts[batch]) if len(features_counts) else (batch * 0, batch * 0)
    valid = (idx >= 0) & (idx < count[:, None])
    return np.where(valid, first[:, None] + idx, 0), valid


@oracle("diopiStackGroupPointsMmcv", dtype="features_tensor", signed_zero=True)
def stack_group_points(features_tensor, features_batch_cnt_tensor, idx_tensor, idx_batch_cnt_tensor):
    rows, valid = _rows(features_batch_cnt_tensor, idx_tensor, idx_batch_cnt_tensor)
    if not len(features_tensor):
        return np.zeros((idx_tensor.shape[0], features_tensor.shape[1], idx_tensor.shape[1]))
    return np.where(valid[..., None], features_tensor[rows], 0.0).transpose(0, 2, 1)


@oracle("diopiStackGroupPointsBackwardMmcv", dtype="grad_out_tensor")
def stack_group_points_backward(grad_out_tensor, idx_tensor, idx_batch_cnt_tensor, features_batch_cnt_tensor, c, n):
    rows, valid = _rows(features_batch_cnt_tensor, idx_tensor, idx_batch_cnt_tensor)
    return _added((n, c), rows[valid], grad_out_tensor.transpose(0, 2, 1)[valid])


@oracle("diopiThreeInterpolateMmcv", dtype="points")
def three_interpolate(points, idx, weight):
    terms = weight[:, None] * points[_picked(points, idx)]
    return Value(terms.sum(-1), magnitude=np.abs(terms).sum(-1))


@oracle("diopiThreeInterpolateBackwardMmcv", dtype="grad_out")
def three_interpolate_backward(grad_out, idx, weight, b, c, m):
    return _added((b, c, m), _picked(np.zeros((b, c, 0)), idx), weight[:, None] * grad_out[..., None])


def _scored(points, centers, knn_idx):
    """The rows of points and centres [B, npoint, K, M, O], and whether both indices are in range."""
    count = points.shape[1]
    i, j = knn_idx, np.broadcast_to(knn_idx[..., :1], knn_idx.shape)
    valid = (i >= 0) & (i < count) & (j >= 0) & (j < count)
    batch = np.broadcast_to(np.arange(len(points))[:, None, None], i.shape)
    return (batch, np.where(valid, i, 0)), (batch, np.where(valid, j, 0)), valid


@oracle("diopiAssignScoreWithkMmcv", dtype="points")
def assign_score_withk(points, centers, scores, knn_idx):
    i, j, valid = _scored(points, centers, knn_idx)
    if not points.shape[1]:
        shape = (len(points), points.shape[3], *knn_idx.shape[1:])
        return np.zeros(shape)
    terms = scores[..., None] * (points[i] - centers[j])
    sizes = np.abs(scores[..., None]) * (np.abs(points[i]) + np.abs(centers[j]))
    total, size = (np.where(valid[..., None], t.sum(3), 0.0).transpose(0, 3, 1, 2) for t in (terms, sizes))
    return Value(total, magnitude=size)


@oracle("diopiAssignScoreWithkBackwardMmcv", dtype="points")
def assign_score_withk_backward(grad_out, points, centers, scores, knn_idx):
    i, j, valid = _scored(points, centers, knn_idx)
    grads = {name: Value(np.zeros(np.shape(x))) for name, x in (("grad_points", points), ("grad_centers", centers))}
    grads["grad_scores"] = Value(np.zeros(scores.shape))
    if not points.shape[1]:
        return grads
    g = grad_out.transpose(0, 2, 3, 1)[..., None, :]
    steps = scores[..., None] * g
    at = [tuple(x[valid] for x in place) for place in (i, j)]
    grads["grad_points"] = _added(points.shape, at[0], steps[valid])
    grads["grad_centers"] = _added(centers.shape, at[1], -steps[valid])
    terms = (points[i] - centers[j]) * g
    sizes = (np.abs(points[i]) + np.abs(centers[j])) * np.abs(g)
    total, size = (np.where(valid[..., None], t.sum(-1), 0.0) for t in (terms, sizes))
    grads["grad_scores"] = Value(total, magnitude=size)
    return grads
