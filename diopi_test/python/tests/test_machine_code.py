# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the machine code of hot kernels keeps its limits, and that the check finds kernels that do not.

DIOPI_MACHINE_CODE_PART=2/3 compiles the second third of the sources only; scripts/test.sh sets it.
"""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from conformance.cases.shard import Shard
from conformance.chip.machine_code import (
    VENDOR,
    Kernel,
    Limits,
    MissingTool,
    compile_kernels,
    complaints,
    find_tool,
    read_limits,
)


def missing_tool() -> str:
    try:
        find_tool("nvcc"), find_tool("nvdisasm")
    except MissingTool as error:
        return str(error)
    return ""


needs_compiler = pytest.mark.skipif(bool(missing_tool()), reason=missing_tool() or "nothing is missing")
LIMITS = read_limits()
PART = Shard.parse(os.environ.get("DIOPI_MACHINE_CODE_PART", "1/1"))
SOURCES = list(LIMITS)[PART.index - 1 :: PART.count]

# `spills` may use 32 registers and needs 64 values at a time; `greedy` is the same without a limit.
PLANTED = """
__global__ void right(float4* out, const float4* in) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void scalar(float* out, const float* in) {
  for (int j = 0; j < 4; ++j) out[4 * threadIdx.x + j] = in[4 * threadIdx.x + j];
}
__global__ void local(float* out, const float* in, int n) {
  float x[16] = {};
  for (int i = 0; i < n; ++i) x[static_cast<unsigned>(in[i]) % 16] += in[i];
  out[threadIdx.x] = x[threadIdx.x % 16];
}
__device__ void mix(float* out, const float* in) {
  float x[64];
  for (int i = 0; i < 64; ++i) x[i] = in[i * 1024 + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 64; ++i) out[i * 1024 + threadIdx.x] = x[i] * x[(i + 32) % 64] + x[63 - i];
}
__global__ void __launch_bounds__(1024, 2) spills(float* out, const float* in) { mix(out, in); }
__global__ void greedy(float* out, const float* in) { mix(out, in); }
"""


@pytest.fixture(scope="module")
def planted(tmp_path_factory) -> list[Kernel]:
    folder = tmp_path_factory.mktemp("planted")
    (folder / "planted.cu").write_text(PLANTED)
    return compile_kernels(folder / "planted.cu", folder)


@needs_compiler
@pytest.mark.parametrize("source", SOURCES)
def test_hot_kernels_keep_their_limits(source, tmp_path):
    assert complaints(compile_kernels(VENDOR / "kernels" / source, tmp_path), LIMITS[source]) == []


@needs_compiler
@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("right", []),
        (
            "scalar",
            ["widest load has 32 bits in PTX", "widest load has 32 bits in machine", "widest store", "widest store"],
        ),
        ("local", ["keeps 64 bytes in local memory"]),
        ("spills", ["spills", "local memory"]),
        ("greedy", ["registers, expected at most 32"]),
    ],
)
def test_a_planted_error_is_found(planted, kernel, expected):
    width = 128 if kernel in ("right", "scalar") else 0
    found = complaints(planted, [Limits(kernel, 32, width, width)])
    assert len(found) == len(expected) and all(text in line for text, line in zip(expected, found)), found


@needs_compiler
def test_a_warning_is_an_error(tmp_path):
    (tmp_path / "warned.cu").write_text("__global__ void warned() { int unused; }")
    with pytest.raises(RuntimeError, match='variable "unused" was declared but never referenced'):
        compile_kernels(tmp_path / "warned.cu", tmp_path)


RIGHT = Kernel("map<float>", 32, 0, 0, (128, 128), (128, 128), True)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"registers": 33}, "map<float>: uses 33 registers, expected at most 32"),
        ({"local": 16}, "map<float>: keeps 16 bytes in local memory"),
        ({"spilled": 8}, "map<float>: spills 8 bytes of registers"),
        ({"load": (128, 32)}, "map<float>: the widest load has 32 bits in machine code, expected 128"),
        ({"store": (64, 128)}, "map<float>: the widest store has 64 bits in PTX, expected 128"),
        ({"rounded": False}, "map<float>: may fuse a multiplication and an addition"),
        ({"name": "other"}, "no kernel is named map<.*>"),
    ],
)
def test_each_limit_is_compared(changed, text):
    limits = [Limits("map<.*>", 32, 128, 128, True)]
    assert complaints([RIGHT], limits) == []
    assert complaints([replace(RIGHT, **changed)], limits) == [text]


def test_the_file_names_sources_of_the_vendor():
    assert LIMITS and all((VENDOR / "kernels" / source).is_file() and entries for source, entries in LIMITS.items())
