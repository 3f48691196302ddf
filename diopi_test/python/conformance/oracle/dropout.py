# SPDX-License-Identifier: BSD-3-Clause
"""Dropout with the mask that `philox` defines."""

import math
from typing import Any

import numpy as np

from . import draws, oracle, philox


def _shape(mask, input) -> tuple[int, ...]:
    return input.shape if mask is None else mask


def _mask_dtype(dtypes) -> str:
    return dtypes.get("mask", "bool")


@oracle("diopiDropout", dtype={"out": "input", "mask": _mask_dtype})
def dropout(input, p, train, generator, dtypes, mask=None) -> dict[str, Any]:
    """A dropped element is multiplied by zero, so the zero has the element's sign, and NaN stays NaN."""
    shape = _shape(mask, input)
    if not train:
        return {"out": input, "mask": np.ones(shape, bool)}
    keep = philox.bernoulli(generator, 1 - p, math.prod(shape)).reshape(shape)
    scale = 1 / (1 - p) if p < 1 else 0.0
    return {"out": input * (keep * scale), "mask": keep}


@oracle("diopiDropoutInp", dtype={"input": "input", "mask": _mask_dtype})
def dropout_inp(input, p, train, generator, dtypes, mask=None):
    result: Any = dropout(input, p, train, generator, dtypes, mask)
    return {"input": result["out"], "mask": result["mask"]}


@draws("diopiDropout", "diopiDropoutInp")
def words(input, train, mask=None, **_):
    return math.prod(_shape(mask, input)) if train else None
