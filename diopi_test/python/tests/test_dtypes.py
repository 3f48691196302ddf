# SPDX-License-Identifier: BSD-3-Clause
"""Tests rounding, ULPs and promotion, on which all comparisons of the judge depend."""

from __future__ import annotations

import numpy as np
import pytest

from conformance import dtypes


def bfloat16_neighbours(value):
    """The two bfloat16 values nearest to a float64, computed without rounding."""
    low = np.float32(value)
    bits = low.view(np.uint32)
    if abs(np.float64(low)) > abs(value):
        bits -= 1
    below = np.uint32(bits & 0xFFFF0000)
    return (np.float64(np.uint32(b).view(np.float32)) for b in (below, below + 0x10000))


def test_bfloat16_is_rounded_once():
    rng = np.random.default_rng(3)
    samples = list(rng.normal(0, 1, 2000)) + [1 + 2.0**-8 + 2.0**-40, 1 + 3 * 2.0**-8 - 2.0**-40, 1 + 2.0**-8]
    for value in samples:
        below, above = bfloat16_neighbours(value)
        got = float(dtypes.narrow(np.array(value), "bfloat16"))
        nearest = below if abs(value - below) < abs(above - value) else above
        if abs(value - below) == abs(above - value):
            assert got in (below, above)
        else:
            assert got == nearest, value


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_ulp_is_the_spacing(dtype):
    values = np.array([1.0, 1.5, 2.0, 0.1, 3.7e4, 0.0, 6e-8]).astype(dtype)
    assert (dtypes.ulp(values.astype(np.float64), dtype) == np.spacing(np.abs(values)).astype(np.float64)).all()


def test_nan_infinity_and_signed_zero_survive():
    odd = np.array([np.nan, np.inf, -np.inf, -0.0])
    for dtype in dtypes.FLOATING:
        back = dtypes.round_through(odd, dtype)
        assert np.isnan(back[0]) and back[1] == np.inf and back[2] == -np.inf and np.signbit(back[3])


@pytest.mark.parametrize(
    "a, b, result",
    [
        ("int8", "uint8", "int16"),
        ("int32", "float16", "float16"),
        ("float16", "bfloat16", "float32"),
        ("bool", "uint8", "uint8"),
        ("float64", "complex64", "complex128"),
        ("float16", "complex64", "complex64"),
        ("int64", "float32", "float32"),
        ("uint16", "float16", "float16"),
    ],
)
def test_promotion(a, b, result):
    assert dtypes.promote(a, b) == dtypes.promote(b, a) == result


@pytest.mark.parametrize(
    "a, b, result",
    [
        ("uint16", "int32", "int32"),
        ("uint32", "int32", "int64"),
        ("uint16", "int16", "int32"),
        ("uint16", "int8", "int32"),
        ("uint32", "int8", "int64"),
        ("uint64", "int64", "int64"),
        ("uint64", "int8", "int64"),
        ("uint8", "uint16", "uint16"),
        ("uint32", "uint16", "uint32"),
    ],
)
def test_unsigned_dtypes_mix_with_other_integers(a, b, result):
    """PyTorch has no common dtype for these; the contract says which one they have."""
    assert dtypes.promote(a, b) == dtypes.promote(b, a) == result


@pytest.mark.parametrize(
    "dimensioned, zero_dim, scalars, result",
    [
        (["float16"], ["float64"], [], "float16"),
        (["int32"], ["float64"], [], "float64"),
        (["int8"], [], ["int64"], "int8"),
        (["int8"], [], ["float64"], "float32"),
        (["bool"], [], ["int64"], "int64"),
        ([], ["float16"], ["float64"], "float16"),
        (["float64"], ["complex64"], [], "complex128"),
    ],
)
def test_weaker_operands_count_only_by_category(dimensioned, zero_dim, scalars, result):
    assert dtypes.result_type(dimensioned, zero_dim, scalars) == result


def test_promotion_agrees_with_pytorch_where_it_is_installed():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: its table cannot be compared")
    names = [n for n in dtypes.NUMPY if n not in ("uint16", "uint32", "uint64")]
    for a in names:
        for b in names:
            ours, theirs = dtypes.promote(a, b), torch.promote_types(getattr(torch, a), getattr(torch, b))
            assert f"torch.{ours}" == str(theirs), (a, b)
            assert dtypes.can_cast(a, b) == torch.can_cast(getattr(torch, a), getattr(torch, b)), (a, b)
