# SPDX-License-Identifier: BSD-3-Clause
"""Sums, means and logical reductions; the shape of `out` says whether reduced dimensions stay."""

import numpy as np

from ..dtypes import is_inexact, promote
from ..oracle_tools import as_dtype, exact_sum, keeps_dims, wrap_dims
from ..oracles import Value, oracle


def _sum(input, dim, out):
    axes, keep = wrap_dims(dim, input.ndim), keeps_dims(out, input.ndim)
    total = exact_sum(input, axes, keep)
    magnitude = exact_sum(np.abs(input).astype(np.float64), axes, keep)
    count = np.prod([input.shape[a] for a in axes], dtype=np.float64)
    return total, magnitude, count


@oracle("diopiSum")
def sum_(input, dim, dtypes, out=None):
    """Integers and bool are summed in int64; where `out` is floating point, in its dtype."""
    asked = promote(dtypes["input"], dtypes.get("out", dtypes["input"]))
    dtype = asked if is_inexact(asked) else "int64"
    if is_inexact(dtype) and not is_inexact(dtypes["input"]):
        input = as_dtype(input, dtype)
    total, magnitude, _ = _sum(input, dim, out)
    return Value(total, magnitude, dtype)


@oracle("diopiMean")
def mean(input, dim, dtypes, out=None):
    """In the dtype of `out`; of nothing it is NaN."""
    dtype = promote(dtypes["input"], dtypes.get("out", dtypes["input"]))
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
    """Integers and bool are multiplied in int64; where `out` is floating point, in its dtype."""
    asked = promote(dtypes["input"], dtypes.get("out", dtypes["input"]))
    dtype = asked if is_inexact(asked) else "int64"
    values = as_dtype(input, dtype)
    return Value(
        np.asarray(np.prod(values, wrap_dims(dim, input.ndim), keepdims=keeps_dims(out, input.ndim))), dtype=dtype
    )
