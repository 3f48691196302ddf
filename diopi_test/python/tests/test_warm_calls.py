# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the second of two equal calls (a warm call) allocates no memory and takes no lock."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.run.binding import default_library, default_runtime

HERE = Path(__file__).resolve().parent
MEMORY, LOCK = "m", "l"
# With the policy "active", threads count as awake. Otherwise the work of two equal calls may be divided differently,
# depending on the time between them.
THREADS = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "1000"}
# Operators of every family of kernels.
OPERATORS = """
    Add Mul DivScalar Relu Gelu Silu Exp Tanh Sigmoid Erf Where Clamp LerpTensor Addcmul Eq LogicalAnd Pow Fill
    Sum Mean Max Argmax Std Norm Cumsum Prod All Softmax LogSoftmax SoftmaxBackward LayerNorm LayerNormBackward
    BatchNorm BatchNormBackward GroupNorm GroupNormBackward Mm Bmm Matmul Linear Addmm Baddbmm Convolution2d
    Convolution2dBackward MaxPool2d MaxPool2dBackward AvgPool2d AdaptiveAvgPool2d IndexSelect Gather Scatter
    Embedding EmbeddingBackward IndexPut MaskedFill Cat Permute CopyInp CastDtype Contiguous Roll Flip Tril
    Sort Topk Normal UniformInp Dropout Bernoulli CrossEntropyLoss NLLLoss MSELoss BCEWithLogits SmoothL1Loss
    Sgd Adam AdamW RMSNorm RotaryEmbedding UpsampleNearest UpsampleLinear
""".split()

pytestmark = [
    pytest.mark.skipif(not default_runtime().exists() or not default_library().exists(), reason="nothing is built"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
    pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer counts memory itself"),
]


@dataclass(frozen=True)
class Call:
    """The allocations and locks in two equal calls, as (kind, library, number of times)."""

    operator: str
    call: str
    code: int
    first: list[tuple[str, str, int]]
    second: list[tuple[str, str, int]]


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> list[Call]:
    counter = tmp_path_factory.mktemp("counter") / "warm_calls.so"
    subprocess.run(
        [
            "cc",
            "-O1",
            "-fno-builtin",
            "-fno-optimize-sibling-calls",
            "-shared",
            "-fPIC",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-o",
            str(counter),
            str(HERE / "warm_calls.c"),
            "-ldl",
        ],
        check=True,
    )
    result = subprocess.run(
        [
            sys.executable,
            str(HERE / "warm_calls.py"),
            "--runtime",
            str(default_runtime()),
            "--library",
            str(default_library()),
            "--operators",
            *(f"diopi{name}" for name in OPERATORS),
        ],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "LD_PRELOAD": str(counter), **THREADS},
    )
    return [Call(**json.loads(line)) for line in result.stdout.splitlines()]


def ours(found: list[tuple[str, str, int]], kind: str) -> int:
    return sum(number for k, library, number in found if k == kind and library.startswith("libdiopi_impl."))


def test_first_calls_are_seen_to_allocate(calls: list[Call]) -> None:
    """First calls of gradients of convolutions create primitives on every processor: allocations are seen."""
    assert "diopiConvolution2dBackward" in {c.operator for c in calls if ours(c.first, MEMORY)}


def test_many_operators_are_called_with_packed_and_strided_tensors(calls: list[Call]) -> None:
    assert [c.call for c in calls if c.code != 0] == []
    assert len({c.operator for c in calls}) >= 70
    for dtype in ("float32", "bfloat16"):
        for layout in ("contiguous", "transposed", "strided_out"):
            assert len({c.operator for c in calls if c.call.endswith(f"/{dtype}/{layout}")}) >= 50, (dtype, layout)


@pytest.mark.parametrize("kind", [MEMORY, LOCK])
def test_warm_calls_allocate_nothing_and_take_no_lock(calls: list[Call], kind: str) -> None:
    assert {c.call: ours(c.second, kind) for c in calls if ours(c.second, kind)} == {}
