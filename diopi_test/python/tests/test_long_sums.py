# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the errors of long sums do not grow with the length, with references more precise than the oracles."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from adaptor.codegen.model import load_registry
from conformance.placement import row_major
from conformance.run.binding import Runtime, default_library, default_runtime
from conformance.run.buffers import Buffer

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
    "candidate,dtypes,unset",
    [
        ("", ("float32", "float64", "complex64", "complex128"), ()),
        ("small", ("float32", "float64"), ()),
        ("few_rows", ("float32", "float64"), ()),
        ("goto", ("float32", "float64"), ()),
        ("onednn", ("float32",), ()),
        ("openblas", ("float32", "float64", "complex64"), ()),
        ("openblas", ("float32", "float64", "complex64"), ("OPENBLAS_CORETYPE",)),  # the kernels of this CPU
        ("reference", ("float32", "complex64"), ()),
    ],
)
def test_no_product_degrades_with_length(candidate: str, dtypes: tuple[str, ...], unset: tuple[str, ...]) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    result = subprocess.run(
        [sys.executable, __file__, *dtypes],
        capture_output=True,
        text=True,
        check=False,
        env={**environment, "DIOPI_CPU_MATMUL": candidate, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    wrong = [line for line in result.stdout.splitlines() if line]
    assert result.returncode == 0, result.stderr[-4000:]
    assert wrong == []


@cache
def shared_runtime() -> Runtime:
    return Runtime(load_registry(), default_runtime(), default_library())


FEW, MANY = 3, 4 * LENGTH  # elements that get all terms, with and without others beside them
EPS = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "complex64": 2.0**-24}


def indexed_sums(dtype: str, size: int) -> Iterator[tuple[str, dict[str, Any], str]]:
    """An operator, its arguments, and the one that holds the sums."""
    low = 2.0**-14 if dtype == "float16" else 0.5  # no sum exceeds the range
    terms = np.random.default_rng(size).uniform(low, 3 * low, (LENGTH, 2))
    to = np.arange(LENGTH) % FEW
    flat, rows = filled(dtype, terms[:, 0]), filled(dtype, terms)
    index, each = filled("int64", to), filled("int64", np.stack([to, to], 1))
    line, table = (lambda: filled(dtype, np.zeros(size))), (lambda: filled(dtype, np.zeros((size, 2))))
    scatter = {"dim": 0, "reduce": "add"}
    yield "diopiScatterInp", {"input": line(), "src": flat, "index": index, **scatter}, "input"
    yield "diopiScatter", {"out": line(), "input": line(), "src": flat, "index": index, **scatter}, "out"
    yield "diopiScatterInp", {"input": table(), "src": rows, "index": each, **scatter}, "input"
    yield (
        "diopiIndexPutInp",
        {"input": line(), "values": flat, "indices": [index], "indices_counts": 1, "accumulate": True},
        "input",
    )
    yield (
        "diopiIndexPutInp",
        {"input": table(), "values": rows, "indices": [index], "indices_counts": 1, "accumulate": True},
        "input",
    )
    if not dtype.startswith("complex"):
        embedding = {"grad": rows, "indices": index, "num_weights": size, "padding_idx": -1, "sparse": False}
        yield "diopiEmbeddingBackward", {"out": table(), **embedding, "scale_grad_byfreq": False}, "out"


@pytest.mark.parametrize("size", [FEW, MANY])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"])
def test_no_sum_through_an_index_degrades_with_length(dtype: str, size: int) -> None:
    runtime = shared_runtime()
    for name, arguments, result in indexed_sums(dtype, size):
        outcome = runtime.call(runtime.registry.functions[name], arguments)
        assert outcome.code == "diopiSuccess", outcome
        source = next(arguments[key] for key in ("src", "values", "grad") if key in arguments)
        wide = np.clongdouble if dtype.startswith("complex") else np.longdouble
        terms = source.array.astype(wide)
        want = np.stack([terms[k::FEW].sum(0) for k in range(FEW)])
        error = np.abs(arguments[result].array[:FEW].astype(wide) - want) / np.abs(want)
        assert error.max() <= 2 * EPS.get(dtype, 2.0**-53), (name, terms.shape, float(error.max()))
        assert not arguments[result].array[FEW:].any()


@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_no_gradient_of_weights_degrades_with_the_number_of_images(dtype: str) -> None:
    runtime, shape = shared_runtime(), (32768, 1, 2, 2)
    rng = np.random.default_rng(1)
    grad, image = filled(dtype, rng.uniform(0.5, 1.5, shape)), filled(dtype, rng.uniform(0.5, 1.5, shape))
    weight, result = filled(dtype, np.ones((1, 1, 1, 1))), filled(dtype, np.zeros((1, 1, 1, 1)))
    window = {"bias_sizes": None, "stride": [1], "padding": [0], "dilation": [1], "groups": 1}
    arguments = {"grad_input": None, "grad_weight": result, "grad_bias": None, "grad_output": grad, "input": image}
    outcome = runtime.call(
        runtime.registry.functions["diopiConvolution2dBackward"], {**arguments, "weight": weight, **window}
    )
    assert outcome.code == "diopiSuccess", outcome
    want = (grad.array.real.astype(np.longdouble) * image.array.real).sum()
    assert abs(result.array.item().real - want) / want <= 4 * EPS.get(dtype, 2.0**-53)


if __name__ == "__main__":
    print("\n".join(product_errors(tuple(sys.argv[1:]))))
