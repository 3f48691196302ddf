# SPDX-License-Identifier: BSD-3-Clause
"""Max pooling with any number of spatial dimensions. An index is a flat position in the spatial plane."""

import numpy as np

from .. import dtypes as kinds
from . import Value, oracle
from .pool_avg import windows


def _least(dtype: str):
    return np.iinfo(kinds.NUMPY[dtype]).min if kinds.is_integral(dtype) else -np.inf


def winners(input, shape, found, spatial: int, least=None):
    """The largest element of each window with its index: the first of several equal elements, or the last NaN.
    `found` has each output position with the slices of its window. A window without elements gives `least`, and as
    index its first position at which no coordinate is negative, which may lie outside of the plane."""
    lead = input.shape[:-spatial]
    out, indices = np.empty((*lead, *shape), input.dtype), np.empty((*lead, *shape), np.int64)
    plane = input.shape[-spatial:]
    positions = np.arange(np.prod(plane)).reshape(plane)
    for at, slices in found:
        places = positions[slices].reshape(-1)
        if not places.size:
            out[(..., *at)] = least
            indices[(..., *at)] = sum(s.start * int(np.prod(plane[i + 1 :])) for i, s in enumerate(slices))
            continue
        taken = input[(..., *slices)].reshape(*lead, places.size)
        nan = np.isnan(taken) if taken.dtype.kind == "f" else np.zeros(taken.shape, bool)
        last_nan = taken.shape[-1] - 1 - np.argmax(nan[..., ::-1], axis=-1)
        winner = np.where(nan.any(axis=-1), last_nan, np.argmax(taken, axis=-1))
        out[(..., *at)] = np.take_along_axis(taken, winner[..., None], axis=-1)[..., 0]
        indices[(..., *at)] = places[winner]
    return {"out": out, "indices": indices}


def max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, dtypes, spatial: int):
    shape, found = windows(input.shape[-spatial:], kernel_size, stride, padding, dilation, ceil_mode)
    slices = [(at, window.slices) for at, window in found]
    return winners(input, shape, slices, spatial, _least(dtypes["input"]))


def _scatter(values, indices, shape, spatial: int):
    planes = np.zeros((int(np.prod(shape[:-spatial])), int(np.prod(shape[-spatial:]))))
    flat = (planes.shape[0], int(np.prod(values.shape[-spatial:])))
    rows = np.arange(planes.shape[0])[:, None]
    np.add.at(planes, (rows, indices.reshape(flat)), values.reshape(flat))
    return planes.reshape(shape)


def scattered(grad_output, indices, shape, spatial: int):
    """The sums of the gradients that have one index in their plane."""
    return Value(
        _scatter(grad_output, indices, shape, spatial),
        _scatter(np.abs(grad_output), indices, shape, spatial),
    )


for _n in (1, 2, 3):

    def _with_indices(input, kernel_size, stride, padding, dilation, ceil_mode, dtypes, n=_n):
        return max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, dtypes, n)

    def _without(input, kernel_size, stride, padding, dilation, ceil_mode, dtypes, n=_n):
        return max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, dtypes, n)["out"]

    def _gradient(grad_output, input, indices, n=_n):
        return scattered(grad_output, indices, input.shape, n)

    oracle(f"diopiMaxPool{_n}dWithIndices", dtype={"out": "input", "indices": "int64"})(_with_indices)
    oracle(f"diopiMaxPool{_n}d", dtype="input")(_without)
    oracle(f"diopiMaxPool{_n}dBackward", dtype="input")(_gradient)
