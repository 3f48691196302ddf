# SPDX-License-Identifier: BSD-3-Clause
"""Cumulative sums."""

import numpy as np

from ..dtypes import is_inexact
from . import Value, oracle
from .tools import as_dtype, wrap_dim


def _running(values, dim):
    """Cumulative sums and their magnitudes. Sums of integers and bool are int64."""
    if values.ndim == 0:
        return values, np.abs(values)
    axis = wrap_dim(dim, values.ndim)
    wide = {"f": np.longdouble, "c": np.clongdouble}.get(values.dtype.kind, np.int64)
    total = np.cumsum(values.astype(wide), axis)
    return total.astype(values.dtype if values.dtype.kind in "fc" else np.int64), np.cumsum(
        np.abs(values).astype(np.float64), axis
    )


def _computation_dtype(dtypes, input, output):
    """The dtype of the computation. The output's dtype, if it is given, chooses it, as `dtype=` does in PyTorch.
    Otherwise it is the input's dtype, or int64 for integers and bool."""
    return dtypes.get(output) or (dtypes[input] if is_inexact(dtypes[input]) else "int64")


@oracle("diopiCumsum")
def cumsum(input, dim, dtypes, out=None):
    dtype = _computation_dtype(dtypes, "input", "out")
    total, magnitude = _running(as_dtype(input, dtype), dim)
    return Value(total if is_inexact(dtype) else as_dtype(total, dtype), magnitude, dtype)


@oracle("diopiCumsumBackward")
def cumsum_backward(grad_output, dim, dtypes, grad_input=None):
    """Cumulative sums of the gradient from the last element to the first."""
    dtype = dtypes.get("grad_input", dtypes["grad_output"])
    axes = () if grad_output.ndim == 0 else (wrap_dim(dim, grad_output.ndim),)
    total, magnitude = _running(np.flip(as_dtype(grad_output, dtype), axes), dim)
    total, magnitude = np.flip(total, axes), np.flip(magnitude, axes)
    return Value(total if is_inexact(dtype) else as_dtype(total, dtype), magnitude, dtype)
