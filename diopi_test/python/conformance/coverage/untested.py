# SPDX-License-Identifier: BSD-3-Clause
"""Finds the untested dtypes, memory layouts and hostile classes of each operator, with the reasons."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from adaptor.codegen.model import Function, Registry

from ..cases.case import Case
from ..cases.reader import CaseFile
from ..dtypes import NUMPY
from ..generate.hostile.generate import left_out
from ..generate.hostile.rules import rules_for


@dataclass(frozen=True)
class Untested:
    """Dtypes, layouts or a class that no case of an operator tests, or that not every case tests."""

    what: str
    reason: str


def untested_of(registry: Registry, names: Iterable[str], files: list[CaseFile]) -> dict[str, list[Untested]]:
    """What is untested of these operators, as far as they have valid cases in the case files."""
    by_stem = {f.path.stem: f for f in files}
    valid: dict[str, list[Case]] = defaultdict(list)
    for case in (case for f in files for case in f.cases if case.error is None):
        valid[case.function.name].append(case)
    found = {}
    for name in (n for n in names if n in valid):
        function = registry.functions[name]
        without = left_out(function, rules_for(function, by_stem))
        found[name] = [
            *_dtypes(function, valid[name]),
            *_layouts(valid[name]),
            *(Untested(f"hostile cases: {kind}", reason) for kind, reason in without.items()),
        ]
    return found


def _dtypes(function: Function, cases: list[Case]) -> Iterator[Untested]:
    tried = {dtype for case in cases for dtype in case.dtypes}
    by_reason: dict[str, list[str]] = defaultdict(list)
    for dtype in (d for d in NUMPY if d not in tried):
        having = [p.name for p in function.params if dtype in (p.dtypes or ())]
        reason = (
            f"no case has this dtype, but {', '.join(having)} may have it in cases of other dtypes"
            if having
            else "not in the contract"
        )
        by_reason[reason].append(dtype)
    yield from (Untested(f"dtypes: {', '.join(dtypes)}", reason) for reason, dtypes in by_reason.items())


def _layouts(cases: list[Case]) -> Iterator[Untested]:
    found = Counter((case.left_out, case.why_left_out) for case in cases if case.left_out)
    for (layouts, reason), count in found.items():
        yield Untested(f"layouts: {', '.join(layouts)}, of {count} of {len(cases)} cases", reason)
