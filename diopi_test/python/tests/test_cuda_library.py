# SPDX-License-Identifier: BSD-3-Clause
"""Tests the library of the vendor cuda that nvcc has compiled, on a machine without a GPU."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import RUN_TEST

from conformance import REPOSITORY
from conformance.chip.machine_code import MissingTool, find_tool

LIBRARIES = REPOSITORY / "build" / "release-cuda" / "lib"
LIBRARY, RUNTIME = LIBRARIES / "libdiopi_impl.so", LIBRARIES / "libdiopirt.so"
NO_DRIVER = "no driver of NVIDIA GPUs is installed"

pytestmark = pytest.mark.skipif(
    not LIBRARY.exists(), reason="build/release-cuda has no library; scripts/build_impl.sh cuda builds it"
)
without_driver = pytest.mark.skipif(Path("/proc/driver/nvidia").exists(), reason="this machine has a driver")

# Loads the library as a framework does: into a process that has the functions of diopirt.h.
LOAD = f"""
import ctypes
ctypes.CDLL({str(RUNTIME)!r}, mode=ctypes.RTLD_GLOBAL)
library = ctypes.CDLL({str(LIBRARY)!r})
library.diopiGetLastErrorString.restype = ctypes.c_char_p
library.diopiGetVendorName.restype = ctypes.c_char_p
print(library.diopiGetVendorName().decode(), library.initLibrary(), library.diopiGetLastErrorString().decode(), sep="|")
"""


@without_driver
def test_without_a_driver_the_library_loads_and_says_so():
    run = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=True)
    name, code, message = run.stdout.strip().split("|")
    assert name == "CudaDevice" and int(code) != 0 and NO_DRIVER in message
    assert not run.stderr


@without_driver
def test_without_a_driver_the_judge_says_so():
    command = [*RUN_TEST, "--library", str(LIBRARY), "--runtime", str(RUNTIME), "--fname", "softmax"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode not in (0, 1) and NO_DRIVER in run.stdout + run.stderr
    assert "Traceback" not in run.stdout + run.stderr


def list_code(*options: str) -> str:
    """What cuobjdump prints about the library."""
    try:
        cuobjdump = find_tool("cuobjdump")
    except MissingTool as error:
        pytest.skip(str(error))
    return subprocess.run([str(cuobjdump), *options, str(LIBRARY)], capture_output=True, text=True, check=True).stdout


def test_the_library_has_code_for_each_gpu():
    binaries, ptx = (re.findall(r"\.(sm_\d+)\.", list_code(option)) for option in ("--list-elf", "--list-ptx"))
    assert binaries.count("sm_80") == binaries.count("sm_90") == len(ptx) > 0
    assert set(binaries) == {"sm_80", "sm_90"} and set(ptx) == {"sm_90"}


def test_the_code_for_gpus_is_compressed():
    parts = re.split(r"^Fatbin (?=elf|ptx)", list_code(), flags=re.MULTILINE)[1:]
    assert parts and not [part for part in parts if "\ncompressed\n" not in part]


def test_the_library_needs_no_library_of_nvidia():
    run = subprocess.run(["readelf", "-d", str(LIBRARY)], capture_output=True, text=True, check=True)
    needed = re.findall(r"NEEDED.*\[(.*)\]", run.stdout)
    assert needed and not [name for name in needed if re.match(r"lib(cu|nv)", name)], needed
