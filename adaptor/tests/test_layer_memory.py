# SPDX-License-Identifier: BSD-3-Clause
"""Tests the mode memory of the layer: what is never freed, high-water marks, arguments in freed memory."""

from __future__ import annotations

from pathlib import Path

from layer_runs import Run


def test_a_program_that_frees_everything(tmp_path: Path) -> None:
    run = Run(tmp_path, "add", "memory")
    report = run.json("memory.json")
    assert run.notes == "" and run.output == "11 13 15 17\n"
    assert (report["live_bytes"], report["never_freed"], report["used_after_free"]) == (0, [], [])
    assert (report["unknown_frees"], report["double_frees"], report["uses_of_ended_contexts"]) == (0, 0, 0)
    assert report["heap_observed"] and report["heap_leaks"] == []
    assert report["peak_bytes"] >= 3 * 16
    (add,) = report["operators"]
    assert (add["operator"], add["calls"]) == ("diopiAdd", 1) and add["peak_bytes"] >= 3 * 16


def test_a_tensor_that_is_never_released(tmp_path: Path) -> None:
    report = Run(tmp_path, "leak", "memory").json("memory.json")
    (piece,) = report["never_freed"]
    assert piece["operator"] is None and piece["bytes"] >= 4000 and report["live_bytes"] == piece["bytes"]


def test_what_an_operator_requires(tmp_path: Path) -> None:
    report = Run(tmp_path, "created", "memory").json("memory.json")
    (nonzero,) = report["operators"]
    assert nonzero["operator"] == "diopiNonzero" and nonzero["required"] >= 1
    assert nonzero["most_required_bytes"] >= 4 * 2 * 8


def test_an_argument_in_freed_memory(tmp_path: Path) -> None:
    run = Run(tmp_path, "use_after_free", "memory")
    assert run.notes == "diopi-layer: memory: diopiAdd: call 1: input lies in device memory that was freed\n"
    (use,) = run.json("memory.json")["used_after_free"]
    assert (use["operator"], use["call"], use["argument"]) == ("diopiAdd", 1, "input")


def test_a_context_that_has_ended(tmp_path: Path) -> None:
    run = Run(tmp_path, "ended_context", "memory")
    assert run.notes == "diopi-layer: memory: diopiAdd: call 2: its context has ended\n", run.notes
    report = run.json("memory.json")
    assert report["uses_of_ended_contexts"] == 1 and report["used_after_end"] == [{"operator": "diopiAdd", "call": 2}]


def test_a_context_at_the_address_of_another(tmp_path: Path) -> None:
    run = Run(tmp_path, "contexts", "memory")
    assert run.notes == "" and run.json("memory.json")["uses_of_ended_contexts"] == 0
    assert run.output == 20 * "11 13 15 17\n"
