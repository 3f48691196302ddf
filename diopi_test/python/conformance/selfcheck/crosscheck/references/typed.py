# SPDX-License-Identifier: BSD-3-Clause
"""References for operators whose output chooses the dtype: reductions, cumulative sums, creation of tensors, copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..reference import Reference, Table, composed, same, torch


def _dims(dim: Any, x: Any) -> list[int]:
    return list(dim) if dim else list(range(x.ndim))


def _along(f: Callable[..., Any], input: Any, dim: int | None) -> Any:
    return f(input) if dim is None else f(input, dim=dim)


def _cumsum(input: Any, dim: int, dtype: Any) -> Any:
    """torch.cumsum. PyTorch has no cumulative sum of bool, so a bool sum is whether any element so far is true."""
    if dtype == torch.bool:
        return torch.cumsum(input.bool(), dim).bool()
    return torch.cumsum(input, dim, dtype=dtype)


def _cumsum_backward(grad_output: Any, dim: int, dtype: Any) -> Any:
    over = [dim] if grad_output.ndim else []
    return _cumsum(grad_output.flip(over), dim, dtype).flip(over)


TABLE: Table = {
    "diopiSum": Reference("torch.sum", lambda input, dim, dtype: torch.sum(input, _dims(dim, input), dtype=dtype)),
    "diopiMean": Reference("torch.mean", lambda input, dim, dtype: torch.mean(input, _dims(dim, input), dtype=dtype)),
    "diopiProd": Reference(
        "torch.prod",
        lambda input, dim, dtype: (
            torch.prod(input, dtype=dtype) if dim is None else torch.prod(input, dim, dtype=dtype)
        ),
    ),
    "diopiAny": Reference("torch.any", lambda input, dim: _along(torch.any, input, dim).bool()),
    "diopiAll": Reference("torch.all", lambda input, dim: _along(torch.all, input, dim).bool()),
    "diopiCumsum": Reference("torch.cumsum; for bool of counts, converted to bool", _cumsum),
    "diopiCumsumBackward": composed("torch.flip, torch.cumsum, torch.flip", _cumsum_backward),
    "diopiArange": Reference(
        "torch.arange", lambda start, end, step, dtype: torch.arange(start, end, step, dtype=dtype)
    ),
    "diopiLinspace": Reference(
        "torch.linspace",
        lambda start, end, steps, dtype: torch.linspace(
            start, end, steps, dtype=torch.float64 if dtype.is_floating_point else dtype
        ).to(dtype),
    ),
    "diopiMeshGrid": Reference("torch.meshgrid", lambda inputs: list(torch.meshgrid(*inputs, indexing="ij"))),
    "diopiZeros": Reference("torch.zeros", lambda size, dtype: torch.zeros(size, dtype=dtype)),
    "diopiOnes": Reference("torch.ones", lambda size, dtype: torch.ones(size, dtype=dtype)),
    "diopiFill": Reference("torch.full", lambda input, value, dtype: torch.full(input, value, dtype=dtype)),
    "diopiZeroInp": Reference("torch.zeros", lambda self, dtype: torch.zeros(self, dtype=dtype)),
    "diopiExpand": same("torch.Tensor.expand", "input", "out"),
    "diopiCopyInp": Reference("torch.Tensor.copy_", lambda src, dest, dtype: torch.empty(dest, dtype=dtype).copy_(src)),
    "diopiCastDtype": same("torch.Tensor.to", "input", "dtype"),
    "diopiContiguous": same("torch.Tensor.contiguous", "input"),
}
