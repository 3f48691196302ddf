# SPDX-License-Identifier: BSD-3-Clause
"""Tests that gradients of pooling and indexing write every element, with any strides of dimensions of size 1."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from helpers import registry

from conformance.placement import Placement, row_major
from conformance.run.binding import Runtime, default_library, default_runtime
from conformance.run.buffers import Buffer

pytestmark = pytest.mark.skipif(
    not default_runtime().exists() or not default_library().exists(), reason="nothing is built"
)


def filled(shape: tuple[int, ...], values: Any = None, dtype: str = "float32") -> Buffer:
    buffer = Buffer(dtype, row_major(shape))
    buffer.array[...] = np.arange(1, buffer.array.size + 1).reshape(shape) if values is None else values
    return buffer


def layouts(shape: tuple[int, ...]) -> Iterator[Placement]:
    """Packed layouts with the dimensions in normal and reversed order. Dimensions of size 1 have arbitrary strides."""
    plain, turned = row_major(shape), row_major(shape, tuple(reversed(range(len(shape)))))
    for layout, step, gap in itertools.product((plain, turned), (1, 5, 1000), (1, 2)):
        yield Placement(shape, tuple(step if n == 1 else gap * s for n, s in zip(shape, layout.strides)))


def windows(n: int, kind: str, extents: tuple[int, ...], kernel: tuple[int, ...]) -> dict[str, Any]:
    shape = (2, 3, *extents)
    small = (2, 3, *(i // k for i, k in zip(extents, kernel)))
    call: dict[str, Any] = {"input": filled(shape), "grad_output": filled(small)}
    if kind == "Adaptive":
        return call
    call |= {"kernel_size": [*kernel], "stride": [*kernel], "padding": [0] * n, "ceil_mode": False}
    if kind == "Max":
        return call | {"dilation": [1] * n, "indices": filled(small, 0, "int64")}
    return call | {"count_include_pad": True, "divisor_override": None}


def pools() -> Iterator[tuple[str, str, tuple[int, ...], dict[str, Any]]]:
    sizes = {1: [((1,), (1,))], 2: [((4, 1), (2, 1)), ((1, 4), (1, 2)), ((1, 1), (1, 1))]}
    sizes[3] = [((4, 3, 1), (2, 1, 1)), ((1, 4, 1), (1, 2, 1)), ((1, 1, 4), (1, 1, 2))]
    names = {"Adaptive": "diopiAdaptiveAvgPool{}dBackward", "Max": "diopiMaxPool{}dBackward"}
    names["Average"] = "diopiAvgPool{}dBackward"
    for kind, n in itertools.product(names, sizes):
        for extents, kernel in sizes[n]:
            yield names[kind].format(n), "grad_input", (2, 3, *extents), windows(n, kind, extents, kernel)


def indexed() -> Iterator[tuple[str, str, tuple[int, ...], dict[str, Any]]]:
    for shape in ((4, 1), (1, 4), (1, 1)):
        rows = filled((3,), 0, "int64")
        picked = filled((3, shape[1]))
        table = {"grad": picked, "indices": rows, "num_weights": shape[0], "padding_idx": -1}
        table |= {"scale_grad_byfreq": False, "sparse": False}
        yield "diopiEmbeddingBackward", "out", shape, table
        lines = {"grad": picked, "input_sizes": [*shape], "dim": 0, "index": rows}
        yield "diopiIndexSelectBackward", "grad_input", shape, lines
        zeros = filled(shape, 0)
        points = {"zeros_like_input": zeros, "indices": [rows], "nums": 1, "grad_output": picked}
        yield "diopiIndexBackward", "grad_input", shape, points
        every = filled(picked.array.shape, 0, "int64")
        gathered = {"grad_output": picked, "input": filled(shape), "dim": 0, "index": every}
        yield "diopiGatherBackward", "grad_input", shape, gathered
        same = filled(shape)
        first = {"grad_output": same, "dim": 0, "indices": filled(shape, np.arange(shape[0])[:, None], "int64")}
        yield "diopiSortBackward", "grad_input", shape, {**first, "sizes": [*shape], "keepdim": True}
        mask = filled(shape, 1, "bool")
        chosen = {"grad_output": filled((same.array.size,)), "input": same, "mask": mask}
        yield "diopiMaskedSelectBackward", "grad_input", shape, chosen
        losses = {"grad_output": filled(()), "input": same, "target": filled(shape[:1], 0, "int64"), "weight": None}
        losses |= {"reduction": "ReductionMean", "ignore_index": -100}
        yield "diopiNLLLossBackward", "grad_input", shape, losses


CALLS = [*pools(), *indexed()]


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime(registry(), default_runtime(), default_library())


@pytest.mark.parametrize("call", CALLS, ids=lambda c: f"{c[0]}-{'x'.join(map(str, c[2]))}")
def test_every_element_is_written(runtime: Runtime, call: tuple[str, str, tuple[int, ...], dict[str, Any]]) -> None:
    name, output, shape, arguments = call
    results = []
    for layout in layouts(shape):
        result = Buffer("float32", layout)  # poisoned
        outcome = runtime.call(registry().functions[name], arguments | {output: result})
        assert outcome.code == "diopiSuccess", outcome.message
        results.append(result.array.copy())
        assert np.array_equal(results[0], results[-1]), layout
    assert np.abs(results[0]).max() <= 1e3  # no poison


def test_gradient_of_no_windows_is_zero_at_once(runtime: Runtime) -> None:
    """The call has many rows without columns, so it must return at once."""
    empty = Buffer("float32", Placement((1, 1, 2**36, 0), (0, 0, 0, 0)))
    result = Buffer("float32", row_major((1, 1, 4, 4)))
    arguments = {"input": filled((1, 1, 4, 4)), "grad_output": empty, "grad_input": result}
    outcome = runtime.call(registry().functions["diopiAdaptiveAvgPool2dBackward"], arguments)
    assert outcome.code == "diopiSuccess", outcome.message
    assert not result.array.any()
