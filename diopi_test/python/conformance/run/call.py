# SPDX-License-Identifier: BSD-3-Clause
"""Builds one call of a case: puts its tensors into memory where the layout requires it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from adaptor.codegen.model import Param

from .. import dtypes
from ..cases.case import TensorSpec
from ..cases.prepared import Expected, Prepared, is_output, is_written
from ..csr import Csr
from ..handles import Input, Passed, Scalar
from ..layouts import LAYOUTS, Layout, Tensor, Tensors
from ..lists import as_list
from ..placement import Shape
from .binding import Allocated, Written
from .buffers import Buffer
from .csr_buffers import CsrBuffers, in_memory
from .reserved_buffer import make_buffer
from .vector_of_one import has_numbers

# The initial value of numbers that an operator writes through a pointer. It is implausible as a result.
UNWRITTEN = -77


@dataclass
class Run:
    """One call of a `Prepared` in one layout: adds the arguments in memory and what the judge finds wrong."""

    prepared: Prepared
    layout: str
    arguments: dict[str, Passed] = field(default_factory=dict)
    inputs: list[tuple[str, Buffer]] = field(default_factory=list)
    outputs: dict[str, Passed] = field(default_factory=dict)  # by parameter
    complaints: list[str] = field(default_factory=list)
    tainted: bool = False
    call_seconds: float = 0.0
    errors: list[tuple[str, str, float]] = field(default_factory=list)


def _arrays(value: Input) -> list[np.ndarray]:
    """The array of a tensor, the arrays of a list, or the parts of a sparse tensor."""
    values = list(value.parts()) if isinstance(value, Csr) else as_list(value)
    return [v for v in values if isinstance(v, np.ndarray)]


def _buffers(value: Passed) -> list[Passed]:
    """The buffer of a tensor, those of a list, or those of the parts of a sparse tensor."""
    return list(value.parts) if isinstance(value, CsrBuffers) else as_list(value)


def tensors_of(prepared: Prepared) -> Tensors:
    """The shapes of the call's tensors, by which a layout decides whether it applies."""
    inputs: list[Shape] = []
    only_read: list[Shape] = []
    outputs: list[Shape] = []
    for p in prepared.group.case.function.params:
        if p.name not in prepared.aliases:
            value = prepared.inputs.get(p.name)
            shapes = [v.shape for v in _arrays(value)]
            inputs += shapes
            only_read += shapes if p.dir == "in" else []
        if is_output(p) and not p.allocates:
            outputs += [e.shape for e in as_list(prepared.expected.get(p.name)) if e is not None and 0 not in e.shape]
    lists = any(p.is_tensor_list for p in prepared.group.case.function.params)
    return Tensors(tuple(inputs), tuple(only_read), tuple(outputs), lists, has_numbers(prepared))


def _input_buffer(array: np.ndarray, layout: Layout, written: bool, name: str) -> Buffer:
    shared = array.size > 0 and not array.flags.c_contiguous
    strides = tuple(s // array.itemsize for s in array.strides) if shared else None
    buffer = make_buffer(dtypes.name_of(array.dtype), layout.place_input(Tensor(array.shape, name, strides), written))
    # With stride 0, one element in memory is all elements of the dimension.
    once = tuple(slice(0, 1) if s == 0 else slice(None) for s in buffer.placement.strides)
    buffer.array[once] = array[once]
    return buffer


def _output_buffer(expected: Expected, layout: Layout, name: str) -> Buffer:
    buffer = make_buffer(expected.dtype, layout.output(Tensor(expected.shape, name)))
    if expected.unwritten:
        buffer.array[...] = _known_content(expected)
    return buffer


def _known_content(expected: Expected) -> np.ndarray:
    """Numbers that no narrower dtype holds: a vendor that converts the output and back would change them."""
    numbers = np.arange(1, int(np.prod(expected.shape)) + 1).reshape(expected.shape)
    if expected.dtype in dtypes.INTEGRAL:
        information = np.iinfo(dtypes.NUMPY[expected.dtype])
        return (information.max - numbers % min(information.max, 1000)).astype(information.dtype)
    return dtypes.narrow(numbers % 2 if expected.dtype == "bool" else np.sqrt(2) * numbers, expected.dtype)


def build(prepared: Prepared, layout: str) -> Run:
    """The call with all its arguments in memory."""
    run = Run(prepared, layout)
    _place_inputs(run, LAYOUTS[layout])
    for p in prepared.group.case.function.params:
        if p.name in prepared.aliases:
            run.arguments[p.name] = run.arguments[prepared.aliases[p.name]]
            if p.dir == "out":
                run.outputs[p.name] = run.arguments[p.name]
        elif p.dir == "out":
            run.arguments[p.name] = run.outputs[p.name] = _make_output(prepared, p, LAYOUTS[layout])
    _claim_dtypes(run)
    _seal(run)
    return run


def _place_inputs(run: Run, layout: Layout) -> None:
    """Puts the tensors of inputs into memory; other inputs are passed as they are."""
    prepared, given = run.prepared, run.prepared.group.case.arguments
    for p in prepared.group.case.function.params:
        value, written, name = prepared.inputs.get(p.name), p.dir == "inout", f"{prepared.group.name}:{p.name}"
        if p.name == "ctx" and "ctx" in given:
            run.arguments["ctx"] = given["ctx"]
        if p.name in prepared.aliases or p.dir == "out" or p.name == "ctx":
            continue
        if isinstance(value, np.ndarray):
            run.arguments[p.name] = _input_buffer(value, layout, written, name)
        elif isinstance(value, Csr):
            run.arguments[p.name] = in_memory(value, layout, name)
        elif p.is_tensor_list and value is not None:
            run.arguments[p.name] = [
                None if v is None else _input_buffer(v, layout, written, f"{name}[{i}]") for i, v in enumerate(value)
            ]
        elif is_written(p) and value is not None:
            run.arguments[p.name] = run.outputs[p.name] = Written(list(as_list(value)))
        else:
            run.arguments[p.name] = value
        if written and is_output(p):
            run.outputs[p.name] = run.arguments[p.name]


def _claim_dtypes(run: Run) -> None:
    """Gives handles of an invalid call the dtype that the case claims for them."""
    for name, spec in run.prepared.group.case.arguments.items():
        given = run.arguments.get(name)
        buffers, specs = (as_list(v) for v in (given.values if isinstance(given, CsrBuffers) else given, spec))
        for buffer, one in zip(buffers, specs):
            if isinstance(buffer, Buffer) and isinstance(one, TensorSpec):
                buffer.claims = one.claims


def _seal(run: Run) -> None:
    """Copies the memory of all tensors, and notes those that the call must not write."""
    written = {id(b) for v in run.outputs.values() for b in as_list(v)}
    for name, value in run.arguments.items():
        for i, buffer in enumerate(_buffers(value)):
            if isinstance(buffer, Buffer):
                buffer.seal()
                if id(buffer) not in written:
                    run.inputs.append((name if isinstance(value, Buffer) else f"{name}[{i}]", buffer))


def _make_output(prepared: Prepared, p: Param, layout: Layout) -> Passed:
    seed = f"{prepared.group.name}:{p.name}"
    expected = prepared.expected.get(p.name)
    if is_written(p) and prepared.group.case.arguments.get(p.name, p) is not None:
        return Written([UNWRITTEN] * (len(expected) if expected else 1))
    if p.allocates and not isinstance(expected, list):
        explicit_null = p.name in prepared.group.case.arguments and prepared.group.case.arguments[p.name] is None
        return None if explicit_null else Allocated()
    if expected is None:
        return None
    if isinstance(expected, list):
        return [
            None if e is None else Allocated() if p.allocates else _output_buffer(e, layout, f"{seed}[{i}]")
            for i, e in enumerate(expected)
        ]
    return _output_buffer(expected, layout, seed)


def describe_arguments(arguments: dict[str, Passed]) -> str:
    """The shapes and strides of tensors and the values of attributes, as one line of text."""
    return ", ".join(f"{k}={_describe(v)}" for k, v in arguments.items())


def _describe(value: Passed) -> str:
    if isinstance(value, Buffer):
        return f"{value.dtype}{list(value.placement.shape)} strides {list(value.placement.strides)}"
    if isinstance(value, list) and any(isinstance(v, (Buffer, Allocated)) for v in value):
        return "[" + "; ".join(_describe(v) for v in value) + "]"
    if isinstance(value, Scalar):
        return f"{value.value} ({value.dtype})"
    return "allocated by the call" if isinstance(value, Allocated) else "null" if value is None else str(value)
