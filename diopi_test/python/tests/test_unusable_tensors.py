# SPDX-License-Identifier: BSD-3-Clause
"""Tests that every operator checks the dtype and the rank of every tensor argument, also of tensors that it does not
use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from helpers import registry

from conformance.cases.case import Case
from conformance.cases.group import Group
from conformance.cases.prepare import prepare
from conformance.cases.prepared import NotApplicable
from conformance.cases.reader import load_cases
from conformance.oracle import load_oracles
from conformance.placement import row_major
from conformance.run.binding import Runtime, default_library, default_runtime
from conformance.run.buffers import Buffer
from conformance.run.call import build

pytestmark = pytest.mark.skipif(
    not default_runtime().exists() or not default_library().exists(), reason="nothing is built"
)

CALLS = 8  # the number of calls of each operator, with different arguments
LARGEST = 4096  # the largest number of elements of a tensor
# Parameters that operators ignore in evaluation mode, in which frameworks may pass anything.
IGNORED: dict[str, set[str]] = {"diopiDropout": {"mask"}, "diopiDropoutInp": {"mask"}}


@cache
def cases() -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for case in load_cases(registry()):
        if case.error is None:
            found.setdefault(case.function.name, []).append(case)
    return found


def calls_of(name: str) -> Iterator[dict[str, Any]]:
    """The arguments of some valid calls."""
    oracle, made = load_oracles().get(name), 0
    for case in cases().get(name, []) if oracle else []:
        try:
            prepared = prepare(Group(case, case.dtypes[0], ("contiguous",)), oracle)
        except NotApplicable:
            continue
        arguments = build(prepared, "contiguous").arguments
        if all(b.array.size <= LARGEST for _, _, b in tensors_of(arguments)):
            yield arguments
            made += 1
        if made == CALLS:
            return


def tensors_of(arguments: dict[str, Any]) -> Iterator[tuple[str, int | None, Buffer]]:
    for name, value in arguments.items():
        if isinstance(value, Buffer):
            yield name, None, value
        for i, item in enumerate(value if isinstance(value, list) else []):
            if isinstance(item, Buffer):
                yield name, i, item


def replaced(arguments: dict[str, Any], name: str, index: int | None, tensor: Buffer) -> dict[str, Any]:
    if index is None:
        return arguments | {name: tensor}
    items = list(arguments[name])
    items[index] = tensor
    return arguments | {name: items}


def without_storage(like: Buffer, dtype: str) -> Buffer:
    tensor = Buffer("float32", row_major(like.placement.shape))  # the runtime stores these dtypes in four bytes
    tensor.dtype = dtype
    return tensor


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime(registry(), default_runtime(), default_library())


@pytest.mark.parametrize("name", sorted(load_oracles()))
def test_unusable_tensors_are_refused(runtime: Runtime, name: str) -> None:
    function = registry().functions[name]
    if not runtime.has(name):
        pytest.skip("the library lacks it")
    far = Buffer("float32", row_major((1,) * 39))
    calls = list(calls_of(name))
    assert calls
    for arguments in calls:
        for parameter, index, tensor in tensors_of(arguments):
            if parameter in IGNORED.get(name, ()):
                continue
            for dtype in ("tfloat32", "complex32"):
                wrong = replaced(arguments, parameter, index, without_storage(tensor, dtype))
                outcome = runtime.call(function, wrong)
                assert outcome.code == "diopiDtypeNotSupported", f"{parameter} of {dtype}: {outcome}"
            outcome = runtime.call(function, replaced(arguments, parameter, index, far))
            assert outcome.code != "diopiSuccess", f"{parameter} of 39 dimensions"
