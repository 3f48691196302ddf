# SPDX-License-Identifier: BSD-3-Clause
"""Histograms of the errors in a run: one histogram for each dtype."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from .. import dtypes
from ..run.result import Result

# A bin contains the errors that are above the previous edge and not above its own edge.
EDGES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 1024.0)
LABELS = ("0", *(f"≤{edge:g}" for edge in EDGES[1:]), f">{EDGES[-1]:g}", "no value")
STEP, BAR_WIDTH = 46, 34
WIDTH, HEIGHT, BASE, TOP = STEP * len(LABELS) + 8, 190, 150, 24


@dataclass(frozen=True)
class Bar:
    """A bar in the coordinates of the picture; `x` is its middle."""

    x: float
    y: float
    height: float
    label: str
    count: int


@dataclass(frozen=True)
class Histogram:
    """The histogram of one dtype. It counts the largest error of each output of each call."""

    dtype: str
    outputs: int
    exact: int
    largest: float
    largest_name: str  # the name of the case with the largest error
    bars: tuple[Bar, ...]

    @property
    def inexact(self) -> bool:
        return dtypes.is_inexact(self.dtype)

    @property
    def largest_text(self) -> str:
        if not math.isfinite(self.largest):
            return "only the output or only its expected value is finite"
        return f"{self.largest:.3g} ULP"


def bin_of(ulp: float) -> int:
    if not math.isfinite(ulp):
        return len(LABELS) - 1
    return next((i for i, edge in enumerate(EDGES) if ulp <= edge), len(EDGES))


def histograms(results: list[Result]) -> list[Histogram]:
    """One histogram for each dtype of the outputs, in the order of the contract."""
    counts: dict[str, Counter] = {}
    largest: dict[str, tuple[float, str]] = {}
    for result in results:
        for _, dtype, ulp in result.errors:
            counts.setdefault(dtype, Counter())[bin_of(ulp)] += 1
            if dtype not in largest or ulp > largest[dtype][0]:
                largest[dtype] = (ulp, result.name)
    return [
        Histogram(d, counts[d].total(), counts[d][0], *largest[d], _bars(counts[d]))
        for d in dtypes.NUMPY
        if d in counts
    ]


def _bars(counts: Counter) -> tuple[Bar, ...]:
    """The bars. Their heights are logarithmic, so that one case with a large error is visible among thousands."""
    scale = (BASE - TOP) / math.log10(1 + max(counts.values()))
    bars = []
    for position, label in enumerate(LABELS):
        height = scale * math.log10(1 + counts[position])
        bars.append(
            Bar(STEP * position + STEP / 2 + 4, round(BASE - height, 1), round(height, 1), label, counts[position])
        )
    return tuple(bars)
