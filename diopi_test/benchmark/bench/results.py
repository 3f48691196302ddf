# SPDX-License-Identifier: BSD-3-Clause
"""The results of a run: samples of each side for each case, and the figures computed from them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from .cases import Bar, Case, Group

OURS = "diopi"


@dataclass
class Samples:
    """The times of one side for one call in seconds. The list is empty if the side did not run."""

    status: str
    message: str = ""
    seconds: list[float] = field(default_factory=list)
    by_minimum: bool = False  # on a device, the shortest sample counts

    @property
    def time(self) -> float | None:
        """The time that counts in ratios and shares."""
        return min(self.seconds) if self.seconds and self.by_minimum else self.median

    @property
    def median(self) -> float | None:
        return statistics.median(self.seconds) if self.seconds else None

    @property
    def spread(self) -> float:
        """Half the distance between the quartiles, relative to the median."""
        if len(self.seconds) < 3:
            return 0.0
        low, _, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return 0.5 * (high - low) / statistics.median(self.seconds)


@dataclass
class Result:
    case: Case
    threads: int
    set_bytes: int
    sets: int
    sides: dict[str, Samples]
    triad: Samples | None = None  # times of a triad over as much memory, measured alternately with the sides
    copy: Samples | None = None  # on a device, times of a copy in place of the triad
    share: float | None = None  # share of the limit with which the case is compared
    limit: str = ""
    single: Samples | None = None  # our times with one thread, measured alternately with the sides
    one_thread: float | None = None  # our time with one thread, measured alternately with the sides or in another run
    triad_of_one_thread: float | None = None  # the time of the triad in the run with one thread

    @property
    def references(self) -> dict[str, Samples]:
        """What was measured alternately with the sides, by name."""
        all_of_them = {"triad": self.triad, "copy": self.copy, "one_thread": self.single}
        return {name: samples for name, samples in all_of_them.items() if samples is not None}

    @property
    def footprint(self) -> int:
        return self.set_bytes * self.sets

    def seconds(self, side: str) -> float | None:
        return self.sides[side].time if side in self.sides else None

    def ratio(self, peer: str) -> float | None:
        """The peer's time divided by ours; above 1 our library is faster. None if the results of the sides differ."""
        ours, theirs = self.seconds(OURS), self.seconds(peer)
        if not ours or not theirs or self.sides[peer].status != "ok" or self.sides[OURS].status != "ok":
            return None
        return theirs / ours

    @property
    def has_trouble(self) -> bool:
        """Whether a side did not run or has another result."""
        return any(samples.status in ("failed", "differs", "crashed") for samples in self.sides.values())

    @property
    def copy_rate(self) -> float | None:
        """Bytes that a copy on the device reads and writes in a second."""
        return self.set_bytes // 512 * 512 / self.copy.time if self.copy is not None and self.copy.time else None

    @property
    def speedup(self) -> float | None:
        """Our time with one thread divided by that with this number of threads; None if there is only one number."""
        ours = self.seconds(OURS)
        return self.one_thread / ours if self.one_thread and ours else None

    @property
    def triad_speedup(self) -> float | None:
        """The same for the triad: what several threads gain if only memory counts."""
        several = self.triad.median if self.triad is not None else None
        return self.triad_of_one_thread / several if self.triad_of_one_thread and several else None


# The smallest number of bytes for which a case is compared with the memory bandwidth. Overhead dominates smaller cases.
SMALLEST_FOR_MEMORY = 16 << 10


@dataclass
class Limits:
    """Limits that the run measured: bandwidth by memory size, and rates of matrix products by dtype."""

    bandwidth: list[dict[str, float]] = field(default_factory=list)
    flops: dict[str, float] = field(default_factory=dict)

    def bandwidth_for(self, footprint: int) -> float | None:
        """The triad's rate for the measured memory size nearest to this one."""
        if not self.bandwidth:
            return None
        nearest = min(self.bandwidth, key=lambda row: abs(math.log(row["bytes"] / max(footprint, 1))))
        return triad_rate(nearest)


def triad_rate(row: dict[str, float]) -> float:
    return max(row["triad"], row["streaming_triad"])


def read_result(line: dict[str, Any], case: Case, threads: int, by_minimum: bool = False) -> Result:
    sides = {
        name: Samples(side["status"], side.get("message", ""), side.get("seconds", []), by_minimum)
        for name, side in line["sides"].items()
    }
    triad, copy, single = (sides.pop(name, None) for name in ("triad", "copy", "one_thread"))
    result = Result(case, threads, line["set_bytes"], line["sets"], sides, triad, copy, single=single)
    result.one_thread = single.time if single is not None else None
    return result


def set_share(result: Result, limits: Limits) -> None:
    """Sets the share of the limit: of the best matrix product for cases with flops, else of the memory bandwidth."""
    seconds = result.seconds(OURS)
    if not seconds:
        return
    if result.copy is not None and result.copy_rate:
        result.limit = "copy"
        result.share = result.case.bytes / seconds / result.copy_rate
    elif result.case.flops:
        peak = limits.flops.get(result.case.dtype)
        result.limit = "product"
        result.share = result.case.flops / seconds / peak if peak else None
    elif result.triad is not None and result.triad.median:
        result.limit = "triad"
        result.share = result.case.bytes / seconds / (result.set_bytes / result.triad.median)
    elif result.case.bytes >= SMALLEST_FOR_MEMORY:
        rate = limits.bandwidth_for(result.footprint)
        result.limit = "memory"
        result.share = result.case.bytes / seconds / rate if rate else None


def compare_threads(results: list[Result]) -> None:
    """Sets the times with one thread in the results of the same case with several threads, if they were not measured in
    turns."""
    single = {result.case.name: result for result in results if result.threads == 1}
    for result in results:
        one = single.get(result.case.name)
        if result.threads > 1 and one is not None:
            result.one_thread = result.one_thread or one.seconds(OURS)
            result.triad_of_one_thread = one.triad.median if one.triad is not None else None


def geometric_mean(values: list[float]) -> float | None:
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else None


class Measured(Protocol):
    """What goals are about: a case, or all calls of a model."""

    @property
    def share(self) -> float | None: ...
    @property
    def speedup(self) -> float | None: ...
    def ratio(self, peer: str) -> float | None: ...
    def seconds(self, side: str) -> float | None: ...


@dataclass(frozen=True)
class Verdict:
    """One goal of a group, and the measured value."""

    text: str
    value: float | None
    is_met: bool | None


def at_limit(bar: Bar, result: Measured) -> bool:
    """Whether the limit of the machine, not the division among threads, decides the time."""
    return bar.or_share is not None and result.share is not None and result.share >= bar.or_share


def judge(bar: Bar, results: Sequence[Measured]) -> list[Verdict]:
    ratios = [ratio for result in results if (ratio := result.ratio("torch")) is not None]
    onednn = [ratio for result in results if (ratio := result.ratio("onednn")) is not None]
    shares = [result.share for result in results if result.share is not None]
    alone = [result.share for result in results if result.share is not None and result.ratio("torch") is None]
    numpy = [ratio for result in results if (ratio := result.ratio("numpy")) is not None]
    speedups = [speedup for result in results if (speedup := result.speedup) is not None and not at_limit(bar, result)]
    times = [seconds for result in results if (seconds := result.seconds(OURS)) is not None]
    demands = [
        ("geometric mean", bar.geometric_mean, geometric_mean(ratios), False),
        ("worst", bar.worst, min(ratios, default=None), False),
        ("smallest share of limit", bar.share, min(shares, default=None), False),
        ("smallest share of limit without torch", bar.share_without_torch, min(alone, default=None), False),
        ("worst against oneDNN", bar.onednn, min(onednn, default=None), False),
        ("worst against NumPy", bar.numpy, min(numpy, default=None), False),
        ("worst of several threads against one", bar.threads, min(speedups, default=None), False),
        ("longest call", bar.seconds, max(times, default=None), True),
        ("longest launch", bar.launch, max(times, default=None), True),
    ]
    verdicts = []
    for name, wanted, got, is_upper in demands:
        if wanted is None:
            continue
        sign = "<=" if is_upper else ">="
        number = f"{wanted * 1e6:.2f} us" if is_upper else f"{wanted:.2f}"
        is_met = None if got is None else got <= wanted if is_upper else got >= wanted
        verdicts.append(Verdict(f"{name} {sign} {number}", got, is_met))
    return verdicts


def missed(groups: Sequence[Group], results: Sequence[Result]) -> list[str]:
    """The goals that are not reached, each with its group. A goal that could not be measured is not among them."""
    return [
        f"{group.name}: {verdict.text}"
        for group in groups
        for verdict in judge(group.bar, [result for result in results if result.case.group == group.name])
        if verdict.is_met is False
    ]


def helped_too_little(group: Group, results: Sequence[Result]) -> list[Result]:
    """The cases that several threads speed up by less than the group's goal, the worst case first."""
    goal = group.bar.threads
    below = [
        (result.speedup, result)
        for result in results
        if goal is not None
        and result.case.group == group.name
        and result.speedup is not None
        and result.speedup < goal
        and not at_limit(group.bar, result)
    ]
    return [result for _, result in sorted(below, key=lambda pair: pair[0])]


def threshold(group: Group) -> float:
    """The ratio to libtorch below which a case counts as a loser."""
    return group.bar.worst if group.bar.worst is not None else 1.0
