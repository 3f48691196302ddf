# SPDX-License-Identifier: BSD-3-Clause
"""What a translated call is made of, and the translations that many operators share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..case_files import TensorSpec
from .calls import Call, Tensor
from .sizes import Resizing


@dataclass(frozen=True)
class Draft:
    """A call of the contract's function `diopi<name>`: arguments by the contract's names."""

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
    """How the calls of one traced operator become calls of the contract, and how they may be made smaller."""

    translate: Translate
    resizing: Resizing = field(default_factory=Resizing)
    prepare: Callable[[Call], Call] | None = None  # brings the call to a form whose sizes are independent


def spec(tensor: Tensor | None, gen: str | None = None) -> Any:
    """The TensorSpec of a tensor; None for none."""
    return None if tensor is None else TensorSpec(tensor.shape, tensor.dtype, gen)


def number(value: Any) -> Any:
    """A parameter as a number: the traces write infinities as text."""
    return float(value) if isinstance(value, str) else value


def each(value: int | list[int], count: int) -> list[int]:
    """One number for each of several dimensions."""
    return list(value) if isinstance(value, list) else [value] * count


def dims_of(value: int | list[int] | None) -> list[int]:
    """The dimensions of a reduction; none stands for all."""
    return [] if value is None else [value] if isinstance(value, int) else list(value)


def reduced_shape(shape: tuple[int, ...], dims: list[int], keepdim: bool) -> tuple[int, ...]:
    wrapped = {d % max(len(shape), 1) for d in dims} if dims else set(range(len(shape)))
    return tuple(1 if i in wrapped else n for i, n in enumerate(shape) if keepdim or i not in wrapped)


def take(call: Call, *names: str) -> dict[str, Any]:
    """Parameters that the contract calls as the trace does."""
    return {name: call.params[name] for name in names}


# --- translations that many operators share ---


def unary(name: str, gen: str | None = None, *attributes: str) -> Row:
    """out = f(input), or in place."""

    def translate(call: Call) -> Iterator[Draft]:
        inplace = call.inplace or call.params.get("inplace")
        yield Draft(name + ("Inp" if inplace else ""), {"input": spec(call.tensor(), gen), **take(call, *attributes)})

    return Row(translate)


def activation(name: str, *attributes: str, needs: str = "input", more: Callable[[Call], dict] | None = None) -> Row:
    """As `unary`, with a gradient that needs the input or the output of the forward call."""
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
    """Of two tensors or of a tensor and a number, in place or not: the four forms of an arithmetic operator."""

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
    """A comparison, with numbers among which equal ones are frequent."""

    def translate(call: Call) -> Iterator[Draft]:
        x, other = call.tensor(), call.tensor("other")
        inp = "Inp" if call.inplace else ""
        if other:
            few = None if "bool" in (x.dtype, other.dtype) else "int(-2, 3)"
            yield Draft(name + inp, {"input": spec(x, few), "other": spec(other, few)})
        else:
            value = number(call.params["other"])
            if x.dtype == "bool" and value not in (0, 1):
                raise ValueError(f"a bool compared with {value:g} says nothing about its values")
            near = None if x.dtype == "bool" else f"around({value:g})"
            yield Draft(name + inp + "Scalar", {"input": spec(x, near), "other": value})

    return Row(translate)


def pair(
    name: str, *, first: str = "input", second: str = "other", cost: Callable | None = None, gen: str | None = None
) -> Row:
    """Of two tensors only."""

    def translate(call: Call) -> Iterator[Draft]:
        inp = "Inp" if call.inplace else ""
        yield Draft(name + inp, {k: spec(call.tensor(k), gen) for k in (first, second)})

    return Row(translate, Resizing(cost=cost))


def reduction(name: str, *, one_dim: bool = False, more: Callable[[Call], dict] | None = None) -> Row:
    """Over some dimensions or all, where the shape of `out` says whether they stay."""

    def translate(call: Call) -> Iterator[Draft]:
        x, dims = call.tensor(), dims_of(call.params.get("dim"))
        arguments: dict[str, Any] = {"input": spec(x), "dim": (dims[0] if dims else None) if one_dim else dims}
        if call.params.get("keepdim"):
            arguments["out"] = TensorSpec(reduced_shape(x.shape, dims, True))
        yield Draft(name, {**arguments, **(more(call) if more else {})})

    return Row(translate)


def extremum(name: str) -> Row:
    """Max and Min: of a dimension with indices, or of everything."""

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
