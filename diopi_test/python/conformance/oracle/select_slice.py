# SPDX-License-Identifier: BSD-3-Clause
"""One index or a range of a dimension, taken from a tensor or written into it."""

import numpy as np

from . import Value, oracle
from .layout import converted
from .tools import wrap_dim


def _selection(ndim, dim, index):
    return (slice(None),) * wrap_dim(dim, ndim) + (index,)


def _range(shape, dim, start, end, step):
    """The range as NumPy's slice; NumPy limits both ends in the same way."""
    d = wrap_dim(dim, len(shape))
    n = shape[d]
    first, last = (min(max(i + n if i < 0 else i, 0), n) for i in (start, end))
    return (slice(None),) * d + (slice(first, max(first, last), step),)


@oracle("diopiSelect", signed_zero=True)
def select(input, dim, index):
    return input[_selection(input.ndim, dim, index)]


@oracle("diopiSlice", signed_zero=True)
def slice_(input, dim, start, end, step):
    return input[_range(input.shape, dim, start, end, step)]


def _put(base, key, values):
    result = np.array(base)
    result[key] = values
    return result


@oracle("diopiSelectBackward", dtype="grad_output", signed_zero=True)
def select_backward(grad_output, input_sizes, dim, index):
    return _put(np.zeros(input_sizes, grad_output.dtype), _selection(len(input_sizes), dim, index), grad_output)


@oracle("diopiSliceBackward", dtype="grad_output", signed_zero=True)
def slice_backward(grad_output, input_sizes, dim, start, end, step):
    return _put(np.zeros(input_sizes, grad_output.dtype), _range(input_sizes, dim, start, end, step), grad_output)


def _scattered(input, src, key, dtypes):
    """`src` is converted to the dtype of `input`, as a cast does it."""
    return Value(_put(input, key, converted(src, dtypes["src"], dtypes["input"])), dtype=dtypes["input"])


@oracle("diopiSelectScatter", signed_zero=True)
def select_scatter(input, src, dim, index, dtypes):
    return _scattered(input, src, _selection(input.ndim, dim, index), dtypes)


@oracle("diopiSliceScatter", signed_zero=True)
def slice_scatter(input, src, dim, start, end, step, dtypes):
    return _scattered(input, src, _range(input.shape, dim, start, end, step), dtypes)
