# SPDX-License-Identifier: BSD-3-Clause
"""Facts about dtypes for the generators: their categories, and the integers that they hold exactly."""

from __future__ import annotations

_CATEGORIES = {
    "boolean": ("bool",),
    "integral": ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    "floating": ("float16", "bfloat16", "float32", "float64"),
    "complex": ("complex32", "complex64", "complex128"),
}

# dtype -> rank of its category. A conversion must not lower this rank.
CONVERTIBLE = {name: rank for rank, names in enumerate(_CATEGORIES.values()) for name in names}


def category(dtype: str) -> str:
    """`integral` for `int32`."""
    return next(name for name, members in _CATEGORIES.items() if dtype in members)


# The number of bits of the integers that a dtype holds exactly, including the sign.
_EXACT_BITS = {
    "int8": 7,
    "uint8": 8,
    "int16": 15,
    "uint16": 16,
    "int32": 31,
    "uint32": 32,
    "int64": 63,
    "uint64": 64,
    "float16": 11,
    "bfloat16": 8,
    "float32": 24,
    "float64": 53,
    "complex32": 11,
    "complex64": 24,
    "complex128": 53,
}


def can_lose(source: str, target: str) -> bool:
    """Whether `target` cannot hold some integer of `source` exactly."""
    if category(source) != "integral":
        return False
    return _EXACT_BITS[target] < _EXACT_BITS[source] or (target.startswith("uint") and source.startswith("int"))
