# SPDX-License-Identifier: BSD-3-Clause
"""Finds checks of the registry that no invalid call violates."""

from __future__ import annotations

from collections.abc import Iterable

from adaptor.codegen.rules import Check

from ..raw_cases import RawCase


def shown(cases: Iterable[RawCase]) -> set[str]:
    """The identifiers of the checks that these calls violate."""
    return {f"{c.function.name}-{slug}" for c in cases if c.error for slug in c.error.shows}


def gaps(cases: list[RawCase]) -> list[Check]:
    """The checks of all operators with cases that neither a written nor a generated call in `cases` violates."""
    functions = {c.function.name: c.function for c in cases}
    known = shown(cases)
    return [
        check for f in functions.values() for check in f.checks if check.identifier not in known and not check.untested
    ]
