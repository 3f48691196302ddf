# SPDX-License-Identifier: BSD-3-Clause
"""Judges the CPU vendor with each instruction set of this machine. The tolerances are the same for all."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from helpers import RUN_TEST

from conformance.binding import default_library

FAMILIES = (
    "unary",
    "activation",
    "binary",
    "compare",
    "pow",
    "addc",
    "clamp",
    "where",
    "reduce",
    "reduce_minmax",
    "reduce_arg",
    "softmax",
    "norm_batch",
    "norm_group",
    "norm_layer",
    "optimizer",
    "loss",
    "pool_max",
    "pool_avg",
)
FLAGS = {"avx3": "avx512bw", "avx2": "avx2", "sse4": "sse4_1", "baseline": ""}

pytestmark = pytest.mark.skipif(not default_library().exists(), reason="the CPU vendor is not built")


def judge(isa: str, *names: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*RUN_TEST, "--fname", *names],
        env={**os.environ, "DIOPI_CPU_ISA": isa},
        capture_output=True,
        text=True,
        check=False,
    )


def instruction_sets() -> list[str]:
    cpu = Path("/proc/cpuinfo")
    flags = cpu.read_text(encoding="utf-8").split() if cpu.exists() else []
    return [isa for isa, flag in FLAGS.items() if not flag or flag in flags]


@pytest.mark.parametrize("isa", instruction_sets())
def test_results_are_right_on_each_instruction_set(isa: str) -> None:
    result = judge(isa, *FAMILIES)
    assert result.returncode == 0, result.stdout[-4000:]


def test_an_unknown_instruction_set_is_refused() -> None:
    result = judge("magic", "Add")
    assert result.returncode == 4
    assert "DIOPI_CPU_ISA = magic is none of" in result.stdout + result.stderr
