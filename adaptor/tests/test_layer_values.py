# SPDX-License-Identifier: BSD-3-Clause
"""Tests the mode values of the layer: where NaN, Inf, numbers beyond float16 and denormals appear first."""

from __future__ import annotations

from pathlib import Path

from layer_runs import Run


def test_infinities_arise_in_an_output_and_go_on(tmp_path: Path) -> None:
    run = Run(tmp_path, "infinities", "values")
    assert run.output == "inf 4 3 2.66667\n" and run.notes == ""
    lines = run.lines("values.jsonl")
    first = lines[0]
    assert (first["call"], first["operator"], first["value"]) == (2, "diopiDiv", "inf")
    assert (first["in"], first["only_in_outputs"], first["argument"]) == ("output", True, "out")
    assert (first["elements"], first["first_index"]) == (1, [0, 0])
    assert [(line["call"], line["in"], line["only_in_outputs"]) for line in lines[1:]] == [
        (3, "input", False),
        (3, "input", False),
        (3, "output", False),
    ]
    summary = {row["operator"]: row for row in run.json("values.json")["operators"]}
    assert summary["diopiDiv"]["only_in_outputs"] == 1 and summary["diopiDiv"]["first_in"] == "output"
    assert summary["diopiAdd"]["only_in_outputs"] == 0 and summary["diopiAdd"]["first_in"] == "input"


def test_numbers_beyond_float16_denormals_and_nan(tmp_path: Path) -> None:
    lines = Run(tmp_path, "special", "values").lines("values.jsonl")
    inputs = {line["value"]: line["first_index"] for line in lines if line["argument"] == "input"}
    assert inputs == {"beyond_float16": [0, 1], "denormal": [1, 0], "nan": [1, 1]}


def test_ordinary_values_give_no_line(tmp_path: Path) -> None:
    run = Run(tmp_path, "add", "values")
    assert run.names() == ["values.json"]
    assert run.json("values.json")["tensors"] == 3 and run.json("values.json")["operators"] == []
