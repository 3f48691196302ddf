# SPDX-License-Identifier: BSD-3-Clause
"""The file with the last figures of the vendor cuda on a GPU: impl/cuda/benched.json."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from .cases import Group
from .device import Target, best_copy, computed_on_host
from .machine import command_output
from .results import OURS, geometric_mean, judge
from .runner import Run

ROOT = Path(__file__).resolve().parents[3]
NEVER = "never"


def read_record(path: Path) -> dict[str, Any] | None:
    """The figures in a file; None if no GPU was measured."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return None if data["bench"] == NEVER else data["bench"]


def write_record(path: Path, target: Target, run: Run, groups: list[Group], sorts: dict[str, Any]) -> None:
    """Writes the figures. The file is replaced at once, so that no reader sees a part of it."""
    text = json.dumps({"vendor": "cuda", "bench": make_record(target, run, groups, sorts)}, indent=1) + "\n"
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.write_text(text, encoding="utf-8")
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def make_record(target: Target, run: Run, groups: list[Group], sorts: dict[str, Any]) -> dict[str, Any]:
    measured = [result for result in run.results if result.seconds(OURS)]
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "device": target.device.name,
        "driver": target.device.driver,
        "commit": command_output("git", "-C", str(ROOT), "describe", "--always", "--dirty"),
        "versions": run.process.get("versions", {}),
        "copy_bandwidth": best_copy(run.results),
        "on_host": [result.case.name for result in computed_on_host(run.results)],
        "not_measured": run.not_measured,
        "failed": [result.case.name for result in run.results if result.has_trouble],
        "groups": {group.name: found for group in groups if (found := of_group(group, run))},
        "cases": {
            result.case.name: {
                "seconds": result.seconds(OURS),
                "ratio": result.ratio("torch"),
                "share": result.share,
            }
            for result in measured
        },
        "sort": sorts,
    }


def of_group(group: Group, run: Run) -> dict[str, Any] | None:
    results = [result for result in run.results if result.case.group == group.name and result.seconds(OURS)]
    if not results:
        return None
    ratios = [ratio for result in results if (ratio := result.ratio("torch")) is not None]
    return {
        "cases": len(results),
        "geometric_mean": geometric_mean(ratios),
        "worst": min(ratios, default=None),
        "goals": [
            {"goal": verdict.text, "value": verdict.value, "met": verdict.is_met}
            for verdict in judge(group.bar, results)
        ],
    }
