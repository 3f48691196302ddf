# SPDX-License-Identifier: BSD-3-Clause
"""References for reductions whose output chooses the dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..reference import Reference, Table, torch


def _dims(dim: Any, x: Any) -> list[int]:
    return list(dim) if dim else list(range(x.ndim))


def _along(f: Callable[..., Any], input: Any, dim: int | None) -> Any:
    return f(input) if dim is None else f(input, dim=dim)


def _std(input, dim, correction, dtype):
    narrow = dtype is None or input.is_complex() and dtype != torch.float64
    wide = input if narrow else input.to(torch.complex128 if input.is_complex() else dtype)
    return torch.std(wide, _dims(dim, wide), correction=1 if correction is None else correction).to(dtype)


TABLE: Table = {
    "diopiSum": Reference("torch.sum", lambda input, dim, dtype: torch.sum(input, _dims(dim, input), dtype=dtype)),
    "diopiMean": Reference("torch.mean", lambda input, dim, dtype: torch.mean(input, _dims(dim, input), dtype=dtype)),
    "diopiProd": Reference(
        "torch.prod",
        lambda input, dim, dtype: (
            torch.prod(input, dtype=dtype) if dim is None else torch.prod(input, dim, dtype=dtype)
        ),
    ),
    "diopiStd": Reference("torch.std", _std),
    "diopiAny": Reference("torch.any", lambda input, dim: _along(torch.any, input, dim).bool()),
    "diopiAll": Reference("torch.all", lambda input, dim: _along(torch.all, input, dim).bool()),
}
