# SPDX-License-Identifier: BSD-3-Clause
"""Sums, means and logical reductions; the shape of `out` says whether reduced dimensions stay."""

import numpy as np

from ..dtypes import is_inexact
from ..oracle_tools import as_dtype, exact_sum, keeps_dims, wrap_dims
from ..oracles import Value, oracle


def _sum(input, dim, out):
    axes, keep = wrap_dims(dim, input.ndim), keeps_dims(out, input.ndim)
    total = exact_sum(input, axes, keep)
    magnitude = exact_sum(np.abs(input).astype(np.float64), axes, keep)
    count = np.prod([input.shape[a] for a in axes], dtype=np.float64)
    return total, magnitude, count


def _asked(dtypes, without):
    """The dtype of the computation: that of `out`, as PyTorch's `dtype=`; else the input's, or `without` it."""
    given = dtypes.get("out")
    return given or (dtypes["input"] if is_inexact(dtypes["input"]) else without)


@oracle("diopiSum")
def sum_(input, dim, dtypes, out=None):
    """The elements are converted first; a sum of bools is whether any is true."""
    dtype = _asked(dtypes, "int64")
    total, magnitude, _ = _sum(as_dtype(input, dtype), dim, out)
    return Value(total if is_inexact(dtype) else as_dtype(total, dtype), magnitude, dtype)


@oracle("diopiMean")
def mean(input, dim, dtypes, out=None):
    """The elements are converted first; the mean of nothing is NaN."""
    dtype = _asked(dtypes, "float32")
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
    """The elements are converted first; a product of bools is whether all are true."""
    dtype = _asked(dtypes, "int64")
    values = as_dtype(input, dtype)
    values = values if is_inexact(dtype) else values.astype(np.int64)
    product = np.asarray(np.prod(values, wrap_dims(dim, input.ndim), keepdims=keeps_dims(out, input.ndim)))
    return Value(product if is_inexact(dtype) else as_dtype(product, dtype), dtype=dtype)
