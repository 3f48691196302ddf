# SPDX-License-Identifier: BSD-3-Clause
"""Compares one output with its expected values. Every element must be within the tolerance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .. import dtypes
from ..cases.case import Tolerance
from ..cases.prepared import Expected

EXACT = Tolerance("integers, bool and copies have exactly one correct result")
ROUNDED = Tolerance("results are correctly rounded; one ULP allows for an intermediate rounding", ulp=1)
SUMMED = Tolerance("terms may be added in any order in which the error grows logarithmically", ulp=1, acc_ulp=4)


@dataclass(frozen=True)
class Mismatch:
    """The first wrong element of an output, and the errors of the whole output."""

    output: str
    index: tuple[int, ...]
    expected: str
    got: str
    wrong: int
    numel: int
    max_diff: float
    mae: float
    max_ulp: float
    tolerance: Tolerance

    def __str__(self) -> str:
        index = list(self.index)
        return (
            f"{self.output}{index}: expected {self.expected}, got {self.got}; {self.wrong} of {self.numel} wrong, "
            f"max_diff {self.max_diff:.6g}, MAE {self.mae:.6g}, max ULP {self.max_ulp:.6g} "
            f"(allowed: {describe(self.tolerance)})"
        )


def describe(tolerance: Tolerance) -> str:
    parts = [
        f"{getattr(tolerance, k):g} {label}"
        for k, label in (
            ("ulp", "ULP"),
            ("acc_ulp", "accumulation ULP of the magnitude"),
            ("term_eps", "epsilon of the terms"),
            ("abs", "absolute"),
            ("rel", "relative"),
        )
        if getattr(tolerance, k)
    ]
    return " + ".join(parts) or "exact"


def choose_tolerance(tolerances: tuple[Tolerance, ...], output: str, expected: Expected) -> Tolerance:
    """The first tolerance that applies to this output and dtype, or the default."""
    for tolerance in tolerances:
        if (not tolerance.dtypes or expected.dtype in tolerance.dtypes) and (
            not tolerance.outputs or output in tolerance.outputs
        ):
            return tolerance
    if not dtypes.is_inexact(expected.dtype):
        return EXACT
    return ROUNDED if expected.magnitude is None else SUMMED


def compare(
    output: str, expected: Expected, got: np.ndarray, tolerance: Tolerance, signed_zero: bool = False
) -> tuple[Mismatch | str | None, float]:
    """The mismatch, or None if every element is right; and the largest distance in ULP, which is infinite if an element
    is a number and its expected value is not, or the reverse."""
    if expected.dtype == "bool":
        case = np.ascontiguousarray(got).view(np.uint8)
        odd = np.flatnonzero(case > 1)
        if odd.size:
            index = [int(i) for i in np.unravel_index(odd[0], got.shape)]
            message = (
                f"{output}{index}: byte 0x{case.flat[odd[0]]:02X} is neither 0 nor 1 ({odd.size} of {got.size} wrong)"
            )
            return message, math.inf
    want = dtypes.narrow(expected.values, expected.dtype)
    if want.dtype == got.dtype and want.tobytes() == np.ascontiguousarray(got).tobytes():
        return None, 0.0
    if dtypes.is_inexact(expected.dtype):
        allowed, ulp = _allowed(expected, want, tolerance)
        return _compare_inexact(output, want, got, allowed, ulp, tolerance, signed_zero)
    mismatch = _compare_exact(output, want, got, tolerance)
    return mismatch, 0.0 if mismatch is None else math.inf


def _allowed(expected: Expected, want: np.ndarray, tolerance: Tolerance) -> tuple[np.ndarray, np.ndarray]:
    """The allowed distance of each element, and one ULP at each element."""
    coarse = expected.dtype
    if dtypes.is_inexact(expected.compute_dtype):
        coarse = min(expected.dtype, expected.compute_dtype, key=dtypes.precision)
    size = _size(dtypes.widen(want))
    ulp = dtypes.ulp(size, coarse)
    allowed = tolerance.ulp * ulp + tolerance.abs + tolerance.rel * size
    if tolerance.acc_ulp:
        magnitude = size if expected.magnitude is None else np.abs(expected.magnitude)
        allowed = allowed + tolerance.acc_ulp * dtypes.ulp(_finite(magnitude), dtypes.accumulation_dtype(coarse))
    if tolerance.term_eps and expected.terms is not None:
        allowed = allowed + tolerance.term_eps * dtypes.epsilon(coarse) * _finite(expected.terms)
    return allowed, ulp


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, 0.0)


def _parts(values: np.ndarray) -> tuple[np.ndarray, ...]:
    return (values.real, values.imag) if np.iscomplexobj(values) else (values,)


def _size(values: np.ndarray) -> np.ndarray:
    """The absolute values; of a complex number whose own is infinite, that of its larger finite part; else 0."""
    size = np.abs(values)
    finite = [np.where(np.isfinite(part), np.abs(part), 0.0) for part in _parts(values)]
    return np.where(np.isfinite(size), size, np.max(finite, axis=0))


def _distance(e: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The absolute differences. Parts of complex numbers that are the same infinity have the difference 0."""
    if not np.iscomplexobj(e):
        return np.abs(g - e)
    return np.hypot(*(np.where(one == other, 0.0, other - one) for one, other in zip(_parts(e), _parts(g))))


def _compare_inexact(
    output: str,
    want: np.ndarray,
    got: np.ndarray,
    allowed: np.ndarray,
    ulp: np.ndarray,
    tolerance: Tolerance,
    signed_zero: bool,
) -> tuple[Mismatch | None, float]:
    e, g = dtypes.widen(want), dtypes.widen(got)
    with np.errstate(all="ignore"):
        same = (e == g) | (np.isnan(e) & np.isnan(g))
        if signed_zero and not np.iscomplexobj(e):
            same &= (e != 0) | (np.signbit(e) == np.signbit(g))
        distance = _distance(e, g)
        close = np.isfinite(distance) & (distance <= allowed)
        if signed_zero:
            close &= (e != 0) | (g != 0)
        wrong = ~(same | close)
        ulps = distance / ulp
        if not wrong.any():
            return None, float(np.max(ulps, where=~same, initial=0.0))
        finite = np.isfinite(distance)
        largest = float(np.max(ulps, where=finite, initial=0.0))
        never_number = bool((~finite & ~same).any())
    distance = np.where(finite, distance, 0.0)
    return (_mismatch(output, want, got, wrong, distance, largest, tolerance), math.inf if never_number else largest)


def _compare_exact(output: str, want: np.ndarray, got: np.ndarray, tolerance: Tolerance) -> Mismatch | None:
    distance = np.abs(want.astype(np.float64) - got.astype(np.float64))
    wrong = (want != got) & ~((distance <= tolerance.abs) & (tolerance.abs > 0))
    return _mismatch(output, want, got, wrong, distance, 0.0, tolerance) if wrong.any() else None


def _mismatch(
    output: str,
    want: np.ndarray,
    got: np.ndarray,
    wrong: np.ndarray,
    distance: np.ndarray,
    ulps: float,
    tolerance: Tolerance,
) -> Mismatch:
    first = np.unravel_index(int(np.flatnonzero(wrong)[0]), want.shape)
    return Mismatch(
        output,
        tuple(int(i) for i in first),
        str(want[first]),
        str(got[first]),
        int(wrong.sum()),
        want.size,
        float(distance.max()),
        float(distance.mean()),
        ulps,
        tolerance,
    )
