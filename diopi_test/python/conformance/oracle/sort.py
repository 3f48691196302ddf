# SPDX-License-Identifier: BSD-3-Clause
"""Sorting. It is always stable; NaN is greater than every number; -0 equals 0."""

import numpy as np

from . import oracle


def _order(row: np.ndarray, descending: bool) -> np.ndarray:
    """The positions that sort a row. Equal elements keep their order, and NaN counts as equal to NaN."""
    ranks = np.unique(row, return_inverse=True, equal_nan=True)[1].reshape(row.shape)
    return np.argsort(-ranks if descending else ranks, kind="stable")


def _argsort(input: np.ndarray, dim: int, descending: bool) -> np.ndarray:
    if input.ndim == 0:
        return np.zeros((), np.int64)
    if input.size == 0:
        return np.zeros(input.shape, np.int64)
    return np.apply_along_axis(_order, dim, input, descending)


def _take(input: np.ndarray, indices: np.ndarray, dim: int) -> np.ndarray:
    return input if input.ndim == 0 else np.take_along_axis(input, indices, dim)


@oracle("diopiSort", dtype={"values": "input", "indices": "int64"}, signed_zero=True)
def sort(input, dim, descending, pStable):
    indices = _argsort(input, dim, descending)
    return {"values": _take(input, indices, dim), "indices": indices}


@oracle("diopiArgsort", dtype="int64")
def argsort(input, stable, dim, descending):
    return _argsort(input, -1 if dim is None else dim, descending)


@oracle("diopiTopk", dtype={"values": "input", "indices": "int64"}, signed_zero=True)
def topk(input, k, dim, largest, sorted):
    indices = _argsort(input, dim, largest)
    if input.ndim:
        indices = np.take(indices, np.arange(k), axis=dim)
    return {"values": _take(input, indices, dim), "indices": indices}


@oracle("diopiSortBackward", dtype="grad_output")
def sort_backward(grad_output, dim, indices, sizes, keepdim):
    grad = np.zeros(sizes)
    if grad.ndim == 0:
        return grad + grad_output
    np.put_along_axis(grad, np.asarray(indices.real, np.int64), grad_output, dim)  # without elements: any dtype
    return grad
