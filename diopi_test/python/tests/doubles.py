"""Vendors without a library: one that is right by construction, and the ways in which it can be made wrong."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from conformance import dtypes
from conformance.binding import Allocated, Outcome, Seed, Written
from conformance.buffers import Buffer
from conformance.prepare import Expected, Group, prepare

from adaptor.codegen.model import Function

Fault = Callable[[dict[str, Any]], None]


class RightVendor:
    """Answers with what the oracle expects. `before` and `after` are called around that and may do harm."""

    def __init__(self, group: Group, oracle: Any, before: Fault | None = None, after: Fault | None = None) -> None:
        self.group, self.oracle, self.before, self.after = group, oracle, before, after

    def has(self, name: str) -> bool:
        return True

    def call(self, function: Function, arguments: dict[str, Any]) -> Outcome:
        expanded = any(isinstance(a, Buffer) and 0 in a.layout.strides for a in arguments.values())
        if self.before:
            self.before(arguments)
        if self.group.raw.error is not None:
            error = self.group.raw.error
            return Outcome(error.code, example_of(error.message))
        prepared = prepare(self.group, self.oracle, expanded)
        for name, expected in prepared.expected.items():
            _store(arguments[name], expected)
        if self.after:
            self.after(arguments)
        seeds = [a for a in arguments.values() if isinstance(a, Seed)]
        return Outcome("diopiSuccess", "", seeds[0].offset + 4 if seeds else None)


def _store(target: Any, expected: Any) -> None:
    if isinstance(target, Written):
        target.values.extend(expected)
    elif isinstance(expected, list):
        for one, value in zip(target, expected):
            if value is not None:
                _store(one, value)
    elif isinstance(expected, Expected):
        values = np.zeros(expected.shape) if expected.values is None else expected.values
        array = dtypes.narrow(values, expected.dtype)
        if isinstance(target, Allocated):
            target.array = np.asarray(array)
        else:
            target.array[...] = array


def example_of(pattern: str) -> str:
    """A text that the simple patterns of the case files match."""
    text = pattern.replace(".*", " ").replace(".+", " x ").replace("\\", "")
    return text
