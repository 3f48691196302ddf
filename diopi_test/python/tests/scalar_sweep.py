# SPDX-License-Identifier: BSD-3-Clause
"""Compares the library with PyTorch in calls of every operator that takes a scalar, with many dtypes and numbers.

A row names one scalar parameter of one function, and has the same call in PyTorch. Both are called with the same
tensors and each number of `NUMBERS`. They agree if both refuse the call, or if both compute the same result.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conformance import dtypes
from conformance.handles import Scalar
from conformance.placement import row_major
from conformance.run.binding import Runtime
from conformance.run.buffers import Buffer
from conformance.selfcheck.crosscheck.reference import torch

DTYPES = tuple(dtypes.NUMPY)
_EDGES = (2**7, 2**8, 2**15, 2**16, 2**31, 2**32)
INTEGERS = (
    *(0, 1, 2, 3, -1, -3, 300, 1000, 10**10),
    *(sign * (edge + by) for edge in _EDGES for by in (-1, 0, 1) for sign in (1, -1)),
    *(2**53 + 1, 2**63 - 1, 2**63 - 2, -(2**63), -(2**63) + 1),
)
FRACTIONS = (
    *(0.0, -0.0, 1.0, 2.0, 0.5, -0.5, 2.5, -2.5, 127.0, 127.5, -128.0, -128.5, 255.5, 300.0, 1e10),
    *(65504.0, 65505.0, 65536.0, 3.39e38, 3.4028235e38, 1e39, 1e300, -1e39, 2.0**63, -(2.0**63), 2.0**64, 1e30),
    *(math.inf, -math.inf, math.nan),
)
NUMBERS: tuple[bool | int | float, ...] = (True, False, *INTEGERS, *FRACTIONS)
FEW = (True, 0, -1, 300, 2**40, 0.5, -0.5, 1e39, math.nan)  # the numbers for tensors without elements

_VALUES = (5, 100, 3, 0, 7, 1)


def scalar_of(number: bool | int | float) -> Scalar:
    kind = "bool" if isinstance(number, bool) else "int64" if isinstance(number, int) else "float64"
    return Scalar(number, kind)


@dataclass(frozen=True)
class Row:
    """One scalar parameter of one function.

    `tensors` maps each tensor argument to the kind of tensor that `_tensor` creates. `call` is the call in PyTorch,
    with these tensors by name and the number as `s`. `inplace` names the operand that the function overwrites, if there
    is one.
    """

    function: str
    parameter: str
    tensors: dict[str, str]
    call: Callable[..., Any]
    attributes: dict[str, Any] = field(default_factory=dict)
    inplace: str = ""
    out: str = "out"
    plain: bool = False  # the parameter has the C type double

    def __str__(self) -> str:
        return f"{self.function}({self.parameter})"


def _forms(name: str, parameter: str, call: Callable[..., Any], tensors: dict[str, str], **more: Any) -> list[Row]:
    """The rows of a function and of its in-place form. `call` gets "_" as its first argument for the in-place form."""
    scalar = name.removesuffix("Scalar")
    suffix = name[len(scalar) :]
    return [
        Row(f"diopi{name}", parameter, tensors, lambda **k: call("", **k), **more),
        Row(f"diopi{scalar}Inp{suffix}", parameter, tensors, lambda **k: call("_", **k), inplace="input", **more),
    ]


def _method(name: str, *names: str, **fixed: Any) -> Callable[..., Any]:
    """A call of a method of `input`. `names` has the arguments in order, including `s`; `key=name` is a keyword."""

    def call(form: str, input: Any, **known: Any) -> Any:
        given = [known[n] for n in names if "=" not in n]
        keywords = {n.split("=")[0]: known[n.split("=")[1]] for n in names if "=" in n}
        return getattr(input, name + form)(*given, **keywords, **fixed)

    return call


def _nn(name: str, *arguments: Any) -> Callable[..., Any]:
    """A call of a function of torch.ops.aten. The argument `...` is the number; text is the name of a tensor."""

    def call(form: str = "", s: Any = None, **tensors: Any) -> Any:
        given = [s if a is ... else tensors[a] if isinstance(a, str) else a for a in arguments]
        return getattr(torch.ops.aten, name + form)(*given)

    return call


def rows() -> list[Row]:
    one, two = {"input": "x"}, {"input": "x", "other": "x"}
    result: list[Row] = []
    for name in ("add", "sub"):
        title = name.capitalize()
        result += _forms(title, "alpha", _method(name, "other", "alpha=s"), two)
        result += _forms(f"{title}Scalar", "other", _method(name, "s"), one, attributes={"alpha": Scalar(1, "int64")})
        result += _forms(
            f"{title}Scalar",
            "alpha",
            lambda form, input, s, n=name: getattr(input, n + form)(2, alpha=s),
            one,
            attributes={"other": Scalar(2, "int64")},
        )
    result += _forms("MulScalar", "other", _method("mul", "s"), one)
    for mode, rounding in (("None", None), ("Trunc", "trunc"), ("Floor", "floor")):
        call = _method("div", "s", rounding_mode=rounding)
        result += _forms("DivScalar", "other", call, one, attributes={"rounding_mode": f"RoundMode{mode}"})
    result.append(Row("diopiRemainderScalar", "other", one, lambda input, s: torch.remainder(input, s)))
    result.append(Row("diopiRemainder", "input", {"other": "positive"}, lambda other, s: torch.remainder(s, other)))
    for name in ("eq", "ne", "ge", "gt", "le", "lt"):
        result += _forms(f"{name.capitalize()}Scalar", "other", _method(name, "s"), one)
    for name in ("And", "Or"):
        result += _forms(f"Bitwise{name}Scalar", "other", _method(f"bitwise_{name.lower()}", "s"), one)
    result += _forms("ClampMinScalar", "min", _method("clamp_min", "s"), one)
    result += _forms("ClampMaxScalar", "max", _method("clamp_max", "s"), one)
    fixed = {"max": Scalar(90, "int64")}, {"min": Scalar(2, "int64")}
    result += _forms("ClampScalar", "min", _method("clamp", "min=s", max=90), one, attributes=fixed[0])
    result += _forms("ClampScalar", "max", _method("clamp", "max=s", min=2), one, attributes=fixed[1])
    result += _forms("Pow", "exponent", _method("pow", "s"), one)
    result.append(Row("diopiPowScalar", "input", {"exponent": "small"}, lambda exponent, s: torch.pow(s, exponent)))
    return result + _rows_of_values()


def _rows_of_values() -> list[Row]:
    """The functions whose scalar is a value, not an operand."""
    one = {"input": "x"}
    result = _forms("MaskedFillScalar", "value", _method("masked_fill", "mask", "s"), {**one, "mask": "mask"})
    for reduce in ("", "add", "multiply"):
        more = {"reduce": reduce} if reduce else {}
        call = lambda form, input, index, s, more=more: getattr(input, f"scatter{form}")(0, index, s, **more)  # noqa: E731
        attributes = {"dim": 0, "reduce": reduce}
        result += _forms("ScatterScalar", "value", call, {**one, "index": "index"}, attributes=attributes)
    result += _forms(
        "IndexFillScalar",
        "value",
        lambda form, input, index, s: getattr(input, "index_fill" + form)(0, index, s),
        {**one, "index": "index"},
        attributes={"dim": 0},
    )
    result.append(Row("diopiFill", "value", one, lambda input, s: input.fill_(s), inplace="input"))
    three, two = {"input": "x", "tensor1": "x", "tensor2": "positive"}, {"grad_output": "x", "input": "x"}
    for name in ("addcmul", "addcdiv"):
        call = _method(name, "tensor1", "tensor2", "value=s")
        result += _forms(name.capitalize(), "value", call, three)
    lerp = {"input": "x", "end": "positive"}
    result.append(Row("diopiLerpScalar", "weight", lerp, lambda input, end, s: torch.lerp(input, end, s)))
    seven, most = Scalar(7, "int64"), Scalar(90, "int64")
    result += _forms("Threshold", "threshold", _nn("threshold", "input", ..., 7), one, attributes={"value": seven})
    result += _forms("Threshold", "value", _nn("threshold", "input", 7, ...), one, attributes={"threshold": seven})
    result += _forms("Hardtanh", "min_val", _nn("hardtanh", "input", ..., 90), one, attributes={"max_val": most})
    result += _forms(
        "Hardtanh", "max_val", _nn("hardtanh", "input", 2, ...), one, attributes={"min_val": Scalar(2, "int64")}
    )
    result += _forms("LeakyRelu", "negative_slope", _nn("leaky_relu", "input", ...), {"input": "signed"})
    grads = {"out": "grad_input"}
    call = _nn("hardtanh_backward", "grad_output", "input", ..., 90)
    result.append(Row("diopiHardtanhBackward", "min_val", two, call, {"max_val": most}, **grads))
    call = _nn("hardtanh_backward", "grad_output", "input", 2, ...)
    result.append(Row("diopiHardtanhBackward", "max_val", two, call, {"min_val": Scalar(2, "int64")}, **grads))
    call = _nn("threshold_backward", "grad_output", "input", ...)
    result.append(Row("diopiThresholdBackward", "threshold", two, call, **grads))
    call = _nn("leaky_relu_backward", "grad_output", "input", ..., False)
    signed = {"grad_output": "x", "input": "signed"}
    attributes = {"input_is_result": False}
    result.append(Row("diopiLeakyReluBackward", "negative_slope", signed, call, attributes, **grads))
    return result + _rows_of_products() + _rows_of_ranges()


def _rows_of_products() -> list[Row]:
    result = []
    one = Scalar(1, "int64")
    matrices, batches = (
        {"input": "m22", "mat1": "m23", "mat2": "m32"},
        {
            "input": "b22",
            "batch1": "b23",
            "batch2": "b32",
        },
    )
    for name, other in (("alpha", "beta"), ("beta", "alpha")):
        call = lambda input, mat1, mat2, s, n=name: torch.addmm(input, mat1, mat2, **{n: s})  # noqa: E731
        result.append(Row("diopiAddmm", name, matrices, call, {other: one}))
        call = lambda form, input, batch1, batch2, s, n=name: getattr(input, f"baddbmm{form}")(  # noqa: E731
            batch1, batch2, **{n: s}
        )
        result += _forms("Baddbmm", name, call, batches, attributes={other: 1.0}, plain=True)
    return result


def _rows_of_ranges() -> list[Row]:
    """The functions that create ranges. Linspace with 0 or 1 steps does not use all its numbers, so it ignores them."""
    result = []
    for steps in (0, 1, 3):
        for name, other in (("start", "end"), ("end", "start")):
            call = lambda out, s, n=name, o=other, k=steps: torch.linspace(  # noqa: E731
                **{n: s, o: 3, "steps": k}, dtype=out.dtype
            )
            attributes = {other: Scalar(3, "int64"), "steps": steps}
            result.append(Row("diopiLinspace", name, {"out": f"v{steps}"}, call, attributes))
    return result


def _values(kind: str, dtype: str) -> np.ndarray:
    numbers = np.array(_VALUES, np.int64)
    if kind == "signed" and dtype not in ("bool", *dtypes.UNSIGNED):
        numbers = numbers * np.array([1, -1] * 3)
    if kind == "positive":
        numbers = numbers + 1
    if kind == "small":
        numbers = numbers % 4
    return dtypes.narrow(numbers, dtype)


def _tensor(kind: str, dtype: str, empty: bool) -> np.ndarray:
    if kind == "mask":
        return np.array([True, False, True, False, True, True][: 0 if empty else 6])
    if kind == "index":
        return np.array([1, 4, 1][: 0 if empty else 3], np.int64)
    values = _values(kind, dtype)
    if kind[0] in "mb" and kind[1:].isdigit():
        rows, columns = (int(n) for n in kind[1:])
        shape = (0 if empty and kind[1:] != "32" else rows, 0 if empty and kind[1:] != "23" else columns)
        values = np.resize(values, (1, *shape) if kind[0] == "b" else shape)
        return values.astype(dtypes.NUMPY[dtype])
    if kind[0] == "v":
        return np.resize(values, int(kind[1:])).astype(dtypes.NUMPY[dtype])
    return values[: 0 if empty else 6]


def buffer_of(array: np.ndarray) -> Buffer:
    made = Buffer(dtypes.name_of(array.dtype), row_major(array.shape))
    made.array[...] = array
    made.seal()
    return made


def to_torch(array: np.ndarray) -> Any:
    if dtypes.name_of(array.dtype) == "bfloat16":
        return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.array(array))


def from_torch(tensor: Any) -> np.ndarray:
    if tensor.dtype == torch.bfloat16:
        return tensor.contiguous().view(torch.int16).numpy().view(dtypes.NUMPY["bfloat16"])
    return tensor.contiguous().numpy()


@dataclass
class Answer:
    """The result of a call: an array, or the reason of the refusal."""

    array: np.ndarray | None
    why: str = ""
    has_written: bool = False  # whether a refused call wrote to its output


def ask_torch(row: Row, tensors: dict[str, np.ndarray], number: Any) -> Answer:
    if row.plain:  # a double holds integers, too: PyTorch gets an int in place of a whole double
        number = float(number)
        number = int(number) if number.is_integer() and abs(number) < 2.0**63 else number
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Answer(from_torch(row.call(**{k: to_torch(v) for k, v in tensors.items()}, s=number)))
        except (RuntimeError, NotImplementedError, TypeError, ZeroDivisionError, OverflowError) as error:
            return Answer(None, str(error).splitlines()[0])


def ask_library(runtime: Runtime, row: Row, tensors: dict[str, np.ndarray], number: Any, out: np.ndarray) -> Answer:
    """Calls the library with an output like `out`. A refused call must not change the output."""
    function = runtime.registry.functions[row.function]
    buffers = {k: buffer_of(v) for k, v in tensors.items()}
    if not row.inplace and row.out not in buffers:
        buffers[row.out] = buffer_of(np.zeros_like(out))
    written = buffers[row.inplace or row.out]
    scalar = float(number) if row.plain else scalar_of(number)
    outcome = runtime.call(function, {**row.attributes, **buffers, row.parameter: scalar})
    if outcome.code == "diopiSuccess":
        return Answer(written.array.copy())
    change = written.first_change(inside=True)
    return Answer(None, f"{outcome.code}: {outcome.message}", change is not None)


def same(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Whether the results are equal up to two roundings. PyTorch rounds float16 and bfloat16 once more."""
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return False
    dtype = dtypes.name_of(ours.dtype)
    a, b = dtypes.widen(ours), dtypes.widen(theirs)
    if not dtypes.is_inexact(dtype):
        return np.array_equal(a, b)
    with np.errstate(all="ignore"):
        return bool(np.allclose(a, b, rtol=8 * 2.0 ** -dtypes.precision(dtype), atol=0, equal_nan=True))


def _promoted(tensors: dict[str, np.ndarray], number: Any) -> str:
    kinds = [dtypes.name_of(v.dtype) for k, v in tensors.items() if k not in ("mask", "index")]
    return dtypes.result_type(kinds, [], [scalar_of(number).dtype])


@dataclass(frozen=True)
class Difference:
    row: Row
    dtype: str
    number: Any
    empty: bool
    ours: Answer
    theirs: Answer

    def __str__(self) -> str:
        def as_text(answer: Answer) -> str:
            if answer.has_written:
                return f"{answer.why} (but it wrote to its output)"
            return answer.why if answer.array is None else f"{answer.array.dtype} {answer.array.tolist()}"

        place = f"{self.row} {self.row.attributes} {self.dtype}{' empty' if self.empty else ''} {self.number!r}"
        return f"{place}:\n    ours:   {as_text(self.ours)}\n    theirs: {as_text(self.theirs)}"


def differences(runtime: Runtime, row: Row) -> Iterator[Difference]:
    """The calls in which PyTorch and the library differ, without dtypes for which PyTorch has no implementation."""
    accepted = {p.name: p.dtypes for p in runtime.registry.functions[row.function].params if p.dtypes}
    for dtype in DTYPES:
        if any(dtype not in accepted[k] for k, v in row.tensors.items() if v not in ("mask", "index")):
            continue
        for empty in (False, True):
            tensors = {k: _tensor(v, dtype, empty) for k, v in row.tensors.items()}
            for number in FEW if empty else NUMBERS:
                theirs = ask_torch(row, tensors, number)
                if "not implemented for" in theirs.why:
                    continue
                out = theirs.array
                if out is None:
                    first = next(iter(tensors.values()))
                    out = np.zeros(first.shape, dtypes.NUMPY[_promoted(tensors, number)])
                ours = ask_library(runtime, row, tensors, number, out)
                agree = (ours.array is None) == (theirs.array is None) and not ours.has_written
                if not agree or (ours.array is not None and not same(ours.array, theirs.array)):
                    yield Difference(row, dtype, number, empty, ours, theirs)
