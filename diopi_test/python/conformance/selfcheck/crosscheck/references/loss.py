# SPDX-License-Identifier: BSD-3-Clause
"""References for losses, in double precision. Gradients use torch.autograd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..reference import Reference, Table, autograd, torch

REDUCTION = {"ReductionNone": "none", "ReductionMean": "mean", "ReductionSum": "sum"}


def loss_and_gradient(name: str, function: str, forward: Callable[..., Any], *names: str) -> Table:
    """The references of a loss and of its gradient, which takes `grad_output` and the arguments of the loss."""
    path = f"torch.nn.functional.{function}"
    return {
        f"diopi{name}": Reference(path, lambda *values: forward(**dict(zip(names, values))), double=True, names=names),
        f"diopi{name}Backward": autograd(path, forward, "input", "grad_output", *names),
    }


def _bce(input, target, weight, reduction):
    """PyTorch's function, or its formula for input and target outside [0, 1], which the function refuses."""
    if all(bool(((x >= 0) & (x <= 1)).all()) for x in (input, target)):
        return torch.nn.functional.binary_cross_entropy(input, target, weight, reduction=REDUCTION[reduction])
    terms = (target - 1) * torch.log1p(-input).clamp(min=-100) - target * torch.log(input).clamp(min=-100)
    terms = terms if weight is None else terms * weight
    return {"ReductionNone": terms, "ReductionMean": terms.mean(), "ReductionSum": terms.sum()}[reduction]


def _bce_backward(grad_output, input, target, weight, reduction):
    number = {"ReductionNone": 0, "ReductionMean": 1, "ReductionSum": 2}[reduction]
    shared = weight.expand(input.shape) if weight is not None else None
    return torch.ops.aten.binary_cross_entropy_backward(grad_output, input, target, shared, number)


def _into_floating(function: str) -> Any:
    """The gradient with respect to input that PyTorch writes to a floating point tensor, whatever the operands are."""

    def gradient(grad_output, input, target, reduction, beta=None):
        number = {"ReductionNone": 0, "ReductionMean": 1, "ReductionSum": 2}[reduction]
        dtype = torch.promote_types(input.dtype, target.dtype)
        if not dtype.is_floating_point:
            dtype = torch.promote_types(dtype, grad_output.dtype)
        result = torch.empty(torch.broadcast_shapes(input.shape, target.shape), dtype=dtype)
        extra = () if beta is None else (beta,)
        grad_output = grad_output.reshape(()) if reduction != "ReductionNone" else grad_output
        into = getattr(torch.ops.aten, function).grad_input
        return into(grad_output, input, target, number, *extra, grad_input=result)

    return gradient


TABLE: Table = {
    **loss_and_gradient(
        "MSELoss",
        "mse_loss",
        lambda input, target, reduction: torch.nn.functional.mse_loss(input, target, reduction=REDUCTION[reduction]),
        "input",
        "target",
        "reduction",
    ),
    **loss_and_gradient(
        "SmoothL1Loss",
        "smooth_l1_loss",
        lambda input, target, reduction, beta: torch.nn.functional.smooth_l1_loss(
            input, target, reduction=REDUCTION[reduction], beta=beta
        ),
        "input",
        "target",
        "reduction",
        "beta",
    ),
    "diopiMSELossBackward": Reference(
        "torch.ops.aten.mse_loss_backward", _into_floating("mse_loss_backward"), double=True
    ),
    "diopiSmoothL1LossBackward": Reference(
        "torch.ops.aten.smooth_l1_loss_backward", _into_floating("smooth_l1_loss_backward"), double=True
    ),
    **loss_and_gradient("BCELoss", "binary_cross_entropy", _bce, "input", "target", "weight", "reduction"),
    "diopiBCELossBackward": Reference("torch.ops.aten.binary_cross_entropy_backward", _bce_backward, double=True),
    **loss_and_gradient(
        "BCEWithLogits",
        "binary_cross_entropy_with_logits",
        lambda input, target, weight, pos_weight, reduction: torch.nn.functional.binary_cross_entropy_with_logits(
            input, target, weight, reduction=REDUCTION[reduction], pos_weight=pos_weight
        ),
        "input",
        "target",
        "weight",
        "pos_weight",
        "reduction",
    ),
}
