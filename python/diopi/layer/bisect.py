# SPDX-License-Identifier: BSD-3-Clause
"""Finds a smallest set of operators whose fallback makes a command succeed.

diopi-layer bisect [--ops OPS] [--reference FILE] [--timeout SECONDS] -- COMMAND [ARGUMENT...]
"""

from __future__ import annotations

import argparse
import math
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from . import findings, names, start
from .errors import UsageError
from .options import Run, checked, environment


def smallest(operators: Sequence[str], succeeds: Callable[[Sequence[str]], bool]) -> list[str]:
    """A subset with which `succeeds` is true, and of which no operator can be left out (delta debugging).

    `succeeds(operators)` must be true.
    """
    kept, parts = list(operators), 2
    while len(kept) > 1:
        size = -(-len(kept) // parts)
        chunks = [kept[i : i + size] for i in range(0, len(kept), size)]
        found = next((c for c in chunks if succeeds(c)), None)
        if found is not None:
            kept, parts = found, 2
            continue
        rests = ([o for o in kept if o not in chunk] for chunk in chunks) if parts > 2 else ()
        found = next((rest for rest in rests if succeeds(rest)), None)
        if found is not None:
            kept, parts = found, max(parts - 1, 2)
        elif parts >= len(kept):
            break
        else:
            parts = min(2 * parts, len(kept))
    return kept


class Trials:
    """Runs of the command, each with another set of operators on the reference library."""

    def __init__(self, command: Sequence[str], layer: Path, reference: str | None, timeout: float | None) -> None:
        self.command, self.layer, self.reference, self.timeout = command, layer, reference, timeout
        self.known: dict[frozenset[str], bool] = {}

    def called(self, folder: Path) -> list[str]:
        """The operators that the command calls."""
        run = Run(
            list(self.command),
            folder,
            {"DIOPI_LAYER": "trace", "DIOPI_LAYER_TRACE_LEVEL": "1", "DIOPI_LAYER_OUT": str(folder)},
            False,
        )
        self._run(environment(run, self.layer))
        calls = [p.calls for p in findings.read(folder)]
        return sorted({operator for counter in calls for operator in counter})

    def succeeds(self, operators: Sequence[str]) -> bool:
        """Whether the command ends with exit status 0 if these operators are computed by the reference library."""
        key = frozenset(operators)
        if key not in self.known:
            with tempfile.TemporaryDirectory(prefix="diopi-layer-") as folder:
                variables = {"DIOPI_LAYER_OUT": folder}
                if operators:
                    variables |= {"DIOPI_LAYER": "fallback", "DIOPI_LAYER_FALLBACK_OPS": ",".join(operators)}
                if self.reference:
                    variables["DIOPI_LAYER_REFERENCE"] = self.reference
                self.known[key] = self._run(environment(Run([], Path(folder), variables, False), self.layer)) == 0
            word = "succeeds" if self.known[key] else "fails"
            print(f"run {len(self.known)}: {len(key)} operators on the reference: {word}", file=sys.stderr)
        return self.known[key]

    def _run(self, variables: dict[str, str]) -> int:
        try:
            done = subprocess.run(
                self.command,
                env=variables,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=self.timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return 1
        except OSError as error:
            raise start.not_started(self.command, error) from None
        return done.returncode


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="diopi-layer bisect",
        usage="diopi-layer bisect [options] -- COMMAND [ARGUMENT...]",
        description="Finds a smallest set of operators that must be computed by the reference library, so that the "
        "command ends with exit status 0.",
        epilog="Exit status: 0 if the set was found, 1 if there is none, 2 for wrong usage.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--ops", metavar="OPS", help="only these operators may fall back (default: all that are called)"
    )
    parser.add_argument("--reference", metavar="FILE", help="the reference library (default: the CPU vendor)")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="a run that takes longer counts as failed")
    parser.add_argument("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    command = given.command[1:] if given.command[:1] == ["--"] else given.command
    if not command:
        raise UsageError("there is no command; write it after --")
    if given.timeout is not None and not 0 < given.timeout < math.inf:
        raise UsageError(f"--timeout is {given.timeout}, expected a number of seconds above 0")
    start.find_program(command)
    reference = checked("reference", given.reference) if given.reference else None
    trials = Trials(command, start.find_layer(), reference, given.timeout)
    with tempfile.TemporaryDirectory(prefix="diopi-layer-") as folder:
        operators = trials.called(Path(folder))
    if given.ops:
        allowed = names.matching(names.patterns(given.ops, "--ops"))
        operators = [o for o in operators if o in allowed]
    return search(trials, operators)


def search(trials: Trials, operators: Sequence[str]) -> int:
    print(f"{shlex.join(trials.command)} calls {len(operators)} operators that may fall back", file=sys.stderr)
    if trials.succeeds([]):
        print("the command succeeds without fallback")
        return 1
    if not operators or not trials.succeeds(operators):
        print("the command fails although all these operators are computed by the reference library")
        return 1
    found = smallest(operators, trials.succeeds)
    print(f"the command succeeds if {len(found)} operators are computed by the reference library:")
    print("\n".join(found))
    return 0
