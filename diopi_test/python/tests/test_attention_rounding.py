# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the judge lets attention round weights to the dtype of q before products, as the contract says, and no
more than that."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import registry

from conformance import dtypes
from conformance.cases.prepared import Expected
from conformance.cases.reader import load_cases
from conformance.oracle.attention import Sequence, backward, forward, window
from conformance.verdict.compare import choose_tolerance, compare

SIZE, QUERIES, KEYS, HEADS = 64, 150, 190, 2


@pytest.fixture(scope="module")
def tolerances():
    cases = [c for c in load_cases(registry()) if c.function.name == "diopiFlashAttention" and c.error is None]
    return cases[0].tolerances


def sequence(dtype: str, sharpness: float) -> Sequence:
    random = np.random.default_rng(1)
    q, k, v = (
        dtypes.round_through(random.standard_normal((rows, HEADS, SIZE)), dtype) for rows in (QUERIES, KEYS, KEYS)
    )
    return Sequence(q, k, v, sharpness * SIZE**-0.5, window(QUERIES, KEYS, True))


def weights_of(s: Sequence) -> np.ndarray:
    """The weights before they are divided by their sums, as libraries round them."""
    return np.exp(s.scores - s.scores.max(-1, keepdims=True))


def verdict(name: str, facts, got: np.ndarray, dtype: str, tolerances) -> bool:
    array, magnitude, terms = facts
    expected = Expected(dtype, array.shape, array, dtype, magnitude, terms=terms)
    mismatch, _ = compare(name, expected, dtypes.narrow(got, dtype), choose_tolerance(tolerances, name, expected))
    return mismatch is None


def rounded_to(values: np.ndarray, dtype: str, lost_bits: int) -> np.ndarray:
    """Rounded to the dtype, or to one with fewer digits."""
    if lost_bits == 0:
        return dtypes.round_through(values, dtype)
    digits = dtypes.precision(dtype) - lost_bits
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(np.ldexp(mantissa, digits)), exponent - digits)


@pytest.mark.parametrize("sharpness", [0.2, 1.0, 6.0])
@pytest.mark.parametrize(("dtype", "lost_bits", "right"), [
    ("float16", 0, True),
    ("bfloat16", 0, True),
    ("float16", 3, False),
    ("bfloat16", 3, False),
])  # fmt: skip
def test_weights_may_be_rounded_to_the_dtype_of_q(dtype, lost_bits, right, sharpness, tolerances):
    s = sequence(dtype, sharpness)
    weights = weights_of(s)
    out = rounded_to(weights, dtype, lost_bits) @ s.heads(s.v) / weights.sum(-1, keepdims=True)
    assert verdict("attention_out", forward(s)["out"], out.transpose(1, 0, 2), dtype, tolerances) == right


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_weights_of_other_dtypes_keep_their_digits(dtype, tolerances):
    s = sequence(dtype, 1.0)
    weights = weights_of(s)
    out = rounded_to(weights, "bfloat16", 0) @ s.heads(s.v) / weights.sum(-1, keepdims=True)
    assert not verdict("attention_out", forward(s)["out"], out.transpose(1, 0, 2), dtype, tolerances)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("lost_bits", [0, 3])
def test_weights_and_gradients_of_scores_may_be_rounded_before_products(dtype, lost_bits, tolerances):
    s = sequence(dtype, 1.0)
    found = forward(s)
    grad_out = dtypes.round_through(np.random.default_rng(2).standard_normal(s.q.shape), dtype)
    ones = np.ones_like(found["lse"])
    expected = backward(s, grad_out, found["out"][0], found["lse"], ones)
    go, turn = grad_out.transpose(1, 0, 2), (0, 2, 1)
    weights = np.exp(s.scores - found["lse"][..., None])
    delta = (go * found["out"][0].transpose(1, 0, 2)).sum(-1, keepdims=True)
    grad_scores = weights * (go @ s.heads(s.v).transpose(turn) - delta)
    weights, grad_scores = (rounded_to(x, dtype, lost_bits) for x in (weights, grad_scores))
    got = {
        "grad_q": s.scale * grad_scores @ s.heads(s.k),
        "grad_k": s.scale * grad_scores.transpose(turn) @ s.q.transpose(1, 0, 2),
        "grad_v": weights.transpose(turn) @ go,
    }
    for name, array in got.items():
        assert verdict(name, expected[name], array.transpose(1, 0, 2), dtype, tolerances) == (lost_bits == 0), name
