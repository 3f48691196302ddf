# SPDX-License-Identifier: BSD-3-Clause
"""Running sums."""

import numpy as np

from ..dtypes import is_inexact, promote
from ..oracle_tools import as_dtype, wrap_dim
from ..oracles import Value, oracle


@oracle("diopiCumsum")
def cumsum(input, dim, dtypes, out=None):
    """Integers and bool are summed in int64; where `out` is floating point, in its dtype."""
    asked = promote(dtypes["input"], dtypes.get("out", dtypes["input"]))
    dtype = asked if is_inexact(asked) else "int64"
    values = as_dtype(input, dtype)
    if input.ndim == 0:
        return Value(values, np.abs(values), dtype)
    axis = wrap_dim(dim, input.ndim)
    wide = {"i": np.int64, "f": np.longdouble, "c": np.clongdouble}[values.dtype.kind]
    total = np.cumsum(values.astype(wide), axis).astype(values.dtype)
    return Value(total, np.cumsum(np.abs(values).astype(np.float64), axis), dtype)


@oracle("diopiCumsumBackward", dtype="grad_output")
def cumsum_backward(grad_output, dim):
    if grad_output.ndim == 0:
        return Value(grad_output, np.abs(grad_output))
    axis = wrap_dim(dim, grad_output.ndim)
    wide = {"b": np.int64, "i": np.int64, "u": np.int64, "f": np.longdouble, "c": np.clongdouble}
    values = np.flip(grad_output, axis)
    total = np.cumsum(values.astype(wide[values.dtype.kind]), axis)
    magnitude = np.cumsum(np.abs(values).astype(np.float64), axis)
    return Value(
        np.flip(total, axis).astype(grad_output.dtype if grad_output.dtype.kind in "fc" else np.int64),
        np.flip(magnitude, axis),
    )
