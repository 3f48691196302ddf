# SPDX-License-Identifier: BSD-3-Clause
"""Operators that create tensors: constants, ranges, one-hot vectors and grids."""

import math

import numpy as np

from ..dtypes import is_inexact
from ..scalars import wrapped
from . import oracle


@oracle("diopiFill", dtype="case")
def fill(input, value, dtypes):
    return np.full(input, value)


@oracle("diopiZeros", dtype="case")
def zeros(size):
    return np.zeros(size)


@oracle("diopiOnes", dtype="case")
def ones(size):
    return np.ones(size)


@oracle("diopiZeroInp", dtype="case")
def zero(self):
    return np.zeros(self)


@oracle("diopiArange", dtype=lambda known: known.get("out", known["case"]))
def arange(start, end, step, dtypes):
    """start + i * step for every i for which it lies before `end`.

    With an integer `out`, start and step are truncated before the values are computed. With int64, `end` is truncated,
    too, and the length is computed from the truncated numbers, as in PyTorch.
    """
    out = dtypes.get("out", dtypes["case"])
    if is_inexact(out):
        start, end, step = float(start), float(end), float(step)
        return start + step * np.arange(math.ceil((end - start) / step))
    if out == "int64":
        return np.array(range(int(start), int(end), int(step)), np.int64)
    return int(start) + int(step) * np.arange(math.ceil((end - start) / step))


@oracle("diopiLinspace", dtype="case")
def linspace(start, end, steps, dtypes):
    """The first half is computed from `start` and the second half from `end`, so the last element is exactly `end`."""
    if not is_inexact(dtypes["case"]):
        start, end = (wrapped(int(x), dtypes["case"]) for x in ((start, end) if steps > 1 else (start, start)))
    if steps < 2:
        return np.full(steps, start)
    step = (end - start) / (steps - 1)
    i = np.arange(steps)
    values = np.where(i < steps // 2, start + step * i, end - step * (steps - 1 - i))
    if is_inexact(dtypes["case"]):
        return values
    return np.trunc(values).astype(np.uint64 if dtypes["case"] == "uint64" else np.int64)


@oracle("diopiOneHot", dtype="int64")
def one_hot(input, num_classes):
    classes = int(input.max()) + 1 if num_classes == -1 else num_classes
    return (input[..., None] == np.arange(classes)).astype(np.int64)


@oracle("diopiMeshGrid", dtype="case")
def mesh_grid(inputs):
    return [np.array(g) for g in np.meshgrid(*inputs, indexing="ij")]
