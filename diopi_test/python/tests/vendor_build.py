# SPDX-License-Identifier: BSD-3-Clause
"""Builds the library of a new vendor as scripts/build_impl.sh does, but without optimization."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from conformance.run.binding import default_library

ROOT = Path(__file__).resolve().parents[3]
BUILD = default_library().parents[1]


def run(command: list[str | Path], check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[1],
        env={**os.environ, **environment},
    )
    assert not check or done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done


def copy_minimal(vendor: Path) -> None:
    """Makes the vendor mychip, a copy of impl/minimal."""
    shutil.copytree(ROOT / "impl" / "minimal", vendor)
    for path in vendor.iterdir():
        path.write_text(path.read_text(encoding="utf-8").replace("minimal", "mychip"), encoding="utf-8")
    (vendor / "functions").mkdir()


def configure(vendor: Path, build: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    options = {
        "DIOPI_VENDOR": "mychip",
        "DIOPI_VENDOR_FOLDER": vendor,
        "DIOPI_HOST_BUILD": BUILD,
        "DIOPI_PYTHON": sys.executable,
        "DIOPI_BUILD_TESTS": "OFF",
        "DIOPI_BUILD_EXAMPLES": "OFF",
        "CMAKE_BUILD_TYPE": "Debug",
        "CMAKE_CXX_FLAGS_DEBUG": "-O0",
        "CMAKE_CXX_COMPILER": cached("CMAKE_CXX_COMPILER"),
        "CMAKE_C_COMPILER": cached("CMAKE_C_COMPILER"),
    }
    settings = [f"-D{name}={value}" for name, value in options.items()]
    return run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, *settings], check)


def build_target(build: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    jobs = str(len(os.sched_getaffinity(0)))
    return run(["cmake", "--build", build, "--target", "diopi_impl_mychip", "--parallel", jobs], check)


def library_of(build: Path) -> Path:
    return build / "lib" / default_library().name


def cached(name: str) -> str:
    """A variable of the build folder whose libraries are tested."""
    cache = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
    found = re.search(rf"^{name}:\w+=(.*)$", cache, re.MULTILINE)
    assert found is not None
    return found[1]
