# SPDX-License-Identifier: BSD-3-Clause
"""Starts the bench's program, one process for each number of threads, and reads the lines that it prints."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .cases import Case
from .operators import UnusableError
from .results import Limits, Result, Samples, read_result

# The memory sizes for which the bandwidth is measured: in the first, second and third cache, and outside of the caches.
BANDWIDTH_BYTES = [16 << 10, 256 << 10, 1 << 20, 8 << 20, 64 << 20, 256 << 20, 1 << 30]

WRONG_USE, UNUSABLE = 2, 3  # exit codes of the program


# The variables by which libraries choose their kernels, for each value of --isa.
ISA_VARIABLES = {
    "avx2": {
        "DIOPI_CPU_ISA": "avx2",
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "OPENBLAS_CORETYPE": "Haswell",
    }
}


@dataclass(frozen=True)
class Setup:
    program: Path
    library: Path
    peers: dict[str, Path]  # name -> module
    samples: int = 7
    sample_seconds: float = 2e-3
    most_seconds: float = 8  # slow cases stop after this time, with at least `least_samples`
    least_samples: int = 3
    in_cache_bytes: int = 1 << 20
    rotated_bytes: int = 1 << 30
    library_first: bool = False
    isa: str = ""  # a key of ISA_VARIABLES, or all instructions of the machine
    on_device: bool = False
    ends: float = math.inf  # the process ends at this time (time.monotonic()); the rest is not measured

    @property
    def seconds_left(self) -> float:
        return self.ends - time.monotonic()


@dataclass
class Run:
    """All results with one number of threads, or on a device."""

    threads: int
    device: str = ""
    not_measured: list[str] = field(default_factory=list)  # cases for which the time did not suffice
    limits: Limits = field(default_factory=Limits)
    process: dict[str, Any] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    first_calls: list[dict[str, Any]] = field(default_factory=list)

    @property
    def place(self) -> str:
        return self.device or f"{self.threads} thread(s)"


def environment(setup: Setup, threads: int) -> dict[str, str]:
    count = str(threads)
    return {
        **os.environ,
        "OMP_NUM_THREADS": count,
        "MKL_NUM_THREADS": count,
        "OPENBLAS_NUM_THREADS": count,
        "OMP_DYNAMIC": "false",
        "MKL_DYNAMIC": "FALSE",
        **ISA_VARIABLES.get(setup.isa, {}),
        **({"DIOPI_FALLBACK": "off"} if setup.on_device else {}),  # what the host computes is not measured
    }


def pinned(setup: Setup, threads: int) -> list[str]:
    """The command that gives a process as many cores as it has threads. On a device, no thread computes."""
    if setup.on_device:
        return []
    return ["taskset", "--cpu-list", ",".join(map(str, sorted(os.sched_getaffinity(0))[:threads]))]


def command(setup: Setup, threads: int, cases: Path, extra: list[str]) -> list[str]:
    words = [
        *pinned(setup, threads),
        setup.program,
        "--cases",
        cases,
        "--library",
        setup.library,
        "--threads",
        threads,
        "--samples",
        setup.samples,
        "--sample_seconds",
        setup.sample_seconds,
        "--most_seconds",
        setup.most_seconds,
        "--least_samples",
        setup.least_samples,
        "--in_cache_bytes",
        setup.in_cache_bytes,
        "--rotated_bytes",
        setup.rotated_bytes,
        "--load_order",
        "library" if setup.library_first else "peers",
        "--memory",
        "device" if setup.on_device else "host",
    ]
    for name, path in setup.peers.items():
        words += ["--peer", f"{name}={path}"]
    return [str(word) for word in words + extra]


def read_lines(setup: Setup, threads: int, cases: list[Case], extra: list[str]) -> Iterator[dict[str, Any]]:
    """The lines that the program prints, and a last line with its exit status."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([case.as_json() for case in cases], file)
        file.flush()
        words = command(setup, threads, Path(file.name), extra)
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment(setup, threads))
        end = threading.Timer(max(setup.seconds_left, 0), process.kill) if setup.ends < math.inf else None
        if end is not None:
            end.start()
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if line.endswith("\n"):  # the last line of a process that was ended may be a part
                    yield json.loads(line)
            yield {"kind": "ends", "status": process.wait()}
        finally:
            if end is not None:
                end.cancel()


def run_cases(
    setup: Setup, threads: int, cases: list[Case], with_bandwidth: bool, progress: Callable[[Result], None]
) -> Run:
    """Runs all cases. If the process ends in a case, this is the case's result, and a new process runs the others. When
    the time is over, the rest is not measured."""
    run = Run(threads)
    by_name = {case.name: case for case in cases}
    left = list(cases)

    def is_over() -> bool:
        return setup.seconds_left <= 0

    extra = [word for size in BANDWIDTH_BYTES for word in ("--bandwidth", str(size))] if with_bandwidth else []
    while left and setup.seconds_left > 0:
        current = ""
        for line in read_lines(setup, threads, left, extra):
            match line["kind"]:
                case "bandwidth":
                    run.limits.bandwidth.append(line)
                case "process":
                    run.process = line
                case "begins":
                    current = line["name"]
                case "case":
                    result = read_result(line, by_name[line["name"]], threads, setup.on_device)
                    run.results.append(result)
                    progress(result)
                    current = ""
                    left = [case for case in left if case.name != line["name"]]
                case "ends" if line["status"] == UNUSABLE:
                    raise UnusableError(f"{setup.library} or a peer cannot be used; the lines above say why")
                case "ends" if line["status"] == WRONG_USE or (line["status"] != 0 and not current and not is_over()):
                    sys.exit(f"error: {setup.program} ended with status {line['status']}")
                case "ends" if line["status"] != 0 and not is_over():
                    message = f"the process ended with status {line['status']}"
                    run.results.append(Result(by_name[current], threads, 0, 0, {"diopi": Samples("crashed", message)}))
                    left = [case for case in left if case.name != current]
        extra = []
    run.not_measured = [case.name for case in left]
    return run


def add_numpy(setup: Setup, run: Run, python: str, script: Path) -> None:
    """Adds NumPy's times. A separate process measures them after the other sides, not alternately with them."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([result.case.as_json() for result in run.results], file)
        file.flush()
        words = [
            *pinned(setup, run.threads),
            python,
            script,
            "--cases",
            file.name,
            "--samples",
            setup.samples,
            "--sample_seconds",
            setup.sample_seconds,
            "--rotated_bytes",
            setup.rotated_bytes,
            "--in_cache_bytes",
            setup.in_cache_bytes,
        ]
        process = subprocess.run(
            [str(word) for word in words],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env=environment(setup, run.threads),
        )
    sides = {result.case.name: result.sides for result in run.results}
    for line in map(json.loads, process.stdout.splitlines()):
        if "message" in line:
            sides[line["name"]]["numpy"] = Samples("absent", line["message"])
        else:
            sides[line["name"]]["numpy"] = Samples("ok", seconds=line["seconds"])


def measure_first_calls(setup: Setup, threads: int, cases: list[Case], sides: list[str]) -> list[dict[str, Any]]:
    """The times of first calls. A new process measures each of them."""
    found = []
    for case in cases:
        for side in sides:
            for line in read_lines(setup, threads, [case], ["--first_call", side]):
                if line["kind"] == "first_call" and "first" in line:
                    found.append(line)
    return found
