# SPDX-License-Identifier: BSD-3-Clause
"""References for dropout: a second implementation of the contract's text."""

from __future__ import annotations

import numpy as np

from ..reference import Table
from .random import chosen, specified


def _dropout(input, p, train, generator, mask):
    shape = input.shape if mask is None else mask
    if not train:
        return {"out": input, "input": input, "mask": np.ones(shape, bool)}
    keep = chosen(shape, 1 - p, generator)
    result = input * (keep * (0.0 if p == 1 else 1 / (1 - p)))
    return {"out": result, "input": result, "mask": keep}


_DROPOUT = specified(_dropout)

TABLE: Table = {
    "diopiDropout": _DROPOUT,
    "diopiDropoutInp": _DROPOUT,
}
