"""The numbers that `philox` defines: known answers, and that they are distributed as they should be.

A true source of randomness would fail each test of a distribution here with one seed in a thousand (the limits are
two-sided quantiles at 0.001). The seed is fixed: the verdict is the same in every run.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from conformance import philox
from conformance.binding import Seed
from conformance.oracles import load_oracles

SEED = Seed(20240229)
NORMAL_LIMIT = 3.29  # |z| of a standard normal number
KOLMOGOROV_LIMIT = 1.95  # sqrt(n) times the largest distance of two distribution functions
CHI_SQUARE_LIMIT = 27.88  # 9 degrees of freedom


def distance(values: np.ndarray, distribution: np.ndarray) -> float:
    """Kolmogorov's statistic; `distribution` is the distribution function at the sorted values."""
    n = len(values)
    steps = np.arange(n)
    return math.sqrt(n) * max(np.max(distribution - steps / n), np.max((steps + 1) / n - distribution))


def correlation(values: np.ndarray, lag: int) -> float:
    """Of neighbours at this distance, as a standard normal number."""
    centred = values - values.mean()
    return float((centred[lag:] * centred[:-lag]).mean() / centred.var() * math.sqrt(len(values) - lag))


def test_words_of_seed_zero_are_the_published_ones() -> None:
    assert [hex(w) for w in philox.blocks(0, 0, 1)[0]] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]


def test_calls_use_words_that_follow_each_other() -> None:
    together = philox.words(Seed(5), 40)
    first = philox.words(Seed(5), 13)
    offset = philox.offset_after(Seed(5), 13)
    assert offset == 16
    assert np.array_equal(first, together[:13])
    assert np.array_equal(philox.words(Seed(5, offset), 24), together[16:])


def test_offset_inside_a_block_skips_to_the_next() -> None:
    assert np.array_equal(philox.words(Seed(5, 5), 4), philox.words(Seed(5, 8), 4))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_uniform_stays_below_its_upper_end(dtype: str) -> None:
    values = philox.uniform(SEED, 50000, dtype, 1.0, 3.0)
    assert values.min() >= 1.0 and values.max() < 3.0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_uniform_is_uniform(dtype: str) -> None:
    values = philox.uniform(SEED, 50000, dtype, -2.0, 6.0)
    assert distance(values, (np.sort(values) + 2) / 8) < KOLMOGOROV_LIMIT
    assert abs(correlation(values, 1)) < NORMAL_LIMIT
    assert abs(correlation(values, 4)) < NORMAL_LIMIT


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_normal_is_normal(dtype: str) -> None:
    values = philox.standard_normal(SEED, 50000, dtype)
    cumulative = np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in np.sort(values)])
    assert distance(values, cumulative) < KOLMOGOROV_LIMIT
    assert abs(correlation(values, 1)) < NORMAL_LIMIT
    assert abs(correlation(values**2, 1)) < NORMAL_LIMIT


@pytest.mark.parametrize("p", [0.02, 0.5, 0.9])
def test_bernoulli_has_its_probability(p: float) -> None:
    n = 50000
    ones = philox.bernoulli(SEED, p, n).sum()
    assert abs(ones - n * p) < NORMAL_LIMIT * math.sqrt(n * p * (1 - p))


def test_integers_are_equally_likely() -> None:
    n = 50000
    counts = np.bincount(philox.integers(SEED, n, 0, 10).astype(int), minlength=10)
    assert len(counts) == 10
    assert ((counts - n / 10) ** 2 / (n / 10)).sum() < CHI_SQUARE_LIMIT


def test_integers_reach_the_whole_range_of_64_bits() -> None:
    values = philox.integers(SEED, 5000, -(2**63), 2**64)
    ranks = np.array([float(v) for v in values]) / 2.0**64 + 0.5
    assert distance(ranks, np.sort(ranks)) < KOLMOGOROV_LIMIT


def test_permutation_puts_every_element_anywhere() -> None:
    n, runs = 10, 5000
    first = np.zeros(n)
    for run in range(runs):
        order = philox.permutation(Seed(SEED.seed, 20 * run), n)
        assert sorted(order) == list(range(n))
        first[order[0]] += 1
    assert ((first - runs / n) ** 2 / (runs / n)).sum() < CHI_SQUARE_LIMIT


@pytest.mark.parametrize("replacement", [True, False])
def test_multinomial_draws_by_weight(replacement: bool) -> None:
    rows, weights = 5000, np.arange(1.0, 11.0)
    draw = load_oracles()["diopiMultinomial"].function
    drawn = draw(np.tile(weights, (rows, 1)), 2, replacement, SEED)
    expected = rows * weights / weights.sum()
    first = np.bincount(drawn[:, 0], minlength=10)
    assert ((first - expected) ** 2 / expected).sum() < CHI_SQUARE_LIMIT
    assert replacement or (drawn[:, 0] != drawn[:, 1]).all()
