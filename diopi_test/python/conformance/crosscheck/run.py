"""The comparison of many cases in several processes, and what it comes to for each operator."""

from __future__ import annotations

import multiprocessing
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Iterator, Sequence, TextIO

from ..prepare import Group
from ..report import clock
from .compare import Finding, check
from .distribution import Statistic
from .explained import Explanation, explain
from .reference import Reference, Table

CHUNK = 64


@dataclass
class Row:
    """One operator."""

    name: str
    reference: Reference | None
    cases: int = 0  # compared
    widened: int = 0  # of these in a wider dtype, since PyTorch lacks the case's
    unanswered: int = 0  # not compared: PyTorch has no answer, for a reason that is known
    explained: int = 0  # PyTorch has another result, and is not followed
    largest: float = 0.0  # ULPs, of cases that agree
    unexplained: list[Finding] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=dict)  # explanation -> cases
    statistics: list[Statistic] = field(default_factory=list)  # of random numbers

    @property
    def disagreeing(self) -> int:
        return len(self.unexplained) + sum(not s.passed for s in self.statistics)

    def add(self, finding: Finding) -> Explanation | None:
        """Counts a finding; returns the explanation that it needed, if any."""
        if not finding.applies:
            return None
        troubled = bool(finding.disagreements or finding.refused)
        explanation = explain(finding) if troubled else None
        self.cases += not finding.refused
        self.widened += finding.widened
        if troubled and explanation is None:
            self.unexplained.append(finding)
        elif explanation is not None:
            self.reasons[explanation.reason] = self.reasons.get(explanation.reason, 0) + 1
            self.unanswered += bool(finding.refused)
            self.explained += not finding.refused
        else:
            self.largest = max(self.largest, finding.largest)
        return explanation


def _start_worker() -> None:
    """One thread each: the cases are small."""
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)


_groups: Sequence[Group] = ()
_references: Table = {}


def _work(position: int) -> Finding:
    group = _groups[position]
    with warnings.catch_warnings():  # PyTorch comments on shapes and casts that are meant
        warnings.simplefilter("ignore")
        return check(group, _references[group.raw.function.name])


def run(groups: Sequence[Group], references: Table, jobs: int) -> Iterator[tuple[Group, Finding]]:
    """The findings in the order of the groups."""
    global _groups, _references  # what forked workers find there
    _groups, _references = groups, references
    if jobs == 1:
        _start_worker()
        yield from zip(groups, map(_work, range(len(groups))))
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), _start_worker) as workers:
        yield from zip(groups, workers.map(_work, range(len(groups)), chunksize=CHUNK))


class Progress:
    """A line on a terminal; nothing elsewhere."""

    def __init__(self, total: int, out: TextIO) -> None:
        self.total, self.out, self.done = total, out, 0
        self.started = self.shown = time.monotonic()

    def step(self) -> None:
        self.done += 1
        now = time.monotonic()
        if self.out.isatty() and now - self.shown > 0.2:
            self.shown = now
            left = (now - self.started) * (self.total - self.done) / self.done
            print(f"\r\033[K{100 * self.done // self.total:3d} %  {self.done} of {self.total} cases, "
                  f"{clock(left)} left", end="", file=self.out, flush=True)

    def finish(self) -> None:
        if self.out.isatty():
            print("\r\033[K", end="", file=self.out)
