# SPDX-License-Identifier: BSD-3-Clause
"""Lists how the checks of the registry are shown by invalid calls, and which are not.

python -m conformance.coverage.checks                  what is missing, and the counts; exit code 1 if something is
python -m conformance.coverage.checks --fname softmax  also each check with the calls that violate it
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from adaptor.codegen.model import Function, load_registry
from adaptor.codegen.rules import Check
from adaptor.codegen.strict_yaml import exit_with

from ..cases.case import Case
from ..cases.reader import load_cases
from ..cases.suite import UsageError, resolve_names
from ..generate.invalid.generate import invalid_cases


def shown(cases: Iterable[Case]) -> set[str]:
    """The identifiers of the checks that these calls violate."""
    return {f"{c.function.name}-{slug}" for c in cases if c.error for slug in c.error.shows}


def not_shown(cases: list[Case]) -> list[Check]:
    """The checks of all operators with cases that neither a written nor a generated call in `cases` violates."""
    functions = {c.function.name: c.function for c in cases}
    known = shown(cases)
    return [
        check for f in functions.values() for check in f.checks if check.identifier not in known and not check.untested
    ]


def describe(function: Function, cases: list[Case]) -> None:
    own = [c for c in cases if c.error and c.function.name == function.name]
    print(function.name)
    for check in function.checks:
        print(f"  {check.identifier}: {check.sentence}")
        for case in (c for c in own if check.slug in c.error.shows):
            print(f"      {case.id}")
        if check.untested:
            print(f"      untested: {check.untested}")
    rest = [c.id for c in own if not c.error.shows]
    print(f"  without a check: {len(rest)} calls with nulls, lengths, dtypes and the like")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.coverage.checks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--fname", nargs="+", default=[], metavar="NAME", help="operators or families to show in full")
    arguments = parser.parse_args(argv)
    registry = load_registry()
    written = load_cases(registry)
    cases = [*written, *(made := invalid_cases(registry, written))]
    try:
        names = resolve_names(registry, arguments.fname)
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    functions = {c.function.name: c.function for c in cases}
    for name in (n for n in names if n in functions):
        describe(functions[name], cases)
    missing = not_shown(cases)
    for check in missing:
        print(f"NOT SHOWN  {check.identifier}: {check.sentence}")
    checks = [check for f in functions.values() for check in f.checks]
    untested = sum(bool(check.untested) for check in checks)
    print(
        f"{len(functions)} operators, {len(checks)} checks: {len(checks) - untested - len(missing)} shown, "
        f"{untested} untested, {len(missing)} missing; {len(made)} calls generated, "
        f"{sum(c.error is not None for c in written)} written"
    )
    return 1 if missing else 0


if __name__ == "__main__":
    exit_with(main, 3)
