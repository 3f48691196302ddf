# SPDX-License-Identifier: BSD-3-Clause
"""Creates the outputs that the caller did not give, by the registry's rules for shape and dtype."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import dtypes
from .arguments import scalar_dtype
from .binding import size_of
from .contract import Result
from .errors import ArgumentError
from .tensor import Tensor
from .tensors import Call


def describe(call: Call, value: Any, handle: int) -> tuple[tuple[int, ...], str]:
    """The shape and the dtype of a tensor argument."""
    if type(value) is np.ndarray:
        name = dtypes.NAME_OF.get(value.dtype)
        if name is not None:
            return value.shape, name
    elif type(value) is Tensor:
        return value.shape, value.dtype
    shape, _, name = call.runtime.describe(handle)
    return shape, name


def broadcast(function: str, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape of these arguments after broadcasting."""
    shapes_alone = list(shapes.values())
    if all(s == shapes_alone[0] for s in shapes_alone):
        return shapes_alone[0]
    try:
        return np.broadcast_shapes(*shapes_alone)
    except ValueError:
        shown = " and ".join(f"{n} of shape {list(s)}" for n, s in shapes.items())
        raise ArgumentError(f"{function}: {shown} do not broadcast", argument=next(iter(shapes))) from None


def infer(
    function: str,
    rule: Result,
    tensors: Mapping[str, tuple[tuple[int, ...], str]],
    scalars: Mapping[str, str],
    rounded: bool = False,
) -> tuple[tuple[int, ...], str]:
    """The shape and dtype that a rule gives, from the shapes and dtypes of tensors and the dtypes of numbers.

    rounded: whether the operator has a rounding mode, so that a quotient of integers is an integer.
    """
    if rule.shape == "like":
        shape = tensors[rule.of[0]][0]
    else:
        shape = broadcast(function, {n: tensors[n][0] for n in rule.of if n in tensors})
    if not rule.promoted:
        return shape, tensors[rule.dtype][1] if rule.dtype in tensors else rule.dtype
    given = [tensors[n] for n in rule.promoted if n in tensors]
    dtype = dtypes.result_type(
        [d for s, d in given if s], [d for s, d in given if not s], [scalars[n] for n in rule.promoted if n in scalars]
    )
    kind = rule.dtype
    if kind == "quotient":
        kind = "promoted" if rounded else "floating"
    return shape, dtypes.derived(kind, dtype)


def make_output(
    call: Call, function: str, rule: Result, given: Mapping[str, Any], handles: Mapping[str, Any]
) -> tuple[int, tuple[int, ...], str]:
    """Creates a tensor by a rule. Returns its handle, which the caller must release, its shape and its dtype."""
    tensors: dict[str, tuple[tuple[int, ...], str]] = {}
    scalars: dict[str, str] = {}
    for name in (*rule.of, *rule.promoted, rule.dtype):
        value, handle = given.get(name), handles.get(name)
        if value is None or name in tensors:
            continue
        if isinstance(handle, int):
            tensors[name] = describe(call, value, handle)
        else:
            scalars[name] = scalar_dtype(function, name, value)
    shape, dtype = infer(function, rule, tensors, scalars, bool(handles.get("rounding_mode")))
    return create(call, shape, dtype), shape, dtype


def create(call: Call, shape: tuple[int, ...], dtype: str) -> int:
    """Creates a tensor with undefined elements and returns its handle."""
    runtime = call.runtime
    code = runtime.diopirtCreateTensor(
        call.context, size_of(shape), None, runtime.contract.dtypes[dtype], call.device, ctypes.byref(call.scratch)
    )
    if code:
        runtime.fail(code)
    assert call.scratch.value is not None
    return call.scratch.value
