# SPDX-License-Identifier: BSD-3-Clause
"""Tests the layer's mode `contract`: calls that violate a check of the contract are reported or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import registry
from layer_runs import NEEDS_LAYER, judge_under_layer, run_layer

from conformance.run.binding import default_runtime
from conformance.selfcheck.contract import __main__ as command
from conformance.selfcheck.contract.library import build
from conformance.selfcheck.contract.outcomes import DATA, HAND_WRITTEN, SIZES, Outcomes

pytestmark = NEEDS_LAYER
ALL_MODES = "fallback,values,memory,time,compare,capture,contract,trace"
SOFTMAX = """
def softmax(dim):
    out = tensor(0, shape=(2, 2))
    given = {"out": out, "input": tensor(0, shape=(2, 2)), "dim": dim}
    outcome = runtime.call(registry.functions["diopiSoftmax"], given)
    print(outcome.code, outcome.message, out.array.ravel().tolist())
"""
MESSAGE = "diopiSoftmax: dim = 2 is out of range [-2, 1] for input of shape [2, 2]"
ZEROS = "[0.0, 0.0, 0.0, 0.0]"


@pytest.fixture(scope="module")
def accepting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(registry(), tmp_path_factory.mktemp("accepting"))


def test_a_violation_is_reported_and_the_library_is_called(tmp_path: Path, accepting: Path) -> None:
    run = run_layer(tmp_path, "contract", SOFTMAX + "softmax(1)\nsoftmax(2)\nsoftmax(2)", accepting)
    assert run.output == [f"diopiSuccess  {ZEROS}"] * 3
    assert run.notes == [f"contract: call 2 violates diopiSoftmax-dim-in-range: {MESSAGE}"]
    line, other = run.lines("contract.jsonl")
    assert (line["call"], other["call"]) == (2, 3) and line["arguments"]["input"]["shape"] == [2, 2]
    del line["arguments"]
    assert line == {
        "call": 2,
        "operator": "diopiSoftmax",
        "call_of_operator": 2,
        "inside": False,
        "check": "diopiSoftmax-dim-in-range",
        "status": 1,
        "message": MESSAGE,
        "refused": False,
    }
    report = run.json("contract.json")
    counts = {"calls": 2, "accepted": 2, "first_call": 2, "message": MESSAGE}
    assert report["checks"] == [{"operator": "diopiSoftmax", "check": "diopiSoftmax-dim-in-range", **counts}]
    assert (report["checked"], report["unchecked"], report["violating"], report["refuse"]) == (3, 0, 2, False)


def test_a_violation_is_refused(tmp_path: Path, accepting: Path) -> None:
    run = run_layer(tmp_path, "contract", SOFTMAX + "softmax(2)\nsoftmax(1)", accepting, DIOPI_LAYER_REFUSE="1")
    assert run.output == [f"diopiErrorOccurred {MESSAGE} {ZEROS}", f"diopiSuccess  {ZEROS}"]
    assert run.json("contract.json")["checks"][0]["accepted"] == 0
    assert run.lines("contract.jsonl")[0]["refused"] is True


def test_a_violation_that_the_library_finds_is_not_accepted(tmp_path: Path) -> None:
    run = run_layer(tmp_path, "contract", SOFTMAX + "softmax(2)")
    assert run.output == [f"diopiErrorOccurred {MESSAGE} {ZEROS}"]
    (row,) = run.json("contract.json")["checks"]
    assert (row["calls"], row["accepted"]) == (1, 0)


def test_with_all_modes_the_checks_come_first(tmp_path: Path) -> None:
    calls = SOFTMAX + "softmax(2)\nsoftmax(1)"
    run = run_layer(tmp_path, ALL_MODES, calls, DIOPI_LAYER_REFUSE="1", DIOPI_LAYER_FALLBACK_OPS="diopiSoftmax")
    assert run.output == [f"diopiErrorOccurred {MESSAGE} {ZEROS}", "diopiSuccess  [0.5, 0.5, 0.5, 0.5]"]
    assert run.json("fallback.json")["operators"][0]["calls"] == 1
    refused, computed = run.lines("trace.jsonl")
    assert (refused["status"], refused["message"], computed["status"]) == (1, MESSAGE, 0)
    assert run.json("compare.json")["operators"][0]["different"] == 0


def test_refusing_needs_the_checks(tmp_path: Path) -> None:
    run = run_layer(tmp_path, "trace", SOFTMAX + "softmax(1)", DIOPI_LAYER_REFUSE="1")
    assert run.output == ["diopiSuccess  [0.5, 0.5, 0.5, 0.5]"] and not run.lines("trace.jsonl")
    assert run.notes == ["DIOPI_LAYER_REFUSE = 1, expected the mode contract in DIOPI_LAYER; no call is observed"]


def test_the_checks_take_no_memory_of_the_context(tmp_path: Path) -> None:
    """More tensors than a list of views has room for."""
    script = """
from conformance.handles import Scalar
inputs, outs = [tensor([1]) for _ in range(40)], [tensor([1]) for _ in range(39)] + [tensor([1, 1])]
print(call("diopiForeachaddScalar", outs=outs, inputs=inputs, inputSize=40, other=Scalar(1, "int64")))
"""
    run = run_layer(tmp_path, "contract,memory", script, DIOPI_LAYER_REFUSE="1")
    assert run.output == ["diopiErrorOccurred"] and run.json("contract.json")["violating"] == 1
    (row,) = run.json("memory.json")["operators"]
    assert (row["required"], row["allocations"]) == (0, 0)


def test_the_report_names_the_checks_that_are_not_made(tmp_path: Path, accepting: Path) -> None:
    script = """
given = {"out": tensor([0, 0]), "input": tensor([1, 2]), "indices": [tensor([7], "int64")], "values": tensor([1])}
print(call("diopiIndexPut", **given, indices_counts=1, accumulate=False))
"""
    run = run_layer(tmp_path, "contract", script, accepting, DIOPI_LAYER_REFUSE="1")
    assert run.output == ["diopiSuccess"]
    (row,) = run.json("contract.json")["operators"]
    assert "diopiIndexPut-indices-index" in row["not_made_because_of_data"] and row["calls"] == 1
    assert "diopiIndexPut-values-broadcasts" in row["not_made"]


def test_judge(tmp_path: Path) -> None:
    """No valid call is reported, and each reported call is one that the library refuses."""
    families = "softmax,foreach,sparse"
    run = judge_under_layer(tmp_path, "contract", "--fname", families, "--quick")
    report = run.json("contract.json")
    assert "0 failed" in run.output[-1] and report["unchecked"] == 0 and report["violating"] > 100
    assert [row for row in report["checks"] if row["accepted"]] == []


def result(case: str, status: str = "FAIL", message: str = "got diopiSuccess", **more: str) -> dict:
    return {"case": case, "status": status, "messages": [message], **more}


def test_outcomes() -> None:
    outcomes, left = Outcomes(), {"diopiX-index-index": True, "diopiX-out-shape": False}
    explained = {
        DATA: result("invalid:index-index:index=9!E", check="diopiX-index-index"),
        HAND_WRITTEN: result("invalid:out-shape:out=[2]!E", check="diopiX-out-shape"),
        SIZES: result("invalid:padding=3+2^61!E"),
    }
    mistakes = [
        result("invalid:dim-in-range:dim=9!E", check="diopiX-dim-in-range"),
        result("invalid:out=null!E"),
        result("invalid:out-shape:out=[2]!E", check="diopiX-out-shape", message="got diopiErrorOccurred"),
    ]
    for one in (result("invalid:out=null!E", "PASS"), *explained.values(), *mistakes):
        outcomes.add(one, left)
    assert outcomes.refused == 1 and outcomes.failed == mistakes and outcomes.accepted == dict.fromkeys(explained, 1)


def test_the_command_finds_no_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--fname", "norm_layer", "--jobs", "1"]) == command.OK
    printed = capsys.readouterr().out
    named, _, judged = printed.split()[:3]
    assert " 0 failed" in printed and int(judged) > 20 and named == judged


def test_a_layer_that_refuses_nothing_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--fname", "softmax", "--jobs", "1", "--layer", str(default_runtime())]) == command.FAILED
    assert "got diopiSuccess" in capsys.readouterr().out
    assert command.main(["--layer", "/nowhere.so"]) == command.NO_LIBRARY
    assert command.main(["--fname", "nothing"]) == command.USAGE
