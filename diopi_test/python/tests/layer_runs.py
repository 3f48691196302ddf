# SPDX-License-Identifier: BSD-3-Clause
"""Runs scripts under libdiopi_layer.so, and reads what the layer wrote."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conformance import REPOSITORY
from conformance.run.binding import default_library

TESTS = Path(__file__).resolve().parent
LAYER = default_library().parent / "libdiopi_layer.so"
REFERENCE = default_library().parent / "diopi" / "libdiopi_host.so"

NEEDS_LAYER = [
    pytest.mark.skipif(not (LAYER.exists() and REFERENCE.exists()), reason="the layer or its reference is not built"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
]

BEGIN = """
import ctypes, os, sys
from adaptor.codegen.model import load_registry
from conformance.placement import Placement, row_major
from conformance.run.binding import Runtime, default_library, default_runtime
from conformance.run.buffers import Buffer
registry = load_registry()
runtime = Runtime(registry, default_runtime(), sys.argv[1])

def tensor(values, dtype="float32", shape=None):
    shape = shape or (len(values),)
    made = Buffer(dtype, row_major(shape))
    made.array[...] = values
    return made

def call(operator, **arguments):
    return runtime.call(registry.functions[operator], arguments).code
"""


@dataclass
class LayerRun:
    """The end of a program under the layer."""

    folder: Path
    output: list[str]
    notes: list[str]

    def json(self, name: str) -> Any:
        (path,) = self.folder.glob(f"*/{name}")
        return json.loads(path.read_text(encoding="utf-8"))

    def lines(self, name: str) -> list[Any]:
        found = list(self.folder.glob(f"*/{name}"))
        return [json.loads(line) for path in found for line in path.read_text(encoding="utf-8").splitlines()]


def run_layer(folder: Path, mode: str, script: str, library: Path | None = None, **variables: str) -> LayerRun:
    """Runs a script after BEGIN under the layer. It must end by itself, with status 0."""
    out = folder / "layer"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DIOPI_LAYER")}
    environment |= {"DIOPI_LAYER": mode, "DIOPI_LAYER_OUT": str(out), "LD_PRELOAD": str(LAYER), **variables}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    run = subprocess.run(
        [sys.executable, "-c", BEGIN + script, str(library or default_library())],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
    )
    assert run.returncode == 0, run.stderr
    notes = [line.removeprefix("diopi-layer: ") for line in run.stderr.splitlines() if line.startswith("diopi-layer: ")]
    return LayerRun(out, run.stdout.splitlines(), notes)


def judge_under_layer(folder: Path, mode: str, *arguments: str, **variables: str) -> LayerRun:
    """Judges under the layer. Every case must pass."""
    out = folder / "layer"
    command = [sys.executable, "main.py", "--mode", "run_test", "--jobs", "1", "--timeout", "900", *arguments]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DIOPI_LAYER")}
    environment |= {"DIOPI_LAYER": mode, "DIOPI_LAYER_OUT": str(out), "LD_PRELOAD": str(LAYER), **variables}
    run = subprocess.run(command, check=False, capture_output=True, text=True, cwd=TESTS.parent, env=environment)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    return LayerRun(out, run.stdout.splitlines(), run.stderr.splitlines())


def wrong_vendor(folder: Path, fault: str) -> Path:
    """The library of wrong_vendor.c with one fault."""
    library = folder / f"libdiopi_impl_{fault}.so"
    command = ["cc", "-std=c99", "-O1", "-shared", "-fPIC", f"-DFAULT={fault}"]
    command += [f"-I{REPOSITORY / 'proto' / 'include'}", str(TESTS / "wrong_vendor.c"), "-o", str(library)]
    subprocess.run(command, check=True)
    return library
