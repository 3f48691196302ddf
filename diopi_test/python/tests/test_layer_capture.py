# SPDX-License-Identifier: BSD-3-Clause
"""Tests the layer's mode `capture` against its documented format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from layer_runs import NEEDS_LAYER, LayerRun, judge_under_layer, run_layer

pytestmark = NEEDS_LAYER

INPLACE = """
x = tensor([[1, 2, 3], [4, 5, 6]], shape=(2, 3))
print(call("diopiAddInp", input=x, other=x, alpha=None))
print(call("diopiSoftmax", out=tensor([0] * 3), input=tensor([1, 1, 1]), dim=0))
print(call("diopiSoftmax", out=tensor([0] * 3), input=tensor([1, 1, 1]), dim=5))
"""
EXPECTED = ["diopiSuccess", "diopiSuccess", "diopiErrorOccurred"]


def elements(run: LayerRun, call: dict, tensor: dict, when: str) -> np.ndarray:
    """The elements of a tensor of float32 without gaps."""
    storage = call["storages"][tensor["storage"]]
    (path,) = run.folder.glob(f"*/capture/{call['file']}")
    data = path.read_bytes()[storage[when] : storage[when] + storage["bytes"]]
    return np.frombuffer(data[tensor["offset"] :], "float32", int(np.prod(tensor["shape"])))


def test_inputs_before_and_outputs_after(tmp_path: Path) -> None:
    run = run_layer(tmp_path, "capture", INPLACE)
    assert run.output == EXPECTED and run.notes == []
    head, add, softmax, failed = run.lines("capture/index.jsonl")
    assert (head["format"], head["version"]) == ("diopi-capture", 1)
    x, other = add["arguments"]["input"], add["arguments"]["other"]
    assert (x["handle"], x["storage"], x["shape"], x["stride"]) == (0, 0, [2, 3], [3, 1]) and x == other
    assert add["arguments"]["alpha"] is None and len(add["storages"]) == 1
    assert elements(run, add, x, "before").tolist() == [1, 2, 3, 4, 5, 6]
    assert elements(run, add, x, "after").tolist() == [2, 4, 6, 8, 10, 12]
    out = softmax["arguments"]["out"]
    assert softmax["storages"][out["storage"]]["before"] is None and softmax["arguments"]["dim"] == 0
    assert np.allclose(elements(run, softmax, out, "after"), 1 / 3)
    assert failed["status"] != 0 and all(storage["after"] is None for storage in failed["storages"])


def test_the_limit_of_the_disk_ends_the_capture(tmp_path: Path) -> None:
    run = run_layer(tmp_path, "capture", INPLACE, DIOPI_LAYER_DISK="1500")
    assert run.output == EXPECTED and len(run.notes) == 1 and "DIOPI_LAYER_DISK" in run.notes[0]
    lines = run.lines("capture/index.jsonl")
    assert 1 <= len(lines) < 4
    files = {path.name for path in run.folder.glob("*/capture/*.bin")}
    assert files >= {line["file"] for line in lines[1:]} and len(files) <= len(lines)


def test_a_folder_that_cannot_be_written_ends_the_capture(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    run = run_layer(tmp_path, "capture", INPLACE, DIOPI_LAYER_OUT=str(tmp_path / "file"))
    assert run.output == EXPECTED and len(run.notes) == 1


def test_numbers_are_those_before_the_call(tmp_path: Path) -> None:
    """The operator replaces a size of -1 by the size that it needs."""
    case = "diopiFusedSiluFfnInp/size_only/float32/contiguous"
    run = judge_under_layer(tmp_path, "capture", "--case", case)
    sizes = [line["arguments"]["workspace_size"] for line in run.lines("capture/index.jsonl") if "call" in line]
    assert sizes and set(sizes) == {-1}


def test_numbers_after_the_call(tmp_path: Path) -> None:
    script = """
from conformance.run.binding import Written
call("diopiEqual", out=Written([False]), input=tensor([1, 2]), other=tensor([1, 2]))
call("diopiEqual", out=Written([False]), input=tensor([1, 2]), other=None)
"""
    _, equal, failed = run_layer(tmp_path, "capture", script).lines("capture/index.jsonl")
    assert equal["arguments"]["out"] is False and equal["numbers_after"] == {"out": True}
    assert failed["status"] != 0 and "numbers_after" not in failed


def test_judge(tmp_path: Path) -> None:
    """Sparse tensors, lists, created results and generators are captured, and no result changes."""
    run = judge_under_layer(tmp_path, "capture", "--fname", "dropout,masked_select,sparse", "--quick")
    lines = [line for line in run.lines("capture/index.jsonl") if "call" in line]
    states = [a for line in lines for a in line["arguments"].values() if isinstance(a, dict) and "seed" in a]
    assert any(state["offset"] != state["offset_after"] for state in states)
    created = [line["arguments"]["out"] for line in lines if line["operator"] == "diopiMaskedSelect"]
    assert any(result and result[0] and result[0]["shape"] for result in created)
