# SPDX-License-Identifier: BSD-3-Clause
"""Tests runs on a device whose program is replaced: options, cases, goals, the end of the time, and the record."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from bench import device, options
from bench.cases import Bar, Case, Group, load_cases, load_groups
from bench.operators import UnusableError, load_operators
from bench.record import read_record, write_record
from bench.results import Limits, Result, Samples, judge, missed, read_result, set_share
from bench.runner import Run, Setup, environment, run_cases

BENCHMARK = Path(__file__).resolve().parents[1]
GROUPS = load_groups(BENCHMARK / "groups_cuda.yaml")
GPU = device.Target(device.Device("NVIDIA Example", "580.1"), False)


def cases_on(emulated: bool) -> list[Case]:
    groups = device.for_device(GROUPS, emulated)
    every = load_cases(BENCHMARK / "cases", load_operators(BENCHMARK / "operators"), groups)
    return device.fitting(every, emulated)


def make_case(name: str = "reduce/Sum", **values: int) -> Case:
    return Case(name=name, group=name.partition("/")[0], op="Sum", dtype="float32", model="", tensors=[], **values)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--device tpu", "invalid choice: 'tpu'"),
        ("--emulated", "--emulated needs --device cuda"),
        ("--minutes 3", "--minutes needs --device cuda"),
        ("--record x", "--record needs --device cuda"),
        ("--device cuda --models vit", "--device cuda and --models exclude each other"),
        ("--device cuda --threads 1", "--device cuda and --threads exclude each other"),
        ("--device cuda --from x", "--device cuda and --from exclude each other"),
        ("--device cuda --peer torch,numpy", "on a device the only peer is torch"),
        ("--device cuda --emulated --peer torch", "the emulation has no peer"),
        ("--device cuda --minutes 0", "--minutes must be more than 0"),
        ("--device cuda --minutes nan", "--minutes must be more than 0"),
        (f"--device cuda --filter x --record {options.RECORD}", "is for complete runs on a GPU"),
        (f"--device cuda --quick --record {options.RECORD}", "is for complete runs on a GPU"),
        (f"--device cuda --emulated --record {options.RECORD.parent}/../cuda/benched.json", "complete runs on a GPU"),
    ],
)
def test_wrong_options(monkeypatch, capsys, words: str, message: str) -> None:
    monkeypatch.setattr(sys, "argv", ["bench.py", *words.split()])
    with pytest.raises(SystemExit) as stop:
        options.read_arguments()
    assert stop.value.code == options.USAGE and message in capsys.readouterr().err


def run_bench(tmp_path: Path, build_is_emulated: bool, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs the bench on a machine without nvidia-smi, with a build folder that has no program."""
    build = tmp_path / "build"
    build.mkdir()
    flag = "ON" if build_is_emulated else "OFF"
    (build / "CMakeCache.txt").write_text(f"A:BOOL=ON\nDIOPI_CUDA_EMULATED:BOOL={flag}\n")
    words = ("--build", str(build), "--device", "cuda", "--filter", "^overhead/Add", *words)
    return subprocess.run(
        [sys.executable, str(BENCHMARK / "bench.py"), *words],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": str(tmp_path)},
        check=False,
    )


@pytest.mark.parametrize(
    ("build_is_emulated", "words", "message"),
    [
        (False, [], "no driver of NVIDIA GPUs is installed"),
        (False, ["--emulated"], "was built without the emulation of CUDA"),
        (True, [], "was built with the emulation of CUDA"),
        (True, ["--emulated"], "scripts/bench.sh builds it"),
    ],
)
def test_what_cannot_be_used_ends_with_its_own_code(tmp_path, build_is_emulated, words, message) -> None:
    run = run_bench(tmp_path, build_is_emulated, *words)
    assert run.returncode == options.UNUSABLE
    assert run.stderr.startswith("error: ") and message in run.stderr and "Traceback" not in run.stderr


def test_every_group_has_cases_and_the_goals_of_a_gpu() -> None:
    with_cases = {case.group for case in cases_on(False)}
    for group in GROUPS:
        assert group.name in with_cases
        assert (group.bar.geometric_mean, group.bar.worst) == (1.1, 0.9), group.name
    assert [group.name for group in GROUPS if group.bar.launch == 5e-6] == ["overhead"]
    with_share = {group.name for group in GROUPS if (group.bar.share, group.bar.share_from) == (0.9, 64 << 20)}
    assert with_share == {"memory", "reduce", "half"}


def test_large_cases_take_turns_with_a_copy_and_single_elements_are_launched() -> None:
    cases = cases_on(False)
    shared = [case for case in cases if case.with_triad]
    assert {case.group for case in shared} == {"memory", "reduce", "half"}
    assert all(case.bytes >= 64 << 20 for case in shared)
    assert all(case.launched == (case.group == "overhead") for case in cases)


def test_the_emulation_has_small_cases_with_a_share() -> None:
    cases = cases_on(True)
    assert max(case.bytes for case in cases) <= device.EMULATED_BYTES
    assert any(case.with_triad for case in cases)


def test_the_shortest_sample_counts_on_a_device() -> None:
    line = {"name": "reduce/Sum", "set_bytes": 1, "sets": 1, "sides": {"diopi": {"status": "ok", "seconds": [3, 1, 2]}}}
    assert read_result(line, make_case(), 1).seconds("diopi") == 2
    assert read_result(line, make_case(), 1, by_minimum=True).seconds("diopi") == 1


def make_result(seconds: float, theirs: float, copy: float, name: str = "reduce/Sum") -> Result:
    sides = {"diopi": {"status": "ok", "seconds": [seconds]}, "torch": {"status": "ok", "seconds": [theirs]}}
    sides["copy"] = {"status": "ok", "seconds": [copy]}
    line = {"name": name, "set_bytes": (1 << 20) + 320, "sets": 1, "sides": sides}
    result = read_result(line, make_case(name, bytes=1 << 20), 1, by_minimum=True)
    set_share(result, Limits())
    return result


def test_the_share_is_that_of_the_copy() -> None:
    result = make_result(2e-3, 1.0, 1e-3)
    assert (result.limit, result.share) == ("copy", pytest.approx(0.5))
    assert result.copy_rate == pytest.approx((1 << 20) / 1e-3, rel=1e-3)
    assert device.best_copy([result, make_result(1.0, 1.0, 2e-3)]) == result.copy_rate


def test_missed_goals_are_named_with_their_group() -> None:
    groups = [Group("reduce", "", Bar(share=0.9, worst=0.9)), Group("overhead", "", Bar(launch=5e-6, worst=0.9))]
    results = [make_result(2e-3, 2e-3, 1e-3), make_result(6e-6, 1e-5, 1e-3, "overhead/Sum")]
    assert missed(groups, results) == ["reduce: smallest share of limit >= 0.90", "overhead: longest launch <= 5.00 us"]
    for result in results:
        del result.sides["torch"]
    assert len(missed(groups, results)) == 2  # a ratio that was not measured is not missed
    assert [verdict.is_met for verdict in judge(Bar(worst=0.9), results)] == [None]


def fake_program(folder: Path, text: str) -> Setup:
    program = folder / "program"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return Setup(program, folder / "library.so", {}, on_device=True)


def test_the_program_ends_with_the_time(tmp_path) -> None:
    sides = '{"diopi": {"status": "ok", "seconds": [1e-3]}}'
    line = f'{{"kind": "case", "name": "reduce/Sum", "set_bytes": 1, "sets": 1, "sides": {sides}}}'
    setup = fake_program(tmp_path, f'echo \'{line}\'; echo \'{{"kind": "begins", "name": "x"}}\'; exec sleep 600')
    begin = time.monotonic()
    run = run_cases(replace(setup, ends=begin + 2), 1, [make_case(), make_case("reduce/x")], False, lambda result: None)
    assert time.monotonic() - begin < 300
    assert [result.case.name for result in run.results] == ["reduce/Sum"] and run.not_measured == ["reduce/x"]
    assert device.summary(run) == ["not measured, because the time is over, 1 cases"]


def test_nothing_is_measured_after_the_time(tmp_path) -> None:
    setup = replace(fake_program(tmp_path, "touch started"), ends=time.monotonic())
    assert run_cases(setup, 1, [make_case()], False, lambda result: None).not_measured == ["reduce/Sum"]


def test_a_library_or_a_peer_that_cannot_be_used_is_an_error(tmp_path) -> None:
    with pytest.raises(UnusableError, match="library.so or a peer cannot be used"):
        run_cases(fake_program(tmp_path, "exit 3"), 1, [make_case()], False, lambda result: None)


def test_only_a_device_refuses_what_the_host_computes(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("DIOPI_FALLBACK", raising=False)
    setup = fake_program(tmp_path, "")
    assert environment(setup, 1)["DIOPI_FALLBACK"] == "off"
    assert "DIOPI_FALLBACK" not in environment(replace(setup, on_device=False), 1)


def test_the_instruction_set_is_limited_for_all_libraries(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("DIOPI_CPU_ISA", raising=False)
    setup = replace(fake_program(tmp_path, ""), on_device=False)
    assert "DIOPI_CPU_ISA" not in environment(setup, 1)
    limited = environment(replace(setup, isa="avx2"), 1)
    assert (limited["DIOPI_CPU_ISA"], limited["ATEN_CPU_CAPABILITY"]) == ("avx2", "avx2")
    assert limited["ONEDNN_MAX_CPU_ISA"] == "AVX2"


def test_the_record_has_the_machine_and_the_figures(tmp_path) -> None:
    run = Run(1, not_measured=["reduce/late"], process={"versions": {"torch": "libtorch 2"}})
    on_host = Result(make_case("reduce/host"), 1, 1, 1, {"diopi": Samples("absent", "the host computes it")})
    run.results = [make_result(2e-3, 3e-3, 1e-3), on_host]
    file = tmp_path / "benched.json"
    write_record(file, GPU, run, GROUPS, {"not_measured": "x"})
    record = read_record(file)
    assert record is not None and list(tmp_path.iterdir()) == [file]
    assert (record["device"], record["driver"]) == ("NVIDIA Example", "580.1") and record["commit"]
    assert (record["on_host"], record["not_measured"], record["failed"]) == (["reduce/host"], ["reduce/late"], [])
    case = record["cases"]["reduce/Sum"]
    assert (case["seconds"], case["ratio"], case["share"]) == (2e-3, pytest.approx(1.5), pytest.approx(0.5))
    assert record["sort"] == {"not_measured": "x"}
    assert list(record["groups"]) == ["reduce"] and record["groups"]["reduce"]["cases"] == 1
    assert [goal["met"] for goal in record["groups"]["reduce"]["goals"]] == [True, True, False]


def test_the_checked_in_record_and_the_readme_agree() -> None:
    """The README claims figures of a GPU only if the record has some. The record is never that of the emulation."""
    record = read_record(options.RECORD)
    readme = (options.ROOT / "README.md").read_text(encoding="utf-8")
    assert ("No GPU has measured it yet" in readme) == (record is None)
    assert record is None or (record["device"] != device.EMULATION.name and len(record["commit"]) >= 7)
