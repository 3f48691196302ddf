# SPDX-License-Identifier: BSD-3-Clause
"""References for scatter and gather."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, composed, torch


def _scatter(input: Any, dim: int, src: Any, index: Any, reduce: str | None) -> Any:
    if not reduce:
        return torch.scatter(input, dim, index.long(), src)
    if isinstance(src, torch.Tensor):  # scatter_reduce follows the order of the index; scatter with reduce does not
        src = src[tuple(slice(n) for n in index.shape)]
        return torch.scatter_reduce(input, dim, index.long(), src, {"add": "sum", "multiply": "prod"}[reduce])
    return torch.scatter(input, dim, index.long(), src, reduce=reduce)


_SCATTER = Reference("torch.scatter, with reduce torch.scatter_reduce", _scatter)


_SCATTER_SCALAR = Reference(
    "torch.scatter", lambda input, dim, value, index, reduce: _scatter(input, dim, value, index, reduce)
)

TABLE: Table = {
    "diopiGatherBackward": composed(
        "torch.zeros, torch.scatter_add",
        lambda grad_output, input, dim, index: torch.zeros_like(input).scatter_add(
            dim, index.long(), grad_output.to(input.dtype)
        ),
    ),
    "diopiScatter": _SCATTER,
    "diopiScatterInp": _SCATTER,
    "diopiScatterScalar": _SCATTER_SCALAR,
    "diopiScatterInpScalar": _SCATTER_SCALAR,
}
