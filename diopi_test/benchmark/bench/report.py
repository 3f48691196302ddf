# SPDX-License-Identifier: BSD-3-Clause
"""Prints the tables of a run on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from .cases import Group
from .results import (
    OURS,
    Limits,
    Result,
    Samples,
    Verdict,
    geometric_mean,
    helped_too_little,
    judge,
    threshold,
    triad_rate,
)


def time_text(seconds: float | None) -> str:
    if seconds is None:
        return ""
    for scale, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}" if seconds / scale < 1000 else f"{seconds / scale:.0f} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def side_text(samples: Samples | None) -> str:
    if samples is None:
        return ""
    if samples.time is None:
        return samples.status
    return f"{time_text(samples.time)} ±{samples.spread:.0%}"


def ratio_text(result: Result, peer: str, losing: float) -> str:
    ratio = result.ratio(peer)
    if ratio is None:
        return result.sides[peer].status if peer in result.sides and result.sides[peer].status != "ok" else ""
    color = "red" if ratio < losing else "green" if ratio > 1 else "yellow"
    return f"[{color}]{ratio:.2f}[/]"


def bytes_text(count: float) -> str:
    for scale, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if count >= scale:
            return f"{count / scale:.4g} {unit}"
    return f"{count:.0f} B"


def print_limits(console: Console, limits: Limits, threads: int) -> None:
    table = Table(title=f"Limits measured, {threads} thread(s), GB/s", title_justify="left")
    for column in ("memory size", "copy", "triad", "copy, streaming stores", "triad, streaming stores"):
        table.add_column(column, justify="right")
    for row in limits.bandwidth:
        rates = [row[rate] for rate in ("copy", "triad", "streaming_copy", "streaming_triad")]
        texts = [f"[bold]{rate / 1e9:.1f}[/]" if rate == triad_rate(row) else f"{rate / 1e9:.1f}" for rate in rates]
        table.add_row(bytes_text(row["bytes"]), *texts)
    console.print(table)
    for dtype, rate in limits.flops.items():
        console.print(f"Best matrix product, {dtype}: {rate / 1e9:.0f} GFLOP/s")


def case_table(group: Group, results: list[Result], peers: list[str], place: str) -> Table:
    peers = [peer for peer in peers if any(result.seconds(peer) for result in results)]
    table = Table(title=f"{group.title} ({group.name}), {place}", title_justify="left")
    table.add_column("case", overflow="fold")
    table.add_column("ours", justify="right", no_wrap=True)
    for peer in peers:
        table.add_column(peer, justify="right", no_wrap=True)
        table.add_column("ratio", justify="right", no_wrap=True)
    table.add_column("of limit", justify="right", no_wrap=True)
    with_speedup = any(result.speedup for result in results)
    if with_speedup:
        table.add_column("against one thread", justify="right", no_wrap=True)
    for result in results:
        row = [result.case.name.removeprefix(group.name + "/"), side_text(result.sides.get(OURS))]
        for peer in peers:
            samples = result.sides.get(peer)
            row += [side_text(samples), ratio_text(result, peer, threshold(group)) if samples else ""]
        row.append("" if result.share is None else f"{result.share:.0%} {result.limit}")
        if with_speedup:
            row.append(f"{result.speedup:.2f}" if result.speedup else "")
        table.add_row(*row)
    return table


def verdict_text(verdict: Verdict) -> str:
    if verdict.is_met is None:
        return f"{verdict.text}: not measured"
    value = time_text(verdict.value) if "us" in verdict.text else f"{verdict.value:.2f}"
    return f"{verdict.text}: [{'green' if verdict.is_met else 'red'}]{value} {'met' if verdict.is_met else 'MISSED'}[/]"


def summary_table(groups: list[Group], results: list[Result], place: str) -> Table:
    table = Table(title=f"Groups against libtorch, {place}", title_justify="left")
    for column in ("group", "cases", "geometric mean", "worst", "losers", "bar"):
        table.add_column(column, justify="left" if column in ("group", "bar") else "right")
    for group in groups:
        mine = [result for result in results if result.case.group == group.name]
        if not mine:
            continue
        ratios = [ratio for result in mine if (ratio := result.ratio("torch")) is not None]
        mean = geometric_mean(ratios)
        losers = sum(ratio < threshold(group) for ratio in ratios)
        verdicts = "\n".join(verdict_text(verdict) for verdict in judge(group.bar, mine))
        table.add_row(
            group.name,
            str(len(mine)),
            f"{mean:.2f}" if mean else "",
            f"{min(ratios):.2f}" if ratios else "",
            str(losers),
            verdicts,
        )
    return table


def losers_table(groups: list[Group], results: list[Result], place: str) -> Table | None:
    """The cases below the worst ratio that their group allows (1 if the group has no goal), the worst case first."""
    limits = {group.name: threshold(group) for group in groups}
    rows = [
        (ratio, result)
        for result in results
        if (ratio := result.ratio("torch")) is not None and ratio < limits[result.case.group]
    ]
    if not rows:
        return None
    table = Table(title=f"Losers against libtorch, {place}", title_justify="left")
    for column in ("case", "ours", "torch", "ratio", "allowed"):
        table.add_column(column, justify="left" if column == "case" else "right", overflow="fold")
    for ratio, result in sorted(rows, key=lambda row: row[0]):
        table.add_row(
            result.case.name,
            side_text(result.sides[OURS]),
            side_text(result.sides["torch"]),
            f"{ratio:.2f}",
            f"{limits[result.case.group]:.2f}",
        )
    return table


def threads_table(groups: list[Group], results: list[Result], place: str) -> Table | None:
    """The cases that several threads speed up too little, and the gain of the triad on as much memory."""
    below = [result for group in groups for result in helped_too_little(group, results)]
    if not below:
        return None
    table = Table(title=f"Cases that gain too little, {place} against one", title_justify="left")
    for column in ("case", "one thread", "ours", "gain", "gain of the triad"):
        table.add_column(column, justify="left" if column == "case" else "right", overflow="fold")
    for result in below:
        table.add_row(
            result.case.name,
            time_text(result.one_thread),
            side_text(result.sides[OURS]),
            f"{result.speedup:.2f}",
            f"{result.triad_speedup:.2f}" if result.triad_speedup else "",
        )
    return table


def troubles(results: list[Result], place: str) -> list[str]:
    """A line for each side that did not run or whose result differs. Its times do not count."""
    return [
        f"{result.case.name}, {place}: {side} {samples.status}: {samples.message}"
        for result in results
        for side, samples in result.sides.items()
        if samples.status in ("failed", "differs", "crashed")
    ]
