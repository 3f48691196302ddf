# SPDX-License-Identifier: BSD-3-Clause
"""Tries the generated invalid calls on PyTorch, which must refuse them, too.

Each call breaks one check of the contract. A row of `accepted.py` says why PyTorch accepts a call.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TextIO

from adaptor.codegen.model import Registry

from ... import dtypes
from ...cases.case import Case, TensorSpec
from ...cases.group import Group
from ...cases.prepare import prepare
from ...cases.prepared import Expected, Prepared, is_output
from ...lists import as_list
from ...oracle import load_oracles
from ...run.parallel import in_processes
from .accepted import ACCEPTED, Accepted
from .bridge import Refused, call_reference, results_by_output
from .reference import Reference, Table, torch
from .run import _start_worker

REFUSED, ACCEPTS, RESIZED = "refused", "accepted", "resized"


@dataclass(frozen=True)
class Trial:
    """What PyTorch does with one call."""

    case: str
    identifiers: tuple[str, ...]  # of the broken checks
    outcome: str
    message: str = ""


@dataclass
class Tally:
    """The trials of all calls."""

    outcomes: Counter[str] = field(default_factory=Counter)
    explained: Counter[Accepted] = field(default_factory=Counter)
    unexplained: list[Trial] = field(default_factory=list)

    def add(self, trial: Trial) -> None:
        self.outcomes[trial.outcome] += 1
        if trial.outcome != ACCEPTS:
            return
        row = next((a for a in ACCEPTED if a.fits(trial.identifiers)), None)
        if row is None:
            self.unexplained.append(trial)
        else:
            self.explained[row] += 1


def calls(registry: Registry, cases: Iterable[Case], references: Table) -> list[Group]:
    """The generated calls that break a check, of operators whose reference is PyTorch."""
    known = {f.name for f in registry.operators if references.get(f.name) and references[f.name].takes_tensors}
    return [
        Group(c, c.dtypes[0], c.layouts)
        for c in cases
        if c.id.startswith("invalid:") and c.error.shows and c.function.name in known
    ]


def attempt(group: Group, reference: Reference) -> Trial:
    """Calls PyTorch with the arguments of an invalid call."""
    return trial(group, *_outcome(group, reference))


def trial(group: Group, outcome: str, message: str = "") -> Trial:
    case = group.case
    broken = tuple(c.identifier for c in case.function.checks if c.slug in case.error.shows)
    return Trial(f"{case.function.name}/{case.id}/{group.dtype}", broken, outcome, message)


def _outcome(group: Group, reference: Reference) -> tuple[str, str]:
    prepared = prepare(group, load_oracles()[group.case.function.name])
    prepared.oracle_arguments = _output_shapes(group.case)
    try:
        result = call_reference(reference, prepared, None)
    except Refused as refusal:
        return REFUSED, str(refusal)
    except KeyError as error:  # the reference has no word of PyTorch for a value
        return ACCEPTS, f"KeyError: {error}"
    except (AttributeError, AssertionError, OverflowError, ZeroDivisionError) as error:
        return REFUSED, f"{type(error).__name__}: {error}"
    outcome, message = _written(prepared, result)
    return _with_out(prepared, reference) if outcome == ACCEPTS else (outcome, message)


def _with_out(prepared: Prepared, reference: Reference) -> tuple[str, str]:
    """Calls a function of PyTorch once more with the output of the call as `out=`, if it takes one."""
    made = [e for e in prepared.expected.values() if isinstance(e, Expected)]
    if len(made) == 1 and reference.names and reference.against.startswith("torch."):
        target = torch.empty(made[0].shape, dtype=getattr(torch, made[0].dtype))
        try:
            call_reference(reference, prepared, None, out=target)
        except Refused as refusal:
            if "'out'" not in str(refusal) and "keyword" not in str(refusal):
                return REFUSED, str(refusal)
    return ACCEPTS, ""


def _output_shapes(case: Case) -> dict[str, Any]:
    """The shapes that a call gives to outputs, which some references take as arguments."""
    specs = {p.name: case.arguments.get(p.name) for p in case.function.params if p.dir == "out"}
    return {n: s.shape for n, s in specs.items() if isinstance(s, TensorSpec) and s.shape is not None}


def _targets(prepared: Prepared) -> dict[str, Any]:
    """The tensors over which the results are written: of an output what the case gives, of an operand its array."""
    targets: dict[str, Any] = {}
    for p in prepared.group.case.function.params:
        given = prepared.expected.get(p.name) if p.dir == "out" else prepared.inputs.get(p.name)
        if is_output(p) and (given is not None or p.allocates):
            targets[p.name] = given
    return targets


def _written(prepared: Prepared, result: Any) -> tuple[str, str]:
    """What PyTorch does when it writes its results over the outputs of the call.

    A function with `out=` refuses a dtype that cannot hold the result, and resizes an output of another shape. A
    function that works in place refuses both.
    """
    case, targets = prepared.group.case, _targets(prepared)
    results = results_by_output(replace(prepared, expected=targets), result)
    items = [(n, t) for n, v in targets.items() for t in as_list(v)]
    if len(results) != len(items):
        return ACCEPTS, ""
    outcome = ACCEPTS
    for (name, target), made in zip(items, results):
        if target is None or not isinstance(made, torch.Tensor):
            continue
        dtype = target.dtype if isinstance(target, Expected) else dtypes.name_of(target.dtype)
        if not torch.can_cast(made.dtype, getattr(torch, dtype)):
            return REFUSED, f"{name}: {made.dtype} cannot be cast to {dtype}"
        other_size = made.numel() != math.prod(target.shape)
        asked = name.partition("[")[0] in case.error.changed and case.error.code == "diopiErrorOccurred"
        if tuple(made.shape) != tuple(target.shape) and (other_size or asked):
            if not isinstance(target, Expected):
                return REFUSED, f"{name}: the result has the shape {list(made.shape)}"
            outcome = RESIZED
    return outcome, ""


def run(groups: Sequence[Group], references: Table, jobs: int) -> Iterator[Trial]:
    """Tries all calls in several processes. A call in which PyTorch crashes counts as refused."""

    def work(position: int) -> Trial:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return attempt(groups[position], references[groups[position].case.function.name])

    for position, done in in_processes(work, len(groups), jobs, _start_worker):
        crashed = done.failure.startswith("the process died")
        yield done.value or trial(groups[position], REFUSED if crashed else ACCEPTS, done.failure)


def judge(groups: Sequence[Group], references: Table, jobs: int, everything: bool, out: TextIO) -> bool:
    """Tries the calls and prints the result; returns whether a row explains each call that PyTorch accepts.

    If `everything` is true, `groups` has all calls, and rows that none of them needs are an error, too.
    """
    tally = Tally()
    for one in run(groups, references, jobs):
        tally.add(one)
    return conclude(tally, [a for a in ACCEPTED if everything and a not in tally.explained], out)


def conclude(tally: Tally, stale: Iterable[Accepted], out: TextIO, most: int = 50) -> bool:
    """Prints the rows that were needed and what no row explains; returns whether all is well."""
    for row, count in tally.explained.items():
        print(f"    {count} invalid calls that PyTorch accepts, {', '.join(row.checks)}: {row.reason}", file=out)
    for trial in tally.unexplained[:most]:
        print(f"PyTorch accepts {trial.case} ({', '.join(trial.identifiers)}) {trial.message[-300:]}", file=out)
    stale = list(stale)
    for row in stale:
        print(f"stale row (no call needs it): {', '.join(row.checks)}: {row.reason}", file=out)
    print(
        f"{sum(tally.outcomes.values())} invalid calls tried on PyTorch: {tally.outcomes[REFUSED]} refused, "
        f"{sum(tally.explained.values())} accepted for a known reason, {tally.outcomes[RESIZED]} with an output that "
        f"PyTorch resizes, {len(tally.unexplained)} accepted without a reason",
        file=out,
    )
    return not tally.unexplained and not stale
