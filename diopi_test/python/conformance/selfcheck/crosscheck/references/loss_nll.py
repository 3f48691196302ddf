# SPDX-License-Identifier: BSD-3-Clause
"""References for cross entropy and negative log likelihood, in double precision."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, torch
from .loss import REDUCTION, loss_and_gradient


def _classes(target: Any) -> Any:
    return target if target.is_floating_point() else target.long()


def _cross_entropy(input, target, weight, reduction, ignore_index, label_smoothing):
    return torch.nn.functional.cross_entropy(
        input,
        _classes(target),
        weight,
        ignore_index=ignore_index,
        reduction=REDUCTION[reduction],
        label_smoothing=label_smoothing,
    )


def _nll(input, target, weight, reduction, ignore_index):
    return torch.nn.functional.nll_loss(
        input, _classes(target), weight, ignore_index=ignore_index, reduction=REDUCTION[reduction]
    )


def _nll_v2(input, target, weight, reduction, ignore_index):
    """nll_loss_forward takes one or two dimensions. For more, nll_loss2d_forward gets four: [N, C, 1, other sizes]."""
    number = {"ReductionNone": 0, "ReductionMean": 1, "ReductionSum": 2}[reduction]
    aten, target = torch.ops.aten, _classes(target)
    if input.ndim < 3:
        return aten.nll_loss_forward(input, target, weight, number, ignore_index)
    plane = input.flatten(2).unsqueeze(2)
    loss, total = aten.nll_loss2d_forward(plane, target.flatten(1).unsqueeze(1), weight, number, ignore_index)
    return (loss.reshape(target.shape) if reduction == "ReductionNone" else loss), total


def _nll_v2_backward(grad_output, input, target, weight, totalWeight, reduction, ignore_index):
    number = {"ReductionNone": 0, "ReductionMean": 1, "ReductionSum": 2}[reduction]
    aten, target, total = torch.ops.aten, _classes(target), totalWeight.reshape(())
    if input.ndim < 3:
        return aten.nll_loss_backward(grad_output, input, target, weight, number, ignore_index, total)
    planes = [t.flatten(1).unsqueeze(1) if t.ndim else t for t in (grad_output, target)]
    return aten.nll_loss2d_backward(
        planes[0], input.flatten(2).unsqueeze(2), planes[1], weight, number, ignore_index, total
    ).reshape(input.shape)


TABLE: Table = {
    **loss_and_gradient(
        "CrossEntropyLoss",
        "cross_entropy",
        _cross_entropy,
        "input",
        "target",
        "weight",
        "reduction",
        "ignore_index",
        "label_smoothing",
    ),
    **loss_and_gradient("NLLLoss", "nll_loss", _nll, "input", "target", "weight", "reduction", "ignore_index"),
    "diopiNLLLossV2": Reference("torch.ops.aten.nll_loss_forward, nll_loss2d_forward", _nll_v2, double=True),
    "diopiNLLLossV2Backward": Reference(
        "torch.ops.aten.nll_loss_backward, nll_loss2d_backward", _nll_v2_backward, double=True
    ),
}
