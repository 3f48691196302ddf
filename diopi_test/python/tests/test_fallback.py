# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a vendor with nine callbacks and no operator computes on the host, and that its library says so."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.run.binding import default_library, default_runtime

TESTS = Path(__file__).resolve().parent
MINIMAL = default_library().parent / "minimal" / default_library().name
# One family for each kind of argument: lists, created results, generators, sparse tensors, updates in place.
FAMILIES = ("softmax", "concat", "index", "random", "foreach", "norm_batch", "lmdeploy_sampling", "masked_select")


def judge(tmp_path: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "main.py", "--mode", "run_test", "--library", str(MINIMAL), *arguments]
    command += ["--runtime", str(default_runtime()), "--jobs", "1", "--json", str(tmp_path / "run.json")]
    return subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        cwd=TESTS.parent,
        env={**os.environ, **environment},
    )


def in_a_process(script: str, **environment: str) -> list[str]:
    """The lines that a script prints. A runtime in this process would prevent tests that replace the runtime."""
    run = subprocess.run(
        [sys.executable, "-c", BEGIN + script],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )
    return run.stdout.splitlines()


BEGIN = f"""
from adaptor.codegen.model import load_registry
from conformance.placement import Placement
from conformance.run.binding import Runtime, default_library, default_runtime
from conformance.run.buffers import Buffer
registry = load_registry()
minimal = Runtime(registry, default_runtime(), {str(MINIMAL)!r})
"""


def test_the_library_has_every_operator() -> None:
    script = """
print(minimal.text("diopiGetVendorName"))
print([f.name for f in registry.operators if not minimal.has(f.name)])
"""
    assert in_a_process(script) == ["minimal", "[]"]


def test_the_host_cannot_read_the_device() -> None:
    script = "print(minimal.has_own_memory, Runtime(registry, default_runtime(), default_library()).has_own_memory)"
    assert in_a_process(script) == ["True False"]


@pytest.mark.parametrize("family", FAMILIES)
def test_judge(tmp_path: Path, family: str) -> None:
    run = judge(tmp_path, "--fname", family, "--quick")
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr
    statuses = {r["status"] for r in json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["results"]}
    assert "FALLBACK" in statuses
    assert statuses <= {"PASS", "FALLBACK"}
    assert "on the host (fallback)" in run.stdout


def test_report_lists_operators(tmp_path: Path) -> None:
    report = tmp_path / "fallback.csv"
    script = """
out, input = (Buffer("float32", Placement((3, 4), (4, 1), 0)) for _ in "ab")
input.array[...] = 1
for _ in range(2):
    outcome = minimal.call(registry.functions["diopiSoftmax"], {"out": out, "input": input, "dim": 1})
    print(outcome.code, out.array[2, 3])
"""
    assert in_a_process(script, DIOPI_FALLBACK_REPORT=str(report)) == ["diopiSuccess 0.25"] * 2
    rows = list(csv.DictReader(report.read_text(encoding="utf-8").splitlines()))
    assert [row["operator"] for row in rows] == ["diopiSoftmax"]
    assert {key: int(rows[0][key]) for key in ("absent", "unsupported", "configured", "asked", "bytes")} == {
        "absent": 2,
        "unsupported": 0,
        "configured": 0,
        "asked": 0,
        "bytes": 2 * (48 + 48),
    }
    assert int(rows[0]["nanoseconds"]) > 0


def test_fallback_can_be_forbidden(tmp_path: Path) -> None:
    run = judge(tmp_path, "--case", "diopiSoftmax/input=3x4,dim=1/float32/contiguous", DIOPI_FALLBACK="off")
    assert run.returncode == 1
    assert "returned diopiNoImplement: diopiSoftmax: the vendor does not compute this call" in run.stdout


def test_support() -> None:
    script = """
for question in (
    ("diopiSoftmax", None, "float32"),
    ("diopiSoftmax", "out", "float64"),
    ("diopiMaskedSelect", "mask", "float32"),
    ("diopiNoSuchOperator", None, "float32"),
):
    print(minimal.fallbacks.support(*question))
"""
    assert in_a_process(script) == ["fallback", "fallback", "unsupported", "unsupported"]
