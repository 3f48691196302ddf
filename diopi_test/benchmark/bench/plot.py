# SPDX-License-Identifier: BSD-3-Clause
"""Draws the diagrams of a run: rates with the machine's limits, and time against size."""

from __future__ import annotations

from pathlib import Path

import matplotlib
from matplotlib.axes import Axes

from .chart import COLORS
from .results import OURS, Limits, Result, triad_rate
from .runner import Run

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


def draw_products(axes: Axes, results: list[Result], limits: Limits) -> None:
    """Draws the roofline: operations per second against operations per byte."""
    points = [result for result in results if result.case.flops and result.seconds(OURS)]
    if not points:
        axes.set_axis_off()
        return
    for dtype in sorted({result.case.dtype for result in points}):
        mine = [result for result in points if result.case.dtype == dtype]
        axes.plot(
            [result.case.flops / result.case.bytes for result in mine],
            [result.case.flops / result.seconds(OURS) / 1e9 for result in mine],
            ".",
            label=dtype,
        )
    if limits.bandwidth:
        memory = triad_rate(max(limits.bandwidth, key=lambda row: row["bytes"]))
        intensities = [result.case.flops / result.case.bytes for result in points]
        for dtype, peak in limits.flops.items():
            ridge = peak / memory
            xs = sorted({min(intensities), ridge, max(*intensities, ridge)})
            axes.plot(xs, [min(x * memory, peak) / 1e9 for x in xs], "-", linewidth=1, label=f"limit, {dtype}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("operations per byte")
    axes.set_ylabel("10⁹ operations per second")
    axes.set_title("matrix products and convolutions")
    axes.legend(fontsize=7)


def draw_memory(axes: Axes, results: list[Result], limits: Limits) -> None:
    """Draws bytes per second against the size of the memory that the case cycles through, with the measured triad."""
    groups = sorted({result.case.group for result in results if not result.case.flops})
    for group in groups:
        mine = [
            result
            for result in results
            if result.case.group == group and not result.case.flops and result.seconds(OURS)
        ]
        axes.plot(
            [result.footprint for result in mine],
            [result.case.bytes / result.seconds(OURS) / 1e9 for result in mine],
            ".",
            label=group,
        )
    rows = sorted(limits.bandwidth, key=lambda row: row["bytes"])
    if rows:
        axes.plot(
            [row["bytes"] for row in rows], [triad_rate(row) / 1e9 for row in rows], "k-", linewidth=1, label="triad"
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.1)
    axes.set_xlabel("memory size in bytes")
    axes.set_ylabel("10⁹ bytes per second")
    axes.set_title("all other operators")
    if groups:
        axes.legend(fontsize=7)


def draw_roofline(path: Path, run: Run) -> None:
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(13, 5))
    draw_products(left, run.results, run.limits)
    draw_memory(right, run.results, run.limits)
    figure.suptitle(f"Rates and the machine's limits, {run.threads} thread(s)")
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    pyplot.close(figure)


def draw_growth(path: Path, runs: list[Run]) -> None:
    """Draws the time of each side for each size."""
    results = [result for run in runs for result in run.results if result.case.group == "growth"]
    names = sorted({result.case.op for result in results})
    if not names:
        return
    figure, all_axes = pyplot.subplots(1, len(names), figsize=(4 * len(names), 4), squeeze=False)
    for axes, name in zip(all_axes[0], names):
        for run in runs:
            mine = [result for result in run.results if result.case.group == "growth" and result.case.op == name]
            for number, side in enumerate(sorted({side for result in mine for side in result.sides})):
                points = [(result.case.elements, seconds) for result in mine if (seconds := result.seconds(side))]
                axes.plot(
                    [point[0] for point in points],
                    [point[1] * 1e6 for point in points],
                    "-" if run.threads == runs[0].threads else "--",
                    color=COLORS[number % len(COLORS)],
                    marker=".",
                    linewidth=1,
                    label=f"{side}, {run.threads} thread(s)",
                )
        axes.set(xscale="log", yscale="log", xlabel="elements", ylabel="microseconds", title=name)
        axes.legend(fontsize=6)
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    pyplot.close(figure)


def draw(folder: Path, runs: list[Run]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    draw_growth(folder / "growth.png", runs)
    for run in runs:
        draw_roofline(folder / f"roofline_{run.threads}.png", run)
