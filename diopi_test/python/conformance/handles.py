# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of a call that are neither tensors nor plain values: scalars, generators, and nulls of invalid calls."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scalar:
    """A diopiScalar_t: its value and its `stype`, which is a dtype or, in an invalid call, a number such as "17"."""

    value: int | float | bool
    dtype: str


@dataclass(frozen=True)
class Seed:
    """The state of a generator before the call."""

    seed: int
    offset: int = 0


@dataclass(frozen=True)
class NullSize:
    """A diopiSize_t that has a length but no data."""

    len: int


class NullContext:
    """The value of the argument `ctx` that makes the judge pass a null context."""

    def __repr__(self) -> str:
        return "null"


NULL_CONTEXT = NullContext()
