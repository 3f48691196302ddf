# SPDX-License-Identifier: BSD-3-Clause
"""Tests the layer's mode `fallback`: the reference computes operators of a running program."""

from __future__ import annotations

from pathlib import Path

import pytest
from layer_runs import NEEDS_LAYER, judge_under_layer, run_layer, wrong_vendor

from conformance.run.binding import default_library

pytestmark = NEEDS_LAYER
MINIMAL = default_library().parent / "minimal" / default_library().name

SUB = """
out = tensor([0] * 8)
print(call("diopiSub", out=out, input=tensor([0, 1, 2, 3, 4, 5, 6, 7]), other=tensor([1] * 8), alpha=None))
print(out.array.tolist())
"""
RIGHT = "[-1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]"


def test_the_reference_repairs_a_wrong_operator(tmp_path: Path) -> None:
    library = wrong_vendor(tmp_path, "kSwappedArguments")
    wrong = run_layer(tmp_path, "trace", SUB, library)
    assert wrong.output[1] != RIGHT
    run = run_layer(tmp_path / "fallback", "fallback", SUB, library, DIOPI_LAYER_FALLBACK_OPS="diopiS.b")
    assert run.output == ["diopiSuccess", RIGHT]
    report = run.json("fallback.json")
    (row,) = report["operators"]
    assert row["nanoseconds"] > 0 and report["not_replaced"] == []
    del row["nanoseconds"]
    assert row == {"operator": "diopiSub", "calls": 1, "bytes": 3 * 32}


def test_other_operators_stay_below(tmp_path: Path) -> None:
    library = wrong_vendor(tmp_path, "kSwappedArguments")
    run = run_layer(tmp_path, "fallback", SUB, library, DIOPI_LAYER_FALLBACK_OPS="diopiAdd")
    assert run.output[1] != RIGHT and run.lines("fallback.json") == []


def test_without_a_reference_the_library_below_computes(tmp_path: Path) -> None:
    run = run_layer(tmp_path, "fallback", SUB + SUB, DIOPI_LAYER_REFERENCE="/nowhere.so")
    assert run.output == ["diopiSuccess", RIGHT] * 2
    (note,) = run.notes
    assert note.startswith("fallback: diopiSub goes to the library below: ") and "/nowhere.so" in note
    (left,) = run.json("fallback.json")["not_replaced"]
    assert left["operator"] == "diopiSub" and left["calls"] == 2


def test_a_failure_of_the_reference_is_the_failure_of_the_call(tmp_path: Path) -> None:
    script = """
outcome = runtime.call(registry.functions["diopiSub"], {"out": tensor([5, 5]), "input": tensor([1, 2]),
                                                        "other": tensor([1, 2, 3]), "alpha": None})
print(outcome.code, outcome.message)
"""
    (line,) = run_layer(tmp_path, "fallback", script).output
    assert line.startswith("diopiErrorOccurred diopiSub: ") and "broadcast" in line


def test_judge(tmp_path: Path) -> None:
    families = "softmax,concat,index,random,foreach,norm_batch,lmdeploy_sampling,masked_select"
    run = judge_under_layer(tmp_path, "fallback", "--fname", families, "--quick")
    assert "0 failed" in run.output[-1]
    assert {row["operator"] for row in run.json("fallback.json")["operators"]} >= {"diopiSoftmax", "diopiMaskedSelect"}


@pytest.mark.skipif(not MINIMAL.is_file(), reason="the vendor minimal is not built")
def test_memory_that_the_host_cannot_read(tmp_path: Path) -> None:
    script = """
import diopi
lib = diopi.load(sys.argv[1], runtime=default_runtime())
print(lib.relu(lib.tensor([-1.0, 2.0])).tolist(), lib.fallbacks())
"""
    run = run_layer(tmp_path, "fallback", script, MINIMAL)
    assert run.output == ["[0.0, 2.0] []"]  # the layer computed it, and not the fallback of the vendor
    (row,) = run.json("fallback.json")["operators"]
    assert (row["operator"], row["calls"], row["bytes"]) == ("diopiRelu", 1, 2 * 8)
