# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the errors of long sums do not grow with the length, with references more precise than the oracles."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from adaptor.codegen.model import load_registry
from conformance.binding import Runtime, default_library, default_runtime
from conformance.buffers import Buffer, row_major

LENGTH = 30001
SHAPES = ((1, 1), (2, 3), (1, 40), (40, 1), (16, 16), (40, 33))
# The limit in ULP at the sum of the absolute values of the terms: the error of sums of a thousand terms.
LIMIT = 16.0

pytestmark = pytest.mark.skipif(not default_library().exists(), reason="the CPU vendor is not built")


def filled(dtype: str, numbers: np.ndarray, order: tuple[int, ...] | None = None) -> Buffer:
    buffer = Buffer(dtype, row_major(numbers.shape, order))
    buffer.array[...] = numbers.astype(buffer.array.dtype)
    return buffer


def largest_error(dtype: str, got: np.ndarray, terms: np.ndarray, axis: int) -> float:
    """The largest error of `got` in ULP. `terms` must have a higher precision than `dtype`."""
    eps = 2.0**-53 if dtype in ("float64", "complex128") else 2.0**-24
    error = np.abs(got - terms.sum(axis=axis)) / np.abs(terms).sum(axis=axis)
    return float(error.max()) / eps


def error_of_product(runtime: Runtime, dtype: str, m: int, n: int, transposed: bool) -> float:
    """The largest error of some elements of a product; 0 if the forced candidate declines."""
    rng = np.random.default_rng(m * 100 + n)
    order = (1, 0) if transposed else None
    a, b = filled(dtype, rng.random((m, LENGTH)), order), filled(dtype, rng.random((LENGTH, n)), order)
    out = filled(dtype, np.zeros((m, n)))
    outcome = runtime.call(runtime.registry.functions["diopiMm"], {"out": out, "input": a, "mat2": b})
    if ", which declines: " in outcome.message:
        return 0.0
    assert outcome.code == "diopiSuccess", outcome
    wide = np.clongdouble if out.array.dtype.kind == "c" else np.longdouble
    left, right = a.array.astype(wide), b.array.astype(wide)
    rows = [largest_error(dtype, out.array[i, :8], left[i][:, None] * right[:, :8], 0) for i in range(min(m, 2))]
    return max(rows)


def product_errors(dtypes: tuple[str, ...]) -> list[str]:
    """A line for each product whose error exceeds the limit."""
    runtime = Runtime(load_registry(), default_runtime(), default_library())
    wrong = []
    for dtype in dtypes:
        for m, n in SHAPES:
            for transposed in (False, True):
                error = error_of_product(runtime, dtype, m, n, transposed)
                if not error <= LIMIT:
                    wrong.append(f"{dtype} {m}x{n} transposed={transposed}: {error:.0f}")
    return wrong


@pytest.mark.parametrize(
    "candidate,dtypes",
    [
        ("", ("float32", "float64", "complex64", "complex128")),
        ("small", ("float32", "float64")),
        ("skinny", ("float32", "float64")),
        ("packed", ("float32", "float64")),
        ("onednn", ("float32",)),
        ("openblas", ("float32", "float64", "complex64")),
        ("simple", ("float32", "complex64")),
    ],
)
def test_no_product_degrades_with_length(candidate: str, dtypes: tuple[str, ...]) -> None:
    result = subprocess.run(
        [sys.executable, __file__, *dtypes],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "DIOPI_CPU_MATMUL": candidate, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    wrong = [line for line in result.stdout.splitlines() if line]
    assert result.returncode == 0, result.stderr[-4000:]
    assert wrong == []


if __name__ == "__main__":
    print("\n".join(product_errors(tuple(sys.argv[1:]))))
