# SPDX-License-Identifier: BSD-3-Clause
"""References for choice by a mask."""

from __future__ import annotations

from typing import Any

from ..reference import ALL_FORMS, Reference, Table, forms, torch


def _masked_fill(input: Any, mask: Any, value: Any) -> Any:
    shape = torch.broadcast_shapes(input.shape, mask.shape)
    return input.expand(shape).masked_fill(mask.bool(), value)


TABLE: Table = {
    **forms("MaskedFill", ALL_FORMS, Reference("torch.masked_fill", _masked_fill)),
}
