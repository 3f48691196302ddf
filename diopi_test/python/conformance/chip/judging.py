# SPDX-License-Identifier: BSD-3-Clause
"""The device of a run, and the judge's run of a few families in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from adaptor.codegen.model import Registry, load_registry

from .. import REPOSITORY
from ..run.result import FAIL, UNTRUSTED
from .sources import VENDOR

PYTHON_FOLDER = Path(__file__).resolve().parents[2]
PASSED, FAILED = 0, 1  # exit codes of main.py after a complete run


class ChipError(Exception):
    """There is no device, or the library cannot be judged on it."""


@dataclass(frozen=True)
class Device:
    """What judges."""

    name: str
    driver: str


EMULATION = Device("emulation", "none")


@dataclass(frozen=True)
class Settings:
    """What all families are judged with."""

    build: Path
    all_cases: bool
    jobs: int
    case_seconds: int  # the time limit of a case
    variables: dict[str, str] = field(default_factory=dict)  # of the judge's environment


def is_emulated(build: Path) -> bool:
    """Whether a build folder has the kernels for the CPU."""
    cache = build / "CMakeCache.txt"
    if not cache.is_file():
        raise ChipError(f"{build} is no build folder: it has no CMakeCache.txt")
    return "\nDIOPI_CUDA_EMULATED:BOOL=ON\n" in cache.read_text(encoding="utf-8")


def find_device() -> Device:
    """The first GPU of the machine."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, check=False)
    except OSError:
        raise ChipError("no driver of NVIDIA GPUs is installed: there is no nvidia-smi") from None
    gpus = answer.stdout.strip().splitlines()
    if answer.returncode != 0 or not gpus:
        why = (answer.stdout + answer.stderr).strip() or "it lists no GPU"
        raise ChipError(f"there is no GPU that can be used; nvidia-smi says: {why}")
    name, _, driver = gpus[0].rpartition(",")
    return Device(name.strip(), driver.strip())


def judge_families(settings: Settings, families: list[str], seconds: float) -> dict[str, dict[str, int]] | None:
    """For each family the numbers of cases by status; None if the time was over before the judge had finished. Starting
    the judge and its workers takes seconds, so several families share a run."""
    if seconds <= 0:
        return None
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        code = _run(_command(settings, operators_of(load_registry(), families), report), seconds, settings.variables)
        if code is None:
            return None
        if code not in (PASSED, FAILED) or not report.exists():
            raise ChipError(f"the judge could not judge {' '.join(families)}: it ended with exit code {code}")
        data = json.loads(report.read_text(encoding="utf-8"))
    if code == FAILED and not data["counts"].get(FAIL, 0) + data["counts"].get(UNTRUSTED, 0):
        names = " ".join(families)
        raise ChipError(f"the judge failed {names} without a failed case; the library lacks {data['absent']}")
    counts: dict[str, Counter[str]] = {family: Counter() for family in families}
    for result in data["results"]:
        counts[result["family"]][result["status"]] += 1
    return {family: dict(own) for family, own in counts.items()}


def operators_of(registry: Registry, families: list[str]) -> list[str]:
    """The operators of families. The judge takes a name that both an operator and a family have for the operator."""
    return [f.name for family in families for f in registry.family(family)]


def _command(settings: Settings, operators: list[str], report: Path) -> list[str]:
    libraries = settings.build.resolve() / "lib"
    options = [] if settings.all_cases else ["--quick"]
    return [
        *(sys.executable, str(PYTHON_FOLDER / "main.py"), "--mode", "run_test", "--fname", *operators, *options),
        *("--impl_folder", str(REPOSITORY / VENDOR), "--library", str(libraries / "libdiopi_impl.so")),
        *("--runtime", str(libraries / "libdiopirt.so"), "--jobs", str(settings.jobs), "--json", str(report)),
        *("--timeout", str(settings.case_seconds)),
    ]


def _run(command: list[str], seconds: float, variables: dict[str, str]) -> int | None:
    """The exit code. Ends the processes of the command and returns None if it has not finished in time."""
    process = subprocess.Popen(command, start_new_session=True, env=os.environ | variables)
    try:
        return process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
