# SPDX-License-Identifier: BSD-3-Clause
"""Softmax, log-softmax and their gradients along one dimension."""

import numpy as np

from ..dtypes import real_dtype
from . import Value, oracle
from .tools import as_dtype, exact_sum, wrap_dim


def _shifted(x, axis):
    """Each element minus the largest element of its row, in long double."""
    wide = x.astype(np.longdouble)
    return wide - np.max(wide, axis, keepdims=True, initial=-np.inf)


def _rows(x):
    """The tensor; a 0-d tensor is reshaped to a row of one element."""
    return x.reshape(1) if x.ndim == 0 else x


def _dtype(dtypes):
    """The dtype of the computation. A complex input is used through its real part, because `out` is real."""
    return dtypes.get("out", real_dtype(dtypes["input"]))


@oracle("diopiSoftmax", dtype=_dtype)
def softmax(input, dim, dtypes):
    """The magnitude counts the relative error of exp(x), which is the absolute error of the rounded x."""
    x = _rows(as_dtype(np.real(input), _dtype(dtypes)))
    axis = wrap_dim(dim, x.ndim)
    shifted = _shifted(x, axis)
    powers = np.exp(shifted)
    y = powers / powers.sum(axis, keepdims=True)
    magnitude = y * (1 + np.abs(np.where(np.isfinite(shifted), shifted, 0)))
    return Value(y.astype(np.float64).reshape(input.shape), magnitude.astype(np.float64).reshape(input.shape))


@oracle("diopiLogSoftmax", dtype=_dtype)
def log_softmax(input, dim, dtypes):
    x = _rows(as_dtype(np.real(input), _dtype(dtypes)))
    axis = wrap_dim(dim, x.ndim)
    shifted = _shifted(x, axis)
    y = (shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))).astype(np.float64).reshape(input.shape)
    return Value(y, magnitude=np.abs(y) + np.abs(np.real(input)) + 1)


@oracle("diopiSoftmaxBackward")
def softmax_backward(grad_output, output, dim):
    g, y = _rows(grad_output), _rows(output)
    axis = wrap_dim(dim, g.ndim)
    total = exact_sum(g * y, axis, keepdims=True)
    magnitude = np.abs(y) * (np.abs(g) + exact_sum(np.abs(g * y), axis, keepdims=True))
    return Value((y * (g - total)).reshape(output.shape), magnitude.reshape(output.shape))


@oracle("diopiLogSoftmaxBackward")
def log_softmax_backward(grad_output, output, dim):
    g, y = _rows(grad_output), _rows(output)
    axis = wrap_dim(dim, g.ndim)
    result = g - np.exp(y) * exact_sum(g, axis, keepdims=True)
    magnitude = np.abs(g) + np.exp(y) * exact_sum(np.abs(g), axis, keepdims=True)
    return Value(result.reshape(output.shape), magnitude.reshape(output.shape))


def _hidden(mask, shape, fixed_triu_mask):
    if fixed_triu_mask:
        return np.broadcast_to(np.arange(shape[-1])[None, :] > np.arange(shape[-2])[:, None], shape)
    return np.broadcast_to(mask != 0, shape)


@oracle("diopiScaledMaskedSoftmax", dtype="input")
def scaled_masked_softmax(input, mask, scale, fixed_triu_mask):
    """The magnitude counts the rounding error of scale * input, which is a relative error of its exponential."""
    hidden = _hidden(mask, input.shape, fixed_triu_mask)
    shifted = _shifted(np.where(hidden, -10000.0, input * scale), -1)
    powers = np.exp(shifted)
    y = powers / powers.sum(-1, keepdims=True)
    terms = np.where(hidden, 10000.0, np.abs(input * scale))
    largest = np.max(np.where(powers > 0, terms, 0), -1, keepdims=True, initial=0)
    size = np.nan_to_num(1 + np.where(np.isfinite(terms), terms, 0) + largest, posinf=1.0)
    return Value(y.astype(np.float64), (y * size).astype(np.float64))


@oracle("diopiScaledMaskedSoftmaxBackward", dtype="output")
def scaled_masked_softmax_backward(grad_output, output, mask, scale, fixed_triu_mask):
    hidden = _hidden(mask, output.shape, fixed_triu_mask)
    total = exact_sum(grad_output * output, -1, keepdims=True)
    size = np.abs(scale * output) * (np.abs(grad_output) + exact_sum(np.abs(grad_output * output), -1, keepdims=True))
    result = scale * output * (grad_output - total)
    return Value(np.where(hidden, 0.0, result), np.where(hidden, 0.0, size))
