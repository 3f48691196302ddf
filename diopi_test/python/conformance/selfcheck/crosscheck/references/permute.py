# SPDX-License-Identifier: BSD-3-Clause
"""References for views with other sizes."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, same, torch


def _pad(input: Any, pad: list[int], mode: str, value: float | None) -> Any:
    return torch.nn.functional.pad(input, pad, mode, value if mode == "constant" else None)


TABLE: Table = {
    "diopiPad": Reference("torch.nn.functional.pad", _pad),
    "diopiExpand": same("torch.Tensor.expand", "input", "out"),
}
