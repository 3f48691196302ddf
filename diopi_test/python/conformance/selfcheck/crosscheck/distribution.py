# SPDX-License-Identifier: BSD-3-Clause
"""Tests whether the random numbers of the oracles have the right distribution.

A perfect random generator would fail each of these tests with one seed in a thousand (the limits are two-sided
quantiles at 0.001). The seed is fixed, so the verdict is the same in every run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...handles import Seed
from ...oracle import load_oracles

SEED = Seed(20240229)
COUNT = 50000
NORMAL_LIMIT = 3.29  # the limit for the absolute value of a standard normal number
KOLMOGOROV_LIMIT = 1.95  # the limit for sqrt(n) times the largest distance of two distribution functions
CHI_SQUARE_LIMIT = 27.88  # the limit for 9 degrees of freedom


@dataclass(frozen=True)
class Statistic:
    """One statistical test: its name, its value, and the largest allowed value."""

    name: str
    value: float
    limit: float

    def __str__(self) -> str:
        return f"{self.name} {self.value:.2f} ({'at most' if self.passed else 'ABOVE'} {self.limit})"

    @property
    def passed(self) -> bool:
        return self.value <= self.limit


def distance(values: np.ndarray, distribution: np.ndarray) -> float:
    """The Kolmogorov-Smirnov statistic. `distribution` is the distribution function at the sorted values."""
    n = len(values)
    steps = np.arange(n)
    return math.sqrt(n) * max(np.max(distribution - steps / n), np.max((steps + 1) / n - distribution))


def correlation(values: np.ndarray, lag: int) -> float:
    """The correlation of elements at distance `lag`, scaled to a standard normal number."""
    centred = values - values.mean()
    return float((centred[lag:] * centred[:-lag]).mean() / centred.var() * math.sqrt(len(values) - lag))


def normal_distribution(values: np.ndarray) -> np.ndarray:
    return np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in np.sort(values)])


def chi_square(counts: np.ndarray, expected: Any) -> float:
    return float(((counts - expected) ** 2 / expected).sum())


def share(ones: np.ndarray, p: float) -> float:
    """The difference between the number of ones and its expected value, scaled to a standard normal number."""
    return abs(float(ones.sum()) - ones.size * p) / math.sqrt(ones.size * p * (1 - p))


def _oracle(name: str) -> Callable[..., Any]:
    return load_oracles()[name].function


def _real(values: np.ndarray) -> np.ndarray:
    return values.view(np.float64) if np.iscomplexobj(values) else values


def _uniform(name: str) -> Iterator[Statistic]:
    for dtype in ("float32", "float64", "complex64"):
        values = _real(_oracle(name)((COUNT,), -2.0, 6.0, SEED, {"inout": dtype}))
        yield Statistic(f"{dtype} Kolmogorov", distance(values, (np.sort(values) + 2) / 8), KOLMOGOROV_LIMIT)
        for lag in (1, 4):
            yield Statistic(f"{dtype} correlation {lag}", abs(correlation(values, lag)), NORMAL_LIMIT)


def _standard(label: str, values: np.ndarray) -> Iterator[Statistic]:
    yield Statistic(f"{label}Kolmogorov", distance(values, normal_distribution(values)), KOLMOGOROV_LIMIT)
    yield Statistic(f"{label}correlation", abs(correlation(values, 1)), NORMAL_LIMIT)
    yield Statistic(f"{label}correlation of squares", abs(correlation(values**2, 1)), NORMAL_LIMIT)


def _normal(name: str) -> Iterator[Statistic]:
    for dtype in ("float32", "float64", "complex64"):
        values = _real(_oracle(name)((COUNT,), -1.5, 2.0, SEED, {"out": dtype, "inout": dtype}))
        parts = len(values) // COUNT  # real and imaginary part each have the mean and a half of the variance
        yield from _standard(f"{dtype} ", (values + 1.5) / (2 / math.sqrt(parts)))


def _normal_tensors(name: str) -> Iterator[Statistic]:
    mean = np.linspace(-3, 3, COUNT) if name != "diopiNormalScalarTensor" else 0.5
    std = np.linspace(0.1, 2, COUNT) if name != "diopiNormalTensorScalar" else 1.5
    values = _oracle(name)(mean, std, SEED, {"case": "float32"})
    yield from _standard("", (values - mean) / std)


def _bernoulli(name: str) -> Iterator[Statistic]:
    for p in (0.02, 0.5, 0.9):
        first = (COUNT,) if name == "diopiBernoulliScalar" else np.full(COUNT, p)
        ones = _oracle(name)(first, p, SEED) if name == "diopiBernoulliScalar" else _oracle(name)(first, SEED)
        yield Statistic(f"share at {p}", share(ones, p), NORMAL_LIMIT)


def _dropout(name: str) -> Iterator[Statistic]:
    for p in (0.1, 0.5):
        kept = _oracle(name)(np.ones(COUNT), p, True, SEED, {})["mask"]
        yield Statistic(f"share kept at {p}", share(kept, 1 - p), NORMAL_LIMIT)


def _random(name: str) -> Iterator[Statistic]:
    for dtype in ("int32", "float32"):
        counts = np.bincount(_oracle(name)((COUNT,), 5, 15, SEED, {"inout": dtype}).astype(int) - 5, minlength=10)
        yield Statistic(f"{dtype} chi-square", chi_square(counts, COUNT / 10), CHI_SQUARE_LIMIT)
    wide = _oracle(name)((5000,), -(2**63), 2**63, SEED, {"inout": "int64"}).astype(np.float64) / 2.0**64 + 0.5
    yield Statistic("int64 Kolmogorov", distance(wide, np.sort(wide)), KOLMOGOROV_LIMIT)


def _permutation(name: str) -> Iterator[Statistic]:
    n, runs = 10, 5000
    orders = np.array([_oracle(name)(n, Seed(SEED.seed, 20 * run)) for run in range(runs)])
    for place in (0, 4, 9):
        counts = np.bincount(orders[:, place], minlength=n)
        yield Statistic(f"chi-square of place {place}", chi_square(counts, runs / n), CHI_SQUARE_LIMIT)


def _multinomial(name: str) -> Iterator[Statistic]:
    rows, weights = 5000, np.arange(1.0, 11.0)
    for replacement in (True, False):
        drawn = _oracle(name)(np.tile(weights, (rows, 1)), 2, replacement, SEED)
        counts = np.bincount(drawn[:, 0], minlength=10)
        label = "with" if replacement else "without"
        yield Statistic(
            f"chi-square {label} replacement", chi_square(counts, rows * weights / weights.sum()), CHI_SQUARE_LIMIT
        )
        if not replacement:
            yield Statistic("repeated", float((drawn[:, 0] == drawn[:, 1]).sum()), 0)


DISTRIBUTIONS: dict[str, Callable[[str], Iterator[Statistic]]] = {
    "diopiUniformInp": _uniform,
    **dict.fromkeys(("diopiNormal", "diopiNormalInp"), _normal),
    **dict.fromkeys(("diopiNormalTensorScalar", "diopiNormalScalarTensor", "diopiNormalTensor"), _normal_tensors),
    **dict.fromkeys(("diopiBernoulli", "diopiBernoulliInp", "diopiBernoulliScalar"), _bernoulli),
    **dict.fromkeys(("diopiDropout", "diopiDropoutInp"), _dropout),
    "diopiRandomInp": _random,
    "diopiRandperm": _permutation,
    "diopiMultinomial": _multinomial,
}


def statistics(name: str) -> list[Statistic]:
    """All statistical tests of an operator; an empty list if the operator is not random."""
    return list(DISTRIBUTIONS[name](name)) if name in DISTRIBUTIONS else []
