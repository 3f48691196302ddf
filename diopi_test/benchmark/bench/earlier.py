# SPDX-License-Identifier: BSD-3-Clause
"""Compares our times with those of an earlier run, which the bench wrote with --json."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .operators import BenchError
from .report import time_text
from .results import OURS, Result
from .runner import Run

SLOWER = 1.1  # smaller differences are noise

Times = dict[tuple[int, str], float]  # by the number of threads and the name of the case


def read_times(path: Path) -> Times:
    try:
        runs = json.loads(path.read_text())["runs"]
        return {
            (run["threads"], case["name"]): case["sides"][OURS]["median"]
            for run in runs
            for case in run["cases"]
            if case["sides"][OURS]["median"]
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BenchError(f"{path} is not a file that --json wrote: {error!r}") from None


def slower(results: list[Result], threads: int, earlier: Times) -> list[tuple[float, float, Result]]:
    """The cases that take longer now, the largest loss first: how many times as long, the earlier time, the result."""
    found = []
    for result in results:
        before, now = earlier.get((threads, result.case.name)), result.seconds(OURS)
        if before and now and now > SLOWER * before:
            found.append((now / before, before, result))
    return sorted(found, key=lambda row: -row[0])


def print_slower(console: Console, run: Run, earlier: Times) -> None:
    common = sum((run.threads, result.case.name) in earlier for result in run.results)
    rows = slower(run.results, run.threads, earlier)
    console.print(f"{common} cases are in the earlier run, {run.place}; {len(rows)} became slower", highlight=False)
    if not rows:
        return
    table = Table(title=f"Slower than in the earlier run, {run.place}", title_justify="left")
    for column in ("case", "earlier", "now", "times as long"):
        table.add_column(column, justify="left" if column == "case" else "right", overflow="fold")
    for factor, before, result in rows:
        table.add_row(result.case.name, time_text(before), time_text(result.seconds(OURS)), f"{factor:.2f}")
    console.print(table)
