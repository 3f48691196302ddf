# SPDX-License-Identifier: BSD-3-Clause
"""Largest and smallest elements. If any element is NaN, the result is NaN."""

import numpy as np

from . import Unspecified, check, oracle
from .tools import keeps_dims, wrap_dim, wrap_dims


def _along(reduce, input, dim, out):
    if input.ndim == 0:
        return input
    return reduce(input, axis=wrap_dim(dim, input.ndim), keepdims=keeps_dims(out, input.ndim))


@oracle("diopiMax", dtype={"max": "input", "max_indices": "int64"})
def max_(input, dim, max=None):
    """The contract does not say to which of several equal elements the index points."""
    value = _along(np.max, input, dim, max)
    return {"max": value, "max_indices": Unspecified(value.shape)}


@oracle("diopiMin", dtype={"min": "input", "min_indices": "int64"})
def min_(input, dim, min=None):
    value = _along(np.min, input, dim, min)
    return {"min": value, "min_indices": Unspecified(value.shape)}


def _points_to(input, dim, value, index):
    """A message if any index points to an element other than the result's value, else None."""
    dim = wrap_dim(dim, input.ndim)
    if input.ndim == 0:
        return None if index == 0 else f"the index of a 0-d tensor is {index}"
    shape = tuple(1 if i == dim else n for i, n in enumerate(input.shape))
    index, value = index.reshape(shape), value.reshape(shape)
    if index.size and (index.min() < 0 or index.max() >= input.shape[dim]):
        return f"an index lies outside the dimension of {input.shape[dim]}"
    found = np.take_along_axis(input, index, dim)
    same = found == value
    if np.issubdtype(value.dtype, np.floating):  # 0 and -0 are equal, but the result is the element
        same = (same & (np.signbit(found) == np.signbit(value))) | (np.isnan(found) & np.isnan(value))
    wrong = np.flatnonzero(~same)
    if wrong.size == 0:
        return None
    return f"index {index.flat[wrong[0]]} names {found.flat[wrong[0]]}, not {value.flat[wrong[0]]}"


@check("diopiMax")
def check_max(input, dim, got, max=None):
    return _points_to(input, dim, got["max"], got["max_indices"])


@check("diopiMin")
def check_min(input, dim, got, min=None):
    return _points_to(input, dim, got["min"], got["min_indices"])


@oracle("diopiMaxAll")
def max_all(input):
    return np.asarray(np.max(input))


@oracle("diopiMinAll")
def min_all(input):
    return np.asarray(np.min(input))


@oracle("diopiAmax", dtype="self")
def amax(self, dim, keepdim):
    return np.asarray(np.max(self, axis=wrap_dims(dim, self.ndim), keepdims=keepdim))
