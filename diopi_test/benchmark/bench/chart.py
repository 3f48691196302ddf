# SPDX-License-Identifier: BSD-3-Clause
"""The chart of a run: for each group of cases, how many times faster than PyTorch the vendor's library is."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import matplotlib

from .cases import Group
from .results import geometric_mean

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

COLORS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728")
LOSS_COLOR = "#555555"


def ratios_by_group(run: dict[str, Any], peer: str = "torch") -> dict[str, list[float]]:
    """The ratios to `peer` of the cases of one run of the JSON document that the bench writes."""
    ratios: dict[str, list[float]] = {}
    for case in run["cases"]:
        if peer in case["ratios"]:
            ratios.setdefault(case["group"], []).append(case["ratios"][peer])
    return ratios


def draw_chart(path: Path, document: dict[str, Any], groups: list[Group]) -> None:
    """Draws a bar for the geometric mean of a group, a dot for each case, and a red line for the group's goal."""
    runs = [(run["threads"], ratios_by_group(run)) for run in document["runs"]]
    shown = [g for g in groups if g.bar != type(g.bar)() and any(g.name in ratios for _, ratios in runs)]
    if not shown:
        return
    figure, axes = pyplot.subplots(figsize=(9, 1.4 + 0.5 * len(shown)))
    height = 0.8 / len(runs)
    for number, (threads, ratios) in enumerate(runs):
        offset = (number - (len(runs) - 1) / 2) * height
        _draw_bars(axes, ratios, shown, offset, height, COLORS[number % len(COLORS)])
        axes.barh(0, 0, color=COLORS[number % len(COLORS)], alpha=0.6, label=f"{threads} thread{'s'[: threads > 1]}")
    for row, group in enumerate(shown):
        if group.bar.geometric_mean:
            axes.plot([group.bar.geometric_mean] * 2, [row - 0.42, row + 0.42], "r-", linewidth=1.5)
    _draw_axes(axes, document, shown)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _draw_bars(
    axes: Axes, ratios: dict[str, list[float]], groups: list[Group], offset: float, height: float, color: str
) -> None:
    for row, group in enumerate(groups):
        values = ratios.get(group.name, [])
        mean = geometric_mean(values)
        if mean is not None:
            axes.barh(row + offset, mean - 1, height, left=1, color=color, alpha=0.6)
            axes.plot(values, [row + offset] * len(values), "k.", markersize=3, alpha=0.5)


def _draw_axes(axes: Axes, document: dict[str, Any], groups: list[Group]) -> None:
    machine = document["machine"]
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_yticks(range(len(groups)), [textwrap.fill(group.title, 38) for group in groups])
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.figure.supxlabel("time of PyTorch / time of DIOPI, logarithmic (above 1: DIOPI is faster)", fontsize=10)
    axes.figure.suptitle(
        f"bar: geometric mean of a group; dot: one case; red: goal of the group\n{machine['cpu']}, "
        f"{machine['cores']} cores",
        fontsize=9,
    )
    axes.legend(loc="lower right")
