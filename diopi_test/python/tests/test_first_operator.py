# SPDX-License-Identifier: BSD-3-Clause
"""Tests the way of docs/adding-a-vendor.md: a copy of impl/minimal with one function that the vendor wrote itself."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from vendor_build import ROOT, build_target, configure, copy_minimal, library_of, run

from conformance.run.binding import default_runtime

pytestmark = pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="the new library is not built with the sanitizer")

LEDGER = """
import sys
from adaptor.codegen.model import load_registry
from conformance.placement import Placement
from conformance.run.binding import Runtime
from conformance.run.buffers import Buffer
registry = load_registry()
vendor = Runtime(registry, sys.argv[1], sys.argv[2])
out, input = (Buffer("float32", Placement((2, 2), (1, 2), 0)) for _ in "ab")
input.array[...] = [[-1, 2], [3, -4]]
functions = registry.functions
print(vendor.call(functions["diopiRelu"], {"out": out, "input": input}).code, out.array.tolist())
print(vendor.call(functions["diopiReluInp"], {"input": input}).code, input.array.tolist())
print([(row.operator, row.absent) for row in vendor.fallbacks.rows()])
print(*(vendor.fallbacks.support(name, None, "float32") for name in ("diopiRelu", "diopiReluInp")))
"""


def documented_function() -> str:
    """The operator that the guide shows."""
    guide = (ROOT / "docs" / "adding-a-vendor.md").read_text(encoding="utf-8")
    (text,) = (block for block in re.findall(r"```cpp\n(.*?)```", guide, re.DOTALL) if "diopiReluInp" in block)
    return str(text)


def build_library(folder: Path) -> Path:
    """The library of a vendor with the guide's operator."""
    vendor, build = folder / "mychip", folder / "build"
    copy_minimal(vendor)
    (vendor / "functions" / "activation.cpp").write_text(documented_function(), encoding="utf-8")
    configure(vendor, build)
    build_target(build)
    return library_of(build)


def test_the_guide_needs_at_most_30_lines() -> None:
    assert len(documented_function().splitlines()) <= 30


def test_the_judge_passes_the_operator_and_the_ledger_does_not_have_it(tmp_path: Path) -> None:
    library = build_library(tmp_path)
    judge(library, tmp_path)
    path = os.pathsep.join(sys.path)
    assert run([sys.executable, "-c", LEDGER, default_runtime(), library], PYTHONPATH=path).stdout.splitlines() == [
        "diopiSuccess [[0.0, 2.0], [3.0, 0.0]]",
        "diopiSuccess [[0.0, 2.0], [3.0, 0.0]]",
        "[('diopiRelu', 1)]",
        "fallback native",
    ]


def judge(library: Path, tmp_path: Path) -> None:
    """Checks that the vendor's own operator passes, and that the host computes the other one."""
    report = tmp_path / "run.json"
    command = [sys.executable, "main.py", "--mode", "run_test", "--library", library, "--runtime", default_runtime()]
    run([*command, "--fname", "relu_inp", "relu", "--quick", "--jobs", "1", "--json", report])
    results = json.loads(report.read_text(encoding="utf-8"))["results"]
    valid = [r for r in results if "!" not in r["case"]]
    statuses = {name: {r["status"] for r in valid if r["operator"] == name} for name in ("diopiRelu", "diopiReluInp")}
    assert statuses == {"diopiRelu": {"FALLBACK"}, "diopiReluInp": {"PASS"}}
    assert len({r["dtype"] for r in valid if r["operator"] == "diopiReluInp"}) >= 12, "all dtypes"
