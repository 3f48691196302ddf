# SPDX-License-Identifier: BSD-3-Clause
"""Tests `diopi-layer replay` with calls that are written by hand in the format of captured calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diopi
from diopi.layer import __main__ as command
from diopi.layer import elements

HEAD = {"format": "diopi-capture", "version": 1, "byte_order": "little", "library": "libdiopi_impl.so"}


def tensor(array: np.ndarray[Any, Any], handle: int, storage: int, offset: int = 0) -> dict[str, Any]:
    stride = [s // array.itemsize for s in array.strides]
    return {
        "dtype": str(array.dtype),
        "shape": list(array.shape),
        "stride": stride,
        "device": "device",
        "handle": handle,
        "storage": storage,
        "offset": offset,
    }


class Capture:
    """A folder with captured calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "capture"
        self.folder.mkdir(parents=True)
        self.lines = [json.dumps(HEAD)]

    def add(
        self,
        operator: str,
        arguments: dict[str, Any],
        storages: list[tuple[bytes | None, bytes | None]],
        status: int = 0,
        numbers_after: dict[str, Any] | None = None,
    ) -> None:
        number, content, described = len(self.lines), b"", []
        for before, after in storages:
            row: dict[str, Any] = {"bytes": len(before or after or b""), "device": "device", "alignment": 0}
            for key, memory in (("before", before), ("after", after)):
                row[key] = None if memory is None else len(content)
                content += (memory or b"") + bytes(-len(memory or b"") % 64)
            described.append(row)
        (self.folder / f"{number}.bin").write_bytes(content)
        line = {"call": number, "operator": operator, "inside": False, "status": status, "file": f"{number}.bin"}
        line |= {"arguments": arguments, "numbers_after": numbers_after or {}, "storages": described}
        self.lines.append(json.dumps(line))
        (self.folder / "index.jsonl").write_text("\n".join([*self.lines, ""]), encoding="utf-8")


def add_call(capture: Capture, result: np.ndarray[Any, Any]) -> None:
    """Adds the transposed array [[0, 1, 2], [3, 4, 5]] to itself, in one storage."""
    base = np.arange(6, dtype=np.float32).reshape(3, 2)
    arguments = {
        "out": tensor(result, 0, 0),
        "input": tensor(base.T, 1, 1),
        "other": tensor(base.T, 1, 1),
        "alpha": {"stype": "float32", "value": 1.0},
    }
    capture.add("diopiAdd", arguments, [(None, result.tobytes()), (base.tobytes(), None)])


RIGHT = np.arange(6, dtype=np.float32).reshape(3, 2).T.copy() * 2


def test_a_call_gives_the_captured_result(tmp_path, capsys):
    add_call(Capture(tmp_path), RIGHT)
    assert command.main(["replay", str(tmp_path), "--repeat", "2", "--json", str(tmp_path / "out.json")]) == 0
    assert "1 calls on libdiopi_impl.so" in capsys.readouterr().out
    assert json.loads((tmp_path / "out.json").read_text())[0]["verdict"] == "same"


def test_another_result_is_shown_with_its_place(tmp_path, capsys):
    wrong = RIGHT.copy()
    wrong[1, 2] += 1
    add_call(Capture(tmp_path), wrong)
    assert command.main(["replay", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "call 1 diopiAdd: different: out[1, 2]: captured 11.0, now 10.0; 1 of 6 differ, by at most 1" in out


def test_a_failed_call_must_fail_again(tmp_path, capsys):
    capture = Capture(tmp_path)
    add_call(capture, RIGHT)
    capture.lines[1] = capture.lines[1].replace('"status": 0', '"status": 1')
    (capture.folder / "index.jsonl").write_text("\n".join([*capture.lines, ""]), encoding="utf-8")
    assert command.main(["replay", str(tmp_path)]) == 1
    assert "diopiAdd: status: captured diopiErrorOccurred, now diopiSuccess" in capsys.readouterr().out


def test_an_in_place_call_with_a_generator(tmp_path, capsys):
    """The generator's state decides the numbers, which are written where they were read."""
    library = diopi.load()
    generator = diopi.Generator(5)
    drawn = library.empty((8,))
    library.uniform_inp(drawn, from_=0.0, to=1.0, generator=generator)
    expected = drawn.numpy().copy()
    state = {"seed": "5", "offset": "0", "seed_after": "5", "offset_after": "4"}
    arguments = {"inout": tensor(expected, 0, 0), "from": 0.0, "to": 1.0, "generator": state}
    capture = Capture(tmp_path)
    capture.add("diopiUniformInp", arguments, [(bytes(32), expected.tobytes())])
    assert command.main(["replay", str(tmp_path), "--repeat", "3"]) == 0, capsys.readouterr().out


def test_tensors_that_the_operator_creates(tmp_path, capsys):
    mask = np.array([True, False, True])
    given, found = np.array([1.0, 2.0, 3.0], np.float32), np.array([1.0, 3.0], np.float32)
    for result in (found, found[:1]):
        arguments = {"out": [tensor(result, 0, 0)], "input": tensor(given, 1, 1), "mask": tensor(mask, 2, 2)}
        capture = Capture(tmp_path / str(result.size))
        capture.add(
            "diopiMaskedSelect", arguments, [(None, result.tobytes()), (given.tobytes(), None), (mask.tobytes(), None)]
        )
    assert command.main(["replay", str(tmp_path / "2")]) == 0, capsys.readouterr().out
    assert command.main(["replay", str(tmp_path / "1")]) == 1
    assert "out[0]: captured float32[1], now float32[2]" in capsys.readouterr().out


def test_numbers_behind_pointers(tmp_path, capsys):
    given = np.array([1.0, 2.0], np.float32)
    for answer in (True, False):
        capture = Capture(tmp_path / str(answer))
        arguments = {"out": False, "input": tensor(given, 0, 0), "other": tensor(given, 1, 1)}
        storages = [(given.tobytes(), None), (given.tobytes(), None)]
        capture.add("diopiEqual", arguments, storages, numbers_after={"out": answer})
    assert command.main(["replay", str(tmp_path / "True"), "--repeat", "2"]) == 0, capsys.readouterr().out
    assert command.main(["replay", str(tmp_path / "False")]) == 1
    assert "call 1 diopiEqual: different: out: captured 0, now 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: ["{}", *lines[1:]], "does not begin with the line of the format"),
        (lambda lines: [lines[0].replace('"version": 1', '"version": 9'), *lines[1:]], "has version 9"),
        (lambda lines: [lines[0].replace("little", "big"), *lines[1:]], "has the byte_order 'big', expected"),
        (lambda lines: [lines[0], '{"call": 1}'], "line 2, call 1: operator is missing"),
        (lambda lines: [lines[0], "{"], "line 2: this is no captured call"),
        (lambda lines: [*lines, "[]"], "line 3: the line is [], expected an object"),
        (lambda lines: [lines[0]], "has no such call"),
    ],
)
def test_an_index_that_cannot_be_used(tmp_path, capsys, change, message):
    capture = Capture(tmp_path)
    add_call(capture, RIGHT)
    (capture.folder / "index.jsonl").write_text("\n".join([*change(capture.lines), ""]), encoding="utf-8")
    assert command.main(["replay", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("call", None, "line 2: call is None, expected a whole number from 1"),
        ("status", "x", "status is 'x', expected a whole number"),
        ("file", "../1.bin", "file is '../1.bin', expected the name of a file beside the index"),
        ("file", "2.bin", "file is '2.bin', expected a file in"),
        ("file", None, "storages[0].after is 0, expected null, because the call has no file"),
        ("storages.1.bytes", -5, "storages[1].bytes is -5, expected a whole number from 0"),
        ("storages.1.bytes", 1e30, "storages[1].bytes is 1e+30, expected a whole number from 0"),
        ("storages.1.bytes", 999, "1.bin is cut off: it has 128 bytes, storages[1].before and bytes expect 1063"),
        ("arguments.out", 5, "arguments.out is 5, expected an object"),
        ("arguments.out.dtype", "float99", "arguments.out.dtype is 'float99', expected one of int8"),
        ("arguments.out.shape", [2, 999], "arguments.out.offset is 0, expected a place for the tensor's"),
        ("arguments.out.shape", [2**62, 9], "arguments.out.shape is [4611686018427387904, 9], expected a shape whose"),
        ("arguments.out.stride", [1], "arguments.out.stride is [1], expected a list of 2"),
        ("arguments.out.storage", 77, "arguments.out.storage is 77, expected a whole number from 0 to 1"),
        ("arguments.out.storage", None, "arguments.out.storage is None, expected the index of a storage"),
        ("arguments.out.offset", -64000000, "arguments.out.offset is -64000000, expected a whole number from 0"),
        ("arguments.alpha.stype", "int9", "arguments.alpha.stype is 'int9', expected one of int8"),
        ("arguments.alpha.value", "many", "arguments.alpha.value is 'many', expected a number"),
        ("arguments", {}, "arguments.out is missing"),
    ],
)
def test_a_wrong_field_is_one_line_with_its_place(tmp_path, capsys, place, value, message):
    capture = Capture(tmp_path)
    add_call(capture, RIGHT)
    line = json.loads(capture.lines[1])
    *path, last = (int(word) if word.isdigit() else word for word in place.split("."))
    field = line
    for key in path:
        field = field[key]
    field[last] = value
    index = capture.folder / "index.jsonl"
    index.write_text("\n".join([capture.lines[0], json.dumps(line), ""]), encoding="utf-8")
    assert command.main(["replay", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and error.startswith(f"diopi-layer: {index}, line 2")


def test_the_length_of_a_list_is_that_of_the_call(tmp_path, capsys):
    part, capture = np.ones(2, np.float32), Capture(tmp_path)
    arguments = {
        "out": tensor(np.ones(4, np.float32), 0, 0),
        "tensors": [tensor(part, 1, 1)],
        "num_inputs": 9,
        "dim": 0,
    }
    capture.add("diopiCat", arguments, [(None, bytes(16)), (part.tobytes(), None)])
    assert command.main(["replay", str(tmp_path)]) == 2
    assert "arguments.tensors is [{" in capsys.readouterr().err


def test_an_index_that_is_no_utf8(tmp_path, capsys):
    capture = Capture(tmp_path)
    add_call(capture, RIGHT)
    index = capture.folder / "index.jsonl"
    for content in (b"\xff\xfe\n", index.read_bytes() + b"\xff\xfe{\n"):
        index.write_bytes(content)
        assert command.main(["replay", str(tmp_path)]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_a_last_line_or_a_file_that_is_cut_off(tmp_path, capsys):
    capture = Capture(tmp_path)
    add_call(capture, RIGHT)
    index = capture.folder / "index.jsonl"
    index.write_text(index.read_text() + '{"call": 2, "operator": "dio', encoding="utf-8")
    assert command.main(["replay", str(tmp_path)]) == 0, capsys.readouterr()
    (capture.folder / "1.bin").write_bytes(b"abc")
    assert command.main(["replay", str(tmp_path)]) == 2
    assert "1.bin is cut off" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--call", "x"], ["--repeat", "0"], ["--call", "7"], ["--ops", "diopiNo"]])
def test_wrong_usage(tmp_path, capsys, arguments):
    add_call(Capture(tmp_path), RIGHT)
    assert command.main(["replay", str(tmp_path), *arguments]) == 2
    assert capsys.readouterr().err.startswith("diopi-layer: ")


def test_differences_count_units_of_the_dtype():
    one = np.array([1.0, np.nan, 0.0], np.float32)
    two = np.array([np.nextafter(np.float32(1), np.float32(2)), np.nan, -0.0], np.float32)
    found = elements.difference(one, two, "float32")
    assert found is not None and (found.index, found.wrong, found.max_ulp) == ((0,), 1, 1.0)
    assert elements.difference(one[1:], two[1:], "float32") is None
    bits = np.array([0x3F80], np.uint16)
    assert elements.difference(bits, bits + 2, "bfloat16").max_ulp == 2.0
