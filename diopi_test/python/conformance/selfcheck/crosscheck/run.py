# SPDX-License-Identifier: BSD-3-Clause
"""Compares many cases in several processes, and adds up the results of each operator."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...cases.group import Group
from ...run.parallel import in_processes
from .compare import Finding, check
from .distribution import Statistic
from .explained import Explanation, explain
from .reference import Reference, Table


@dataclass
class Row:
    """The results of one operator: one row of the table."""

    name: str
    reference: Reference | None
    cases: int = 0  # number of compared cases
    widened: int = 0  # number of these cases in a wider dtype, because PyTorch lacks the case's dtype
    unanswered: int = 0  # number of cases for which PyTorch has no result, for a known reason
    explained: int = 0  # number of cases in which the contract differs from PyTorch
    largest: float = 0.0  # the largest distance in cases that agree, in ULP
    unexplained: list[Finding] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=dict)  # explanation -> number of cases
    statistics: list[Statistic] = field(default_factory=list)  # tests of the distribution of random numbers

    @property
    def disagreeing(self) -> int:
        return len(self.unexplained) + sum(not s.passed for s in self.statistics)

    def add(self, finding: Finding) -> Explanation | None:
        """Counts a finding; returns the explanation that it needed, if any."""
        if not finding.applies:
            return None
        self.cases += not finding.refused
        self.widened += finding.widened
        if not finding.disagreements and not finding.refused:
            if finding.opinion:
                self._note(finding.opinion)
            else:
                self.largest = max(self.largest, finding.largest)
            return None
        explanation = explain(finding)
        if explanation is None:
            self.unexplained.append(finding)
        else:
            self._note(explanation.reason, bool(finding.refused))
        return explanation

    def _note(self, reason: str, unanswered: bool = False) -> None:
        self.reasons[reason] = self.reasons.get(reason, 0) + 1
        self.unanswered += unanswered
        self.explained += not unanswered


def _start_worker() -> None:
    """Limits PyTorch to one thread in each worker, because the cases are small."""
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)


def run(groups: Sequence[Group], references: Table, jobs: int) -> Iterator[tuple[Group, Finding]]:
    """Yields the findings in any order. If PyTorch crashes in a case, the finding of this case says so."""

    def work(position: int) -> Finding:
        with warnings.catch_warnings():  # PyTorch warns of shapes and casts that are intended here
            warnings.simplefilter("ignore")
            return check(groups[position], references[groups[position].case.function.name])

    for position, done in in_processes(work, len(groups), jobs, _start_worker):
        yield groups[position], done.value or Finding(groups[position].name, refused=done.failure)
