# SPDX-License-Identifier: BSD-3-Clause
"""References for sorting."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, composed, torch


def _topk(input: Any, k: int, dim: int, largest: bool) -> tuple[Any, Any]:
    order = torch.argsort(input, dim=dim, descending=largest, stable=True)
    numbers = input.to(torch.uint8) if input.dtype == torch.bool else input
    values = torch.topk(numbers, k, dim, largest, True)[0].to(input.dtype)
    return values, order.narrow(dim, 0, k) if input.ndim else order


TABLE: Table = {
    "diopiSort": Reference(
        "torch.sort with stable",
        lambda input, dim, descending: tuple(torch.sort(input, dim=dim, descending=descending, stable=True)),
    ),
    "diopiArgsort": Reference(
        "torch.argsort with stable",
        lambda input, dim, descending: torch.argsort(
            input, dim=-1 if dim is None else dim, descending=descending, stable=True
        ),
    ),
    "diopiSortBackward": composed(
        "torch.zeros, torch.Tensor.scatter_",
        lambda grad_output, dim, indices, sizes: torch.zeros(sizes, dtype=grad_output.dtype).scatter_(
            dim, indices.long(), grad_output
        ),
    ),
    "diopiTopk": Reference("torch.topk; torch.argsort with stable for ties", _topk),
}
