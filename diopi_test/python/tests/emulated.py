# SPDX-License-Identifier: BSD-3-Clause
"""Runs scripts with the emulated vendor cuda in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from conformance import REPOSITORY

LIBRARIES = REPOSITORY / "build" / "cuda-emulated" / "lib"
LIBRARY, RUNTIME = LIBRARIES / "libdiopi_impl.so", LIBRARIES / "libdiopirt.so"

NEEDS_EMULATION = pytest.mark.skipif(
    "DIOPI_EMULATED_CUDA" not in os.environ,
    reason="build/cuda-emulated may be missing or old; scripts/test.sh sets DIOPI_EMULATED_CUDA after it has built it",
)

BEGIN = f"""
import os
import sys
from pathlib import Path
from adaptor.codegen.model import load_registry
from conformance.placement import Placement
from conformance.run.binding import HostError, Runtime
from conformance.run.buffers import Buffer
registry = load_registry()
try:
    vendor = Runtime(registry, Path({str(RUNTIME)!r}), Path({str(LIBRARY)!r}))
except HostError as error:
    sys.exit(str(error))

"""


def run_script(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(sys.path)
    return subprocess.run(
        [sys.executable, "-c", BEGIN + script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )


def lines_of(script: str, **environment: str) -> list[str]:
    run = run_script(script, **environment)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout.splitlines()
