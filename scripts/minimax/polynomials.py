# SPDX-License-Identifier: BSD-3-Clause
"""The polynomials of the CPU vendor: what each one approximates, on which interval, with how many terms. To change one,
change its row here and run `python scripts/minimax --write`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mpmath import mp, mpf

import remez
from remez import Function
from sources import Place

ONE = mpf(1)
FORMATS = (("float", 24), ("double", 53))
NEAR_ZERO = mpf(10) ** -12  # stands for 0 where the error divides by x
LOG2 = mp.log(2)
LARGEST_S = 3 - 2 * mp.sqrt(2)  # s = f / (2 + f) for 1 + f = sqrt(2)


@dataclass(frozen=True, kw_only=True)
class Polynomial:
    """The array at `place` has the coefficients of x^first_power, x^(first_power + step), ... (`terms` of them) of the
    polynomial p for which the largest |weight(x) (p(x) - function(x))| from `first` to `last` is smallest. The interval
    is often a little wider than that of the reduced arguments, because they are rounded. The last digits of the
    coefficients depend on `points`."""

    place: Place
    meaning: str
    function: Function
    weight: Function
    first: mpf
    last: mpf
    terms: int
    bits: int
    first_power: int = 0
    step: int = 1
    column: int | None = None  # of a table whose rows are coefficients and whose columns are pieces
    low_rows: tuple[int, ...] = ()  # rows of the table with the rounding errors of the row before
    fixed: dict[int, mpf] = field(default_factory=dict)  # power -> coefficient that is not chosen
    replaced: dict[int, mpf] = field(default_factory=dict)  # power -> coefficient that is replaced at the end
    points: int = 0  # of the grid of the exchange algorithm; 0 stands for 30 (free terms + 2) + 2
    interpolated: bool = False  # at Chebyshev points, instead of the exchange algorithm
    names: dict[str, float] = field(default_factory=dict)  # constants that the initialiser mentions

    @property
    def powers(self) -> list[int]:
        return [self.first_power + self.step * i for i in range(self.terms)]

    def grid(self, points: int) -> list[mpf]:
        """A grid in x, or in x^2 for a polynomial in x^2."""
        if self.step == 1:
            return remez.chebyshev_grid(self.first, self.last, points)
        return [mp.sqrt(z) for z in remez.chebyshev_grid(self.first**2, self.last**2, points)]

    def make(self) -> tuple[list[mpf], mpf]:
        """The coefficients before rounding, and the largest weighted error."""
        if self.interpolated:
            made = remez.interpolate(self.function, self.first, self.last, self.powers, self.fixed)
            return made, self.errors(made)[0]
        free = self.terms - len(self.fixed)
        grid = self.grid(self.points or 30 * (free + 2) + 2)
        made, error = remez.remez(self.function, self.weight, grid, self.powers, self.fixed)
        return [self.replaced.get(k, c) for k, c in zip(self.powers, made)], error

    def errors(self, *candidates: Sequence[float | mpf], points: int = 401) -> list[mpf]:
        """The largest weighted error of each list of coefficients, on a dense grid."""
        worst = [mpf(0)] * len(candidates)
        for x in self.grid(points):
            weight, y, variable, factor = self.weight(x), self.function(x), x**self.step, x**self.first_power
            for i, coefficients in enumerate(candidates):
                total = mpf(0)
                for c in reversed(coefficients):
                    total = total * variable + c
                worst[i] = max(worst[i], abs(weight * (total * factor - y)))
        return worst


def relative(function: Function) -> Function:
    return lambda x: 1 / function(x)


def constant(x: mpf) -> mpf:
    return ONE


def odd(
    place: Place,
    name: str,
    function: Function,
    slope: mpf,
    last: mpf,
    terms: int,
    bits: int,
    weight: Function | None = None,
) -> Polynomial:
    """(function(x) - slope x) / x^3 as a polynomial in x^2. Its error is relative to the function, or to 1 / weight."""
    x = name.rstrip(")")[-1]
    first = x if slope == 1 else f"{int(slope)}{x}"
    return Polynomial(
        place=place, meaning=f"({name} - {first}) / {x}^3", function=lambda x: function(x) - slope * x,
        weight=weight or relative(function), first=NEAR_ZERO, last=last, first_power=3, step=2, terms=terms, bits=bits,
    )  # fmt: skip


# exp-inl.h


def exponentials() -> Iterator[Polynomial]:
    last = LOG2 / 2 * mpf("1.0005")
    for (name, bits), terms in zip(FORMATS, (7, 12)):
        yield Polynomial(
            place=Place("math/exp-inl.h", f"struct ExpConstants<{name}>", "kPoly"), meaning="e^r, relative to e^r - 1",
            function=mp.exp, weight=relative(mp.expm1), first=-last, last=last, terms=terms, bits=bits,
            fixed={0: ONE, 1: ONE},
        )  # fmt: skip
    for (name, bits), terms in zip(FORMATS, (4, 8)):
        place = Place("math/exp-inl.h", f"struct TanhConstants<{name}>", "kNear")
        yield odd(place, "tanh(x)", mp.tanh, ONE, mpf("0.35"), terms, bits, weight=lambda x: 1 / x)
    yield Polynomial(
        place=Place("math/power-inl.h", "Exp2ForFloat(", "kPoly"), meaning="2^t",
        function=lambda t: mpf(2) ** t, weight=lambda t: mpf(2) ** -t, first=-mpf("0.5005"), last=mpf("0.5005"),
        terms=8, bits=53,
    )  # fmt: skip


# log-inl.h


def log_ratio(s: mpf) -> mpf:
    return mp.log((1 + s) / (1 - s))


def logarithms() -> Iterator[Polynomial]:
    last = LARGEST_S * mpf("1.0001")
    yield Polynomial(
        place=Place("math/log-inl.h", "struct LogConstants<float>", "kPoly"), meaning="(log(1 + f) - f) / f^2",
        function=lambda f: mp.log1p(f) - f, weight=relative(mp.log1p), first=mp.sqrt(ONE / 2) - 1, last=mp.sqrt(2) - 1,
        first_power=2, terms=9, bits=24,
    )  # fmt: skip
    place = Place("math/log-inl.h", "struct LogConstants<double>", "kPoly")
    yield odd(place, "log((1 + s) / (1 - s))", log_ratio, mpf(2), last, 7, 53, weight=lambda s: 1 / (2 * s))
    yield Polynomial(
        place=Place("math/log-inl.h", "Log2ForFloat(", "kPoly"), meaning="log2((1 + s) / (1 - s)) / s",
        function=lambda s: log_ratio(s) / LOG2, weight=lambda s: LOG2 / log_ratio(s), first=NEAR_ZERO, last=last,
        first_power=1, step=2, terms=6, bits=53,
    )  # fmt: skip
    yield Polynomial(
        place=Place("math/power-inl.h", "PreciseLog(", "kRest"),
        meaning="(log((1 + s) / (1 - s)) - 2s - 2/3 s^3) / s^5",
        function=lambda s: log_ratio(s) - 2 * s - 2 * s**3 / 3, weight=lambda s: 1 / (2 * s), first=NEAR_ZERO,
        last=last, first_power=5, step=2, terms=8, bits=53,
    )  # fmt: skip


# trig-inl.h, inverse_trig-inl.h, hyperbolic-inl.h


def trigonometry() -> Iterator[Polynomial]:
    quarter = mp.pi / 4
    for (name, bits), few, many in zip(FORMATS, (3, 6), (7, 15)):
        trig, wide = f"struct TrigConstants<{name}>", quarter * mpf("1.004")
        place = Place("math/trig-inl.h", trig, "kSin")
        yield odd(place, "sin(r)", mp.sin, ONE, wide, few, bits, weight=lambda x: 1 / x)
        yield Polynomial(
            place=Place("math/trig-inl.h", trig, "kCos"), meaning="(cos(r) - 1 + r^2/2) / r^4",
            function=lambda r: mp.cos(r) - 1 + r * r / 2, weight=relative(mp.cos), first=NEAR_ZERO, last=wide,
            first_power=4, step=2, terms=few, bits=bits,
        )  # fmt: skip
        last = wide if bits == 24 else quarter * mpf("1.0001")
        yield odd(Place("math/trig-inl.h", trig, "kTan"), "tan(r)", mp.tan, ONE, last, many, bits)
    for (name, bits), few, many in zip(FORMATS, (6, 13), (9, 11)):
        inverse = f"struct InverseTrigConstants<{name}>"
        half = mp.sqrt(mpf("0.2501"))
        yield odd(Place("math/inverse_trig-inl.h", inverse, "kAsin"), "asin(x)", mp.asin, ONE, half, few, bits)
        last = ONE if bits == 24 else mp.tan(mp.pi / 8) * mpf("1.00001")
        yield odd(Place("math/inverse_trig-inl.h", inverse, "kAtan"), "atan(x)", mp.atan, ONE, last, many, bits)
    for (name, bits), terms in zip(FORMATS, (4, 7)):
        place = Place("math/hyperbolic-inl.h", f"struct HyperbolicConstants<{name}>", "kSinh")
        yield odd(place, "sinh(x)", mp.sinh, ONE, ONE, terms, bits)
