# SPDX-License-Identifier: BSD-3-Clause
"""Compares every gradient's oracle with central differences of the forward operator's oracle, in float64.

    python -m conformance.selfcheck.gradients                     all gradients; needs no PyTorch
    python -m conformance.selfcheck.gradients --fname conv norm_batch
    python -m conformance.selfcheck.gradients --quick             at most 12 elements of every input

The comparison uses all float64 and complex128 cases, also hostile ones, except large cases and cases with NaN,
infinities, denormals or numbers above 10,000. In each case, up to 48 elements (12 in a hostile case) of every input
that has a gradient are changed by +-2e-5 and +-1e-5. An element at which the slope jumps counts as a kink and is not
compared. The column `largest` is the largest difference divided by the largest gradient of the same input; the limit is
1e-7.

Exit codes: 0 all gradients agree, 1 a gradient disagrees or no element of it could be compared, 2 wrong arguments.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

from adaptor.codegen.model import load_registry
from adaptor.codegen.strict_yaml import exit_with

from ...cases.case import TensorSpec
from ...cases.group import Group
from ...cases.suite import Selection, UsageError, resolve_names, select
from ...generate.hostile.generate import load_all_cases
from ...oracle import load_oracles
from ...run.parallel import Progress, in_processes
from ...run.workers import default_jobs
from .differences import Outcome, check
from .rules import WITHOUT_DIFFERENCES, forward_of, rule_of

OK, WRONG, USAGE = range(3)
MAX_LINES = 50


@dataclass
class Row:
    """The results of one gradient's oracle: one line of the table."""

    name: str
    cases: int = 0
    compared: int = 0
    kinks: int = 0
    largest: float = 0.0
    wrong: int = 0

    def add(self, outcome: Outcome) -> None:
        self.cases += 1
        self.compared += outcome.compared
        self.kinks += outcome.kinks
        self.largest = max(self.largest, outcome.largest)
        self.wrong += len(outcome.wrong)

    def __str__(self) -> str:
        return (
            f"{self.name:34s}{forward_of(self.name):28s}{self.cases:6d}{self.compared:10d}{self.kinks:7d}"
            f"{self.largest:10.1e}{self.wrong or '':>7}"
        )


def gradients() -> list[str]:
    """The gradient operators that have an oracle."""
    return [name for name in load_oracles() if "backward" in name.lower() and name not in WITHOUT_DIFFERENCES]


def rounds(group: Group) -> bool:
    """Whether the case stores a gradient in another dtype, whose rounding would hide the comparison's precision."""
    given = (group.case.arguments.get(p.name) for p in group.case.function.params if p.dir == "out")
    return any(isinstance(spec, TensorSpec) and spec.dtype not in (None, group.dtype) for spec in given)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.selfcheck.gradients",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--fname", nargs="+", default=[], metavar="NAME", help="operators or families")
    parser.add_argument("--quick", action="store_true", help="change 12 elements of each input at most")
    parser.add_argument("--jobs", type=int, default=default_jobs(), help="worker processes (default: one per CPU)")
    arguments = parser.parse_args(argv)
    if arguments.jobs < 1:
        parser.error("--jobs must be at least 1")
    registry = load_registry()
    try:
        names = resolve_names(registry, arguments.fname)
    except UsageError as error:
        print(error, file=sys.stderr)
        return USAGE
    rows = {name: Row(name) for name in gradients() if not names or name in names}
    if not rows:
        print(f"no operator in {' '.join(arguments.fname)} is a gradient", file=sys.stderr)
        return USAGE
    groups = [
        g
        for g in select(load_all_cases(registry, tuple(rows)), Selection(tuple(rows))).groups
        if g.case.error is None and g.case.function.name in rows and g.dtype in ("float64", "complex128")
        if not rounds(g)
    ]
    print(
        f"{'gradient':34s}{'differences of':28s}{'cases':>6s}{'elements':>10s}{'kinks':>7s}{'largest':>10s}"
        f"{'wrong':>7s}"
    )
    return compare(rows, groups, arguments.jobs, arguments.quick)


def compare(rows: dict[str, Row], groups: list[Group], jobs: int, quick: bool) -> int:
    """Fills the rows, prints them with a summary, and returns the exit code."""

    def work(position: int) -> Outcome | None:
        return check(groups[position], rule_of(groups[position].case.function.name), quick)

    progress, wrong = Progress(len(groups), sys.stdout), []
    for position, done in in_processes(work, len(groups), jobs):
        name, outcome = groups[position].case.function.name, done.value
        if done.failure:
            outcome = Outcome(groups[position].name, wrong=[done.failure])
        if outcome is not None:
            rows[name].add(outcome)
            wrong += [f"{outcome.case}: {line}" for line in outcome.wrong]
        progress.step()
    progress.clear()
    for row in rows.values():
        print(row)
    for line in wrong[:MAX_LINES]:
        print(line)
    unknown = [r.name for r in rows.values() if not r.compared]
    if unknown:
        print(f"compared with nothing: {' '.join(unknown)}")
    print(
        f"{len(rows) - len(unknown)} gradients, {sum(r.compared for r in rows.values())} elements of "
        f"{sum(r.cases for r in rows.values())} cases compared with differences, {len(wrong)} wrong"
    )
    return WRONG if wrong or unknown else OK


if __name__ == "__main__":
    exit_with(main, 3)
