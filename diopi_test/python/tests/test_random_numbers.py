# SPDX-License-Identifier: BSD-3-Clause
"""Tests the words of `philox` against published numbers, and the generator's offset after calls.

`test_crosscheck.py` tests the distribution of the operators' random numbers.
"""

from __future__ import annotations

import numpy as np
import pytest

from conformance.handles import Seed
from conformance.oracle import philox

SEED = Seed(20240229)


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


def test_integers_reach_the_ends_of_their_range() -> None:
    drawn = set(philox.integers(SEED, 500, -3, 7))
    assert drawn == set(range(-3, 4))
