# SPDX-License-Identifier: BSD-3-Clause
"""The shapes of losses and of the gradients of losses, as C++ statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..rules.shapes import ResultShape

if TYPE_CHECKING:
    from .reader import Reader

OPERANDS = ("input", "target", "weight", "pos_weight")  # they broadcast to the shape of the losses of each element


def result_shape(rule: ResultShape, reader: Reader) -> str | None:
    """The call that compares a tensor with the shape of a loss; None if the function is no loss."""
    family = reader.operator.main.family
    if family not in ("loss", "loss_nll"):
        return None
    view = reader.view(rule.of)
    if family == "loss_nll":
        return f"require_class_loss_shape(&{view}, reduction, {reader.view('input')})"
    given = {p.name for p in reader.form.params}
    operands = ", ".join(reader.pointer(n) for n in OPERANDS if n in given)
    reduction = "" if rule.of == "grad_input" else ", reduction"
    return f"require_loss_shape(&{view}{reduction}, {{{operands}}})"
