# SPDX-License-Identifier: BSD-3-Clause
"""Tests the group `sweep`: its cases, its progress, and its tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from bench.cases import Bar, Case, Group, load_cases, load_groups
from bench.operators import load_operators
from bench.results import Result, Samples
from bench.runner import Run, Setup
from bench.sweep import GROUP, Progress, plan, print_sweep

BENCHMARK = Path(__file__).resolve().parents[1]
OPERATORS = load_operators(BENCHMARK / "operators")
CASES = load_cases(BENCHMARK / "sweep", OPERATORS, load_groups(BENCHMARK / "groups.yaml"))
LOSING = Group(GROUP, "Shapes", Bar(worst=0.9))


def result(op: str, dtype: str, ours: float, theirs: float) -> Result:
    case = Case(f"sweep/{op}/{dtype}/{ours}x{theirs}", GROUP, op, dtype, "", [])
    return Result(case, 1, 0, 1, {"diopi": Samples("ok", seconds=[ours]), "torch": Samples("ok", seconds=[theirs])})


def shown(run: Run) -> str:
    console = Console(width=160)
    with console.capture() as capture:
        print_sweep(console, LOSING, run)
    return capture.get()


def test_every_case_is_of_the_sweep_and_has_a_peer() -> None:
    with_torch = {operator.name for operator in OPERATORS if operator.torch}
    assert {case.group for case in CASES} == {GROUP}
    assert {case.op for case in CASES} <= with_torch
    assert len(CASES) > 2500


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int64", "uint8"])
def test_the_sweep_has_the_dtype(dtype: str) -> None:
    assert sum(case.dtype == dtype for case in CASES) > 100


def test_cases_are_small() -> None:
    assert max(case.elements for case in CASES) <= 1 << 21


def test_a_sweep_takes_few_short_samples() -> None:
    setup = Setup(program=Path("bench"), library=Path("library"), peers={}, samples=7)
    assert plan(setup, quick=False).samples == 5
    assert plan(setup, quick=True).samples == 1


def test_tables_name_what_loses() -> None:
    run = Run(1, results=[result("Add", "float32", 1.0, 2.0), result("Mul", "float64", 2.0, 1.0)])
    text = shown(run)
    assert "Losers" in text and "sweep/Mul/float64" in text
    assert "sweep/Add" not in text


def test_nothing_is_listed_if_nothing_loses() -> None:
    assert "Losers" not in shown(Run(1, results=[result("Add", "float32", 1.0, 2.0)]))


def test_progress_is_shown_when_all_cases_are_measured() -> None:
    console = Console(width=160)
    with console.capture() as capture:
        progress = Progress(console, 2)
        progress(result("Add", "float32", 1.0, 2.0))
        progress(result("Mul", "float32", 1.0, 2.0))
    assert "1 of 2" not in capture.get()
    assert "2 of 2 cases" in capture.get()
