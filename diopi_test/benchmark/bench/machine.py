# SPDX-License-Identifier: BSD-3-Clause
"""Describes the machine and the commit on which a benchmark ran."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any


def first_value(path: str, key: str) -> str:
    for line in Path(path).read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return "unknown"


def command_output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def describe_machine(root: Path) -> dict[str, Any]:
    caches = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind, level = (index / "type").read_text().strip(), (index / "level").read_text().strip()
        caches[f"L{level} {kind.lower()}"] = (index / "size").read_text().strip()
    return {
        "cpu": first_value("/proc/cpuinfo", "model name"),
        "flags": [
            flag
            for flag in first_value("/proc/cpuinfo", "flags").split()
            if flag.startswith(("avx", "amx", "fma", "f16c"))
        ],
        "cores": os.cpu_count(),
        "caches": caches,
        "memory": first_value("/proc/meminfo", "MemTotal"),
        "system": platform.platform(),
        "load": os.getloadavg(),
        "commit": command_output("git", "-C", str(root), "describe", "--always", "--dirty"),
        "python": platform.python_version(),
    }
