# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a vendor with nine callbacks and no operator computes on the host, and that its library says so."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.run.binding import default_library, default_runtime

TESTS = Path(__file__).resolve().parent
MINIMAL = default_library().parent / "minimal" / default_library().name
# One family for each kind of argument: lists, created results, generators, sparse tensors, updates in place.
FAMILIES = ("softmax", "concat", "index", "random", "foreach", "norm_batch", "lmdeploy_sampling", "masked_select")


def judge(
    tmp_path: Path, *arguments: str, library: Path = MINIMAL, **environment: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "main.py", "--mode", "run_test", "--library", str(library), *arguments]
    command += ["--runtime", str(default_runtime()), "--jobs", "1", "--json", str(tmp_path / "run.json")]
    return subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        cwd=TESTS.parent,
        env={**os.environ, **environment},
    )


def run_script(script: str, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a script in a process. A runtime in this process would prevent tests that replace the runtime."""
    return subprocess.run(
        [sys.executable, "-c", BEGIN + script],
        check=check,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )


def in_a_process(script: str, **environment: str) -> list[str]:
    """The lines that a script prints."""
    return run_script(script, **environment).stdout.splitlines()


BEGIN = f"""
from adaptor.codegen.model import load_registry
from conformance.placement import Placement
from conformance.run.binding import Runtime, default_library, default_runtime
from conformance.run.buffers import Buffer
registry = load_registry()
minimal = Runtime(registry, default_runtime(), {str(MINIMAL)!r})
"""

# Prints the results of two equal calls.
SOFTMAX = """
out, input = (Buffer("float32", Placement((3, 4), (4, 1), 0)) for _ in "ab")
input.array[...] = 1
for _ in range(2):
    outcome = minimal.call(registry.functions["diopiSoftmax"], {"out": out, "input": input, "dim": 1})
    print(outcome.code, out.array[2, 3])
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
    assert in_a_process(SOFTMAX, DIOPI_FALLBACK_REPORT=str(report)) == ["diopiSuccess 0.25"] * 2
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


def test_a_warning_names_each_operator_once() -> None:
    run = run_script(SOFTMAX, DIOPI_FALLBACK="warn")
    assert run.stdout.splitlines() == ["diopiSuccess 0.25"] * 2
    line = "DIOPI_FALLBACK=warn: the host computes diopiSoftmax, because the vendor does not have it"
    assert run.stderr.splitlines() == [line]


@pytest.mark.parametrize("value", ["", "on"])
def test_nothing_is_printed_by_default(value: str) -> None:
    assert run_script(SOFTMAX, DIOPI_FALLBACK=value).stderr == ""


def test_an_unknown_setting_is_refused() -> None:
    run = run_script("", check=False, DIOPI_FALLBACK="of")
    assert run.returncode == 1
    assert "DIOPI_FALLBACK = of, expected on, off or warn" in run.stderr.splitlines()[-1]


def test_a_report_that_cannot_be_written_is_an_error_message(tmp_path: Path) -> None:
    path = tmp_path / "no" / "such" / "folder.csv"
    run = run_script(SOFTMAX, DIOPI_FALLBACK_REPORT=str(path))
    assert run.stderr == f"DIOPI_FALLBACK_REPORT = {path} cannot be written: No such file or directory\n"


def test_reports_have_the_ledger(tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    case = "diopiSoftmax/input=3x4,dim=1/float32/contiguous"
    run = judge(tmp_path, "--case", case, "--html_report", str(page))
    assert run.returncode == 0, run.stdout
    (row,) = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["fallbacks"]
    assert row["seconds"] > 0
    assert row == {"operator": "diopiSoftmax", "calls": {"absent": 1}, "bytes": 96, "seconds": row["seconds"]}
    text = page.read_text(encoding="utf-8")
    assert '<h2 id="host">Computed on the host</h2>' in text
    assert re.search(r">diopiSoftmax</td><td>absent</td><td[^>]*>1</td>\s*<td[^>]*>96 bytes</td>", text)


# Operators of the vendor diopi_test/unit/partial_vendor, the dtype, and the verdict and reason of their calls.
PARTIAL = (
    ("diopiSort/*/float32/*", "FALLBACK", "absent"),
    ("diopiNeg/*/int32/*", "FALLBACK", "unsupported"),
    ("diopiAdd/*/float64/*", "FALLBACK", "unsupported"),
    ("diopiMul/*/float32/*", "FALLBACK", "configured"),
    ("diopiRelu/input=3x4/*/contiguous", "FALLBACK", "asked"),
    ("diopiAbs/*/int32/*", "UNSUPPORTED", None),
)


@pytest.mark.parametrize(("case", "status", "reason"), PARTIAL)
def test_each_reason(tmp_path: Path, case: str, status: str, reason: str | None) -> None:
    library = default_library().parent / "partial" / default_library().name
    folder = TESTS.parents[1] / "unit" / "partial_vendor"
    run = judge(tmp_path, "--case", case, "--quick", "--impl_folder", str(folder), library=library)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr
    record = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    valid = [r for r in record["results"] if "!" not in r["case"]]
    assert {r["status"] for r in valid} == {status}
    assert {k for row in record["fallbacks"] for k in row["calls"]} == ({reason} if reason else set())


def test_support_is_none_if_fallback_is_forbidden() -> None:
    script = 'print(minimal.fallbacks.support("diopiSoftmax", None, "float32"))'
    assert in_a_process(script, DIOPI_FALLBACK="off") == ["unsupported"]


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
