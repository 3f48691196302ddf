# SPDX-License-Identifier: BSD-3-Clause
"""Runs the group `models`: measures the calls of models, shows progress, and prints the tables."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace

from rich.console import Console
from rich.table import Table

from .cases import Case, Group
from .model_calls import GROUP, Model
from .model_results import PEER, ModelResult, add_up, losses
from .report import time_text, troubles, verdict_text
from .results import Result, geometric_mean, judge
from .runner import Run, Setup, run_cases

MOST_LOSSES = 25


def plan(setup: Setup, quick: bool) -> Setup:
    """The settings for models: one set of buffers as in a model, and few samples of long calls."""
    few = replace(setup, samples=3, sample_seconds=1e-3, most_seconds=0.4, least_samples=1, rotated_bytes=0)
    return replace(few, samples=1, sample_seconds=1e-4, most_seconds=0.1) if quick else few


def chosen(models: list[Model], pattern: str) -> list[Model]:
    """The models with only those calls whose name has a match."""
    for model in models:
        model.cases = {name: case for name, case in model.cases.items() if re.search(pattern, name)}
        model.counts = type(model.counts)({name: n for name, n in model.counts.items() if name in model.cases})
    return [model for model in models if model.cases]


def in_order(models: list[Model]) -> list[Case]:
    """All different cases, those of the first model first."""
    return list({name: case for model in models for name, case in model.cases.items()}.values())


@dataclass
class Progress:
    """Prints a line when all calls of a model are measured."""

    console: Console
    models: list[Model]
    begin: float

    def __post_init__(self) -> None:
        self.results: dict[str, Result] = {}
        self.waiting = [(model, set(model.cases)) for model in self.models]

    def __call__(self, result: Result) -> None:
        name = result.case.name
        self.results[name] = result
        for _, left in self.waiting:
            left.discard(name)
        for model in [model for model, left in self.waiting if not left]:
            self.show(model)
        self.waiting = [(model, left) for model, left in self.waiting if left]

    def show(self, model: Model) -> None:
        one = add_up(model, self.results)
        ratio = one.ratio(PEER)
        done = len(self.models) - len([None for _, left in self.waiting if left])
        self.console.print(
            f"  {model.name}: {one.calls} calls, ours {time_text(one.ours)}, torch {time_text(one.theirs)}, ratio "
            f"{ratio:.2f}; {done} of {len(self.models)} models after {time.monotonic() - self.begin:.0f} s"
            if ratio
            else f"  {model.name}: no call was measured on both sides",
            soft_wrap=True,
            highlight=False,
        )


def run_models(setup: Setup, threads: int, models: list[Model], console: Console) -> Run:
    cases = in_order(models)
    calls = sum(sum(model.counts.values()) for model in models)
    console.print(f"{len(models)} models, {calls} calls, {len(cases)} different, {threads} thread(s)", style="bold")
    begin = time.monotonic()
    run = run_cases(setup, threads, cases, False, Progress(console, models, begin))
    console.print(f"measured in {time.monotonic() - begin:.0f} s")
    return run


def model_table(results: list[ModelResult], threads: int) -> Table:
    table = Table(title=f"Models against libtorch, {threads} thread(s)", title_justify="left")
    for column in ("model", "calls", "ours", "torch", "ratio", "not measured", "operators that lose most"):
        words = column.startswith(("model", "operators"))
        table.add_column(column, justify="left" if words else "right", overflow="fold")
    for one in results:
        ratio = one.ratio(PEER)
        slow = [
            f"{lost.name} {time_text(lost.seconds)} ({lost.ratio:.2f})"
            for lost in one.operators[:3]
            if lost.seconds > 0
        ]
        table.add_row(
            one.name,
            str(one.calls),
            time_text(one.ours),
            time_text(one.theirs),
            f"[{'red' if ratio < 1 else 'green'}]{ratio:.2f}[/]" if ratio else "",
            str(one.not_measured or ""),
            ", ".join(slow),
        )
    return table


def loss_table(models: list[Model], run: Run) -> Table:
    table = Table(title=f"Calls that lose most time, {run.threads} thread(s)", title_justify="left")
    for column in ("call", "calls", "lost", "ours", "torch", "ratio"):
        table.add_column(column, justify="left" if column == "call" else "right", overflow="fold")
    for lost in losses(models, {result.case.name: result for result in run.results})[:MOST_LOSSES]:
        times = (time_text(seconds) for seconds in (lost.seconds, lost.ours, lost.theirs))
        table.add_row(lost.name.removeprefix(GROUP + "/"), str(lost.calls), *times, f"{lost.ratio:.2f}")
    return table


def print_models(console: Console, models: list[Model], run: Run, group: Group) -> list[ModelResult]:
    """Prints the tables of a run, and returns the figures of the models."""
    results = {result.case.name: result for result in run.results}
    figures = [add_up(model, results) for model in models]
    console.print(model_table(figures, run.threads))
    console.print(loss_table(models, run))
    ratios = [ratio for one in figures if (ratio := one.ratio(PEER))]
    verdicts = "; ".join(verdict_text(verdict) for verdict in judge(group.bar, figures))
    mean = geometric_mean(ratios)
    if mean:
        console.print(f"{group.title}: geometric mean {mean:.2f}, worst {min(ratios):.2f}; {verdicts}", soft_wrap=True)
    for trouble in troubles(run.results, run.place):
        console.print(f"[red]{trouble}[/]", soft_wrap=True)
    return figures


def print_left_out(console: Console, models: list[Model]) -> None:
    for model in models:
        for one in model.left_out:
            console.print(
                f"not measured: {model.name}, {one.count} x {one.call}: {one.reason}", soft_wrap=True, highlight=False
            )
