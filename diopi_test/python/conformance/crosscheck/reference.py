# SPDX-License-Identifier: BSD-3-Clause
"""The references of oracles: each is a function of the contract's parameters and the name of the implementation."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

try:
    import torch
except ImportError:  # the tables below can be read without it
    torch = None  # type: ignore[assignment]

PYTORCH = "PyTorch"  # has the operator
COMPOSED = "composed"  # several calls of PyTorch, since it has no such operator or has lost digits
SPECIFICATION = "specification"  # a second implementation of what the contract lays down, without PyTorch


@dataclass(frozen=True)
class Reference:
    """The reference of an operator's oracle.

    The call gets what it asks for by the contract's names: tensors of PyTorch (arrays, for a specification), Python
    values, shapes that a case gives to outputs, and `dtype`, that of the first result. It returns the outputs in the
    contract's order, or a dictionary of them, in which None stands for one that is not compared.
    """

    against: str
    call: Callable[..., Any]
    kind: str = PYTORCH
    double: bool = False  # floating point tensors are converted to double precision before
    names: tuple[str, ...] = ()  # parameters in the order of the call; empty: those of its signature

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.names or tuple(inspect.signature(self.call).parameters)

    @property
    def needs_torch(self) -> bool:
        return self.kind != SPECIFICATION


Table = dict[str, Reference]


@cache
def _resolve(path: str) -> Callable[..., Any]:
    found: Any = torch
    for part in path.split(".")[1:]:
        found = getattr(found, part)
    return found


def same(path: str, *names: str) -> Reference:
    """PyTorch's function of this path, called with these parameters in this order."""
    return Reference(path, lambda *arguments: _resolve(path)(*arguments), names=names)


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
    """The gradient of `forward`, called with `names`, in respect of `leaf`; the first name is that of the gradient."""

    def call(grad: Any, *values: Any) -> Any:
        arguments = dict(zip(names[1:], values))
        return gradients(lambda x: forward(**{**arguments, leaf: x}), grad, arguments[leaf])[0]

    return Reference(f"torch.autograd of {path}", call, double=True, names=names)
