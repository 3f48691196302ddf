# SPDX-License-Identifier: BSD-3-Clause
"""A vendor without a library, which writes the oracle's results. A test can corrupt them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adaptor.codegen.model import Function
from conformance import dtypes
from conformance.cases.case import ExpectedError
from conformance.cases.group import Group
from conformance.cases.prepare import prepare
from conformance.cases.prepared import Expected
from conformance.handles import Seed
from conformance.layouts import LAYOUTS
from conformance.run.binding import Allocated, Outcome, Written
from conformance.run.buffers import Buffer

Corrupt = Callable[[dict[str, Any]], Any]


class RightVendor:
    """Writes what the oracle expects. Then `corrupt` may change the arguments and return another outcome.

    If `returns` is given, a call returns this outcome and writes nothing.
    """

    def __init__(
        self, group: Group, oracle: Any, corrupt: Corrupt | None = None, returns: Outcome | None = None
    ) -> None:
        self.group, self.oracle, self.corrupt, self.returns = group, oracle, corrupt, returns

    def has(self, name: str) -> bool:
        return True

    def call(self, function: Function, arguments: dict[str, Any]) -> Outcome:
        if self.returns is not None:
            return self.returns
        outcome = Outcome("diopiSuccess")
        if self.group.case.error is not None:
            outcome = refusal(function, self.group.case.error)
        else:
            expanded = any(isinstance(a, Buffer) and 0 in a.placement.strides for a in arguments.values())
            fold = LAYOUTS["expanded"].fold if expanded else None
            for name, expected in prepare(self.group, self.oracle, fold).expected.items():
                if arguments[name] is not None:
                    _store(arguments[name], expected)
            seeds = [a for a in arguments.values() if isinstance(a, Seed)]
            outcome.generator_offsets = tuple(seed.offset + 4 for seed in seeds[:1])
        other = self.corrupt(arguments) if self.corrupt else None
        return other if isinstance(other, Outcome) else outcome


def refusal(function: Function, error: ExpectedError) -> Outcome:
    """The outcome that an invalid call must return, with a message that has all required names and values."""
    named = next(p.name for p in function.params if p.name in error.arguments)
    values = ", ".join(str(list(v) if isinstance(v, tuple) else v) for v in error.values)
    return Outcome(error.code, f"{function.name}: {named} is wrong: {values}")


def _store(target: Any, expected: Any) -> None:
    if isinstance(target, Written):
        target.values.extend(expected)
    elif isinstance(expected, list):
        for one, value in zip(target, expected):
            if value is not None:
                _store(one, value)
    elif isinstance(expected, Expected) and not expected.unwritten:
        values = np.zeros(expected.shape) if expected.values is None else expected.values
        array = np.asarray(dtypes.narrow(values, expected.dtype))
        if isinstance(target, Allocated):
            target.array, target.strides = array, expected.strides or ()
        else:
            target.array[...] = array
