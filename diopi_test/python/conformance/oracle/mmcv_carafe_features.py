# SPDX-License-Identifier: BSD-3-Clause
"""Reassembly of features by masks, mmcv's CARAFE, and its gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import Value, oracle


def _taps(height: int, width: int, kernel: int, scale: int) -> Iterator[tuple]:
    """For each tap: its number, the positions y, x of the output that read a feature, and the features h, w."""
    y, x = np.meshgrid(np.arange(scale * height), np.arange(scale * width), indexing="ij")
    radius = (kernel - 1) // 2
    for tap in range(kernel * kernel):
        h, w = y // scale + tap // kernel - radius, x // scale + tap % kernel - radius
        there = (h >= 0) & (h < height) & (w >= 0) & (w < width)
        yield tap, y[there], x[there], h[there], w[there]


def _by_group(tensor: np.ndarray, groups: int) -> np.ndarray:
    """The second dimension as groups and members."""
    return tensor.reshape(tensor.shape[0], groups, tensor.shape[1] // groups, *tensor.shape[2:])


def _reassemble(features, masks, kernel_size, group_size, scale_factor) -> Value:
    (n, channels, height, width), scale = features.shape, scale_factor
    by_group, weights = _by_group(features, group_size), _by_group(masks, group_size)
    found, size = np.zeros((2, n, group_size, channels // group_size, scale * height, scale * width))
    for tap, y, x, h, w in _taps(height, width, kernel_size, scale):
        term = by_group[..., h, w] * weights[:, :, tap, None][..., y, x]
        found[..., y, x] += term
        size[..., y, x] += np.abs(term)
    shape = (n, channels, scale * height, scale * width)
    return Value(found.reshape(shape), size.reshape(shape))


def _gradients(features, masks, top_grad, kernel_size, group_size, scale_factor) -> dict[str, Value]:
    height, width = features.shape[2:]
    by_group, weights, grads = (_by_group(t, group_size) for t in (features, masks, top_grad))
    bottom, mask = np.zeros((2, *by_group.shape)), np.zeros((2, *weights.shape))
    for tap, y, x, h, w in _taps(height, width, kernel_size, scale_factor):
        terms = grads[..., y, x] * by_group[..., h, w]
        mask[:, :, :, tap, y, x] += np.stack([terms.sum(2), np.abs(terms).sum(2)])
        terms = grads[..., y, x] * weights[:, :, tap, None][..., y, x]
        for to, term in zip(bottom, (terms, np.abs(terms))):
            place: Any = (slice(None), slice(None), slice(None), h, w)
            np.add.at(to, place, term)
    return {
        "bottom_grad": Value(bottom[0].reshape(features.shape), bottom[1].reshape(features.shape)),
        "mask_grad": Value(mask[0].reshape(masks.shape), mask[1].reshape(masks.shape)),
    }


@oracle("diopiCarafeNaiveMmcv", dtype="features")
def carafe_naive(features, masks, kernel_size, group_size, scale_factor):
    return _reassemble(features, masks, kernel_size, group_size, scale_factor)


@oracle("diopiCarafeMmcv", dtype={"output": "features", "rfeatures": "features"})
def carafe(features, masks, kernel_size, group_size, scale_factor, rfeatures=None):
    shape = features.shape if rfeatures is None else rfeatures
    return {
        "rfeatures": features.transpose(0, 2, 3, 1).reshape(shape),
        "output": _reassemble(features, masks, kernel_size, group_size, scale_factor),
    }


_GRADIENT_DTYPES = {"bottom_grad": "top_grad", "mask_grad": "masks"}


@oracle("diopiCarafeNaiveBackwardMmcv", dtype=_GRADIENT_DTYPES)
def carafe_naive_backward(top_grad, features, masks, kernel_size, group_size, scale_factor):
    return _gradients(features, masks, top_grad, kernel_size, group_size, scale_factor)


@oracle("diopiCarafeBackwardMmcv", dtype=_GRADIENT_DTYPES)
def carafe_backward(top_grad, rfeatures, masks, kernel_size, group_size, scale_factor):
    (n, channels), scale = top_grad.shape[:2], scale_factor
    height, width = (extent // scale for extent in top_grad.shape[2:])
    features = rfeatures.reshape(n, height, width, channels).transpose(0, 3, 1, 2)
    return _gradients(features, masks, top_grad, kernel_size, group_size, scale_factor)
