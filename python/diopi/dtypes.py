# SPDX-License-Identifier: BSD-3-Clause
"""The contract's dtypes by name, the corresponding dtypes of NumPy, and PyTorch's rules of promotion."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import DtypeError

UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGRAL = ("int8", "int16", "int32", "int64", *UNSIGNED)
FLOATING = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
NAMES = (*INTEGRAL, *FLOATING, *COMPLEX, "bool")

# The order of promotion within a category. float16 and bfloat16 promote to float32.
_RANK = {
    name: rank
    for rank, names in enumerate(
        (
            ("bool",),
            ("uint8", "int8"),
            ("int16", "uint16"),
            ("int32", "uint32"),
            ("int64", "uint64"),
            ("float16", "bfloat16"),
            ("float32",),
            ("float64",),
            ("complex64",),
            ("complex128",),
        )
    )
    for name in names
}
# The dtype of a number without tensor, by category: bool, integral, floating, complex.
_DEFAULTS = ("bool", "int64", "float32", "complex64")

_NUMPY = {name: np.dtype(name) for name in NAMES if name != "bfloat16"}
NAME_OF = {dtype: name for name, dtype in _NUMPY.items()}


@functools.cache
def bfloat16() -> np.dtype[Any] | None:
    """NumPy's dtype for bfloat16 from the package ml_dtypes; None if the package is not installed."""
    try:
        dtype: np.dtype[Any] = np.dtype(importlib.import_module("ml_dtypes").bfloat16)
    except ImportError:
        return None
    NAME_OF[dtype] = "bfloat16"
    return dtype


def to_numpy(name: str) -> np.dtype[Any]:
    """The NumPy dtype for a name of the contract."""
    if name == "bfloat16":
        found = bfloat16()
        if found is None:
            raise DtypeError("NumPy has no bfloat16: install the package ml_dtypes", value=name)
        return found
    if name not in _NUMPY:
        raise DtypeError(f"dtype {name} has no counterpart in NumPy", value=name)
    return _NUMPY[name]


def name_of(dtype: object) -> str:
    """The contract's name of a dtype such as `"float32"`, `np.float32`, `np.dtype("<f4")` or `ml_dtypes.bfloat16`."""
    if isinstance(dtype, str) and dtype in NAMES:
        return dtype
    try:
        found = None if dtype is None else np.dtype(dtype)  # type: ignore[call-overload]
    except (TypeError, ValueError, SyntaxError):
        found = None
    name = NAME_OF.get(found) if found is not None else None
    if name is None and found is not None and bfloat16() == found:
        name = "bfloat16"
    if name is None:
        raise DtypeError(f"dtype is {dtype!r}, expected one of {', '.join(NAMES)}", argument="dtype", value=dtype)
    return name


def category(name: str) -> int:
    """0 bool, 1 integral, 2 floating, 3 complex."""
    if name in INTEGRAL:
        return 1
    return 2 if name in FLOATING else 3 if name in COMPLEX else 0


def promote(a: str, b: str) -> str:
    """The result of torch.promote_types. PyTorch does not mix uint16, uint32 and uint64 with other dtypes than floating
    ones; the contract does: an unsigned and a signed dtype give a signed dtype that holds both, or int64."""
    if a == b:
        return a
    if category(a) > category(b):
        a, b = b, a
    if category(b) == 3:
        wide = "float64" in (a, b) or "complex128" in (a, b)
        return "complex128" if wide else "complex64"
    if category(a) < category(b):
        return b
    if category(b) == 2:
        return "float32" if _RANK[a] == _RANK[b] else max(a, b, key=_RANK.__getitem__)
    return _promote_integers(a, b)


def _promote_integers(a: str, b: str) -> str:
    bits = {name: int(name.lstrip("uint")) for name in (a, b)}
    wide = max(a, b, key=bits.__getitem__)
    unsigned = [name for name in (a, b) if name in UNSIGNED]
    if len(unsigned) != 1 or bits[a] != bits[b] and wide != unsigned[0]:
        return wide
    return f"int{min(2 * bits[unsigned[0]], 64)}"


def result_type(dimensioned: Sequence[str], zero_dim: Sequence[str], scalars: Sequence[str]) -> str:
    """The result of torch.result_type: 0-d tensors, then numbers, count only if their category is higher."""
    if len(dimensioned) == 1 and not zero_dim and not scalars:
        return dimensioned[0]
    result: str | None = None
    for group in (dimensioned, zero_dim, scalars):
        if not group:
            continue
        own = functools.reduce(promote, group)
        if group is scalars:
            own = _DEFAULTS[category(own)]
        if result is None:
            result = own
        elif category(own) > category(result):
            if category(own) == 3 and category(result) == 2:  # complex with the precision of the others
                own = "complex128" if result == "float64" else "complex64"
            result = own
    assert result is not None
    return result


def derived(kind: str, name: str) -> str:
    """The dtype of a result from the promoted dtype `name`, by a rule: `floating`, `summed`, `real` or `promoted`."""
    if kind == "floating" and category(name) < 2:
        return "float32"
    if kind == "summed" and category(name) < 2:
        return "int64"
    if kind == "real" and category(name) == 3:
        return "float32" if name == "complex64" else "float64"
    return name
