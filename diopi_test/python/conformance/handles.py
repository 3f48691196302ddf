# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of a call that are neither tensors nor plain values: scalars, generators, and nulls of invalid calls.

Also names for what a parameter holds at each step of a case. Each name is Any for the type checker, because only the
parameter of the contract tells which of the types a value has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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


def seeds_of(arguments: Mapping[str, Any]) -> list[Seed]:
    """The generators of a call, in the order of its parameters and of their lists."""
    return [s for v in arguments.values() for s in (v if isinstance(v, list) else [v]) if isinstance(s, Seed)]


@dataclass(frozen=True)
class NullSize:
    """A diopiSize_t that has a length but no data."""

    len: int


class NullContext:
    """The value of the argument `ctx` that makes the judge pass a null context."""

    def __repr__(self) -> str:
        return "null"


NULL_CONTEXT = NullContext()

Argument = Any  # in a Case: a TensorSpec, a list of these and nulls, or the value of an attribute
Input = Any  # in a Prepared: an array, a list of arrays and nulls, a Scalar, a Seed or list of them, or an attribute
Output = Any  # what an output must hold: an Expected, a list of these and nulls, or a list of numbers
Passed = Any  # in a Run: a Buffer, an Allocated, a Written, a list of these and nulls, or an Input that is no tensor
