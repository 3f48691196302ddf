# SPDX-License-Identifier: BSD-3-Clause
"""Select one of two values for each element, by a condition or a mask."""

import numpy as np

from . import oracle


@oracle("diopiWhere", promote=("input", "other"))
def where(condition, input, other):
    return np.where(condition != 0, input, other)


@oracle("diopiMaskedFill", "diopiMaskedFillInp", "diopiMaskedFillScalar", "diopiMaskedFillInpScalar", dtype="input")
def masked_fill(input, mask, value):
    kind = input.dtype.type
    return np.where(mask != 0, kind(value), input)
