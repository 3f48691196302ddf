# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a truncated, overwritten or foreign file gives one clear line and the exit code of its kind."""

from __future__ import annotations

import io
import json
import time
import zipfile
from dataclasses import asdict, replace
from pathlib import Path

import main
import numpy as np
import pytest
from helpers import registry

from adaptor.codegen.strict_yaml import ConfigError
from conformance.cases.reader import load_cases
from conformance.cases.suite import Selection, UsageError, select
from conformance.generate.models.calls import load_model
from conformance.oracle import load_oracles
from conformance.report.journal import FORMAT, Journal, key
from conformance.run import workers
from conformance.run.binding import default_library, default_runtime
from conformance.run.data_store import DataError, DataStore, _file
from conformance.run.result import FAIL, PASS, Result
from conformance.vendor.device_configs import SettingsError
from conformance.vendor.profile import load_profile

needs_libraries = pytest.mark.skipif(
    not (default_runtime().exists() and default_library().exists()),
    reason="libdiopirt.so and libdiopi_impl.so are not built",
)
DEEP = "[" * 50_000


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    assert main.main(["--mode", "gen_data", "--data", str(folder), "--fname", "add"]) == main.OK
    return folder


@pytest.fixture(scope="module")
def stored(written):
    """A group of diopiAdd and the bytes of its data file."""
    cases = select(load_cases(registry()), Selection(("diopiAdd",))).groups
    group = next(
        g for g in cases if g.case.error is None and g.dtype == "float32" and not g.case.arguments["input"].values
    )
    path = _file(written, group)
    assert DataStore(written).load(group, load_oracles()["diopiAdd"]) is not None
    return group, path.read_bytes(), path.name


def remade(content: bytes, change_meta=None, change_arrays=None) -> bytes:
    """The file with changed `meta` or arrays, and with correct checksums."""
    with np.load(io.BytesIO(content)) as arrays:
        meta, held = json.loads(str(arrays["meta"])), {k: arrays[k] for k in arrays if k != "meta"}
    meta = change_meta(meta) if change_meta else json.dumps(meta)
    held = change_arrays(held) if change_arrays else held
    out = io.BytesIO()
    np.savez(out, meta=np.array(meta), **held)
    return out.getvalue()


def with_meta(**changes):
    return lambda meta: json.dumps({**meta, **changes})


def without(name):
    return lambda meta: json.dumps({k: v for k, v in meta.items() if k != name})


def inner(section, name, **changes):
    def change(meta):
        meta[section][name] = {**meta[section][name], **changes}
        return json.dumps(meta)

    return change


def pickled(content: bytes) -> bytes:
    out = io.BytesIO()
    np.savez(out, meta=np.array([{"format": 1}], dtype=object))
    return out.getvalue()


def flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 0xFF]) + content[middle + 1 :]


def empty_zip(content: bytes) -> bytes:
    out = io.BytesIO()
    zipfile.ZipFile(out, "w").close()
    return out.getvalue()


CORRUPTED = {
    "empty": lambda c: b"",
    "one byte": lambda c: b"P",
    "cut in half": lambda c: c[: len(c) // 2],
    "the last byte missing": lambda c: c[:-1],
    "the first bytes missing": lambda c: c[10:],
    "zeros": lambda c: bytes(len(c)),
    "text": lambda c: b"not an archive\n" * 100,
    "a byte changed": flipped,
    "an archive of nothing": empty_zip,
    "an array of objects": pickled,
    "a plain array": lambda c: c[:0] + npy(),
    "meta missing": lambda c: remade(c, None, None).replace(b"meta.npy", b"atem.npy"),
    "meta is not JSON": lambda c: remade(c, lambda m: "{"),
    "meta nested 50,000 deep": lambda c: remade(c, lambda m: DEEP),
    "meta is a list": lambda c: remade(c, lambda m: "[]"),
    "meta is a number": lambda c: remade(c, lambda m: "7"),
    "another format": lambda c: remade(c, with_meta(format=99)),
    "another case": lambda c: remade(c, with_meta(name="diopiAdd/other/float32")),
    "no inputs": lambda c: remade(c, without("inputs")),
    "inputs of no parameter": lambda c: remade(c, with_meta(inputs={})),
    "inputs are a list": lambda c: remade(c, with_meta(inputs=[1])),
    "no expected values": lambda c: remade(c, with_meta(expected={})),
    "aliases are a list": lambda c: remade(c, with_meta(aliases=["out"])),
    "an unknown dtype": lambda c: remade(c, inner("inputs", "input", dtype="float46")),
    "a dtype of another size": lambda c: remade(c, inner("inputs", "input", dtype="complex128", shape=[7])),
    "another shape": lambda c: remade(c, inner("inputs", "input", shape=[1000])),
    "a negative size": lambda c: remade(c, inner("inputs", "input", shape=[-7, 3])),
    "an array that is not there": lambda c: remade(c, inner("inputs", "input", array="a99")),
    "a tensor that is a text": lambda c: remade(
        c, lambda m: json.dumps({**m, "inputs": {**m["inputs"], "input": "x"}})
    ),
    "expected values of another shape": lambda c: remade(c, inner("expected", "out", shape=[1])),
    "arrays missing": lambda c: remade(c, None, lambda a: {}),
    "arrays too short": lambda c: remade(c, None, lambda a: {k: v[:1] for k, v in a.items()}),
    "arrays of floats": lambda c: remade(c, None, lambda a: {k: v.astype(np.float64) for k, v in a.items()}),
}


def npy() -> bytes:
    out = io.BytesIO()
    np.save(out, np.arange(3))
    return out.getvalue()


@pytest.mark.parametrize("way", CORRUPTED)
def test_corrupted_data_is_one_line_with_the_file(tmp_path, stored, way):
    group, content, name = stored
    path = tmp_path / "diopiAdd" / name
    path.parent.mkdir()
    path.write_bytes(CORRUPTED[way](content))
    with pytest.raises(DataError) as error:
        DataStore(tmp_path).load(group, load_oracles()["diopiAdd"])
    message = str(error.value)
    assert message.startswith(f"{path}: cannot be read as data of {group.name}: ") and "\n" not in message
    assert len(message) > len(f"{path}: cannot be read as data of {group.name}: ")


def test_a_folder_in_place_of_data(tmp_path, stored):
    group, _, name = stored
    (tmp_path / "diopiAdd" / name).mkdir(parents=True)
    with pytest.raises(DataError, match="cannot be read as data"):
        DataStore(tmp_path).load(group, load_oracles()["diopiAdd"])


@needs_libraries
def test_a_folder_of_empty_files_ends_the_run_at_once(tmp_path, written, capfd):
    """If each file ended only the worker that reads it, each new worker would have to load the library again."""
    for path in (written / "diopiAdd").glob("*.npz"):
        (tmp_path / "diopiAdd").mkdir(exist_ok=True)
        (tmp_path / "diopiAdd" / path.name).write_bytes(b"")
    begun = time.monotonic()
    assert main.main(["--mode", "run_test", "--fname", "add", "--data", str(tmp_path)]) == main.NO_LIBRARY
    assert time.monotonic() - begun < 60
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1 and lines[0].startswith(f"main.py: {tmp_path}/diopiAdd/")


def test_an_error_of_the_judge_costs_one_case_and_no_process():
    begun = []

    def make_task():
        begun.append(1)

        def task(item: int) -> list[Result]:
            if item % 2:
                raise KeyError("what")
            return [Result(str(item), PASS)]

        return task

    results = dict(workers.Pool(make_task, lambda i: f"case {i}", 1, 60).run(range(8)))
    assert [results[i][0].status for i in range(8)] == [PASS, FAIL] * 4
    assert results[3][0].name == "case 3" and "the judge failed: KeyError: 'what' (" in results[3][0].messages[0]


# --- the file of --resume ---


def line_of(group, **changes) -> str:
    verdict = {**asdict(Result(f"{group.name}/contiguous", PASS)), **changes}
    return json.dumps({"group": key(group), "results": [verdict]})


BAD_LINES = {
    "an unknown status": lambda g: line_of(g, status="PERHAPS"),
    "no status": lambda g: line_of(g, status=None),
    "a status in a list": lambda g: line_of(g, status=["PASS"]),
    "an unknown field": lambda g: line_of(g, colour="red"),
    "messages of numbers": lambda g: line_of(g, messages=[1]),
    "a name that is not text": lambda g: line_of(g, name=7),
    "time as text": lambda g: line_of(g, seconds="soon"),
    "errors of two": lambda g: line_of(g, errors=[[1, 2]]),
    "no group": lambda g: json.dumps({"results": []}),
    "no results": lambda g: json.dumps({"group": key(g)}),
    "results of numbers": lambda g: json.dumps({"group": key(g), "results": [1]}),
    "a list": lambda g: "[]",
    "a number": lambda g: "7",
    "nested 50,000 deep": lambda g: DEEP,
    "not UTF-8": lambda g: "\udcff",
}


@pytest.mark.parametrize("way", BAD_LINES)
def test_a_journal_with_a_bad_line_is_refused_with_its_line(tmp_path, stored, way):
    path, group = tmp_path / "run.jsonl", stored[0]
    good = replace(group, case=replace(group.case, id="good"))
    lines = [json.dumps({"format": FORMAT, "judged": "mark"}), line_of(good), BAD_LINES[way](group)]
    path.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError) as error:
        Journal(path, "mark")
    message = str(error.value)
    assert f"{path} is not a file of --resume (line 3: " in message and "\n" not in message


@pytest.mark.parametrize("path", ["/dev/full", "/dev/zero", "."])
def test_resume_needs_a_regular_file(path, capsys):
    assert main.main(["--mode", "run_test", "--fname", "add", "--resume", path]) == main.USAGE
    assert f"--resume: {path} is not a regular file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options, message",
    [
        (["--timeout", "nan"], "--timeout must be more than 0"),
        (["--timeout", "-1"], "--timeout must be more than 0"),
        (["--max_failures", "-1"], "--max_failures must not be negative"),
        (["--jobs", "0"], "--jobs must be from 1"),
        (["--jobs", "99999999"], "--jobs must be from 1"),
    ],
)
def test_options_out_of_range_are_refused(options, message, capsys):
    assert main.main(["--mode", "run_test", "--fname", "add", *options]) == main.USAGE
    assert message in capsys.readouterr().err


@needs_libraries
def test_a_full_disk_is_an_error(capfd):
    """The error comes while digests are written, or when their file is closed."""
    code = main.main(["--mode", "run_test", "--case", "diopiAdd/input=3x4*/float32*", "--digests", "/dev/full"])
    assert code == main.NO_LIBRARY and "No space left" in capfd.readouterr().err


# --- a vendor's settings and the traces of models ---


@pytest.mark.parametrize(
    "text, place",
    [
        ("SKIPS = {}\nTOLERANCES = {}\n\nSKIPS = {'diopiExp': reason}\n", ":4: NameError: name 'reason'"),
        ("def f():\n    return 1 / 0\n\n\nf()\n", ":2: ZeroDivisionError"),
        ("import json\njson.loads('{')\n", ":2: JSONDecodeError"),
        ("\nraise SystemExit(0)\n", ":2: SystemExit: 0"),
        ("import sys\n\nsys.exit('done')\n", ":3: SystemExit: done"),
        ("def f():\n    f()\n\n\nf()\n", ":2: RecursionError"),
        ("SKIPS = {\n", ":1: SyntaxError"),
        ("from nowhere import table\n", ":1: ModuleNotFoundError"),
        ("SKIPS = {}\nx = 'caf\udce9'\n", ":2: UnicodeDecodeError"),
        ("SKIPS = {}\n" + "(" * 50_000 + "\n", ":2: "),
    ],
)
def test_an_exception_of_a_vendors_settings_has_a_line(tmp_path, text, place):
    path = tmp_path / "device_configs.py"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(SettingsError) as error:
        load_profile(tmp_path, registry())
    assert f"{path}{place}" in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "line", ["{", "7", "[]", "{}", DEEP, '{"op": 1, "calls": 1, "tensors": {"input": "float32 axb"}}']
)
def test_a_broken_trace_of_a_model_has_a_line(tmp_path, line):
    path = tmp_path / "one.jsonl"
    path.write_text('{"op": "relu", "calls": 1, "tensors": {"input": "float32 2x3"}}\n' + line + "\n")
    with pytest.raises(ConfigError, match=r"one\.jsonl:2: this line is not a call of a model"):
        load_model("one", tmp_path)
