# SPDX-License-Identifier: BSD-3-Clause
"""The classes for translated calls, and the translations that many operators share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ... import dtypes
from ...cases.case import TensorSpec
from .calls import Call, Tensor
from .sizes import Resizing


@dataclass(frozen=True)
class Draft:
    """A call of the contract's function `diopi<name>`; the arguments have the contract's names."""

    name: str
    arguments: dict[str, Any]
    saved: tuple[Saved, ...] = ()


@dataclass(frozen=True)
class Saved:
    """A parameter of a backward call that holds what the forward call wrote to `output`."""

    parameter: str
    output: str
    forward: Draft


Translate = Callable[[Call], Iterator[Draft]]


@dataclass(frozen=True)
class Row:
    """How calls of one traced operator are translated to calls of the contract, and how they may be made smaller."""

    translate: Translate
    resizing: Resizing = field(default_factory=Resizing)
    prepare: Callable[[Call], Call] | None = None  # rewrites the call so that all its sizes are independent


def spec(tensor: Tensor | None, gen: str | None = None) -> Any:
    """The TensorSpec of a tensor; None if the tensor is None."""
    return None if tensor is None else TensorSpec(tensor.shape, tensor.dtype, gen)


def number(value: Any) -> Any:
    """A parameter as a number. The traces store infinities as strings."""
    return float(value) if isinstance(value, str) else value


def each(value: int | list[int], count: int) -> list[int]:
    """A list with one number for each of `count` dimensions."""
    return list(value) if isinstance(value, list) else [value] * count


def dims_of(value: int | list[int] | None) -> list[int]:
    """The dimensions of a reduction as a list. An empty list means all dimensions."""
    return [] if value is None else [value] if isinstance(value, int) else list(value)


def reduced_shape(shape: tuple[int, ...], dims: list[int], keepdim: bool) -> tuple[int, ...]:
    wrapped = {d % max(len(shape), 1) for d in dims} if dims else set(range(len(shape)))
    return tuple(1 if i in wrapped else n for i, n in enumerate(shape) if keepdim or i not in wrapped)


def take(call: Call, *names: str) -> dict[str, Any]:
    """Parameters that have the same name in the contract and in the trace."""
    return {name: call.params[name] for name in names}


def null_unless(wanted: bool, name: str) -> dict[str, None]:
    """A null argument `name`, unless the call wants this output."""
    return {} if wanted else {name: None}


# --- translations that many operators share ---


def unary(name: str, gen: str | None = None, *attributes: str) -> Row:
    """out = f(input), or f in place."""

    def translate(call: Call) -> Iterator[Draft]:
        inplace = call.inplace or call.params.get("inplace")
        yield Draft(name + ("Inp" if inplace else ""), {"input": spec(call.tensor(), gen), **take(call, *attributes)})

    return Row(translate)


def activation(name: str, *attributes: str, needs: str = "input", more: Callable[[Call], dict] | None = None) -> Row:
    """A unary function with a gradient, which takes the input or the output of the forward call."""
    forward = unary(name, None, *attributes)

    def translate(call: Call) -> Iterator[Draft]:
        yield from forward.translate(call)
        x = call.tensor()
        if not x.grad:
            return
        arguments = {"grad_output": spec(x), needs: spec(x), **take(call, *attributes), **(more(call) if more else {})}
        first = Draft(name, {"input": spec(x), **take(call, *attributes)})
        yield Draft(name + "Backward", arguments, (Saved("output", "out", first),) if needs == "output" else ())

    return Row(translate)


def binary(
    name: str, *, gen: str | None = None, tensor: str | None = None, alpha: bool = False, mode: bool = False
) -> Row:
    """An arithmetic operator in four forms: with a tensor or a number as second operand, in place or not."""

    def translate(call: Call) -> Iterator[Draft]:
        x, other = call.tensor(), call.tensor("other")
        arguments: dict[str, Any] = {"input": spec(x)}
        arguments["other"] = spec(other, gen) if other else number(call.params["other"])
        if alpha:
            arguments["alpha"] = number(call.params.get("alpha", 1))
        if mode:
            how = call.params.get("rounding_mode")
            arguments["rounding_mode"] = f"RoundMode{(how or 'none').capitalize()}"
        form = (tensor or name) if other else name
        yield Draft(form + ("Inp" if call.inplace else "") + ("" if other else "Scalar"), arguments)

    return Row(translate)


def compare(name: str) -> Row:
    """A comparison. The numbers are chosen so that many of them are equal."""

    def translate(call: Call) -> Iterator[Draft]:
        x, other = call.tensor(), call.tensor("other")
        inp = "Inp" if call.inplace else ""
        if other:
            few = None if "bool" in (x.dtype, other.dtype) else "int(-2, 3)"
            yield Draft(name + inp, {"input": spec(x, few), "other": spec(other, few)})
        else:
            value = number(call.params["other"])
            if x.dtype == "bool" and value not in (0, 1):
                raise ValueError(f"comparing bool with {value:g} gives the same result for every input")
            near = None if x.dtype == "bool" else f"around({value:g})"
            yield Draft(name + inp + "Scalar", {"input": spec(x, near), "other": value})

    return Row(translate)


def pair(
    name: str, *, first: str = "input", second: str = "other", cost: Callable | None = None, gen: str | None = None
) -> Row:
    """An operator of two tensors without further parameters."""

    def translate(call: Call) -> Iterator[Draft]:
        inp = "Inp" if call.inplace else ""
        yield Draft(name + inp, {k: spec(call.tensor(k), gen) for k in (first, second)})

    return Row(translate, Resizing(cost=cost))


def reduction(name: str, *, one_dim: bool = False, more: Callable[[Call], dict] | None = None) -> Row:
    """A reduction of some or all dimensions. The shape of `out` says whether reduced dimensions are kept."""

    def translate(call: Call) -> Iterator[Draft]:
        x, dims = call.tensor(), dims_of(call.params.get("dim"))
        arguments: dict[str, Any] = {"input": spec(x), "dim": (dims[0] if dims else None) if one_dim else dims}
        if call.params.get("keepdim"):
            summed = name == "Sum" and not dtypes.is_inexact(x.dtype)  # as torch.sum does
            arguments["out"] = TensorSpec(reduced_shape(x.shape, dims, True), "int64" if summed else None)
        yield Draft(name, {**arguments, **(more(call) if more else {})})

    return Row(translate)


def extremum(name: str) -> Row:
    """Max and Min: along one dimension, with indices, or of all elements."""

    def translate(call: Call) -> Iterator[Draft]:
        x, dim, what = call.tensor(), call.params.get("dim"), name.lower()
        if dim is None:
            yield Draft(name + "All", {"input": spec(x)})
            return
        arguments: dict[str, Any] = {"input": spec(x), "dim": dim}
        if call.params.get("keepdim"):
            kept = reduced_shape(x.shape, [dim], True)
            arguments |= {what: TensorSpec(kept), f"{what}_indices": TensorSpec(kept, "int64")}
        yield Draft(name, arguments)

    return Row(translate)


def loss(
    name: str, *, target: Callable[[Call], TensorSpec], weight: bool = False, more: Callable[[Call], dict] | None = None
) -> Row:
    """A loss and its gradient."""

    def translate(call: Call) -> Iterator[Draft]:
        x, how = call.tensor(), call.params.get("reduction", "mean")
        arguments: dict[str, Any] = {"input": spec(x), "target": target(call)}
        if weight:
            arguments["weight"] = spec(call.tensor("weight"), "positive")
        arguments |= {"reduction": f"Reduction{how.capitalize()}", **(more(call) if more else {})}
        yield Draft(name, arguments)
        if x.grad:
            shape = arguments["target"].shape if how == "none" else ()
            yield Draft(name + "Backward", {"grad_output": TensorSpec(shape, x.dtype), **arguments})

    return Row(translate)
