# SPDX-License-Identifier: BSD-3-Clause
"""Interpolation to another size, its gradient, and sampling on a grid. Taps are positions with weights."""

import itertools

import numpy as np

from . import Value, oracle


def _cubic(t, absolute=False):
    """The weights of cubic convolution with the parameter -0.75 for four neighbours, of which the second lies t before
    the position; with `absolute`, the sums of the absolute values of their terms."""
    a = -0.75
    sign = -1.0 if absolute else 1.0

    def near(d):
        return (a + 2) * d**3 - sign * (a + 3) * d**2 + 1

    def far(d):
        return sign * (a * d**3 + 8 * a * d) - 5 * a * d**2 - 4 * a

    return [far(1 + t), near(t), near(1 - t), far(2 - t)]


# The taps of a dimension are triples: the indices of all output positions, the weights, and the sums of the absolute
# values of the terms that make a weight.


def _nearest(size: int, out: int):
    scale = np.float32(size) / np.float32(out)
    at = np.floor(np.arange(out).astype(np.float32) * scale).astype(np.int64)
    return [(np.minimum(at, size - 1), np.ones(out), np.ones(out))]


def _coordinates(size: int, out: int, align_corners: bool):
    x = np.arange(out, dtype=np.float64)
    if align_corners:
        return x * (size - 1) / (out - 1) if out > 1 else x
    return (x + 0.5) * size / out - 0.5


def _linear(size: int, out: int, align_corners: bool):
    if size == out:
        same = np.arange(out)
        return [(same, np.ones(out), np.ones(out)), (same, np.zeros(out), np.zeros(out))]
    at = np.maximum(_coordinates(size, out, align_corners), 0)
    low = np.minimum(np.floor(at).astype(np.int64), size - 1)
    part = at - low
    return [(low, 1 - part, 1 - part), (np.minimum(low + 1, size - 1), part, part)]


def _bicubic(size: int, out: int, align_corners: bool):
    at = _coordinates(size, out, align_corners)
    low = np.floor(at).astype(np.int64)
    weights = zip(_cubic(at - low), _cubic(at - low, absolute=True))
    return [(np.clip(low - 1 + k, 0, size - 1), w, bound) for k, (w, bound) in enumerate(weights)]


def _taps(size: int, out: int, align_corners: bool, mode: str):
    if mode == "nearest":
        return _nearest(size, out)
    return (_bicubic if mode == "bicubic" else _linear)(size, out, align_corners)


def _along(axis: int, weights, ndim: int):
    return weights.reshape([-1 if i == axis else 1 for i in range(ndim)])


def _resized(array, size, align_corners: bool, mode: str, absolute: bool):
    for axis, out in zip(range(2, array.ndim), size):
        terms = [
            np.take(array, index, axis) * _along(axis, bound if absolute else w, array.ndim)
            for index, w, bound in _taps(array.shape[axis], out, align_corners, mode)
        ]
        array = sum(terms[1:], terms[0])
    return array


def _interpolated(input, size, align_corners: bool, mode: str):
    if mode == "nearest":
        for axis, out in zip(range(2, input.ndim), size):
            input = np.take(input, _nearest(input.shape[axis], out)[0][0], axis)
        return input
    with np.errstate(all="ignore"):
        return Value(
            _resized(input, size, align_corners, mode, False),
            _resized(np.abs(input), size, align_corners, mode, True),
        )


def _adjoint(grad, in_size, align_corners: bool, mode: str, absolute: bool):
    for axis in range(2, grad.ndim):
        result = np.zeros((*grad.shape[:axis], in_size[axis], *grad.shape[axis + 1 :]))
        moved, source = np.moveaxis(result, axis, 0), np.moveaxis(grad, axis, 0)
        for index, w, bound in _taps(in_size[axis], grad.shape[axis], align_corners, mode):
            np.add.at(moved, index, source * _along(0, bound if absolute else w, grad.ndim))
        grad = result
    return grad


def _gradient(grad_output, in_size, align_corners: bool, mode: str) -> Value:
    with np.errstate(all="ignore"):
        return Value(
            _adjoint(grad_output, in_size, align_corners, mode, False),
            _adjoint(np.abs(grad_output), in_size, align_corners, mode, True),
        )


@oracle("diopiUpsampleNearest")
def upsample_nearest(input, size):
    return _interpolated(input, size, False, "nearest")


@oracle("diopiUpsampleNearestBackward")
def upsample_nearest_backward(grad_output, in_size):
    return _gradient(grad_output, in_size, False, "nearest")


@oracle("diopiUpsampleLinear")
def upsample_linear(input, size, align_corners, mode):
    return _interpolated(input, size, align_corners, mode)


@oracle("diopiUpsampleLinearBackward")
def upsample_linear_backward(grad_output, in_size, align_corners, mode):
    return _gradient(grad_output, in_size, align_corners, mode)


def _grid_taps(coordinate, extent: int, mode: str):
    """The taps along one dimension: their positions, the weights, and the sums of the absolute terms of the weights."""
    at = ((coordinate + 1) * extent - 1) / 2  # rounded in the dtype of the computation
    at = np.where(np.isfinite(at), at, -10).astype(np.float64)
    if mode == "nearest":
        return [(np.rint(at), np.ones_like(at), np.ones_like(at))]
    low = np.floor(at)
    t = at - low
    if mode == "bicubic":
        weights = zip(_cubic(t), _cubic(t, absolute=True))
        return [(low - 1 + k, w, bound) for k, (w, bound) in enumerate(weights)]
    return [(low, 1 - t, 1 - t), (low + 1, t, t)]


@oracle("diopiGridSample")
def grid_sample(input, grid, mode, dtypes):
    computed = np.float64 if dtypes["grid"] == "float64" else np.float32
    extents = input.shape[2:]
    with np.errstate(all="ignore"):
        coordinates = grid.astype(computed)
        # The first coordinate is that of the last dimension.
        axes = [_grid_taps(coordinates[..., len(extents) - 1 - i], n, mode) for i, n in enumerate(extents)]
        shape = (*input.shape[:2], *grid.shape[1:-1])
        out, magnitude = np.zeros(shape), np.zeros(shape)
        images = np.arange(input.shape[0]).reshape(-1, *[1] * len(extents))
        for taps in itertools.product(*axes):
            inside = np.logical_and.reduce([(at >= 0) & (at < n) for (at, _, _), n in zip(taps, extents)])
            places = [np.where(inside, at, 0).astype(np.int64) for at, _, _ in taps]
            taken = np.moveaxis(input[(images, slice(None), *places)], -1, 1)
            weight = np.prod([w for _, w, _ in taps], axis=0)
            bound = np.prod([b for _, _, b in taps], axis=0)
            out += np.where(inside[:, None], taken * weight[:, None], 0)
            magnitude += np.where(inside[:, None], np.abs(taken * bound[:, None]), 0)
    return out if mode == "nearest" else Value(out, magnitude)
