# SPDX-License-Identifier: BSD-3-Clause
"""References for selection by a mask."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, composed, torch


def _masked_select_backward(grad_output: Any, input: Any, mask: Any) -> Any:
    shape = torch.broadcast_shapes(input.shape, mask.shape)
    put = torch.zeros(shape, dtype=grad_output.dtype).masked_scatter(mask.bool().expand(shape), grad_output)
    added = len(shape) - input.ndim
    summed = [i for i, n in enumerate(shape) if i < added or input.shape[i - added] != n]
    total = (
        put.sum(summed, dtype=put.dtype)
        if summed and put.dtype != torch.bool
        else put.any(summed[0])
        if (summed)
        else put
    )
    return total.reshape(input.shape)


def _unique(input: Any, dim: int | None) -> dict[str, Any]:
    out, inverse, counts = torch.unique(
        input, sorted=True, return_inverse=True, return_counts=True, dim=dim if input.ndim else None
    )
    return {"out": out, "indices": inverse, "counts": counts}


TABLE: Table = {
    "diopiUnique": Reference("torch.unique", _unique),
    "diopiMaskedSelect": Reference("torch.masked_select", lambda input, mask: torch.masked_select(input, mask.bool())),
    "diopiMaskedSelectBackward": composed("torch.zeros, torch.masked_scatter, torch.sum", _masked_select_backward),
}
