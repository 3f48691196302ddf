# SPDX-License-Identifier: BSD-3-Clause
"""Tests the comparison with an earlier run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from bench.cases import Case
from bench.earlier import print_slower, read_times, slower
from bench.operators import BenchError
from bench.results import Result, Samples
from bench.runner import Run


def result(name: str, seconds: float) -> Result:
    case = Case(name=name, group="g", op="Add", dtype="float32", model="", tensors=[])
    return Result(case, 2, 0, 1, {"diopi": Samples("ok", seconds=[seconds])})


def written(path: Path, **medians: float | None) -> Path:
    cases = [{"name": name, "sides": {"diopi": {"median": median}}} for name, median in medians.items()]
    path.write_text(json.dumps({"runs": [{"threads": 2, "cases": cases}]}))
    return path


def test_what_became_slower_is_listed_the_largest_loss_first(tmp_path: Path) -> None:
    earlier = read_times(written(tmp_path / "run.json", a=1.0, b=1.0, c=1.0, failed=None))
    found = slower([result("a", 1.2), result("b", 3.0), result("c", 1.05), result("new", 9.0)], 2, earlier)
    assert [row[2].case.name for row in found] == ["b", "a"]


def test_another_number_of_threads_is_not_compared(tmp_path: Path) -> None:
    assert not slower([result("a", 5.0)], 1, read_times(written(tmp_path / "run.json", a=1.0)))


def test_the_table_says_how_many_cases_both_runs_have(tmp_path: Path) -> None:
    console = Console(width=120)
    with console.capture() as capture:
        run = Run(2, results=[result("a", 1.0), result("b", 2.0)])
        print_slower(console, run, read_times(written(tmp_path / "run.json", a=1.0, b=1.0)))
    assert "2 cases are in the earlier run" in capture.get()
    assert "2.00" in capture.get()


@pytest.mark.parametrize("text", ["", "[]", '{"runs": [{}]}'])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(BenchError, match="not a file that --json wrote"):
        read_times(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="not a file that --json wrote"):
        read_times(tmp_path / "none.json")
