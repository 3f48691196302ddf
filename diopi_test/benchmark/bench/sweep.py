# SPDX-License-Identifier: BSD-3-Clause
"""Runs the group `sweep`: many shapes, dtypes and layouts of each operator, and where libtorch is faster."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, replace

from rich.console import Console
from rich.table import Table

from .cases import Case, Group
from .report import losers_table, summary_table, troubles
from .results import Result, geometric_mean, threshold
from .runner import Run, Setup, run_cases

GROUP = "sweep"
PEER = "torch"
SECONDS_BETWEEN_LINES = 10.0


def plan(setup: Setup, quick: bool) -> Setup:
    """The settings for many small cases: one set of buffers, and few short samples."""
    few = replace(setup, samples=5, sample_seconds=5e-4, most_seconds=0.2, least_samples=1, rotated_bytes=0)
    return replace(few, samples=1, sample_seconds=1e-4, most_seconds=0.05) if quick else few


@dataclass
class Progress:
    """Prints how many cases are measured, every ten seconds."""

    console: Console
    count: int

    def __post_init__(self) -> None:
        self.done = 0
        self.begin = self.shown = time.monotonic()

    def __call__(self, result: Result) -> None:
        self.done += 1
        now = time.monotonic()
        if now - self.shown >= SECONDS_BETWEEN_LINES or self.done == self.count:
            self.shown = now
            self.console.print(
                f"  {self.done} of {self.count} cases after {now - self.begin:.0f} s, {result.case.op}", highlight=False
            )


def run_sweep(setup: Setup, threads: int, cases: list[Case], console: Console) -> Run:
    console.print(f"{len(cases)} cases, {threads} thread(s)", style="bold")
    return run_cases(setup, threads, cases, False, Progress(console, len(cases)))


def operator_table(group: Group, run: Run) -> Table:
    """A line for each operator and dtype that loses somewhere; the lowest geometric mean first."""
    ratios: dict[tuple[str, str], list[float]] = defaultdict(list)
    for result in run.results:
        ratio = result.ratio(PEER)
        if ratio is not None:
            ratios[result.case.op, result.case.dtype].append(ratio)
    table = Table(title=f"Operators that lose against libtorch, {run.place}", title_justify="left")
    for column in ("operator", "dtype", "cases", "losers", "geometric mean", "worst"):
        table.add_column(column, justify="left" if column in ("operator", "dtype") else "right")
    lost = {key: found for key, found in ratios.items() if min(found) < threshold(group)}
    for (op, dtype), found in sorted(lost.items(), key=lambda item: geometric_mean(item[1]) or 0):
        losers = sum(ratio < threshold(group) for ratio in found)
        table.add_row(op, dtype, str(len(found)), str(losers), f"{geometric_mean(found):.2f}", f"{min(found):.2f}")
    return table


def print_sweep(console: Console, group: Group, run: Run) -> None:
    console.print(summary_table([group], run.results, run.place))
    losers = losers_table([group], run.results, run.place)
    if losers is not None:
        console.print(losers)
        console.print(operator_table(group, run))
    for trouble in troubles(run.results, run.place):
        console.print(f"[red]{trouble}[/]", soft_wrap=True)
