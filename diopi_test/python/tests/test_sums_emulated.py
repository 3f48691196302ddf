# SPDX-License-Identifier: BSD-3-Clause
"""Tests sums through an index of the vendor cuda, whose terms are added in any order, on the emulated device."""

from __future__ import annotations

import numpy as np
import pytest
from emulated import NEEDS_EMULATION, lines_of

pytestmark = NEEDS_EMULATION

# add(dtype, start, terms, index) prints the bits of the sums.
BEGIN = """
import numpy as np

def filled(dtype, numbers):
    buffer = Buffer(dtype, Placement((len(numbers),), (1,), 0))
    buffer.array[...] = np.asarray(numbers).astype(buffer.array.dtype)
    return buffer

def add(dtype, start, terms, index):
    sums = filled(dtype, start)
    arguments = {"input": sums, "dim": 0, "src": filled(dtype, terms), "index": filled("int64", index), "reduce": "add"}
    outcome = vendor.call(registry.functions["diopiScatterInp"], arguments)
    assert outcome.code == "diopiSuccess", outcome
    print(*sums.array.astype(np.float64))
"""
ORDERS = ("forward", "reverse", "4711")


def sums_of(script: str) -> list[np.ndarray]:
    """The numbers of each line, which are the same in all orders of threads."""
    runs = [lines_of(BEGIN + script, DIOPI_CUDA_ORDER=order) for order in ORDERS]
    assert runs[0] == runs[1] == runs[2]
    return [np.array([float(number) for number in line.split()]) for line in runs[0]]


def test_the_unit_of_each_place_is_that_of_its_own_terms():
    script = """
terms = np.array([3e38, 1e-38, 1.5, 2.5e-45, 3e38, 2e-38, -0.25, 2.5e-45], np.float32)
add("float32", [0, 0, 0, 0], terms, [0, 1, 2, 3] * 2)
"""
    terms = np.array([3e38, 1e-38, 1.5, 2.5e-45, 3e38, 2e-38, -0.25, 2.5e-45], np.float32).astype(np.float64)
    with np.errstate(over="ignore"):
        expected = (terms[:4] + terms[4:]).astype(np.float32).astype(np.float64)
    np.testing.assert_array_equal(sums_of(script)[0], expected)


def test_terms_that_cancel_leave_the_small_ones():
    script = 'add("float32", [1, 0], [1e6, 2**-12, -1e6, 3, 4, 5], [0, 0, 0, 1, 1, 1])'
    np.testing.assert_array_equal(sums_of(script)[0], [1 + 2**-12, 12])


def test_terms_that_are_not_finite_decide_the_sum_of_their_place_only():
    script = """
inf, nan = float("inf"), float("nan")
add("float32", [1, 1, 1, 1, 1], [inf, -inf, inf, nan, 2, 5, 5, -inf, 5, 3], [0, 1, 2, 3, 4] * 2)
add("float16", [inf, -inf, 1, 1, nan], [-inf, 1, 60000, 1, 1, 1, 1, 60000, 1, 1], [0, 1, 2, 3, 4] * 2)
"""
    inf, nan = np.inf, np.nan
    first, second = sums_of(script)
    np.testing.assert_array_equal(first, [inf, -inf, nan, nan, 6])
    np.testing.assert_array_equal(second, [nan, -inf, inf, 3, nan])


@pytest.mark.parametrize(("dtype", "expected"), [("int8", [-106, 5]), ("uint64", [150, 5]), ("bool", [1, 1])])
def test_integers_wrap_around(dtype, expected):
    script = f'add("{dtype}", [0, 1], [100, 1, 50, 3, 0, 0], [0, 1] * 3)'
    np.testing.assert_array_equal(sums_of(script)[0], expected)
