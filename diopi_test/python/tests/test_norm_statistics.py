# SPDX-License-Identifier: BSD-3-Clause
"""Tests that means and deviations of normalisations are much more precise than sums in float32."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adaptor.codegen.model import load_registry
from conformance.placement import row_major
from conformance.run.binding import Runtime, default_library, default_runtime
from conformance.run.buffers import Buffer

# The largest error of a mean as a share of the standard deviation. Sums of one vector after another have an error of
# 1e-7 to 2e-7 here.
MEAN_LIMIT = 5e-8
# The largest error in ULP of a mean of batch normalisation over planes, however small the mean is: as in PyTorch.
MEAN_ULP = 0.51
# The largest error of an inverse deviation in ULP.
DEVIATION_LIMIT = 1.5

pytestmark = pytest.mark.skipif(not default_library().exists(), reason="the CPU vendor is not built")


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime(load_registry(), default_runtime(), default_library())


def of_normal(shape: tuple[int, ...]) -> Buffer:
    buffer = Buffer("float32", row_major(shape))
    buffer.array[...] = np.random.default_rng(5).standard_normal(shape).astype(np.float32)
    return buffer


def full(shape: tuple[int, ...], value: float = 0.0) -> Buffer:
    buffer = Buffer("float32", row_major(shape))
    buffer.array[...] = value
    return buffer


def call(runtime: Runtime, function: str, arguments: dict[str, Any]) -> None:
    outcome = runtime.call(runtime.registry.functions[function], arguments)
    assert outcome.code == "diopiSuccess", outcome


def assert_statistics(mean: np.ndarray, invstd: np.ndarray, rows: np.ndarray) -> None:
    """Compares statistics with those of `rows`, whose last dimension has the elements of one statistic."""
    wide = rows.astype(np.longdouble)
    deviation = np.sqrt(wide.var(-1))
    assert float((np.abs(mean.reshape(-1) - wide.mean(-1)) / deviation).max()) < MEAN_LIMIT
    expected = 1 / np.sqrt(wide.var(-1) + np.longdouble(1e-5))
    off = np.abs(invstd.reshape(-1) - expected) / np.spacing(expected.astype(np.float32))
    assert float(off.max()) < DEVIATION_LIMIT


def assert_exact(mean: np.ndarray, rows: np.ndarray) -> None:
    expected = rows.astype(np.longdouble).mean(-1)
    off = np.abs(mean.reshape(-1) - expected) / np.spacing(np.abs(expected).astype(np.float32))
    assert float(off.max()) < MEAN_ULP


@pytest.mark.parametrize("width", [64, 257, 768, 1024, 4096])
def test_layer_norm(runtime: Runtime, width: int) -> None:
    x, out, mean, invstd = of_normal((256, width)), full((256, width)), full((256, 1)), full((256, 1))
    arguments = {"out": out, "save_mean": mean, "save_invstd": invstd, "input": x, "weight": None, "bias": None}
    call(runtime, "diopiLayerNorm", {**arguments, "normalized_shape": [width], "eps": 1e-5})
    assert_statistics(mean.array, invstd.array, x.array)
    wide = x.array.astype(np.longdouble)
    exact = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + np.longdouble(1e-5))
    # PyTorch 2.13 has an error of 5.7e-8 to 5.9e-8.
    assert float(np.sqrt(((out.array - exact) ** 2).mean())) < 5.5e-8


@pytest.mark.parametrize("samples,channels,space", [(8, 64, 49), (16, 32, 196), (2, 32, 3136)])
def test_batch_norm(runtime: Runtime, samples: int, channels: int, space: int) -> None:
    shape = (samples, channels, space)
    x, mean, invstd = of_normal(shape), full((channels,)), full((channels,))
    arguments = {
        "out": full(shape),
        "save_mean": mean,
        "save_invstd": invstd,
        "input": x,
        "weight": full((channels,), 1),
        "bias": full((channels,)),
        "running_mean": full((channels,)),
        "running_var": full((channels,), 1),
    }
    call(runtime, "diopiBatchNorm", {**arguments, "training": True, "momentum": 0.1, "eps": 1e-5})
    assert_statistics(mean.array, invstd.array, x.array.transpose(1, 0, 2).reshape(channels, -1))
    assert_exact(mean.array, x.array.transpose(1, 0, 2).reshape(channels, -1))


def test_group_norm(runtime: Runtime) -> None:
    x, mean, invstd = of_normal((32, 32, 300)), full((32, 4)), full((32, 4))
    arguments = {
        "out": full((32, 32, 300)),
        "save_mean": mean,
        "save_invstd": invstd,
        "input": x,
        "weight": full((32,), 1),
        "bias": full((32,)),
    }
    call(runtime, "diopiGroupNorm", {**arguments, "num_groups": 4, "eps": 1e-5})
    assert_statistics(mean.array, invstd.array, x.array.reshape(128, -1))


@pytest.mark.parametrize("flag", ["input_g", "weight_g", "bias_g"])
def test_sums_that_are_not_wanted_are_left_alone(runtime: Runtime, flag: str) -> None:
    outputs = {"input_g": ("sum_dy", "sum_dy_xmu"), "weight_g": ("grad_weight",), "bias_g": ("grad_bias",)}
    sums = {name: full((3,), 7.5) for names in outputs.values() for name in names}
    statistics = {"mean": full((3,)), "invstd": full((3,), 1.0), "weight": None}
    flags = {"input_g": True, "weight_g": True, "bias_g": True, flag: False}
    inputs = {"grad_out": of_normal((2, 3, 5)), "input": of_normal((2, 3, 5))}
    call(runtime, "diopiBatchNormBackwardReduce", {**sums, **inputs, **statistics, **flags})
    for other, names in outputs.items():
        for name in names:
            assert bool((sums[name].array == 7.5).all()) == (other == flag), name
