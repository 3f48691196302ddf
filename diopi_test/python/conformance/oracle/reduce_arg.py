# SPDX-License-Identifier: BSD-3-Clause
"""Index of the largest or smallest element: of the first NaN if there is one, else of the first of equal elements."""

import numpy as np

from . import oracle
from .tools import wrap_dim


def _position(find, input, dim, keepdim):
    if dim is None:
        index = np.asarray(find(input.reshape(-1)))
        return index.reshape((1,) * input.ndim) if keepdim else index
    if input.ndim == 0:
        return np.asarray(0)
    return find(input, axis=wrap_dim(dim, input.ndim), keepdims=keepdim)


@oracle("diopiArgmax", dtype="int64")
def argmax(input, dim, keepdim):
    return _position(np.argmax, input, dim, keepdim)


@oracle("diopiArgmin", dtype="int64")
def argmin(input, dim, keepdim):
    return _position(np.argmin, input, dim, keepdim)
