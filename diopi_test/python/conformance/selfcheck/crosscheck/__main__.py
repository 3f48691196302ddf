# SPDX-License-Identifier: BSD-3-Clause
"""Compares every oracle with a reference (PyTorch or a second implementation), for all cases of its operator.

    python -m conformance.selfcheck.crosscheck                      all operators
    python -m conformance.selfcheck.crosscheck --fname add softmax  some operators or families
    python -m conformance.selfcheck.crosscheck --case NAME          one case, by the name that a disagreement prints
    python -m conformance.selfcheck.crosscheck --quick              only a quarter of the hostile cases

Then it tries the generated invalid calls on PyTorch, which must refuse each; `accepted.py` says why it accepts some.

The oracle and its reference get the same numbers. Their results may differ by 64 ULP of the dtype, because this program
compares definitions, promotion and special values, not rounding. The table has these columns for each operator:

    kind         PyTorch: one function of PyTorch is the reference; composed: several calls of PyTorch; specification: a
                 second implementation of the contract's text (random numbers, whose distribution is tested, too)
    cases        number of compared cases, with dtypes
    widened      number of these cases that were compared in a wider dtype, because PyTorch lacks the case's dtype
    unanswered   number of cases for which PyTorch has no result; the reason is below the operator
    largest      largest distance of cases that agree, in ULP of the dtype at the magnitude of the terms
    explained    number of cases in which the contract differs from PyTorch; the reason is below the operator
    unexplained  number of cases that disagree without a known reason

Exit codes: 0 no disagreement without explanation; 1 a disagreement without explanation, an operator without reference,
or a stale explanation; 2 wrong arguments; 3 PyTorch is not installed (operators that do not need it agree).
"""

from __future__ import annotations

import argparse
import sys

from adaptor.codegen.model import Registry, load_registry
from adaptor.codegen.strict_yaml import ConfigError, exit_with

from ...cases.case import Case
from ...cases.group import Group
from ...cases.reader import load_cases
from ...cases.suite import Selection, UsageError, resolve_names, select
from ...generate.hostile.generate import load_all_cases, load_files_of
from ...generate.invalid.generate import invalid_cases
from ...generate.random_calls import Draw, random_cases
from ...oracle import load_oracles
from ...run.parallel import Progress
from ...run.workers import default_jobs
from . import refusals
from .distribution import statistics
from .explained import EXPLANATIONS, Explanation
from .reference import torch
from .references import load_references
from .run import Row, run
from .table import print_table

OK, UNEXPLAINED, USAGE, NO_PYTORCH = range(4)


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.selfcheck.crosscheck",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--fname", nargs="+", default=[], metavar="NAME", help="operators or families")
    parser.add_argument("--case", help="the name of a case; * stands for any text")
    parser.add_argument("--quick", action="store_true", help="a quarter of the hostile cases, as the judge's --quick")
    parser.add_argument("--random", type=int, metavar="N", help="N random calls of each operator in place of its cases")
    parser.add_argument("--seed", type=int, default=0, help="with --random: the seed of the calls (default: 0)")
    parser.add_argument("--jobs", type=int, default=default_jobs(), help="worker processes (default: one per CPU)")
    parser.add_argument("--max_lines", type=int, default=50, help="lines of disagreements to print (default: 50)")
    arguments = parser.parse_args(argv)
    if arguments.jobs < 1:
        parser.error("--jobs must be at least 1")
    if arguments.random is not None and arguments.random < 1:
        parser.error("--random must be at least 1")
    return arguments


def _cases(registry: Registry, names: tuple[str, ...], arguments: argparse.Namespace) -> list[Case]:
    """The cases of the case files with the hostile ones, or random calls."""
    if not arguments.random:
        return load_all_cases(registry, names)
    return random_cases(registry, load_files_of(registry, names), Draw(arguments.random, arguments.seed), names)


def comparable(groups: list[Group], rows: dict[str, Row]) -> list[Group]:
    """The valid calls of operators whose reference is available.

    Reductions of more than 2^31 elements are excluded, because all elements together would need tens of gigabytes.
    """
    references = {name: row.reference for name, row in rows.items() if row.reference is not None}
    return [
        g
        for g in groups
        if g.case.error is None
        and g.case.repeated is None
        and g.case.function.name in references
        and (torch is not None or not references[g.case.function.name].needs_torch)
    ]


def compare(rows: dict[str, Row], groups: list[Group], arguments: argparse.Namespace) -> set[Explanation]:
    """Compares all cases, fills the rows, and returns the explanations that were needed."""
    used: set[Explanation] = set()
    progress = Progress(len(groups), sys.stdout)
    printed = 0
    for group, finding in run(
        groups, {r.name: r.reference for r in rows.values() if r.reference is not None}, arguments.jobs
    ):
        row = rows[group.case.function.name]
        explanation = row.add(finding)
        if explanation is not None:
            used.add(explanation)
        elif finding.disagreements or finding.refused:
            for line in finding.disagreements or [finding.refused]:
                printed += 1
                if printed <= arguments.max_lines:
                    progress.clear()
                    print(f"{finding.case}: {line}")
        progress.step()
    progress.clear()
    return used


def main(argv: list[str] | None = None) -> int:
    arguments = parse_arguments(argv)
    registry = load_registry()
    try:
        names = resolve_names(registry, arguments.fname)
        suite = select(_cases(registry, names, arguments), Selection(names, case=arguments.case, quick=arguments.quick))
    except (UsageError, ConfigError) as error:
        print(error, file=sys.stderr)
        return USAGE
    references = load_references(registry)
    everything = not arguments.fname and not arguments.case
    wanted = [n for n in load_oracles() if everything or n in suite.functions]
    rows = {name: Row(name, references.get(name)) for name in wanted}
    used = compare(rows, comparable(suite.groups, rows), arguments)
    for row in rows.values():
        row.statistics = statistics(row.name)
    print_table(rows.values(), sys.stdout)
    refused = (
        arguments.case
        or arguments.random
        or torch is None
        or _try_invalid_calls(registry, wanted, arguments.jobs, everything)
    )
    whole = everything and not arguments.quick and not arguments.random and torch is not None
    code = conclude(rows, [e for e in EXPLANATIONS if whole and e not in used])
    return code if refused or code != OK else UNEXPLAINED


def _try_invalid_calls(registry: Registry, names: list[str], jobs: int, everything: bool) -> bool:
    """Tries the invalid calls of these operators on PyTorch; returns whether no result is unexplained."""
    references = load_references(registry)
    generated = invalid_cases(registry, load_cases(registry), tuple(names))
    return refusals.judge(refusals.calls(registry, generated, references), references, jobs, everything, sys.stdout)


def conclude(rows: dict[str, Row], stale: list[Explanation]) -> int:
    """Prints the summary, and returns the exit code."""
    absent = [
        r.name
        for r in rows.values()
        if r.reference is None or not r.cases and (torch is not None or not r.reference.needs_torch)
    ]
    unexplained = sum(r.disagreeing for r in rows.values())
    for explanation in stale:
        print(f"stale explanation (no case needs it): {explanation.cases}: {explanation.reason}")
    if absent:
        print(f"compared with nothing: {' '.join(absent)}")
    compared = [r for r in rows.values() if r.cases]
    version = f"PyTorch {torch.__version__}" if torch is not None else "no PyTorch"
    print(
        f"{len(compared)} operators, {sum(r.cases for r in compared)} cases compared with {version}; "
        f"{sum(r.unanswered for r in compared)} unanswered, {sum(r.explained for r in compared)} explained, "
        f"{unexplained} unexplained"
    )
    if unexplained or absent or stale:
        return UNEXPLAINED
    if torch is None:
        print(
            "PyTorch is not installed (scripts/install_deps.sh --optional installs it): only operators that do not "
            "need it were compared",
            file=sys.stderr,
        )
        return NO_PYTORCH
    return OK


if __name__ == "__main__":
    exit_with(main, USAGE)
