# SPDX-License-Identifier: BSD-3-Clause
"""The polynomials of erf, of its inverse and of the normal distribution, and those of the tables of pieces."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from mpmath import mp, mpf

from polynomials import FORMATS, NEAR_ZERO, ONE, Function, Polynomial, constant, relative
from sources import Place, rounded

# erf-inl.h


def erf() -> Iterator[Polynomial]:
    for (name, bits), terms in zip(FORMATS, (7, 12)):
        yield Polynomial(
            place=Place("math/erf-inl.h", f"struct ErfConstants<{name}>", "kNear"), meaning="erf(x) / x - 1",
            function=lambda x: mp.erf(x) - x, weight=relative(mp.erf), first=NEAR_ZERO, last=ONE, first_power=1, step=2,
            terms=terms, bits=bits,
        )  # fmt: skip
    yield Polynomial(
        place=Place("math/erf-inl.h", "struct ErfConstants<float>", "kFar"), meaning="erf(u + 2.2)",
        function=lambda u: mp.erf(u + mpf("2.2")), weight=constant, first=-mpf("1.2"), last=mpf("1.8"), terms=15,
        bits=24,
    )  # fmt: skip
    yield Polynomial(
        place=Place("math/erf-inl.h", "struct ErfConstants<double>", "kFar"), meaning="-log(1 - erf(u + 2.5))",
        function=lambda u: -mp.log(mp.erfc(u + 2.5)), weight=lambda u: mp.erfc(u + 2.5) / mp.erf(u + 2.5),
        first=-mpf("1.5"), last=mpf("3.5"), terms=19, bits=53,
    )  # fmt: skip


@functools.cache
def erfinv_slope(w: mpf) -> mpf:
    """erfinv(x) / x for the positive x with -log(1 - x^2) = w."""
    if w <= 0:
        return mp.sqrt(mp.pi) / 2
    x = mp.sqrt(-mp.expm1(-w))
    if w < 3:
        return mp.erfinv(x) / x
    rest = mp.exp(-w) / (1 + x)  # 1 - x
    y = mp.sqrt(w)
    for _ in range(60):  # Newton's method for erfc(y) = 1 - x
        step = (mp.erfc(y) - rest) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        y += step
        if abs(step) < mpf(10) ** -45:
            break
    return y / x


def of_root(centre: mpf) -> Function:
    return lambda t: erfinv_slope((t + centre) ** 2)


def erfinv() -> Iterator[Polynomial]:
    ranges, file = "struct ErfinvRanges ", "math/erf-inl.h"
    near = lambda t: erfinv_slope(t + mpf("3.125"))  # noqa: E731
    middle, far, far_of_float = of_root(mpf("3.25")), of_root(mpf(5)), of_root(mpf("3.1"))
    yield Polynomial(
        place=Place(file, ranges, "kNear"), meaning="erfinv(x) / x of w - 3.125", function=near, weight=relative(near),
        first=-mpf("3.125"), last=mpf("3.125"), terms=25, bits=53, points=262,
    )  # fmt: skip
    yield Polynomial(
        place=Place(file, ranges, "kMiddle"), meaning="erfinv(x) / x of sqrt(w) - 3.25", function=middle,
        weight=relative(middle), first=-mpf("0.75"), last=mpf("0.75"), terms=21, bits=53, points=222,
    )  # fmt: skip
    yield Polynomial(
        place=Place(file, ranges, "kFar"), meaning="erfinv(x) / x of sqrt(w) - 5", function=far, weight=relative(far),
        first=-ONE, last=mpf("1.1"), terms=19, bits=53, points=202,
    )  # fmt: skip
    exact = mp.sqrt(mp.pi) / 2
    slope = rounded(exact, 24)
    yield Polynomial(
        place=Place(file, "struct ErfinvRangesOfFloat", "kNear"), meaning="erfinv(x) / x - kSlope of w",
        function=lambda w: erfinv_slope(w) - slope, weight=relative(erfinv_slope), first=mpf(0), last=mpf(5), terms=11,
        bits=24, points=146, replaced={0: exact - slope}, names={"kSlopeError": rounded(exact - slope, 24)},
    )  # fmt: skip
    yield Polynomial(
        place=Place(file, "struct ErfinvRangesOfFloat", "kFar"), meaning="erfinv(x) / x of sqrt(w) - 3.1",
        function=far_of_float, weight=relative(far_of_float), first=mp.sqrt(5) - mpf("3.1"),
        last=mp.sqrt(mpf("16.7")) - mpf("3.1"), terms=10, bits=24, points=134,
    )  # fmt: skip


# tables-inl.h: piece k is a polynomial in u of function(k step + u).


def without_slope(function: Function, slope: mpf) -> Function:
    return lambda u: function(u) - slope * u


def pieces(
    scope: str,
    name: str,
    function: Function,
    step: mpf,
    count: int,
    terms: int,
    bits: int,
    points: int,
    slope_error: mpf,
) -> Iterator[Polynomial]:
    """Pieces from k = 1. OddByPieces adds slope_error u, so the polynomials leave it out."""
    half = step / 2 * mpf("1.0001")

    def piece(k: int) -> Function:
        return lambda u: function(k * step + u)

    for k in range(1, count):
        yield Polynomial(
            place=Place("math/tables-inl.h", scope, "kCoefficients"), meaning=f"{name}({k} step + u)",
            function=without_slope(piece(k), slope_error), weight=relative(piece(k)), first=-half, last=half,
            terms=terms, bits=bits, column=k, points=points,
        )  # fmt: skip


def tables() -> Iterator[Polynomial]:
    slope = 2 / mp.sqrt(mp.pi)
    for scope, name, function, step, count, terms, bits, points, points_at_0, least in (
        ("struct TanhPieces", "tanh", mp.tanh, mpf("0.59375"), 16, 8, 24, 0, 272, -30),
        ("struct ErfPieces ", "erf", mp.erf, mpf("0.2578125"), 16, 7, 24, 0, 212, -20),
        ("struct ErfPiecesOfDouble", "erf", mp.erf, mpf("0.796875"), 8, 17, 53, 322, 322, -30),
    ):
        lost = mpf(0) if name == "tanh" else slope - rounded(slope, bits)
        slope_error = mpf(rounded(lost, bits))
        fixed = {0: mpf(0)} | ({} if name == "tanh" else {1: slope - slope_error})
        yield Polynomial(
            place=Place("math/tables-inl.h", scope, "kCoefficients"), meaning=f"{name}(u)",
            function=without_slope(function, slope_error), weight=relative(function),
            first=mpf(2) ** least, last=step / 2 * mpf("1.0001"), terms=terms, bits=bits, column=0, fixed=fixed,
            points=points_at_0,
        )  # fmt: skip
        yield from pieces(scope, name, function, step, count, terms, bits, points, slope_error)


# normal-inl.h


def tail(y: mpf) -> mpf:
    """The probability that a normal number exceeds y."""
    return mp.erfc(y / mp.sqrt(2)) / 2


def tail_from(centre: mpf) -> Function:
    return lambda u: tail(centre + u)


def normal() -> Iterator[Polynomial]:
    for (name, bits), shift, slope, terms in zip(
        FORMATS, (3, 5), (mpf(2.470792293548584), mpf(2.2707955932617185)), (11, 24)
    ):

        def scaled(t: mpf, shift: int = shift, slope: mpf = slope) -> mpf:
            y = shift * (1 + t) / (slope - 1 - t)
            return tail(y) * mp.exp(y * y / 2) * (y + shift)

        yield Polynomial(
            place=Place("math/normal-inl.h", f"struct NormalConstants<{name}>", "kTail"),
            meaning="Tail(y) e^(y^2 / 2) (y + kShift)", function=scaled, weight=relative(scaled), first=-ONE, last=ONE,
            terms=terms, bits=bits, interpolated=True,
        )  # fmt: skip
    step = mpf("0.353515625")
    for scope, terms, low_rows in (("struct NormalPieces", 9, (1,)), ("struct RoughNormalPieces", 8, ())):
        for k in range(16):
            yield Polynomial(
                place=Place("math/normal-inl.h", scope, "kCoefficients"), meaning=f"Tail({k} step + u)",
                function=tail_from(k * step), weight=relative(tail_from(k * step)),
                first=-mpf("0.705") * step if k else mpf(0), last=mpf("0.305") * step, terms=terms, bits=24, column=k,
                low_rows=low_rows, fixed={0: tail(k * step)}, interpolated=True,
            )  # fmt: skip
