# SPDX-License-Identifier: BSD-3-Clause
"""The contract's dtypes in NumPy: storage types, exact widening, correct rounding, ULPs, promotion.

All functions take the name of a dtype in the contract (`float16`, `bfloat16`, `int64`, `bool`, ...).
"""

from __future__ import annotations

from functools import cache

import ml_dtypes
import numpy as np

NUMPY: dict[str, np.dtype] = {
    **{
        name: np.dtype(name)
        for name in (
            "int8",
            "uint8",
            "int16",
            "uint16",
            "int32",
            "uint32",
            "int64",
            "uint64",
            "float16",
            "float32",
            "float64",
            "bool",
            "complex64",
            "complex128",
        )
    },
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
}

FLOATING = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGRAL = SIGNED + UNSIGNED

# Bits of the significand, including the hidden bit, and the exponent of the smallest normal number.
_PRECISION = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
_MIN_EXPONENT = {"float16": -14, "bfloat16": -126, "float32": -126, "float64": -1022}
_REAL_OF = {"complex64": "float32", "complex128": "float64"}


def is_floating(dtype: str) -> bool:
    return dtype in FLOATING


def is_complex(dtype: str) -> bool:
    return dtype in COMPLEX


def is_integral(dtype: str) -> bool:
    """Whether the dtype is an integer. bool is not."""
    return dtype in INTEGRAL


def is_inexact(dtype: str) -> bool:
    return is_floating(dtype) or is_complex(dtype)


def real_dtype(dtype: str) -> str:
    """The dtype of the real part: `float32` for `complex64`, `float64` for `complex128`, else the dtype itself."""
    return _REAL_OF.get(dtype, dtype)


def accumulation_dtype(dtype: str) -> str:
    """The dtype in which sums are accumulated: float32 for the 16-bit floating types, else the real dtype."""
    real = real_dtype(dtype)
    return "float32" if real in ("float16", "bfloat16") else real


def precision(dtype: str) -> int:
    return _PRECISION[real_dtype(dtype)]


@cache
def name_of(dtype: np.dtype) -> str:
    return "bfloat16" if dtype == NUMPY["bfloat16"] else dtype.name


def widen(array: np.ndarray) -> np.ndarray:
    """The values in the type in which oracles compute: float64, int64, uint64, complex128 or bool."""
    name = name_of(array.dtype)
    if name == "bool" or name == "uint64":
        return array.copy()
    if is_integral(name):
        return array.astype(np.int64)
    return array.astype(np.complex128 if is_complex(name) else np.float64)


def narrow(values: np.ndarray, dtype: str) -> np.ndarray:
    """`values` rounded once to `dtype`, to nearest even. Integers wrap around."""
    values = np.asarray(values)
    with np.errstate(all="ignore"):
        if is_complex(name_of(values.dtype)) and not is_complex(dtype) and dtype != "bool":
            values = values.real
        if dtype == "bfloat16":
            return np.asarray(_to_bfloat16(values))
        return values.astype(NUMPY[dtype])


def _to_bfloat16(values: np.ndarray) -> np.ndarray:
    """Rounds to float32 with round-to-odd and then to bfloat16, which gives the correctly rounded result."""
    wide = values.astype(np.float64)
    single = wide.astype(np.float32)
    back = single.astype(np.float64)
    inexact = np.isfinite(back) & (back != wide)
    away = inexact & (np.abs(back) > np.abs(wide))
    bits = np.asarray(single).view(np.uint32) - away.astype(np.uint32)
    bits = bits | inexact.astype(np.uint32)
    return bits.view(np.float32).astype(NUMPY["bfloat16"])


def round_through(values: np.ndarray, dtype: str) -> np.ndarray:
    """`values` rounded to `dtype`, and then widened again."""
    return widen(narrow(values, dtype))


def ulp(values: np.ndarray, dtype: str) -> np.ndarray:
    """One ULP: the distance between adjacent numbers of `dtype` at |values|. Denormal numbers have the smallest ULP."""
    real = real_dtype(dtype)
    _, exponent = np.frexp(np.abs(values))
    exponent = np.where(values == 0, _MIN_EXPONENT[real], np.maximum(exponent - 1, _MIN_EXPONENT[real]))
    return np.ldexp(1.0, exponent - (_PRECISION[real] - 1))


def epsilon(dtype: str) -> float:
    """The distance from 1 to the next number. A number that is rounded has at most half of it as its relative error."""
    return 2.0 ** (1 - _PRECISION[real_dtype(dtype)])


# --- promotion as in PyTorch ---

_ORDER = {"float16": 5, "bfloat16": 5, "float32": 6, "float64": 7}


def category(dtype: str) -> int:
    """0 bool, 1 integral, 2 floating, 3 complex."""
    return 3 if is_complex(dtype) else 2 if is_floating(dtype) else 1 if is_integral(dtype) else 0


def promote(a: str, b: str) -> str:
    """The result of torch.promote_types. PyTorch does not mix uint16, uint32 and uint64 with other integers. The
    contract does: the result is the wider one of two unsigned dtypes, or a signed dtype that holds both (or int64)."""
    if a == b:
        return a
    for small, large in ((a, b), (b, a)):
        if category(small) < category(large) and category(large) != 3:
            return large
    if 3 in (category(a), category(b)):
        wide = "float64" in (real_dtype(a), real_dtype(b))
        return "complex128" if wide else "complex64"
    if category(a) == 2:
        return "float32" if _ORDER[a] == _ORDER[b] else max(a, b, key=_ORDER.__getitem__)
    return _promote_integers(a, b)


def _promote_integers(a: str, b: str) -> str:
    signed = max((d for d in (a, b) if not d.startswith("u")), key=_bits, default="")
    unsigned = max((d for d in (a, b) if d.startswith("u")), key=_bits, default="")
    if not signed or not unsigned or _bits(signed) > _bits(unsigned):
        return max(a, b, key=_bits)
    return f"int{min(2 * _bits(unsigned), 64)}"


def _bits(integer: str) -> int:
    return int(integer.lstrip("uint"))


def result_type(dimensioned: list[str], zero_dim: list[str], scalars: list[str]) -> str:
    """The result of torch.result_type: 0-d tensors, then scalars, count only if their category is higher."""
    result = ""
    for group in (dimensioned, zero_dim, scalars):
        if not group:
            continue
        own = group[0]
        for dtype in group[1:]:
            own = promote(own, dtype)
        if group is scalars:
            own = {0: "bool", 1: "int64", 2: "float32", 3: "complex64"}[category(own)]
        if not result:
            result = own
        elif category(own) > category(result):
            if category(own) == 3:  # the complex dtype gets the precision of the other operands
                own = "complex128" if result == "float64" else own
            result = own
    return result


def can_cast(source: str, target: str) -> bool:
    """The result of torch.can_cast: a cast must not lower the category; within a category every cast is allowed."""
    return category(source) <= category(target)
