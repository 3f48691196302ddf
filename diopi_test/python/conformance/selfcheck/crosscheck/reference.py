# SPDX-License-Identifier: BSD-3-Clause
"""The class `Reference`: a function that computes the same as an oracle, and the name of its implementation."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

torch: Any
try:
    torch = importlib.import_module("torch")
except ImportError:  # the tables of references can be read without PyTorch
    torch = None

PYTORCH = "PyTorch"  # the reference is one function of PyTorch
COMPOSED = "composed"  # several calls of PyTorch, because PyTorch lacks the operator or computes it too inexactly
SPECIFICATION = "specification"  # a second implementation of the contract's text, without PyTorch


@dataclass(frozen=True)
class Reference:
    """The reference of an operator's oracle.

    The parameters of `call` have the contract's names. The arguments are PyTorch tensors (arrays for a specification),
    Python values, the shapes that a case gives to outputs, and `dtype`, the dtype of the first result. `call` returns
    the outputs in the contract's order, or a dictionary of outputs; an output that is not compared is None.
    """

    against: str
    call: Callable[..., Any]
    kind: str = PYTORCH
    double: bool = False  # whether floating tensors are converted to double precision before the call
    names: tuple[str, ...] = ()  # the parameters in the order of the call; empty: the parameters of `call`
    with_torch: bool = False  # whether a specification calls PyTorch for a part of the result

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.names or tuple(inspect.signature(self.call).parameters)

    @property
    def takes_tensors(self) -> bool:
        """Whether the arguments are PyTorch tensors, not arrays."""
        return self.kind != SPECIFICATION

    @property
    def needs_torch(self) -> bool:
        return self.takes_tensors or self.with_torch


Table = dict[str, Reference]


@cache
def _resolve(path: str) -> Callable[..., Any]:
    found: Any = torch
    for part in path.split(".")[1:]:
        found = getattr(found, part)
    return found


def same(path: str, *names: str) -> Reference:
    """A PyTorch function by its path, called with these parameters in this order."""
    return Reference(path, lambda *arguments, **options: _resolve(path)(*arguments, **options), names=names)


def composed(against: str, call: Callable[..., Any], double: bool = False) -> Reference:
    return Reference(against, call, COMPOSED, double)


def gradients(forward: Callable[..., Any], grad_output: Any, *leaves: Any) -> list[Any]:
    """The gradients of these inputs by torch.autograd; None for an input that is null."""
    live = [None if x is None else x.detach().clone().requires_grad_() for x in leaves]
    result = forward(*live)
    found = torch.autograd.grad(result, [x for x in live if x is not None], grad_output.reshape(result.shape))
    remaining = iter(found)
    return [None if x is None else next(remaining) for x in live]


def autograd(path: str, forward: Callable[..., Any], leaf: str, *names: str) -> Reference:
    """The gradient of `forward` with respect to `leaf`. `names[0]` is the gradient; the rest are forward's
    parameters."""

    def call(grad: Any, *values: Any) -> Any:
        arguments = dict(zip(names[1:], values))
        return gradients(lambda x: forward(**{**arguments, leaf: x}), grad, arguments[leaf])[0]

    return Reference(f"torch.autograd of {path}", call, double=True, names=names)


# The forms of an operator, as the ends of their names.
BOTH, ALL_FORMS = ("", "Inp"), ("", "Inp", "Scalar", "InpScalar")


def forms(name: str, ends: tuple[str, ...], reference: Reference) -> Table:
    """One reference for several forms of an operator."""
    return {f"diopi{name}{end}": reference for end in ends}
