# SPDX-License-Identifier: BSD-3-Clause
"""Advanced indexing, and selection by an index along one dimension."""

import numpy as np

from . import Unspecified, Value, oracle
from .tools import index_key, wrap_dim


def accumulated(base, key, values):
    """base with `values` added at `key`. A position that occurs several times receives all its values. Sums of bool are
    `or`; sums of integers wrap around."""
    total = base.copy()
    if base.dtype == bool:
        np.logical_or.at(total, key, values)
        return total
    magnitude = np.abs(base).astype(np.float64)
    np.add.at(total, key, values)
    np.add.at(magnitude, key, np.abs(values).astype(np.float64))
    return Value(total, magnitude)


@oracle("diopiIndex", signed_zero=True)
def index(input, indices, dtypes):
    return input[index_key(indices, dtypes)]


@oracle("diopiIndexBackward", dtype="grad_output")
def index_backward(zeros_like_input, indices, grad_output, dtypes):
    key = index_key(indices, dtypes)
    return {
        "grad_input": accumulated(zeros_like_input, key, grad_output),
        "zeros_like_input": Unspecified(zeros_like_input.shape),
    }


@oracle("diopiIndexSelect", signed_zero=True)
def index_select(input, dim, index):
    if input.ndim == 0:
        return input
    return np.take(input, index.reshape(-1), wrap_dim(dim, input.ndim))


@oracle("diopiIndexSelectBackward", dtype="grad")
def index_select_backward(grad, input_sizes, dim, index):
    total = np.zeros(input_sizes, grad.dtype)
    if grad.ndim == 0:
        return grad
    key = (slice(None),) * wrap_dim(dim, total.ndim) + (index.reshape(-1),)
    return accumulated(total, key, grad)
