# SPDX-License-Identifier: BSD-3-Clause
"""Tests that captured calls (docs/layer.md) become cases of the judge, with their own numbers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adaptor.codegen.model import load_registry
from conformance.cases.group import Group
from conformance.cases.prepare import prepare
from conformance.cases.suite import UsageError
from conformance.generate.captured import cases_of_captured
from conformance.oracle import load_oracles

HEAD = {"format": "diopi-capture", "version": 1, "byte_order": "little", "library": "libdiopi_impl.so"}
ONE = {"stype": "float32", "value": 1.0}


def tensor(dtype: str, shape: list[int], stride: list[int], handle: int, offset: int = 0) -> dict[str, Any]:
    place = {"device": "device", "handle": handle, "storage": 0, "offset": offset}
    return {"dtype": dtype, "shape": shape, "stride": stride, **place}


def write(folder: Path, memory: bytes, *calls: dict[str, Any]) -> Path:
    """A folder with captured calls on one storage of these bytes."""
    capture = folder / "17" / "capture"
    capture.mkdir(parents=True)
    (capture / "1.bin").write_bytes(memory)
    storage = {"bytes": len(memory), "device": "device", "alignment": 0, "before": 0, "after": 0}
    common = {"inside": False, "status": 0, "file": "1.bin", "storages": [storage]}
    lines = [HEAD, *({"call": i, **common, **call} for i, call in enumerate(calls, 1))]
    (capture / "index.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def add(out: dict[str, Any], value: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {"operator": "diopiAdd", "arguments": {"out": out, "input": value, "other": other, "alpha": ONE}}


def expected(folder: Path) -> np.ndarray:
    (case,), without = cases_of_captured(load_registry(), folder)
    assert not without
    prepared = prepare(Group(case, case.dtypes[0], case.layouts), load_oracles()[case.function.name])
    return prepared.expected["out"].values


def test_elements_are_read_with_their_strides(tmp_path):
    memory = np.arange(8, dtype=np.float32)
    columns = tensor("float32", [2, 3], [1, 2], 1, offset=4)
    folder = write(tmp_path, memory.tobytes(), add(tensor("float32", [2, 3], [3, 1], 0), columns, columns))
    assert np.array_equal(expected(folder), 2 * np.array([[1, 3, 5], [2, 4, 6]]))


def test_a_sparse_tensor(tmp_path):
    indices, numbers = np.array([0, 1, 3, 0, 0, 2], np.int32), np.array([5, 6, 7, 1, 2, 3, 4, 5, 6], np.float32)
    parts = {
        "crow_indices": tensor("int32", [3], [1], 2),
        "col_indices": tensor("int32", [3], [1], 3, offset=12),
        "values": tensor("float32", [3], [1], 4, offset=24),
    }
    sparse = {"sparse": True, "dtype": "float32", "shape": [2, 3], "handle": 1, **parts}
    dense = tensor("float32", [3, 2], [2, 1], 5, offset=36)
    arguments = {"out": tensor("float32", [2, 2], [2, 1], 0), "input": sparse, "mat2": dense}
    folder = write(tmp_path, indices.tobytes() + numbers.tobytes(), {"operator": "diopiSpMM", "arguments": arguments})
    wide = np.array([[5, 0, 0], [6, 0, 7]]) @ np.array([[1, 2], [3, 4], [5, 6]])
    assert np.array_equal(expected(folder), wide)


def test_bfloat16_elements_are_read_as_bits(tmp_path):
    memory = np.array([0x3F80, 0x4000], np.uint16)  # 1 and 2
    value = tensor("bfloat16", [2], [1], 1)
    folder = write(tmp_path, memory.tobytes(), add(tensor("bfloat16", [2], [1], 0), value, value))
    assert np.array_equal(expected(folder), [2.0, 4.0])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"status": 1}, "it failed with code 1"),
        ({"storages": [{"bytes": 8, "device": "device", "alignment": 0, "before": None, "after": 0}]}, "not captured"),
    ],
)
def test_a_call_that_cannot_become_a_case_is_named(tmp_path, capsys, change, reason):
    value = tensor("float32", [2], [1], 1)
    folder = write(tmp_path, bytes(8), add(tensor("float32", [2], [1], 0), value, value) | change)
    assert cases_of_captured(load_registry(), folder)[0] == []
    error = capsys.readouterr().err
    assert error.startswith("call 1: diopiAdd is skipped: ") and reason in error


def test_an_empty_folder_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError, match="has no captured calls"):
        cases_of_captured(load_registry(), tmp_path)


def test_enums_have_their_names(tmp_path):
    value, out = tensor("float32", [2], [1], 1), tensor("float32", [], [], 0)
    arguments = {"out": out, "input": value, "target": tensor("float32", [2], [1], 2, offset=8), "reduction": 1}
    memory = np.float32([1, 2, 4, 6]).tobytes()
    folder = write(tmp_path, memory, {"operator": "diopiMSELoss", "arguments": arguments})
    assert expected(folder) == (9 + 16) / 2


def test_a_case_of_lists_has_the_dtype_of_their_tensors(tmp_path):
    arguments = {"outs": [tensor("int8", [2], [1], 0)], "inputs": [tensor("int8", [2], [1], 1)], "inputsNum": 1}
    folder = write(tmp_path, bytes(2), {"operator": "diopiMeshGrid", "arguments": arguments})
    (case,), _ = cases_of_captured(load_registry(), folder)
    assert case.dtypes == ("int8",)


def test_a_damaged_index_is_wrong_usage(tmp_path):
    value = tensor("float32", [2], [1], 1)
    out = tensor("float32", [2], [1], 0, offset=-64)
    folder = write(tmp_path, bytes(8), add(out, value, value))
    with pytest.raises(UsageError, match=r"line 2, call 1: arguments\.out\.offset is -64, expected a whole number"):
        cases_of_captured(load_registry(), folder)


def test_the_judge_takes_captured_calls(tmp_path):
    value = tensor("float32", [2], [1], 1)
    folder = write(tmp_path, np.float32([1, 2]).tobytes(), add(tensor("float32", [2], [1], 0), value, value))
    command = [sys.executable, "main.py", "--mode", "run_test", "--captured", str(folder), "--jobs", "1"]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "1 passed, 0 failed" in done.stdout, done.stdout + done.stderr
