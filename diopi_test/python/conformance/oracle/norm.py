# SPDX-License-Identifier: BSD-3-Clause
"""Vector norms over dimensions, and their gradient."""

import numpy as np

from .. import dtypes as kinds
from . import Value, oracle
from .tools import as_dtype, exact_sum, keeps_dims, wrap_dims


def vector_norm(x, p, axes, keepdims):
    """The norm of order p. The norm of no elements is 0; that of one element is its magnitude, except for order 0."""
    size = np.abs(x)
    reduced = range(size.ndim) if axes is None else axes
    if p != 0 and all(size.shape[axis] == 1 for axis in reduced):
        p = np.inf
    if np.isinf(p):
        if p > 0:
            return np.asarray(np.max(size, axes, keepdims=keepdims, initial=0.0))
        return np.asarray(np.min(size, axes, keepdims=keepdims))
    if p == 0:
        return np.asarray(np.sum(x != 0, axes, keepdims=keepdims), np.float64)
    if p in (1, 2):
        total = exact_sum(size**p, axes, keepdims)
        return total if p == 1 else np.sqrt(total)
    return exact_sum(size**p, axes, keepdims) ** (1 / p)


def norm_error_size(norm, p):
    """The part of an order below 1 in the rounding error: the power 1/p multiplies the relative error of the sum."""
    factor = max(1 / abs(p) - 1, 0.0) if p else 0.0
    return np.where(np.isfinite(norm), norm, 0.0) * factor


def norm_gradient(x, norm, grad, p, axes):
    """The gradient for a norm with extent 1 in the reduced dimensions."""
    sign = np.where(np.isnan(x), 0.0, np.sign(x))
    if p == 0:
        return np.zeros(np.broadcast_shapes(x.shape, norm.shape))
    if p == 1:
        return sign * grad
    if np.isinf(p):
        hit = (np.abs(x) == norm) | np.isnan(x)
        return np.where(hit, sign * (grad / exact_sum(hit.astype(np.float64), axes, True)), 0.0)
    if p == 2:
        return np.where(norm == 0, 0.0, x * grad / norm)
    slope = sign * (np.abs(x) / norm) ** (p - 1) * grad
    return np.where((x if p < 1 else norm) == 0, 0.0, slope)


@oracle("diopiNorm", "diopiLinalgVecNorm", rename={"diopiLinalgVecNorm": {"ord": "p"}})
def norm(input, p, dim, dtypes, keepdim=None, out=None):
    """Real elements are converted to the dtype of `out` first, as `dtype=` does it in PyTorch. The result is real."""
    dtype = dtypes.get("out") or kinds.real_dtype(dtypes["input"])
    keep = keeps_dims(out, input.ndim) if keepdim is None else keepdim
    values = input if np.iscomplexobj(input) else as_dtype(input, dtype)
    order = 2 if p is None else p
    result = vector_norm(values, order, wrap_dims(dim, input.ndim), keep)
    return Value(result, magnitude=norm_error_size(result, order), dtype=dtype)


@oracle("diopiNormBackward", rename={"diopiNormBackward": {"self": "input"}}, dtype="self")
def norm_backward(grad_output, input, norm, dim, p):
    axes = wrap_dims(dim, input.ndim)
    kept = tuple(1 if i in axes else n for i, n in enumerate(input.shape))
    grad, size = grad_output.reshape(kept), norm.reshape(kept)
    result = norm_gradient(input, size, grad, 2 if p is None else p, axes)
    return Value(result, magnitude=np.abs(result))
