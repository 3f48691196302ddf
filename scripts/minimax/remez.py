# SPDX-License-Identifier: BSD-3-Clause
"""Approximating polynomials in the multiple precision of mpmath: the exchange algorithm of Remez, and interpolation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mpmath
from mpmath import mp, mpf

mp.dps = 50  # decimal digits of all computations
EXCHANGES = 40

Function = Callable[[mpf], mpf]


def chebyshev_grid(first: mpf, last: mpf, points: int) -> list[mpf]:
    """Points that lie closer together towards both ends. The ends are part of the grid."""
    middle, half = (first + last) / 2, (last - first) / 2
    return [middle - half * mp.cos(mp.pi * i / (points - 1)) for i in range(points)]


def extrema(errors: Sequence[mpf], count: int) -> list[int]:
    """The position of the largest error between each two changes of sign, and at most `count` of them."""
    found: list[int] = []
    for i, error in enumerate(errors):
        if not found or (error > 0) != (errors[found[-1]] > 0):
            found.append(i)
        elif abs(error) > abs(errors[found[-1]]):
            found[-1] = i
    while len(found) > count:
        found.pop(0 if abs(errors[found[0]]) < abs(errors[found[-1]]) else -1)
    return found


def solve(rows: list[list[mpf]], values: list[mpf]) -> list[mpf]:
    return list(mpmath.lu_solve(mpmath.matrix(rows), mpmath.matrix(values)))


def remez(
    function: Function, weight: Function, grid: Sequence[mpf], exponents: Sequence[int], fixed: dict[int, mpf]
) -> tuple[list[mpf], mpf]:
    """The coefficients of the powers of x with which the largest |weight(x) (p(x) - function(x))| on the grid is
    smallest, and this largest error. `fixed` has the exponents whose coefficients are given."""
    free = [k for k in exponents if k not in fixed]
    weights = [abs(weight(x)) for x in grid]
    rows = [[w * x**k for k in free] for w, x in zip(weights, grid)]
    targets = [w * (function(x) - mpmath.fsum(c * x**k for k, c in fixed.items())) for w, x in zip(weights, grid)]
    count = len(free) + 1
    reference = [round(i * (len(grid) - 1) / len(free)) for i in range(count)]
    for _ in range(EXCHANGES):
        # The errors at the points of reference get the same magnitude and alternating signs.
        equations = [rows[j] + [mpf((-1) ** i)] for i, j in enumerate(reference)]
        *solution, _ = solve(equations, [targets[j] for j in reference])
        errors = [mpmath.fdot(solution, row) - y for row, y in zip(rows, targets)]
        found = extrema(errors, count)
        if found == reference:
            made = fixed | dict(zip(free, solution))
            return [made[k] for k in exponents], max(abs(error) for error in errors)
        if len(found) < count:
            raise ArithmeticError(
                f"the error has {len(found)} extrema instead of {count}; use more points or a lower degree"
            )
        reference = found
    raise ArithmeticError(f"the extrema of the error still move after {EXCHANGES} exchanges; use more points")


def interpolate(
    function: Function, first: mpf, last: mpf, exponents: Sequence[int], fixed: dict[int, mpf]
) -> list[mpf]:
    """The coefficients of the polynomial that equals the function at the zeros of a Chebyshev polynomial. `fixed` has
    the exponents whose coefficients are given."""
    free = [k for k in exponents if k not in fixed]
    middle, half = (first + last) / 2, (last - first) / 2
    nodes = [middle + half * mp.cos(mp.pi * (2 * i + 1) / (2 * len(free))) for i in range(len(free))]
    rests = [function(x) - mpmath.fsum(c * x**k for k, c in fixed.items()) for x in nodes]
    made = fixed | dict(zip(free, solve([[x**k for k in free] for x in nodes], rests)))
    return [made[k] for k in exponents]
