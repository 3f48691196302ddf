# SPDX-License-Identifier: BSD-3-Clause
"""Elements of tensors in bytes, and their differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# dtype -> the NumPy dtype of its bits, and the digits of its significand for floats.
BITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
Array = np.ndarray[Any, Any]


def _storage_dtype(dtype: str) -> np.dtype[Any]:
    if dtype in ("bool", "bfloat16"):
        return np.dtype("uint8" if dtype == "bool" else "uint16")
    return np.dtype(dtype)


SIZES = {"bool": 1, "bfloat16": 2, "tfloat32": 4, "complex32": 4, "unsupported": 1}


def item_size(dtype: str) -> int:
    """Bytes of an element."""
    return SIZES.get(dtype) or int("".join(c for c in dtype if c.isdigit())) // 8


def of(memory: bytes, offset: int, shape: Sequence[int], stride: Sequence[int], dtype: str) -> Array:
    """The elements of a tensor in a piece of memory, as they are stored."""
    kind = _storage_dtype(dtype)
    if 0 in shape:
        return np.empty(shape, kind)
    flat = np.frombuffer(memory, np.uint8)[offset:]
    steps = [s * kind.itemsize for s in stride]
    return np.ndarray(tuple(shape), kind, flat.data, 0, tuple(steps)).copy()


def packed(memory: bytes, shape: Sequence[int], dtype: str) -> Array:
    """The elements of a contiguous tensor."""
    return np.frombuffer(memory, _storage_dtype(dtype)).reshape(tuple(shape)).copy()


def widened(values: Array, dtype: str) -> Array:
    """The elements as float64, complex128 or integers."""
    if dtype == "bfloat16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if np.issubdtype(values.dtype, np.complexfloating):
        return values.astype(np.complex128)
    return values.astype(np.float64) if dtype in BITS else values


@dataclass(frozen=True)
class Difference:
    """How two tensors differ."""

    index: tuple[int, ...]
    expected: str
    got: str
    wrong: int
    numel: int
    max_difference: float
    max_ulp: float

    def __str__(self) -> str:
        text = f"{list(self.index)}: captured {self.expected}, now {self.got}; {self.wrong} of {self.numel} differ"
        if self.max_difference:
            text += f", by at most {self.max_difference:.6g}"
        return text + (f", {self.max_ulp:.6g} ULP" if self.max_ulp else "")


def difference(expected: Array, got: Array, dtype: str) -> Difference | None:
    """The difference of two tensors of the same shape; None if all bits, or NaN and NaN, are equal."""
    if expected.tobytes() == got.tobytes():
        return None
    e, g = widened(expected, dtype), widened(got, dtype)
    inexact = np.issubdtype(e.dtype, np.inexact)
    with np.errstate(all="ignore"):
        same = e == g
        if inexact:
            same |= np.isnan(e) & np.isnan(g)
        if same.all():
            return None
        distance = np.abs(e - g) if inexact else np.abs(e.astype(np.float64) - g.astype(np.float64))
    first = tuple(int(i) for i in np.argwhere(~same)[0])
    distance = np.where(same, 0.0, distance)
    finite = np.where(np.isfinite(distance), distance, 0.0)
    ulp = 0.0
    if dtype in BITS:
        ulp = float(np.max(finite / _ulp(e, dtype))) if np.isfinite(distance).all() else math.inf
    return Difference(first, str(e[first]), str(g[first]), int((~same).sum()), e.size, float(finite.max()), ulp)


def _ulp(values: Array, dtype: str) -> Array:
    """The distance of neighbouring numbers of the dtype at these values."""
    digits = BITS[dtype]
    least = {"float16": -24, "bfloat16": -133, "float32": -149, "float64": -1074}[dtype]
    size = np.where(np.isfinite(values), np.abs(values), 0.0)
    _, exponent = np.frexp(size)
    return np.ldexp(1.0, np.maximum(exponent - digits, least))
