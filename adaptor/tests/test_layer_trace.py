# SPDX-License-Identifier: BSD-3-Clause
"""Tests the mode trace of the layer: levels and formats."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from layer_runs import Run


def test_json_lines_have_arguments_status_and_time(tmp_path: Path) -> None:
    run = Run(tmp_path, "shapes", "trace")
    assert run.names() == ["trace.jsonl"] and run.notes == ""
    lines = run.lines("trace.jsonl")
    assert [line["call"] for line in lines] == [1, 2, 3]
    assert lines[2]["operator"] == "diopiAdd" and lines[2]["status"] == 0 and lines[2]["nanoseconds"] > 0
    assert lines[2]["arguments"]["input"]["shape"] == [3, 4]
    assert lines[2]["arguments"]["alpha"] == {"stype": "float32", "value": 1}
    assert "inputs" not in lines[2]


def test_level_1_has_no_arguments(tmp_path: Path) -> None:
    (line,) = Run(tmp_path, "add", "trace", TRACE_LEVEL="1").lines("trace.jsonl")
    assert set(line) == {"call", "operator", "inside", "status", "nanoseconds"}


def test_level_3_has_elements_before_and_after(tmp_path: Path) -> None:
    *_, line = Run(tmp_path, "shapes", "trace", TRACE_LEVEL="3").lines("trace.jsonl")
    assert line["inputs"]["input"] == "1, 2, 3, 4, 5, 6, 7, 8, ..."
    assert line["outputs"] == {"out": "11, 13, 15, 17, 19, 21, 23, 25, ..."}


def test_text_has_one_line_a_call(tmp_path: Path) -> None:
    text = Run(tmp_path, "add", "trace", TRACE_FORMAT="text", TRACE_LEVEL="3").text("trace.txt")
    arguments = (
        "out=float32[2, 2], input=float32[2, 2]{1, 2, 3, 4}, other=float32[2, 2]{10, 11, 12, 13}, "
        'alpha={"stype": "float32", "value": 1}'
    )
    expected = r" +1 diopiAdd" + re.escape(f"({arguments}) -> out{{11, 13, 15, 17}} = 0, ") + r"\d+\.\d{3} us\n"
    assert re.fullmatch(expected, text)


@pytest.mark.parametrize(("text_format", "name"), [("json", "trace.jsonl"), ("text", "trace.txt")])
def test_a_failure_has_its_message(tmp_path: Path, text_format: str, name: str) -> None:
    run = Run(tmp_path, "mistake", "trace", TRACE_FORMAT=text_format, TRACE_LEVEL="3")
    assert "do not broadcast" in run.text(name)
    assert run.output.startswith("1 diopiAdd: ")


def test_a_wrong_level_is_one_note_and_the_program_runs(tmp_path: Path) -> None:
    run = Run(tmp_path, "add", "trace", TRACE_LEVEL="4")
    assert (
        run.notes
        == "diopi-layer: DIOPI_LAYER_TRACE_LEVEL = 4, expected a whole number from 1 to 3; no call is observed\n"
    )
    assert run.output == "11 13 15 17\n" and run.folders == []


def test_a_mode_that_is_named_often_works_once(tmp_path: Path) -> None:
    assert len(Run(tmp_path, "add", ",".join(["trace"] * 20)).lines("trace.jsonl")) == 1
