# SPDX-License-Identifier: BSD-3-Clause
"""The special numbers of each dtype, and a function that puts them among random numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .. import dtypes

KINDS = ("nan", "inf", "zero", "denormal", "large", "extreme")

LADDER = 12  # how many numbers the kind "huge" has between 1,000 and the largest number

_LARGEST_EXPONENT = {"float16": 15, "bfloat16": 127, "float32": 127, "float64": 1023}


@dataclass(frozen=True)
class Mix:
    """The kinds of special numbers that one tensor holds, and the limits that the contract sets for its numbers."""

    kinds: tuple[str, ...]
    low: float = -math.inf
    high: float = math.inf
    nan: bool = True
    zero: bool = True
    inf: bool = True
    denormal: bool = True
    large_exponent: float = 1.0
    large_exponent_complex: float = 0.4
    largest_integer: int | None = None

    def slug(self) -> str:
        return "+".join(self.kinds)


def largest(dtype: str) -> float:
    real = dtypes.real_dtype(dtype)
    return math.ldexp(2.0 - 2.0 ** (1 - dtypes.precision(real)), _LARGEST_EXPONENT[real])


def _denormal(dtype: str, power: float) -> list[float]:
    tiny = float(dtypes.ulp(np.zeros(()), dtypes.real_dtype(dtype)))
    normal = _smallest_normal(dtype)
    return [tiny, -tiny, 3 * tiny, -normal / 2, normal - tiny, normal, -normal]


def _large(dtype: str, power: float) -> list[float]:
    """Numbers up to largest ** power, and numbers whose exponential just overflows or underflows in some dtype."""
    top = largest(dtype) ** power
    ends = [top, -top, top / 5, -top / 5, top**0.75, -(top**0.75)]
    return ends + [x for x in (11.1, -17.5, 89.0, -104.5, 710.0, -746.0) if abs(x) < top]


def _huge(dtype: str, power: float) -> list[float]:
    """A geometric series of numbers of both signs from 1,000 to largest ** power."""
    exponent = math.log10(largest(dtype)) * power
    steps = [10.0 ** (3 + (exponent - 3) * k / LADDER) for k in range(LADDER)] if exponent > 3 else []
    return [sign * x for x in (*steps, largest(dtype) ** power) for sign in (1, -1)]


_FLOATING: dict[str, Callable[[str, float], list[float]]] = {
    "nan": lambda dtype, power: [math.nan],
    "inf": lambda dtype, power: [math.inf, -math.inf],
    "zero": lambda dtype, power: [-0.0, 0.0],
    "denormal": _denormal,
    "large": _large,
    "huge": _huge,
}


def _extreme(dtype: str, largest_integer: int | None) -> list[int]:
    info = np.iinfo(dtype)
    top = info.max if largest_integer is None else min(info.max, largest_integer)
    bottom = max(info.min, -top - 1)
    return [bottom, top, bottom + 1, top - 1, 0, 1] + ([-1] if info.min else [])


def kinds_of(dtype: str) -> tuple[str, ...]:
    """The kinds of special numbers that the dtype has.

    Complex numbers get no NaN, no infinity and no number whose square is infinite. The product of such numbers in
    PyTorch depends on the compiler.
    """
    if dtypes.is_complex(dtype):
        return ("zero", "denormal", "large")
    if dtypes.is_floating(dtype):
        return ("nan", "inf", "zero", "denormal", "large")
    return ("extreme",) if dtypes.is_integral(dtype) else ()


def _may(mix: Mix, number: float | int, dtype: str) -> bool:
    if number != number:
        return mix.nan
    if number == 0:
        return mix.zero and mix.low <= number <= mix.high
    if dtypes.is_integral(dtype):
        return mix.low <= number <= mix.high
    # Products of the smallest normal numbers with numbers below one are denormal, so they are excluded, too.
    smallest = math.ldexp(_smallest_normal(dtype), dtypes.precision(dtype))
    if abs(number) == math.inf and not mix.inf or abs(number) < smallest and not mix.denormal:
        return False
    return mix.low <= number <= mix.high


def _smallest_normal(dtype: str) -> float:
    return math.ldexp(float(dtypes.ulp(np.zeros(()), dtypes.real_dtype(dtype))), dtypes.precision(dtype) - 1)


def special_numbers(mix: Mix, dtype: str) -> np.ndarray:
    """The special numbers that the dtype has and the mix allows, as float64 or, for integers, in the dtype."""
    found: list[float | int] = []
    exponent = mix.large_exponent_complex if dtypes.is_complex(dtype) else mix.large_exponent
    for kind in mix.kinds:
        if kind in kinds_of(dtype) or (kind == "huge" and dtypes.is_floating(dtype)):
            found += _extreme(dtype, mix.largest_integer) if kind == "extreme" else _FLOATING[kind](dtype, exponent)
    allowed = [n for n in found if _may(mix, n, dtype)]
    if dtypes.is_integral(dtype):
        return np.array(allowed, dtype=dtype)
    return np.array(allowed, np.float64)


def mixed(array: np.ndarray, mix: Mix, rng: np.random.Generator, attempt: int) -> np.ndarray:
    """A copy of the array with special numbers at some positions: fewer with each attempt, but at least one."""
    dtype = dtypes.name_of(array.dtype)
    numbers = special_numbers(mix, dtype)
    if not numbers.size or not array.size:
        return array
    flat = array.reshape(-1).copy()
    count = max(1, array.size >> (2 + attempt))
    places = rng.choice(array.size, count, replace=False)
    chosen = rng.permutation(np.resize(rng.permutation(numbers), count))
    if dtypes.is_complex(dtype):
        wide = flat.astype(np.complex128)
        real = rng.random(count) < 0.5
        wide.real[places[real]] = chosen[real]
        wide.imag[places[~real]] = chosen[~real]
        flat = dtypes.narrow(wide, dtype)
    else:
        flat[places] = dtypes.narrow(chosen, dtype)
    return flat.reshape(array.shape)
