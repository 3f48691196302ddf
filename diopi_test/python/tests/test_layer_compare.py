# SPDX-License-Identifier: BSD-3-Clause
"""Tests the layer's mode `compare`: each call is computed by the reference, too."""

from __future__ import annotations

from pathlib import Path

from layer_runs import NEEDS_LAYER, judge_under_layer, run_layer, wrong_vendor

from conformance.cases import loosest

pytestmark = NEEDS_LAYER

SUB = """
for _ in range(2):
    out = tensor([0] * 12, shape=(12,))
    print(call("diopiSub", out=out, input=tensor([1, 2, 3, 4] * 3), other=tensor([9] * 12), alpha=None))
print(out.array.tolist()[7])
"""


def test_a_right_library_does_not_differ(tmp_path: Path) -> None:
    run = run_layer(tmp_path, "compare", SUB, wrong_vendor(tmp_path, "kNone"))
    assert run.output == ["diopiSuccess", "diopiSuccess", "-5.0"] and run.notes == []
    (row,) = run.json("compare.json")["operators"]
    assert row == {
        "operator": "diopiSub",
        "calls": 2,
        "compared": 2,
        "different": 0,
        "max_ulp": 0,
        "first_different_call": None,
    }
    assert run.lines("compare.jsonl") == []


def test_a_wrong_element_is_found(tmp_path: Path) -> None:
    run = run_layer(tmp_path, "compare", SUB, wrong_vendor(tmp_path, "kWrongValue"))
    assert run.output[:2] == ["diopiSuccess", "diopiSuccess"]
    assert float(run.output[2]) == -5.005000114440918  # the program keeps the result of its own library
    (row,) = run.json("compare.json")["operators"]
    assert (row["different"], row["first_different_call"]) == (2, 1) and row["max_ulp"] > 1000
    first, second = run.lines("compare.jsonl")
    (difference,) = first["differences"]
    assert (first["call"], second["call"], first["operator"]) == (1, 2, "diopiSub")
    assert (difference["output"], difference["index"], difference["wrong"], difference["numel"]) == ("out", [7], 1, 12)
    assert (difference["expected"], difference["got"]) == ("-5", "-5.00500011")
    assert first["arguments"]["input"]["shape"] == [12]
    assert run.notes == ["compare: diopiSub differs from the reference, first in out (see compare.jsonl)"]


def test_a_changed_input_is_found(tmp_path: Path) -> None:
    run = run_layer(tmp_path, "compare", SUB, wrong_vendor(tmp_path, "kInputModified"))
    (difference,) = run.lines("compare.jsonl")[0]["differences"]
    assert (difference["output"], difference["index"], difference["expected"]) == ("other", [0], "9")


EQUAL = """
from conformance.run.binding import Written
print(call("diopiEqual", out=Written([False]), input=tensor([1, 2]), other=tensor([1, 2])))
"""


def test_numbers_behind_pointers_are_compared(tmp_path: Path) -> None:
    right = run_layer(tmp_path / "right", "compare", EQUAL, wrong_vendor(tmp_path, "kNone"))
    assert right.lines("compare.jsonl") == [] and right.json("compare.json")["operators"][0]["compared"] == 1
    (call,) = run_layer(tmp_path / "wrong", "compare", EQUAL, wrong_vendor(tmp_path, "kWrongValue")).lines(
        "compare.jsonl"
    )
    (found,) = call["differences"]
    assert (found["output"], found["index"], found["expected"], found["got"]) == ("out", [], "1", "0")


def test_parts_of_a_sparse_input_are_compared(tmp_path: Path) -> None:
    script = """
from conformance.run.csr_buffers import CsrBuffers
parts = tensor([0, 1, 2], "int32"), tensor([0, 1], "int32"), tensor([1, 2])
matrix, dense = CsrBuffers((2, 2), parts), tensor([[1, 2], [3, 4]], shape=(2, 2))
print(call("diopiSpMM", out=tensor([[0, 0], [0, 0]], shape=(2, 2)), input=matrix, mat2=dense))
"""
    run = run_layer(tmp_path, "compare", script, wrong_vendor(tmp_path, "kNone"))
    (call,) = run.lines("compare.jsonl")
    found = {d["output"]: d for d in call["differences"]}
    assert set(found) == {"out", "input.col_indices"}
    assert (found["input.col_indices"]["expected"], found["input.col_indices"]["got"]) == ("0", "7")


def test_an_output_that_the_call_must_leave_is_compared(tmp_path: Path) -> None:
    """In evaluation, the statistics stay as they are, on the reference as in the library below."""
    script = """
norm = dict(weight=None, bias=None, training=False, momentum=0.1, eps=1e-5)
statistics = {n: tensor([3, 4]) for n in ("running_mean", "running_var", "save_mean", "save_invstd")}
out, given = tensor([[0, 0]], shape=(1, 2)), tensor([[1, 2]], shape=(1, 2))
print(call("diopiBatchNorm", out=out, input=given, **statistics, **norm))
"""
    run = run_layer(tmp_path, "compare", script)
    assert run.output == ["diopiSuccess"] and run.lines("compare.jsonl") == []
    assert run.json("compare.json")["operators"][0]["compared"] == 1


def test_a_different_status_is_found(tmp_path: Path) -> None:
    run = run_layer(tmp_path, "compare", SUB, wrong_vendor(tmp_path, "kRefuses"))
    assert run.output[0] == "diopiDtypeNotSupported"
    first = run.lines("compare.jsonl")[0]
    assert first["expected_status"] == 0 and first["status"] != 0
    assert first["differences"][0]["output"] == "status"


def test_calls_that_fail_on_both_sides_agree(tmp_path: Path) -> None:
    script = 'print(call("diopiSub", out=tensor([0] * 2), input=tensor([1, 2]), other=tensor([1, 2, 3]), alpha=None))'
    run = run_layer(tmp_path, "compare", script, wrong_vendor(tmp_path, "kNone"))
    assert run.output == ["diopiErrorOccurred"]
    (row,) = run.json("compare.json")["operators"]
    assert (row["compared"], row["different"]) == (1, 0)


def test_calls_beyond_the_limit_of_memory_are_not_compared(tmp_path: Path) -> None:
    run = run_layer(tmp_path, "compare", SUB, wrong_vendor(tmp_path, "kWrongValue"), DIOPI_LAYER_MEMORY="100")
    report = run.json("compare.json")
    assert report["operators"][0]["compared"] == 0
    reason = "its copies exceed the limit of memory"
    assert report["not_compared"] == [{"operator": "diopiSub", "reason": reason, "calls": 2}]


def test_without_a_reference_nothing_is_compared(tmp_path: Path) -> None:
    run = run_layer(tmp_path, "compare", SUB, DIOPI_LAYER_REFERENCE="/nowhere.so")
    assert run.output == ["diopiSuccess", "diopiSuccess", "-5.0"]
    assert len(run.notes) == 1 and "/nowhere.so" in run.notes[0]


def test_judge(tmp_path: Path) -> None:
    """Random operators, created results, lists, operators in place."""
    run = judge_under_layer(tmp_path, "compare", "--fname", "dropout,masked_select,foreach,softmax", "--quick")
    assert run.lines("compare.jsonl") == []
    report = run.json("compare.json")["operators"]
    assert sum(row["compared"] for row in report) > 1000 and all(row["different"] == 0 for row in report)


def test_numbers_that_the_operator_writes_stay_the_callers(tmp_path: Path) -> None:
    """The reference must not write the size before the library below reads it."""
    cases = ["--case", "diopiTop*Sampling/*size_only*", "--case", "diopiFused*Inp/size*_only*"]
    assert judge_under_layer(tmp_path, "compare", *cases).lines("compare.jsonl") == []


def test_the_table_of_tolerances_is_that_of_the_cases() -> None:
    assert loosest.TABLE.read_text(encoding="utf-8") == loosest.text()
