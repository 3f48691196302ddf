# SPDX-License-Identifier: BSD-3-Clause
"""Slices that an index picks, set to one value."""

import numpy as np

from . import oracle
from .layout import converted
from .tools import wrap_dim


@oracle("diopiIndexFill", "diopiIndexFillInp", "diopiIndexFillScalar", "diopiIndexFillInpScalar", dtype="input")
def index_fill(input, dim, index, value, dtypes):
    number = np.asarray(value).reshape(())
    if dtypes.get("value") != dtypes["input"]:
        number = converted(number, dtypes.get("value", "float64"), dtypes["input"])
    result = np.array(input).reshape(input.shape or (1,))
    result[(slice(None),) * wrap_dim(dim, input.ndim) + (index.reshape(-1),)] = number
    return result.reshape(input.shape)
