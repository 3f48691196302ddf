# SPDX-License-Identifier: BSD-3-Clause
"""Tests the built program: it runs cases, alternates between the sides, and compares their results."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench.cases import Case, load_cases, load_groups
from bench.operators import UnusableError, load_operators
from bench.runner import Run, Setup, run_cases

BENCHMARK = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ["DIOPI_BENCH_BUILD"])
GROUPS = load_groups(BENCHMARK / "groups.yaml")
CASES = {case.name: case for case in load_cases(BENCHMARK / "cases", load_operators(BENCHMARK / "operators"), GROUPS)}


def setup_with(peers: dict[str, Path]) -> Setup:
    return Setup(
        BUILD / "bin" / "diopi_bench",
        BUILD / "lib" / "libdiopi_impl.so",
        peers,
        samples=3,
        sample_seconds=2e-4,
        rotated_bytes=1 << 24,
    )


def run(names: list[str], peers: dict[str, Path], threads: int = 1) -> Run:
    cases: list[Case] = [CASES[name] for name in names]
    return run_cases(setup_with(peers), threads, cases, False, lambda result: None)


def module(name: str) -> dict[str, Path]:
    return {name: BUILD / "lib" / "bench" / f"{name}.so"}


def wrong() -> dict[str, Path]:
    return module("wrong")


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


def test_several_threads_and_one_take_turns() -> None:
    name = "mmcv/Nms/float32/boxes=1000"
    several, single = (run([name], {}, threads) for threads in (2, 1))
    assert "gomp" in several.process["openmp"]["diopi"]
    assert several.results[0].one_thread is not None and several.results[0].one_thread > 0
    assert single.results[0].one_thread is None


LATE = 5e-4  # the time that a call of the peer `late` takes when it is waited for


@pytest.mark.parametrize("restored", [False, True])
def test_a_peer_that_queues_calls_is_waited_for(restored: bool) -> None:
    case = replace(CASES["overhead/Add/float32/1"], restored=restored)
    samples = run_cases(setup_with(module("late")), 1, [case], False, lambda result: None).results[0].sides["late"]
    assert samples.status == "ok", samples.message
    assert min(samples.seconds) >= LATE


def test_the_time_of_a_launched_call_ends_before_the_call_does() -> None:
    case = replace(CASES["overhead/Add/float32/1"], launched=True)
    setup = replace(setup_with(module("late")), sample_seconds=2e-5)
    samples = run_cases(setup, 1, [case], False, lambda result: None).results[0].sides["late"]
    assert samples.status == "ok", samples.message  # the peer fails if too many calls are queued
    assert 0 < min(samples.seconds) < LATE


def on_device(peers: dict[str, Path]) -> Setup:
    """The device of the CPU vendor is the host, so it goes the same way as a GPU."""
    return replace(setup_with(peers), on_device=True, rotated_bytes=1 << 22)


def test_a_device_has_results_and_a_copy_in_place_of_the_triad() -> None:
    names = (
        "overhead/Add/float32/1",
        "reduce/Sum/float32/256x512,dims=1",
        "index/Index/float32/120978,count=5200/retinanet",
    )
    cases = [replace(CASES[name], with_triad=name.startswith("reduce")) for name in names]
    cases.append(replace(CASES["overhead/AddInp/float32/1"], restored=True))
    for result in run_cases(on_device({}), 1, cases, False, lambda result: None).results:
        assert result.sides["diopi"].status == "ok", result.sides["diopi"].message
        assert (result.copy is not None and result.copy_rate > 0) == result.case.with_triad
        assert result.triad is None


@pytest.mark.skipif(not module("torch")["torch"].exists(), reason="the module of PyTorch is not built")
def test_a_pytorch_without_cuda_cannot_be_used_on_a_device(capfd) -> None:
    torch = module("torch")["torch"]
    cuda = subprocess.run(["ldd", str(torch)], capture_output=True, text=True, check=True).stdout
    folder = next(Path(line.split()[2]).parent for line in cuda.splitlines() if "libtorch_cpu.so" in line)
    if (folder / "libtorch_cuda.so").exists():
        pytest.skip("this PyTorch has CUDA")
    with pytest.raises(UnusableError):
        run_cases(on_device(module("torch")), 1, [CASES["overhead/Add/float32/1"]], False, lambda result: None)
    assert "torch: this PyTorch cannot use CUDA" in capfd.readouterr().err


def test_a_peer_of_the_host_cannot_be_used_on_a_device(capfd) -> None:
    with pytest.raises(UnusableError):
        run_cases(on_device(wrong()), 1, [CASES["overhead/Add/float32/1"]], False, lambda result: None)
    assert "wrong: this side computes on the host only" in capfd.readouterr().err


def test_a_library_that_is_missing_cannot_be_used() -> None:
    with pytest.raises(UnusableError):
        setup = replace(setup_with({}), library=BUILD / "no.so")
        run_cases(setup, 1, [CASES["overhead/Add/float32/1"]], False, lambda result: None)


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
    assert process.returncode == 2
    assert "no case name matches 'no such case'" in process.stderr
