# SPDX-License-Identifier: BSD-3-Clause
"""Tests the mode time of the layer: tables, the Chrome trace, limits, and what a call costs."""

from __future__ import annotations

import json
from pathlib import Path

from layer_runs import Run


def test_times_by_operator_and_by_shape(tmp_path: Path) -> None:
    run = Run(tmp_path, "shapes", "time")
    assert run.names() == ["time.json", "trace.json"] and run.notes == ""
    table = run.json("time.json")
    (add,) = table["operators"]
    assert (add["operator"], add["calls"], add["failed"]) == ("diopiAdd", 3, 0)
    assert 0 < add["min"] <= add["median"] <= add["p99"] <= add["max"] <= add["total"]
    assert add["mean"] * 3 == add["total"] or abs(add["mean"] * 3 - add["total"]) < 1
    shapes = {json.dumps(row["shapes"]["input"]): row["calls"] for row in table["shapes"]}
    assert shapes == {"[2, 2]": 2, "[3, 4]": 1}
    assert abs(sum(row["total"] for row in table["shapes"]) - add["total"]) <= 2  # each is rounded
    assert table["shapes"][0]["dtypes"] == dict.fromkeys(("out", "input", "other"), "float32")
    assert "synchronised_total" not in add


def test_dtypes_have_rows_of_their_own(tmp_path: Path) -> None:
    run = Run(tmp_path, "dtypes", "time")
    table = run.json("time.json")
    rows = {row["dtypes"]["out"]: (row["calls"], row["shapes"]) for row in table["shapes"]}
    shapes = {"out": [2, 2], "input": [2, 2]}
    assert rows == {"float32": (2, shapes), "float64": (1, shapes), "int64": (1, shapes)}
    assert [row["calls"] for row in table["operators"]] == [4]
    assert run.json("trace.json")[1]["args"]["tensors"] == {"out": "float64[2, 2]", "input": "float64[2, 2]"}


def test_a_failed_call_counts(tmp_path: Path) -> None:
    (add,) = Run(tmp_path, "mistake", "time").json("time.json")["operators"]
    assert (add["calls"], add["failed"]) == (1, 1)


def test_synchronised_times_are_no_shorter(tmp_path: Path) -> None:
    (add,) = Run(tmp_path, "shapes", "time", SYNC="1").json("time.json")["operators"]
    assert add["synchronised_total"] >= add["total"] and add["synchronised_max"] >= add["max"]


def test_chrome_trace(tmp_path: Path) -> None:
    run = Run(tmp_path, "loop 3000", "time")
    events = run.json("trace.json")
    assert len(events) == 5 * 3000 == run.json("time.json")["operators"][0]["calls"]
    assert [event["args"]["call"] for event in events] == list(range(1, 15001))
    first, second = events[:2]
    assert first["ph"] == "X" and first["name"] == "diopiAdd" and first["dur"] > 0
    assert second["ts"] >= first["ts"] + first["dur"]


def test_the_limit_of_the_disk_bounds_the_trace(tmp_path: Path) -> None:
    run = Run(tmp_path, "loop 3000", "time", DISK=str(2 << 20))
    assert len(run.json("trace.json")) == 8192
    assert run.json("time.json")["operators"][0]["calls"] == 15000
    assert sum(p.stat().st_size for p in run.folders[0].iterdir()) <= 2 << 20


def test_the_cost_of_a_call(tmp_path: Path) -> None:
    """The bounds are 10 ns and 100 ns on a quiet machine with a fast clock. On any machine, they follow from the time
    that the program measures for reading the clock twice, which is about half of what the mode adds."""

    def least(command: str, mode: str | None) -> float:
        return float(Run(tmp_path, command, mode).output)

    rounds = [
        (least("clock", None), least("loop 10000", None), least("loop 10000", ""), least("loop 10000", "time"))
        for _ in range(5)
    ]
    clock, below, passed, timed = (min(column) for column in zip(*rounds, strict=True))
    assert passed - below < clock, rounds
    assert timed - below < 8 * clock, rounds
