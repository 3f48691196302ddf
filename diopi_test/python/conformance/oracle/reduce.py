# SPDX-License-Identifier: BSD-3-Clause
"""Sums, products, means and logical reductions. The shape of `out` says whether reduced dimensions are kept."""

import numpy as np

from ..dtypes import is_inexact
from . import Value, oracle
from .tools import as_dtype, exact_sum, keeps_dims, wrap_dims


def _sum(input, dim, out):
    axes, keep = wrap_dims(dim, input.ndim), keeps_dims(out, input.ndim)
    total = exact_sum(input, axes, keep)
    magnitude = exact_sum(np.abs(input).astype(np.float64), axes, keep)
    count = np.prod([input.shape[a] for a in axes], dtype=np.float64)
    return total, magnitude, count


def _computation_dtype(dtypes, without):
    """The dtype of the computation. The dtype of `out`, if it is given, chooses it, as `dtype=` does in PyTorch.
    Otherwise it is the input's dtype, or `without` for integers and bool."""
    given = dtypes.get("out")
    return given or (dtypes["input"] if is_inexact(dtypes["input"]) else without)


@oracle("diopiSum")
def sum_(input, dim, dtypes, out=None):
    """The elements are converted before they are added. A bool sum is true if any element is true."""
    dtype = _computation_dtype(dtypes, "int64")
    total, magnitude, _ = _sum(as_dtype(input, dtype), dim, out)
    return Value(total if is_inexact(dtype) else as_dtype(total, dtype), magnitude, dtype)


@oracle("diopiMean")
def mean(input, dim, dtypes, out=None):
    """The elements are converted before they are added. The mean of no elements is NaN."""
    dtype = _computation_dtype(dtypes, "float32")
    total, magnitude, count = _sum(as_dtype(input, dtype), dim, out)
    return Value(np.divide(total, count), np.divide(magnitude, count), dtype)


@oracle("diopiAny", dtype="bool")
def any_(input, dim, out=None):
    return np.any(input != 0, wrap_dims(dim, input.ndim), keepdims=keeps_dims(out, input.ndim))


@oracle("diopiAll", dtype="bool")
def all_(input, dim, out=None):
    return np.all(input != 0, wrap_dims(dim, input.ndim), keepdims=keeps_dims(out, input.ndim))


@oracle("diopiProd")
def prod(input, dim, dtypes, out=None):
    """The elements are converted before they are multiplied. A bool product is true if all elements are true."""
    dtype = _computation_dtype(dtypes, "int64")
    values = as_dtype(input, dtype)
    values = values if is_inexact(dtype) else values.astype(np.int64)
    product = np.asarray(np.prod(values, wrap_dims(dim, input.ndim), keepdims=keeps_dims(out, input.ndim)))
    return Value(product if is_inexact(dtype) else as_dtype(product, dtype), dtype=dtype)
