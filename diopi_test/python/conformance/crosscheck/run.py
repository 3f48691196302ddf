"""The comparison of many cases in several processes, and what it comes to for each operator."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Iterator, Sequence

from ..parallel import map_in_order
from ..prepare import Group
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


def run(groups: Sequence[Group], references: Table, jobs: int) -> Iterator[tuple[Group, Finding]]:
    """The findings in the order of the groups."""
    def work(position: int) -> Finding:
        group = groups[position]
        with warnings.catch_warnings():  # PyTorch comments on shapes and casts that are meant
            warnings.simplefilter("ignore")
            try:
                return check(group, references[group.raw.function.name])
            except Exception as error:
                error.add_note(f"in {group.name}")
                raise

    yield from zip(groups, map_in_order(work, len(groups), jobs, CHUNK, _start_worker))
