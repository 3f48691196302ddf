# SPDX-License-Identifier: BSD-3-Clause
"""Tests the built program: it runs cases, alternates between the sides, and compares their results."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.cases import Case, load_cases, load_groups
from bench.operators import load_operators
from bench.runner import Run, Setup, run_cases

BENCHMARK = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ["DIOPI_BENCH_BUILD"])
GROUPS = load_groups(BENCHMARK / "groups.yaml")
CASES = {case.name: case for case in load_cases(BENCHMARK / "cases", load_operators(BENCHMARK / "operators"), GROUPS)}


def run(names: list[str], peers: dict[str, Path], threads: int = 1) -> Run:
    setup = Setup(
        BUILD / "bin" / "diopi_bench",
        BUILD / "lib" / "libdiopi_impl.so",
        peers,
        samples=3,
        sample_seconds=2e-4,
        rotated_bytes=1 << 24,
    )
    cases: list[Case] = [CASES[name] for name in names]
    return run_cases(setup, threads, cases, False, lambda result: None)


def wrong() -> dict[str, Path]:
    return {"wrong": BUILD / "lib" / "bench" / "wrong.so"}


def test_a_wrong_result_has_no_ratio() -> None:
    result = run(["pointwise/Add/float32/65536"], wrong()).results[0]
    assert result.sides["wrong"].status == "differs"
    assert "element 0" in result.sides["wrong"].message
    assert result.ratio("wrong") is None
    assert len(result.sides["diopi"].seconds) == 3


def test_a_failing_peer_does_not_end_the_run() -> None:
    results = run(["pointwise/Mul/float32/65536", "pointwise/Sub/float32/65536"], wrong()).results
    assert [result.sides["wrong"].status for result in results] == ["failed", "absent"]
    assert "cannot multiply" in results[0].sides["wrong"].message
    assert all(result.seconds("diopi") for result in results)


def test_without_peers_our_own_times_are_measured() -> None:
    result = run(["reduce/Sum/float32/256x512,dims=1", "memory/Add/float32/32x577x768/vit"], {}).results
    assert all(single.sides["diopi"].status == "ok" for single in result)
    assert result[1].triad is not None and result[1].triad.median > 0


def test_small_cases_stay_in_cache_and_large_ones_rotate() -> None:
    small, large = run(["pointwise/Add/float32/65536", "reduce/Max/float32/1024x1024,dim=1"], {}).results
    assert small.sets == 1
    assert large.sets > 1 and large.footprint >= 1 << 24


def test_every_operator_runs_and_agrees_with_the_peers() -> None:
    """Runs one case of each operator: the case that needs the least memory."""
    smallest: dict[str, Case] = {}
    for case in CASES.values():
        if case.op not in smallest or case.bytes < smallest[case.op].bytes:
            smallest[case.op] = case
    peers = {name: path for name in ("torch", "onednn") if (path := BUILD / "lib" / "bench" / f"{name}.so").exists()}
    for result in run([case.name for case in smallest.values()], peers).results:
        for side, samples in result.sides.items():
            assert samples.status in ("ok", "absent"), (result.case.name, side, samples.message)
        assert result.sides["diopi"].status == "ok", result.case.name


@pytest.mark.parametrize(
    "arguments, wanted",
    [
        (["--quick", "--threads", "1", "--peer", "", "--filter", "overhead/Add/float32"], "overhead"),
        (["--list", "--filter", "^pool/"], "pool/MaxPool2dBackward"),
    ],
)
def test_command_line(arguments: list[str], wanted: str) -> None:
    words = [sys.executable, str(BENCHMARK / "bench.py"), "--build", str(BUILD), *arguments]
    process = subprocess.run(words, capture_output=True, text=True, check=True)
    assert wanted in process.stdout


def test_a_filter_without_match_is_an_error() -> None:
    words = [sys.executable, str(BENCHMARK / "bench.py"), "--build", str(BUILD), "--filter", "no such case"]
    process = subprocess.run(words, capture_output=True, text=True, check=False)
    assert process.returncode == 1
    assert "no case name matches 'no such case'" in process.stderr
