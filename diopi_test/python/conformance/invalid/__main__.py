# SPDX-License-Identifier: BSD-3-Clause
"""Lists how the preconditions of the registry are shown by invalid calls, and which are not.

python -m conformance.invalid                  what is missing, and the counts; exit code 1 if something is
python -m conformance.invalid --fname softmax  also each precondition with the calls that violate it
"""

from __future__ import annotations

import argparse
import sys

from adaptor.codegen.model import Function, Registry, load_registry
from adaptor.codegen.strict_yaml import exit_with

from ..case_files import RawCase, load_cases
from ..preconditions import preconditions
from ..suite import UsageError, resolve_names
from .coverage import cannot_be_violated, gaps
from .generate import invalid_cases


def describe(registry: Registry, function: Function, cases: list[RawCase]) -> None:
    own = [c for c in cases if c.error and c.function.name == function.name]
    print(function.name)
    for sentence in preconditions(registry, function):
        print(f"  {sentence}")
        reason = cannot_be_violated(function, sentence, registry)
        for case in (c for c in own if sentence in c.error.shows):
            print(f"      {case.id}")
        if reason is not None:
            print(f"      cannot be violated: {reason}")
    rest = [c.id for c in own if not c.error.shows]
    print(f"  without a sentence of its own: {len(rest)} calls with nulls, lengths, dtypes and the like")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.invalid", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
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
        describe(registry, functions[name], cases)
    missing = gaps(registry, cases)
    for gap in missing:
        print(f"NOT SHOWN  {gap}")
    shown = {(c.function.name, s) for c in cases if c.error for s in c.error.shows}
    total = sum(len(preconditions(registry, f)) for f in functions.values())
    print(
        f"{len(functions)} operators, {total} preconditions: {len(shown)} shown, "
        f"{total - len(shown) - len(missing)} that cannot be violated, {len(missing)} missing; "
        f"{len(made)} calls generated, "
        f"{sum(c.error is not None for c in written)} written"
    )
    return 1 if missing else 0


if __name__ == "__main__":
    exit_with(main, 3)
