# SPDX-License-Identifier: BSD-3-Clause
"""Read or write the elements that an index tensor selects along one dimension."""

import numpy as np

from . import Value, oracle
from .index import accumulated
from .tools import wrap_dim


def _key(index, dim):
    """The position that each element of `index` selects: its own position, but coordinate `dim` is the index."""
    key = list(np.indices(index.shape))
    key[wrap_dim(dim, index.ndim)] = index
    return tuple(key)


def _line(array):
    """The array; an array without dimensions is reshaped to [1]."""
    return array.reshape(1) if array.ndim == 0 else array


@oracle("diopiGather", signed_zero=True)
def gather(input, dim, index):
    if index.size == 0:
        return np.zeros(index.shape, input.dtype)
    return _line(input)[_key(_line(index), dim)].reshape(index.shape)


@oracle("diopiGatherBackward", dtype="grad_output")
def gather_backward(grad_output, input, dim, index):
    total = np.zeros(_line(input).shape, grad_output.dtype)
    if index.size == 0:
        return total.reshape(input.shape)
    return _shaped(accumulated(total, _key(_line(index), dim), _line(grad_output)), input.shape)


def _shaped(result, shape):
    if isinstance(result, Value):
        return Value(result.array.reshape(shape), result.magnitude.reshape(shape))
    return result.reshape(shape)


@oracle(
    "diopiScatter",
    "diopiScatterInp",
    "diopiScatterScalar",
    "diopiScatterInpScalar",
    dtype="input",
    rename={"diopiScatterScalar": {"value": "src"}, "diopiScatterInpScalar": {"value": "src"}},
)
def scatter(input, dim, src, index, reduce):
    """If several elements of `src` have one position, the last one is written. With `reduce`, all of them are added to
    the element of `input` or multiplied with it."""
    if index.size == 0:
        return input
    key = _key(_line(index), dim)
    if np.ndim(src) or isinstance(src, np.ndarray):
        src = _line(src)[tuple(slice(n) for n in _line(index).shape)]
    values = np.broadcast_to(src, _line(index).shape).astype(input.dtype)
    if reduce == "add":
        return _shaped(accumulated(_line(input), key, values), input.shape)
    result = _line(input).copy()
    if reduce == "multiply":
        (np.logical_and if result.dtype == bool else np.multiply).at(result, key, values)
    else:
        result[key] = values
    return result.reshape(input.shape)
