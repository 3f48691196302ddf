# SPDX-License-Identifier: BSD-3-Clause
"""References for cumulative sums."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, composed, torch


def _cumsum(input: Any, dim: int, dtype: Any) -> Any:
    """torch.cumsum. PyTorch has no cumulative sum of bool, so a bool sum is whether any element so far is true."""
    if dtype == torch.bool:
        return torch.cumsum(input.bool(), dim).bool()
    return torch.cumsum(input, dim, dtype=dtype)


def _cumsum_backward(grad_output: Any, dim: int, dtype: Any) -> Any:
    over = [dim] if grad_output.ndim else []
    return _cumsum(grad_output.flip(over), dim, dtype).flip(over)


TABLE: Table = {
    "diopiCumsum": Reference("torch.cumsum; for bool of counts, converted to bool", _cumsum),
    "diopiCumsumBackward": composed("torch.flip, torch.cumsum, torch.flip", _cumsum_backward),
}
