# SPDX-License-Identifier: BSD-3-Clause
"""The comparison of the radix sort of the vendor cuda with CUB's, on the GPU of this machine: cuda_sort/main.cpp."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from .report import time_text
from .results import geometric_mean

PROGRAM = "diopi_bench_sort"
SAMPLES, LENGTHS = 25, [1 << k for k in (10, 14, 18, 22, 25)]
EMULATED_SAMPLES, EMULATED_LENGTHS = 1, [1 << 10, 3000]
MOST_SECONDS = 120.0
WRONG = 1  # the exit code of the program if an order is wrong
STAND_IN = "a sort on the host stands for CUB"


def compare_sorts(build: Path, emulated: bool, seconds_left: float) -> dict[str, Any]:
    """The figures of each width of keys, or under `not_measured` why there are none."""
    program = build / "bin" / PROGRAM
    if not program.exists():
        return {"not_measured": "CUB was not installed when the bench was built"}
    if seconds_left <= 0:
        return {"not_measured": "the time is over"}
    samples, lengths = (EMULATED_SAMPLES, EMULATED_LENGTHS) if emulated else (SAMPLES, LENGTHS)
    try:
        run = subprocess.run(
            [str(word) for word in (program, samples, *lengths)],
            capture_output=True,
            text=True,
            check=False,
            timeout=min(seconds_left, MOST_SECONDS),
        )
    except subprocess.TimeoutExpired as error:
        return {"not_measured": f"{PROGRAM} did not end within {error.timeout:.0f} seconds"}
    if run.returncode not in (0, WRONG):
        return {"not_measured": f"{PROGRAM} ended with {run.returncode}: {run.stderr.strip()}"}
    return read_lines(run.stdout)


def read_lines(text: str) -> dict[str, Any]:
    """What the program has printed. A ratio is CUB's time divided by ours, of right orders only."""
    head, *lines = (json.loads(line) for line in text.splitlines())
    version = head["cub"]
    widths: dict[str, dict[str, Any]] = {}
    wrong = []
    for line in lines:
        figures = {"diopi": line["diopi"], "cub": line["cub"]}
        wrong += [
            f"{side}: {line['n']} keys of {line['bits']} bits"
            for side, right in zip(figures, line["right"])
            if not right
        ]
        if all(line["right"]):
            figures["ratio"] = line["cub"] / line["diopi"]
        widths.setdefault(str(line["bits"]), {})[str(line["n"])] = figures
    return {
        "cub": f"{version // 100000}.{version // 100 % 1000}.{version % 100}" if version else STAND_IN,
        "wrong": wrong,
        "widths": {
            bits: {
                "geometric_mean": geometric_mean([each["ratio"] for each in lengths.values() if "ratio" in each]),
                "lengths": lengths,
            }
            for bits, lengths in widths.items()
        },
    }


def summary(sorts: dict[str, Any]) -> list[str]:
    """Lines for the terminal."""
    if "not_measured" in sorts:
        return [f"sorts were not compared with CUB: {sorts['not_measured']}"]
    lines = [f"radix sort against CUB ({sorts['cub']}); ratios are CUB's time divided by ours"]
    for bits, width in sorts["widths"].items():
        longest = max(width["lengths"], key=int)
        ours, cub = (time_text(width["lengths"][longest][side]) for side in ("diopi", "cub"))
        mean = width["geometric_mean"]
        ratio = "no ratio" if mean is None else f"geometric mean {mean:.2f}"
        lines.append(f"  keys of {bits} bits: {ratio}; {longest} keys: {ours}, CUB {cub}")
    return lines + [f"  wrong order: {text}" for text in sorts["wrong"]]
