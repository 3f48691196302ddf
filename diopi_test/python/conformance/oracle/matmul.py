# SPDX-License-Identifier: BSD-3-Clause
"""Matrix products and their gradients. The magnitude of a product is the product of the absolute values."""

import math
from collections.abc import Callable

import numpy as np

from ..dtypes import accumulation_dtype, is_floating, round_through
from . import Value, oracle

MOST_TERMS = 400_000  # sums of at most so many terms are computed in long double, in some milliseconds


def product(a, b, addend=None, alpha=1, beta=1) -> Value:
    """alpha * (a @ b) + beta * addend.

    If beta is 0, the addend is ignored, NaN included. If alpha is 0 or the inner size is 0, the product is zero.
    """
    with np.errstate(all="ignore"):
        value = sums(a, b) if alpha == 1 else alpha * sums(a, b)
        magnitude = np.abs(alpha) * np.matmul(np.abs(a).astype(np.float64), np.abs(b).astype(np.float64))
    if alpha == 0 or a.shape[-1] == 0:
        value, magnitude = np.zeros_like(value), np.zeros_like(magnitude)
    if addend is not None and beta != 0:
        value, magnitude = value + beta * addend, magnitude + np.abs(beta * addend)
    return Value(value, magnitude)


def sums(a, b):
    """a @ b."""
    batch, columns = np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), b.shape[-1:] if b.ndim > 1 else ()
    return in_long_double(np.matmul, math.prod((*batch, *a.shape[-2:], *columns)), a, b)


def in_long_double(function: Callable[..., np.ndarray], terms: int, *arrays: np.ndarray) -> np.ndarray:
    """`function` of the arrays. Sums in float64 have errors of some ULP, so few terms are added in long double."""
    value = function(*arrays)
    if value.dtype.kind not in "fc" or terms > MOST_TERMS:
        return value
    wide = np.clongdouble if value.dtype.kind == "c" else np.longdouble
    exact = function(*(a.astype(wide) for a in arrays)).astype(value.dtype)
    return np.where(np.isfinite(value), exact, value)


@oracle("diopiMm", "diopiBmm", rename={"diopiMm": {"mat2": "other"}, "diopiBmm": {"mat2": "other"}})
def mm(input, other):
    return product(input, other)


@oracle("diopiMatmul")
def matmul(input, other):
    return product(input, other)


@oracle("diopiAddmm")
def addmm(input, mat1, mat2, beta, alpha, dtypes):
    return product(mat1, mat2, input, alpha, _factor(beta, mat1, dtypes))


def _factor(beta, mat1, names):
    """beta as the addend meets it: without products it is an operand, which the compute dtype rounds."""
    dtype = accumulation_dtype(names["input"])
    if mat1.shape[-1] != 0 or not is_floating(dtype):
        return beta
    return round_through(np.asarray(beta, np.float64), dtype)[()]


@oracle("diopiBaddbmm", "diopiBaddbmmInp")
def baddbmm(input, batch1, batch2, beta, alpha, dtypes):
    return product(batch1, batch2, input, alpha, _factor(beta, batch1, dtypes))


def _sum_to(value: Value, shape: tuple[int, ...]) -> Value:
    """`value` summed over the dimensions that broadcasting added or expanded, so that it has `shape`."""

    def reduce(array):
        array = array.sum(axis=tuple(range(array.ndim - len(shape))))
        stretched = tuple(i for i, n in enumerate(shape) if array.shape[i] != n)
        return array.sum(axis=stretched, keepdims=True) if stretched else array

    return Value(reduce(value.array), reduce(value.magnitude))


def _adjoint(array):
    return np.conj(np.swapaxes(array, -1, -2))


@oracle("diopiMatmulBackward")
def matmul_backward(grad_out, input, other):
    a = input[None, :] if input.ndim == 1 else input
    b = other[:, None] if other.ndim == 1 else other
    grad = grad_out
    if other.ndim == 1:
        grad = grad[..., None]
    if input.ndim == 1:
        grad = grad[..., None, :]
    grad_a = _sum_to(product(grad, _adjoint(b)), a.shape)
    grad_b = _sum_to(product(_adjoint(a), grad), b.shape)
    return {
        "grad_input": Value(grad_a.array.reshape(input.shape), grad_a.magnitude.reshape(input.shape)),
        "grad_other": Value(grad_b.array.reshape(other.shape), grad_b.magnitude.reshape(other.shape)),
    }


@oracle("diopiLinear")
def linear(input, weight, bias):
    return product(input, weight.T if weight.ndim == 2 else weight, bias)


@oracle("diopiLinearBackward")
def linear_backward(grad_output, input, weight, grad_bias=None):
    rows = weight if weight.ndim == 2 else weight[None]
    count = math.prod(input.shape[:-1])
    grad, x = grad_output.reshape(count, rows.shape[0]), input.reshape(count, input.shape[-1])
    grad_input, grad_weight = product(grad, np.conj(rows)), product(grad.T, np.conj(x))
    result = grad_output if weight.ndim == 2 else grad_output[..., None]
    return {
        "grad_input": Value(grad_input.array.reshape(input.shape), grad_input.magnitude.reshape(input.shape)),
        "grad_weight": Value(grad_weight.array.reshape(weight.shape), grad_weight.magnitude.reshape(weight.shape)),
        "grad_bias": _sum_to(Value(result, np.abs(result)), (rows.shape[0],) if grad_bias is None else grad_bias),
    }
