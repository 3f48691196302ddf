# SPDX-License-Identifier: BSD-3-Clause
"""The reference for equal tensors."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, torch


def _equal(input: Any, other: Any) -> Any:
    """PyTorch compares tensors of different dtypes on CUDA only, in their promoted dtype."""
    dtype = torch.promote_types(input.dtype, other.dtype)
    return torch.tensor(float(torch.equal(input.to(dtype), other.to(dtype))), dtype=torch.float64)


TABLE: Table = {"diopiEqual": Reference("torch.equal", _equal)}
