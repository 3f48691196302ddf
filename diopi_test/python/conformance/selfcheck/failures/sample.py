# SPDX-License-Identifier: BSD-3-Clause
"""Chooses the cases: one for each operator, dtype and sequence of calls of the runtime."""

from __future__ import annotations

from dataclasses import dataclass, replace

from adaptor.codegen.model import Registry

from ...cases.case import Case, TensorSpec
from ...cases.group import Group
from ...cases.reader import load_cases
from ...cases.suite import Selection, select
from ...lists import as_list
from ...oracle import Oracle
from ...run.result import PASS, Result
from ...vendor.profile import VendorProfile
from ...verdict.group import run_group
from .runtime import FailingRuntime

MOST_ELEMENTS = 4096  # the largest number of elements of a tensor, so that a case takes about a millisecond


@dataclass(frozen=True)
class Seen:
    """One layout of a case, and the functions of the runtime that it calls if none fails, in order."""

    group: Group
    layout: str
    calls: tuple[str, ...]


def _elements(case: Case) -> int:
    """The number of elements of the largest tensor."""
    most = 0
    for value in case.arguments.values():
        for spec in as_list(value):
            if isinstance(spec, TensorSpec) and spec.shape is not None:
                product = 1
                for size in spec.shape:
                    product *= size
                most = max(most, product)
    return most


def candidates(registry: Registry, selection: Selection, profile: VendorProfile) -> list[Group]:
    """The small valid cases of the case files, each with one layout."""
    groups = []
    for group in select([c for c in load_cases(registry) if c.error is None], selection).groups:
        if _elements(group.case) > MOST_ELEMENTS or profile.reason(group) is not None:
            continue
        skipped = profile.skipped(group)
        converted = profile.with_declared_casts(group)
        groups += [replace(converted, layouts=(v,)) for v in group.layouts if v not in skipped]
    return groups


def call_once(group: Group, oracle: Oracle | None, vendor: FailingRuntime, profile: VendorProfile) -> list[Result]:
    """The verdict on a call without failures. If it passes, its messages are the functions of the runtime it called."""
    vendor.calls = []
    results = run_group(group, oracle, vendor, refuses=profile.refuses)
    return [replace(r, messages=tuple(vendor.calls)) if r.status == PASS else r for r in results]


def choose(seen: list[Seen]) -> list[Seen]:
    """The first case of each operator, dtype and sequence of calls."""
    chosen: dict[tuple, Seen] = {}
    for one in seen:
        chosen.setdefault((one.group.case.function.name, one.group.dtype, one.calls), one)
    return list(chosen.values())
