# SPDX-License-Identifier: BSD-3-Clause
"""References for filled slices."""

from __future__ import annotations

from typing import Any

from ..reference import ALL_FORMS, Reference, Table, forms, torch


def _index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    number = value.reshape(()) if isinstance(value, torch.Tensor) else value
    return torch.index_fill(input, dim, index.long(), number)


TABLE: Table = forms("IndexFill", ALL_FORMS, Reference("torch.index_fill", _index_fill))
