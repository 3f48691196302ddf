# SPDX-License-Identifier: BSD-3-Clause
"""References for arithmetic of two tensors, whose parameters differ from PyTorch's."""

from __future__ import annotations

from typing import Any

from ..reference import ALL_FORMS, Reference, Table, forms, torch

ROUNDING = {"RoundModeNone": None, "RoundModeTrunc": "trunc", "RoundModeFloor": "floor"}


def _sub(input: Any, other: Any, alpha: Any) -> Any:
    """torch.sub with bool operands converted to the promoted dtype, because torch.sub refuses bool."""
    promoted = torch.result_type(input, other)
    if input.dtype == torch.bool:
        input = input.to(promoted)
    if isinstance(other, bool) or isinstance(other, torch.Tensor) and other.dtype == torch.bool:
        other = other.to(promoted) if isinstance(other, torch.Tensor) else int(other)
    return torch.sub(input, other, alpha=1 if alpha is None else alpha)


TABLE: Table = {
    **forms(
        "Add",
        ALL_FORMS,
        Reference(
            "torch.add", lambda input, other, alpha: torch.add(input, other, alpha=1 if alpha is None else alpha)
        ),
    ),
    **forms("Sub", ALL_FORMS, Reference("torch.sub, bool operands in the promoted dtype", _sub)),
    **forms(
        "Div",
        ALL_FORMS,
        Reference(
            "torch.div",
            lambda input, other, rounding_mode: torch.div(input, other, rounding_mode=ROUNDING[rounding_mode]),
        ),
    ),
}
