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


def _real(dtype):
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


@oracle("diopiStd")
def std(input, dim, correction, dtypes, out=None):
    """Real elements are converted first. The result is real. The standard deviation of no elements is NaN."""
    dtype = _computation_dtype(dtypes, "float32")
    values = input if np.iscomplexobj(input) else as_dtype(input, dtype)
    axes, keep = wrap_dims(dim, input.ndim), keeps_dims(out, input.ndim)
    count = np.prod([input.shape[a] for a in axes], dtype=np.float64)
    wide = values.astype(np.clongdouble if np.iscomplexobj(values) else np.longdouble)
    # The sums are of distances from one element, so that the result is 0 if all elements are equal.
    distances = (
        wide - wide[tuple(slice(0, 1) if i in axes else slice(None) for i in range(wide.ndim))] if count else wide
    )
    deviations = np.abs(distances - distances.sum(axes, keepdims=True) / count)
    divisor = max(0.0, count - (1 if correction is None else correction)) if count else 0.0
    variance = np.divide((deviations * deviations).sum(axes, keepdims=keep), divisor)
    result = np.asarray(np.sqrt(variance).astype(np.float64))
    # Means of parts of the elements are merged; each is rounded.
    mean = np.abs(wide.sum(axes, keepdims=keep) / count).astype(np.float64)
    return Value(result, magnitude=result + mean, dtype=_real(dtype))


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
