# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the layer finds the faults of diopi_test/unit/faulty_vendor in a program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from diopi import locate
from diopi.layer import start

PACKAGE = Path(locate.__file__).parents[1]
FAULTY = locate.find_library().parent / "faulty" / "libdiopi_impl.so"
pytestmark = pytest.mark.skipif(not FAULTY.is_file(), reason="the faulty vendor is not built")
# Ends with exit status 1 if a result is wrong. Rows of a transposed table; gradients of two steps; a maximum's index.
PROGRAM = """
import sys, numpy, diopi
lib = diopi.load()
table = numpy.arange(12, dtype=numpy.float32).reshape(3, 4).T
rows = numpy.empty((2, 3), numpy.float32)
lib.index_select(table, 0, numpy.array([2, 0]), out=rows)
wrong = not numpy.array_equal(rows, table[[2, 0]])
for step in (1.0, 2.0):
    gradient = numpy.full((4,), 7.0, numpy.float32)
    given, positive = numpy.full((4,), step, numpy.float32), numpy.ones(4, numpy.float32)
    lib.threshold_backward(given, positive, 0.0, grad_input=gradient)
    wrong |= bool((gradient != step).any())
largest = numpy.zeros((), numpy.int64)
lib.argmax(numpy.array([1.0, 3.0, 2.0], numpy.float32), keepdim=False, out=largest)
wrong |= largest.item() != 1
sys.exit(wrong)
"""


def layer(*arguments: str, program: str = PROGRAM) -> subprocess.CompletedProcess[str]:
    """Runs diopi-layer on the program with the faulty vendor."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "DIOPI_LIBRARY": str(FAULTY)}
    environment |= {"DIOPI_RUNTIME": str(locate.find_runtime()), "DIOPI_LAYER_LIBRARY": str(start.find_layer())}
    command = [sys.executable, "-m", "diopi.layer", *arguments, "--", sys.executable, "-c", program]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_bisection_finds_the_operators_with_wrong_results():
    done = layer("bisect")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "the command succeeds if 2 operators are computed by the reference library:"
    assert lines[1:] == ["diopiIndexSelect", "diopiThresholdBackward"]


def test_bisection_without_an_answer():
    done = layer("bisect", "--ops", "diopiArgmax")
    assert done.returncode == 1 and "the command fails although" in done.stdout
    done = layer("bisect", program="import diopi; diopi.load().relu(diopi.load().tensor([1.0]))")
    assert done.returncode == 1 and "the command succeeds without fallback" in done.stdout


def test_operators_on_the_reference_make_the_program_succeed(tmp_path):
    assert layer("--trace", "--out", str(tmp_path / "one")).returncode == 1
    fallback = ("--fallback", "diopiIndexSelect,aten::threshold_backward", "--out", str(tmp_path / "two"))
    assert layer(*fallback).returncode == 0


def test_comparison_names_each_operator_and_its_first_call(tmp_path):
    done = layer("--compare", "--out", str(tmp_path / "found"))
    assert done.returncode == 1
    assert "compare: 2 calls differ, the first in diopiIndexSelect, call 1" in done.stderr, done.stderr
    report = json.loads((tmp_path / "found" / "report.json").read_text(encoding="utf-8"))
    (process,) = report["processes"]
    first = {o["operator"]: o["first_different_call"] for o in process["compare"]["operators"]}
    assert first == {"diopiIndexSelect": 1, "diopiThresholdBackward": 3, "diopiArgmax": None}
    (place,) = process["compare_calls"][1]["differences"]
    assert process["compare_calls"][1]["call_of_operator"] == 2
    assert (place["output"], place["index"], place["expected"], place["got"]) == ("grad_input", [0], "2", "7")


def test_memory_names_the_operator_that_leaks(tmp_path):
    program = """
import numpy, diopi
lib = diopi.load()
found = numpy.zeros((), numpy.int64)
for _ in range(20):
    lib.relu(numpy.ones(3, numpy.float32))
    lib.argmax(numpy.array([1.0, 3.0, 2.0], numpy.float32), keepdim=False, out=found)
"""
    done = layer("--memory", "--out", str(tmp_path / "found"), program=program)
    assert done.returncode == 0, done.stderr
    assert "memory: 20 of 20 calls of diopiArgmax never free " in done.stderr, done.stderr
    report = json.loads((tmp_path / "found" / "report.json").read_text(encoding="utf-8"))
    (leak,) = report["processes"][0]["memory"]["heap_leaks"]
    assert (leak["operator"], leak["calls"], leak["calls_that_kept"]) == ("diopiArgmax", 20, 20)
    # The first calls also make what the fallback keeps.
    assert 20 * 4096 <= leak["bytes"] < 2 * 20 * 4096 and leak["pieces"] >= 20
