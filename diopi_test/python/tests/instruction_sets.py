# SPDX-License-Identifier: BSD-3-Clause
"""Judges cases on every instruction set of the CPU vendor in one process, with one preparation of their numbers.

Each call is made on every set, with the same memory. A set that returns what the best one returns, and leaves the same
in every byte of this memory, has the verdict of the best one. A set that differs is judged by itself.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from adaptor.codegen.model import Function
from conformance.cases.group import Group
from conformance.cases.prepare import prepare
from conformance.cases.prepared import NotApplicable, Prepared
from conformance.layouts import Fold
from conformance.lists import as_list
from conformance.oracle import Oracle
from conformance.run.binding import Allocated, Outcome, Runtime, Written
from conformance.run.buffers import Buffer
from conformance.run.result import NOT_APPLICABLE, UNTRUSTED, Result
from conformance.verdict.group import run_group

# The sets from the best on, with the flag of /proc/cpuinfo that a processor with it has.
FLAGS = {"avx3": "avx512bw", "avx2": "avx2", "sse4": "sse4_1", "baseline": ""}
WIDE_STRIDE = "wide_stride"  # the class of hostile cases whose tensors span more memory than can be compared


def instruction_sets() -> list[str]:
    """Those of this machine."""
    cpu = Path("/proc/cpuinfo")
    flags = cpu.read_text(encoding="utf-8").split() if cpu.exists() else []
    return [name for name, flag in FLAGS.items() if not flag or flag in flags]


class OnOneSet:
    """The library on one instruction set."""

    def __init__(self, runtime: Runtime, name: str) -> None:
        self.runtime, self.name = runtime, name
        self.init = ctypes.CFUNCTYPE(ctypes.c_int)(runtime.rt.symbol(runtime.library, "initLibrary"))

    def has(self, name: str) -> bool:
        return self.runtime.has(name)

    def call(self, function: Function, arguments: dict[str, Any]) -> Outcome:
        os.environ["DIOPI_CPU_ISA"] = self.name
        assert self.init() == 0  # it reads the variable, at any time
        return self.runtime.call(function, arguments)


class OnEachSet:
    """The library on all sets: each call is made on every one, at last on the best one, whose results stay."""

    def __init__(self, sets: list[OnOneSet]) -> None:
        self.sets = sets
        self.differing: list[OnOneSet] = []  # from the best one, in a call since this was emptied

    def has(self, name: str) -> bool:
        return self.sets[0].has(name)

    def call(self, function: Function, arguments: dict[str, Any]) -> Outcome:
        seen = []
        for one in self.sets[1:]:
            outcome = one.call(function, arguments)
            seen.append((one, outcome, memory_of(arguments)))
            restore(arguments)
        best = self.sets[0].call(function, arguments)
        memory = memory_of(arguments)
        self.differing += [one for one, outcome, left in seen if (outcome, left) != (best, memory)]
        return best


def written_to(arguments: dict[str, Any]) -> Iterator[Any]:
    """Everything among the arguments that a call can change."""
    for value in arguments.values():
        for item in as_list(value):
            if isinstance(item, (Buffer, Allocated, Written)):
                yield item


def memory_of(arguments: dict[str, Any]) -> list[Any]:
    """What a call has left, to be compared with what another one has left."""
    return [_state(item) for item in written_to(arguments)]


def _state(item: Any) -> Any:
    if isinstance(item, Buffer):
        return item.bytes.tobytes()
    if isinstance(item, Written):
        return repr(item.values), item.touched
    array = item.array
    held = None if array is None else (array.dtype.str, array.shape, array.tobytes())
    return held, item.strides, item.touched


def restore(arguments: dict[str, Any]) -> None:
    """Makes the arguments what they were before the call."""
    for item in written_to(arguments):
        if isinstance(item, Buffer):
            item.bytes[...] = item.before
        elif isinstance(item, Written):
            item.values.clear()
            item.touched = False
        else:
            item.array, item.strides, item.touched = None, (), False


def remembered() -> Callable[..., Prepared]:
    """`prepare`, which is asked once for the numbers of a group."""
    kept: dict[tuple[str, str | None], Prepared | NotApplicable] = {}

    def ask(group: Group, oracle: Oracle | None, fold: Fold | None = None) -> Prepared:
        key = group.name, fold
        if key not in kept:
            try:
                kept[key] = prepare(group, oracle, fold)
            except NotApplicable as error:
                kept[key] = error
        found = kept[key]
        if isinstance(found, NotApplicable):
            raise found
        return found

    return ask


def judge(group: Group, oracle: Oracle | None, sets: list[OnOneSet]) -> list[Result]:
    """The verdicts on every layout of the group, on every set that needs a verdict of its own."""
    each, ask, results = OnEachSet(sets), remembered(), []
    for layout in group.layouts:
        one_layout = replace(group, layouts=(layout,))
        if group.case.hostile == WIDE_STRIDE:
            each.differing = sets[1:]
            found = run_group(one_layout, oracle, sets[0], preparing=ask)
        else:
            each.differing = []
            found = run_group(one_layout, oracle, each, preparing=ask)
        results += [replace(r, name=f"{r.name} on {sets[0].name}") for r in found]
        if any(r.status in (NOT_APPLICABLE, UNTRUSTED) for r in found):
            break
        for one in sets[1:]:
            if one in each.differing:
                found = run_group(one_layout, oracle, one, preparing=ask)
                results += [replace(r, name=f"{r.name} on {one.name}") for r in found]
    return results
