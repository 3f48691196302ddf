# SPDX-License-Identifier: BSD-3-Clause
"""Tests folds and running sums of the vendor cuda along rows that several blocks share, on the emulated device.

All numbers are small integers, so that every order of additions is exact. The shapes have rows that are shorter than a
load of 16 bytes, rows that end within one, rows of one piece and of many, and a first element that is not aligned.
"""

from __future__ import annotations

import pytest
from emulated import NEEDS_EMULATION, lines_of

pytestmark = NEEDS_EMULATION

SCRIPT = """
import numpy as np
from conformance.handles import Scalar

def buffer_of(dtype, shape, offset=0, order=None):
    strides, step = [0] * len(shape), 1
    for dim in reversed(order or range(len(shape))):
        strides[dim], step = step, step * shape[dim]
    return Buffer(dtype, Placement(shape, tuple(strides), offset))

def call(name, **arguments):
    outcome = vendor.call(registry.functions[name], arguments)
    assert outcome.code == "diopiSuccess", (name, outcome)

def compare(name, got, expected, **where):
    got = np.asarray(got).astype(np.float64)
    if not np.array_equal(got, expected):
        at = np.argwhere(got != expected)[0]
        print(name, where, "differs at", at.tolist(), got[tuple(at)], expected[tuple(at)])

def is_integral(x):
    return x.dtype in ("uint8", "bool", "int64")

def fold(kind, x, wide, **where):
    dim = where["dim"]
    shape = tuple(n for i, n in enumerate(wide.shape) if i not in dim)
    if kind == "sum":
        out = buffer_of("int64" if is_integral(x) else "float64", shape)
        call("diopiSum", out=out, input=x, dim=list(dim))
        compare(kind, out.array, wide.sum(axis=dim), **where)
    elif kind == "norm":
        out = buffer_of("float32", shape)
        call("diopiNorm", out=out, input=x, p=Scalar(1.0, "float64"), dim=list(dim))
        compare(kind, out.array, np.abs(wide).sum(axis=dim), **where)
    elif kind == "std":
        out = buffer_of("float32", shape)
        call("diopiStd", out=out, input=x, dim=list(dim), correction=Scalar(0.0, "float64"))
        expected = wide.std(axis=dim)
        compare(kind, np.abs(out.array - expected) < 1e-5 * expected + 1e-6, np.ones(shape), **where)
    elif kind == "max" and len(dim) == 1:
        out, index = buffer_of(x.dtype, shape), buffer_of("int64", shape)
        call("diopiMax", max=out, max_indices=index, input=x, dim=dim[0])
        compare(kind, out.array, wide.max(axis=dim), **where)
        compare("position", index.array, wide.argmax(axis=dim[0]), **where)
    elif kind == "cumsum" and len(dim) == 1:
        out = buffer_of("int64" if is_integral(x) else "float64", wide.shape, order=where["order"])
        call("diopiCumsum", out=out, input=x, dim=dim[0])
        compare(kind, out.array, wide.cumsum(axis=dim[0]), **where)

def check(kinds, dtype, shape, dim, offset=0, order=None):
    rng = np.random.default_rng(sum(shape))
    x = buffer_of(dtype, shape, offset, order)
    wide = rng.integers(0, 2 if dtype == "bool" else 64, shape).astype(np.float64)
    x.array[...] = wide
    for kind in kinds:
        if dtype in ("float32", "bfloat16", "float16", "float64") or kind in ("sum", "cumsum"):
            fold(kind, x, wide, dtype=dtype, shape=shape, dim=dim, offset=offset, order=order)
"""

SHAPES = [
    "shape=(3, 5), dim=(1,)",
    "shape=(5, 1027), dim=(1,)",
    "shape=(5, 1027), dim=(1,), offset=1",
    "shape=(7, 1024), dim=(1,), offset=4",
    "shape=(1, 70000), dim=(1,), offset=2",
    "shape=(2, 40001), dim=(1,)",
    "shape=(2, 3, 4096), dim=(0, 2)",
    "shape=(2, 3, 49), dim=(0, 2)",
    "shape=(700, 33), dim=(0,)",
    "shape=(300, 129), dim=(0,), offset=3",
    "shape=(9000, 40), dim=(0,)",
    "shape=(2, 700, 64), dim=(1,)",
    "shape=(40, 700), dim=(1,), order=(1, 0)",
    "shape=(3, 700), dim=(1,), order=(1, 0)",
    "shape=(200000,), dim=(0,)",
]


@pytest.mark.parametrize("kinds", [("sum", "norm", "std", "max"), ("cumsum",)])
@pytest.mark.parametrize("order", ["forward", "4711"])
def test_long_rows_are_folded_exactly(kinds, order):
    dtypes = ("float32", "bfloat16", "float64", "uint8", "bool", "int64")
    calls = "\n".join(f"check({kinds!r}, {dtype!r}, {shape})" for dtype in dtypes for shape in SHAPES)
    assert lines_of(SCRIPT + calls, DIOPI_CUDA_ORDER=order) == []
