# SPDX-License-Identifier: BSD-3-Clause
"""Tests the layer in programs: which calls it sees, and that it never changes what a program does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from diopi import locate
from diopi.layer import start

PACKAGE = Path(locate.__file__).parents[1]
LIBRARY = locate.find_library()
SKELETON = LIBRARY.parent / "skeleton" / "libdiopi_impl.so"
LINKED = LIBRARY.parents[1] / "bin" / "c_quickstart"
# Two additions, a product, a failure, and its message.
CALLS = """
import diopi, numpy
lib = diopi.load()
one = lib.tensor([1.0, 2.0])
print(lib.add(one, one).tolist(), lib.add(one, one).tolist(), lib.mul(one, one).tolist())
try: lib.add(one, lib.tensor([1.0, 2.0, 3.0]), out=one)
except diopi.Error as error: print(error)
"""
RESULT = "[2.0, 4.0] [2.0, 4.0] [1.0, 4.0]\n"


def run(*program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs a program with the layer loaded before its libraries."""
    layer = str(start.find_layer())
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DIOPI_LAYER")}
    environment |= {"LD_PRELOAD": layer, "PYTHONPATH": str(PACKAGE)} | variables
    return subprocess.run(program, env=environment, capture_output=True, text=True, check=False)


def run_calls(folder: Path, text: str = CALLS, **variables: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-c", text, DIOPI_LAYER_OUT=str(folder), **variables)


def traced(folder: Path) -> list[dict[str, Any]]:
    (trace,) = folder.glob("*/trace.jsonl")
    return [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]


def test_a_library_that_the_program_opens_is_observed(tmp_path):
    done = run_calls(tmp_path, DIOPI_LAYER="trace")
    assert done.returncode == 0 and done.stdout.startswith(RESULT), done.stderr
    calls = traced(tmp_path)
    assert [c["operator"] for c in calls] == ["diopiAdd", "diopiAdd", "diopiMul", "diopiAdd"]
    assert [c["status"] for c in calls] == [0, 0, 0, 1] and [c["call"] for c in calls] == [1, 2, 3, 4]
    assert calls[0]["arguments"]["input"]["shape"] == [2]
    assert calls[0]["arguments"]["alpha"] is None and calls[0]["nanoseconds"] > 0


def test_messages_are_those_of_the_library(tmp_path):
    alone = subprocess.run(
        [sys.executable, "-c", CALLS],
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        capture_output=True,
        text=True,
        check=True,
    )
    for modes in ("", "trace"):
        assert run_calls(tmp_path, DIOPI_LAYER=modes).stdout == alone.stdout


@pytest.mark.skipif(not LINKED.is_file(), reason="the examples are not built")
def test_a_library_that_the_program_is_linked_with_is_observed(tmp_path):
    done = run(str(LINKED), DIOPI_LAYER="trace", DIOPI_LAYER_OUT=str(tmp_path))
    assert done.returncode == 0 and done.stdout == "11 22 33 44\n" and done.stderr == ""
    assert [c["operator"] for c in traced(tmp_path)] == ["diopiAdd"]


def test_without_a_mode_nothing_is_written(tmp_path):
    done = run_calls(tmp_path)
    assert done.stdout.startswith(RESULT) and done.stderr == "" and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("variables", "numbers"),
    [
        ({"DIOPI_LAYER_OPS": "diopiMul"}, ["diopiMul"]),
        ({"DIOPI_LAYER_OPS": "diopiM.*,diopiAdd", "DIOPI_LAYER_EXCEPT": "diopiAdd"}, ["diopiMul"]),
        ({"DIOPI_LAYER_OPS": "Add"}, []),
        ({"DIOPI_LAYER_EVERY": "2"}, ["diopiAdd", "diopiMul", "diopiAdd"]),
        ({"DIOPI_LAYER_FIRST": "1"}, ["diopiAdd", "diopiMul"]),
    ],
)
def test_operators_and_calls_are_selected(tmp_path, variables, numbers):
    run_calls(tmp_path, DIOPI_LAYER="trace", **variables)
    found = [c["operator"] for c in traced(tmp_path)] if numbers else list(tmp_path.iterdir())
    assert found == numbers


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"DIOPI_LAYER": "trace,watch"}, "DIOPI_LAYER = watch, expected "),
        ({"DIOPI_LAYER": "trace", "DIOPI_LAYER_OPS": "diopi("}, "'diopi(' is no list of regular expressions"),
        ({"DIOPI_LAYER": "trace", "DIOPI_LAYER_EVERY": "0"}, "DIOPI_LAYER_EVERY = 0, expected a whole number"),
        ({"DIOPI_LAYER": "trace", "DIOPI_LAYER_SYNC": "yes"}, "DIOPI_LAYER_SYNC = yes, expected 0 or 1"),
        ({"DIOPI_LAYER": "trace", "DIOPI_LAYER_OUT": "/dev/null/x"}, "nothing can be written to /dev/null/x/"),
        ({"DIOPI_LAYER": "trace", "DIOPI_LAYER_DISK": "200"}, "the limit of 200 bytes on disk is reached"),
    ],
)
def test_a_wrong_variable_is_one_line_and_the_program_goes_on(tmp_path, variables, message):
    done = run(sys.executable, "-c", CALLS, **({"DIOPI_LAYER_OUT": str(tmp_path)} | variables))
    assert done.returncode == 0 and done.stdout.startswith(RESULT)
    assert message in done.stderr and done.stderr.count("\n") == 1 and done.stderr.startswith("diopi-layer: ")


def test_a_vendor_that_cannot_be_opened(tmp_path):
    text = "import ctypes, os\nlayer = ctypes.CDLL(os.environ['LD_PRELOAD'])\nprint(layer.initLibrary())\n"
    text += "layer.diopiGetLastErrorString.restype = ctypes.c_char_p\nprint(layer.diopiGetLastErrorString().decode())"
    done = run(sys.executable, "-c", text, DIOPI_LAYER_VENDOR="/nowhere.so", DIOPI_LAYER="trace")
    assert done.returncode == 0 and done.stdout.startswith("1\n") and "DIOPI_LAYER_VENDOR: /nowhere.so" in done.stdout


@pytest.mark.skipif(not SKELETON.is_file(), reason="the vendor skeleton is not built")
def test_an_absent_operator_stays_absent(tmp_path):
    text = "import diopi\nlib = diopi.load()\nprint(lib.has('silu'), lib.has('relu'), lib.vendor, len(lib.operators()))"
    observed = run_calls(tmp_path, text, DIOPI_LIBRARY=str(SKELETON), DIOPI_LAYER="trace")
    alone = run_calls(tmp_path, text, DIOPI_LIBRARY=str(SKELETON), LD_PRELOAD="")
    assert observed.stdout == alone.stdout and observed.stdout.startswith("False True"), observed.stderr


def test_a_reference_without_a_runtime_is_named(tmp_path):
    done = run_calls(tmp_path, DIOPI_LAYER="compare", DIOPI_LAYER_REFERENCE=str(LIBRARY))
    assert done.returncode == 0 and done.stdout.startswith(RESULT)
    assert f"cannot be opened: {LIBRARY} lacks diopi" in done.stderr, done.stderr


def test_only_the_first_library_is_observed(tmp_path):
    if not SKELETON.is_file():
        pytest.skip("the vendor skeleton is not built")
    skeleton, runtime = str(SKELETON), str(locate.find_runtime())
    text = f"import diopi\none, two = diopi.load(), diopi.load({skeleton!r}, runtime={runtime!r})\n"
    text += "for lib in (one, two): print(lib.vendor, lib.relu(lib.tensor([-1.0, 1.0])).tolist())"
    done = run_calls(tmp_path, text, DIOPI_LAYER="trace")
    assert done.returncode == 0, done.stderr
    assert len(set(done.stdout.splitlines())) == 2 and len(traced(tmp_path)) == 1
    assert "is not observed, because" in done.stderr and done.stderr.count("\n") == 1
