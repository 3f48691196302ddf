# SPDX-License-Identifier: BSD-3-Clause
"""Builds one call of a case: puts its tensors into memory with the layout that the variant requires."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import dtypes
from ..cases.case import VECTOR_OF_ONE, TensorSpec
from ..generate.hostile.over_2g_elements import LAYOUT
from . import vector_of_one
from .binding import Allocated, Scalar, Written
from .buffers import Buffer, Layout, make_layout, random_layout, row_major
from .inputs import FOLDS
from .prepared import Expected, Prepared, is_output, is_written
from .reserved_buffer import make_buffer

# The initial value of numbers that an operator writes through a pointer. It is implausible as a result.
UNWRITTEN = -77


@dataclass
class Run:
    """One call: its arguments, buffers and outcome."""

    prepared: Prepared
    variant: str
    arguments: dict[str, Any] = field(default_factory=dict)
    inputs: list[tuple[str, Buffer]] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)  # parameter -> Buffer, Allocated, Written, or a list of these
    complaints: list[str] = field(default_factory=list)
    tainted: bool = False
    call_seconds: float = 0.0
    errors: list[tuple[str, str, float]] = field(default_factory=list)


def applicable(variant: str, prepared: Prepared) -> bool:
    """Whether the variant gives the call a memory layout that differs from `contiguous`."""
    if variant in ("contiguous", "offset"):
        return True
    function = prepared.group.raw.function
    arrays: list[np.ndarray] = []
    for p in function.params:
        value = prepared.inputs.get(p.name)
        if p.name in prepared.aliases or (variant in FOLDS and p.dir != "in"):
            continue
        arrays += [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, np.ndarray)]
    if variant == "transposed":
        return any(sum(n > 1 for n in a.shape) > 1 and a.size for a in arrays)
    if variant == "sliced":
        return any(a.size for a in arrays)
    if variant == "overlapping":
        lists = [p.name for p in function.params if p.is_tensor_list]
        return any(sum(n > 1 for n in a.shape) > 1 for a in arrays) and not lists
    if variant == "expanded":
        lists = [p.name for p in function.params if p.is_tensor_list]
        return any(a.size and max(a.shape, default=0) > 1 for a in arrays) and not lists
    if variant in ("far_apart", "odd_strides", LAYOUT):
        return True
    if variant == VECTOR_OF_ONE:
        return vector_of_one.applies(prepared)
    if variant == "channels_last":
        return any(a.ndim in (4, 5) and a.size for a in arrays) or any(
            _caller_supplied(p, prepared)
            and isinstance(e := prepared.expected[p.name], Expected)
            and len(e.shape) in (4, 5)
            for p in function.params
        )
    supplied = any(_caller_supplied(p, prepared) for p in function.params)
    return supplied or (variant == "mixed" and any(a.ndim and a.size for a in arrays))


def _caller_supplied(p: Any, prepared: Prepared) -> bool:
    if not is_output(p) or p.allocates or p.name not in prepared.expected:
        return False
    expected = prepared.expected[p.name]
    return any(e is not None and 0 not in e.shape for e in (expected if isinstance(expected, list) else [expected]))


def _mixed_buffer(dtype: str, shape: tuple[int, ...], seed: str) -> Buffer:
    """A buffer with a random layout. The names of the case and of the parameter are the seed."""
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "little"))
    return Buffer(dtype, random_layout(shape, rng), int(rng.integers(0, 4)))


def _input_buffer(array: np.ndarray, variant: str, inout: bool, seed: str) -> Buffer:
    if variant == "mixed":
        buffer = _mixed_buffer(dtypes.name_of(array.dtype), array.shape, seed)
        buffer.array[...] = array
        return buffer
    kind, offset = {
        "transposed": ("transposed", 0),
        "sliced": ("sliced", 3),
        "channels_last": ("channels_last", 0),
        "strided_out": ("strided" if inout else "contiguous", 1 if inout else 0),
        "offset": ("contiguous", 1),
        "far_apart": ("far_apart", 0),
        "odd_strides": ("odd_strides", 0),
    }.get(variant, ("contiguous", 0))
    layout = make_layout(kind, array.shape)
    if variant == "overlapping" and not inout and array.size and not array.flags.c_contiguous:
        layout = Layout(array.shape, tuple(s // array.itemsize for s in array.strides))
    if variant == "expanded" and not inout and 0 in array.strides and array.size:
        dim = next(i for i, n in enumerate(array.shape) if n > 1)
        collapsed = tuple(1 if i == dim else n for i, n in enumerate(array.shape))
        strides = list(row_major(collapsed).strides)
        strides[dim] = 0
        layout = Layout(array.shape, tuple(strides))
    if variant == LAYOUT:
        layout = Layout(array.shape, (0, 1))
    buffer = make_buffer(dtypes.name_of(array.dtype), layout, offset)
    if variant == LAYOUT:
        buffer.array[0] = array[0]
        return buffer
    buffer.array[...] = array
    return buffer


def _output_buffer(expected: Expected, variant: str, seed: str) -> Buffer:
    if variant == "mixed":
        return _mixed_buffer(expected.dtype, expected.shape, seed)
    kind, offset = {
        "strided_out": ("strided", 1),
        "channels_last": ("channels_last", 0),
        "offset": ("contiguous", 1),
        "far_apart": ("far_apart", 0),
        "odd_strides": ("odd_strides", 0),
    }.get(variant, ("contiguous", 0))
    return make_buffer(expected.dtype, make_layout(kind, expected.shape), offset)


def build(prepared: Prepared, variant: str) -> Run:
    """The call with all its arguments in memory."""
    run = Run(prepared, variant)
    for p in prepared.group.raw.function.params:
        value = prepared.inputs.get(p.name)
        if p.name == "ctx" and "ctx" in prepared.group.raw.arguments:
            run.arguments["ctx"] = prepared.group.raw.arguments["ctx"]
        if p.name in prepared.aliases or p.dir == "out" or p.name == "ctx":
            continue
        if isinstance(value, np.ndarray):
            run.arguments[p.name] = _input_buffer(value, variant, p.dir == "inout", f"{prepared.group.name}:{p.name}")
        elif p.is_tensor_list and value is not None:
            run.arguments[p.name] = [
                None
                if v is None
                else _input_buffer(v, variant, p.dir == "inout", f"{prepared.group.name}:{p.name}[{i}]")
                for i, v in enumerate(value)
            ]
        else:
            run.arguments[p.name] = value
        if p.dir == "inout" and is_output(p):
            run.outputs[p.name] = run.arguments[p.name]
    for p in prepared.group.raw.function.params:
        if p.name in prepared.aliases:
            run.arguments[p.name] = run.arguments[prepared.aliases[p.name]]
            if p.dir == "out":
                run.outputs[p.name] = run.arguments[p.name]
        elif p.dir == "out":
            run.arguments[p.name] = run.outputs[p.name] = _make_output(prepared, p, variant)
    for name, spec in prepared.group.raw.arguments.items():
        buffers, specs = (v if isinstance(v, list) else [v] for v in (run.arguments.get(name), spec))
        for buffer, one in zip(buffers, specs):
            if isinstance(buffer, Buffer) and isinstance(one, TensorSpec):
                buffer.claims = one.claims
    written = {id(b) for v in run.outputs.values() for b in (v if isinstance(v, list) else [v])}
    for name, value in run.arguments.items():
        for i, buffer in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(buffer, Buffer):
                buffer.seal()
                if id(buffer) not in written:
                    run.inputs.append((f"{name}[{i}]" if isinstance(value, list) else name, buffer))
    return run


def _make_output(prepared: Prepared, p: Any, variant: str) -> Any:
    seed = f"{prepared.group.name}:{p.name}"
    expected = prepared.expected.get(p.name)
    if is_written(p) and prepared.group.raw.arguments.get(p.name, p) is not None:
        return Written([UNWRITTEN] * (len(expected) if expected else 1))
    if p.allocates and not isinstance(expected, list):
        explicit_null = p.name in prepared.group.raw.arguments and prepared.group.raw.arguments[p.name] is None
        return None if explicit_null else Allocated()
    if expected is None:
        return None
    if isinstance(expected, list):
        return [
            None if e is None else Allocated() if p.allocates else _output_buffer(e, variant, f"{seed}[{i}]")
            for i, e in enumerate(expected)
        ]
    return _output_buffer(expected, variant, seed)


def describe_arguments(arguments: dict[str, Any]) -> str:
    """The shapes and strides of tensors and the values of attributes, as one line of text."""
    return ", ".join(f"{k}={_describe(v)}" for k, v in arguments.items())


def _describe(value: Any) -> str:
    if isinstance(value, Buffer):
        return f"{value.dtype}{list(value.layout.shape)} strides {list(value.layout.strides)}"
    if isinstance(value, list) and any(isinstance(v, (Buffer, Allocated)) for v in value):
        return "[" + "; ".join(_describe(v) for v in value) + "]"
    if isinstance(value, Scalar):
        return f"{value.value} ({value.dtype})"
    return "allocated by the call" if isinstance(value, Allocated) else "null" if value is None else str(value)
