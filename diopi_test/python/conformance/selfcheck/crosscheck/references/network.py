# SPDX-License-Identifier: BSD-3-Clause
"""References for products, softmax, losses and normalisations, in double precision. Most gradients use
torch.autograd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..reference import Reference, Table, autograd, gradients, torch

REDUCTION = {"ReductionNone": "none", "ReductionMean": "mean", "ReductionSum": "sum"}
GRADS = ("grad_input", "grad_weight", "grad_bias")


def _functional() -> Any:
    return torch.nn.functional


# --- products ---


def _linear_backward(grad_output: Any, input: Any, weight: Any, grad_bias: Any) -> dict[str, Any]:
    """The bias is broadcast to the result, so its gradient is a sum over the broadcast dimensions."""
    result = grad_output if weight.ndim > 1 else grad_output.unsqueeze(-1)
    grads = gradients(_functional().linear, grad_output, input, weight)
    return {
        "grad_input": grads[0],
        "grad_weight": grads[1],
        "grad_bias": result.sum_to_size(result.shape[-1:] if grad_bias is None else grad_bias),
    }


def _matmul_backward(grad_out: Any, input: Any, other: Any) -> dict[str, Any]:
    return dict(zip(("grad_input", "grad_other"), gradients(torch.matmul, grad_out, input, other)))


def _added(path: str, *names: str) -> Reference:
    """A product with an addend. For integers PyTorch needs integral factors, so the factors are truncated."""
    function = path.split(".")[-1]

    def call(input, a, b, beta, alpha):
        if not (a.is_floating_point() or a.is_complex()):
            beta, alpha = int(beta), int(alpha)
        return getattr(torch, function)(input, a, b, beta=beta, alpha=alpha)

    return Reference(path, call, double=True, names=("input", *names, "beta", "alpha"))


_PRODUCTS: Table = {
    "diopiMatmulBackward": Reference("torch.autograd of torch.matmul", _matmul_backward, double=True),
    "diopiAddmm": _added("torch.addmm", "mat1", "mat2"),
    "diopiBaddbmm": _added("torch.baddbmm", "batch1", "batch2"),
    "diopiBaddbmmInp": _added("torch.baddbmm", "batch1", "batch2"),
    "diopiLinearBackward": Reference("torch.autograd of torch.nn.functional.linear", _linear_backward, double=True),
}

# --- softmax ---

_SOFTMAX: Table = {
    "diopiSoftmax": Reference(
        "torch.softmax", lambda input, dim, dtype: torch.softmax(input.to(dtype).double(), dim), double=True
    ),
    "diopiLogSoftmax": Reference(
        "torch.log_softmax", lambda input, dim, dtype: torch.log_softmax(input.to(dtype).double(), dim), double=True
    ),
    "diopiSoftmaxBackward": Reference(
        "torch.ops.aten._softmax_backward_data",
        lambda grad_output, output, dim: torch.ops.aten._softmax_backward_data(grad_output, output, dim, torch.float64),
        double=True,
    ),
    "diopiLogSoftmaxBackward": Reference(
        "torch.ops.aten._log_softmax_backward_data",
        lambda grad_output, output, dim: torch.ops.aten._log_softmax_backward_data(
            grad_output, output, dim, torch.float64
        ),
        double=True,
    ),
}

# --- losses ---


def _loss(name: str, function: str, forward: Callable[..., Any], *names: str) -> Table:
    """The references of a loss and of its gradient, which takes `grad_output` and the arguments of the loss."""
    path = f"torch.nn.functional.{function}"
    return {
        f"diopi{name}": Reference(path, lambda *values: forward(**dict(zip(names, values))), double=True, names=names),
        f"diopi{name}Backward": autograd(path, forward, "input", "grad_output", *names),
    }


def _classes(target: Any) -> Any:
    return target if target.is_floating_point() else target.long()


def _cross_entropy(input, target, weight, reduction, ignore_index, label_smoothing):
    return _functional().cross_entropy(
        input,
        _classes(target),
        weight,
        ignore_index=ignore_index,
        reduction=REDUCTION[reduction],
        label_smoothing=label_smoothing,
    )


def _nll(input, target, weight, reduction, ignore_index):
    return _functional().nll_loss(
        input, _classes(target), weight, ignore_index=ignore_index, reduction=REDUCTION[reduction]
    )


def _bce(input, target, weight, reduction):
    """PyTorch's function, or its formula for input and target outside [0, 1], which the function refuses."""
    if all(bool(((x >= 0) & (x <= 1)).all()) for x in (input, target)):
        return _functional().binary_cross_entropy(input, target, weight, reduction=REDUCTION[reduction])
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


_LOSSES: Table = {
    **_loss(
        "MSELoss",
        "mse_loss",
        lambda input, target, reduction: _functional().mse_loss(input, target, reduction=REDUCTION[reduction]),
        "input",
        "target",
        "reduction",
    ),
    **_loss(
        "SmoothL1Loss",
        "smooth_l1_loss",
        lambda input, target, reduction, beta: _functional().smooth_l1_loss(
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
    **_loss("BCELoss", "binary_cross_entropy", _bce, "input", "target", "weight", "reduction"),
    "diopiBCELossBackward": Reference("torch.ops.aten.binary_cross_entropy_backward", _bce_backward, double=True),
    **_loss(
        "BCEWithLogits",
        "binary_cross_entropy_with_logits",
        lambda input, target, weight, pos_weight, reduction: _functional().binary_cross_entropy_with_logits(
            input, target, weight, reduction=REDUCTION[reduction], pos_weight=pos_weight
        ),
        "input",
        "target",
        "weight",
        "pos_weight",
        "reduction",
    ),
    **_loss(
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
    **_loss("NLLLoss", "nll_loss", _nll, "input", "target", "weight", "reduction", "ignore_index"),
    "diopiNLLLossV2": Reference("torch.ops.aten.nll_loss_forward, nll_loss2d_forward", _nll_v2, double=True),
    "diopiNLLLossV2Backward": Reference(
        "torch.ops.aten.nll_loss_backward, nll_loss2d_backward", _nll_v2_backward, double=True
    ),
}

# --- normalisations ---


def _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """torch.native_batch_norm, which also returns the statistics of the batch."""
    mean = None if running_mean is None else running_mean.clone()
    var = None if running_var is None else running_var.clone()
    out, save_mean, save_invstd = torch.native_batch_norm(input, weight, bias, mean, var, training, momentum, eps)
    saved = {"save_mean": save_mean, "save_invstd": save_invstd} if training else {}
    return {"out": out, "running_mean": mean, "running_var": var, **saved}


def _wanted(weight: Any) -> list[bool]:
    """The mask of the gradients that PyTorch must compute. The gradient of a null weight must not be requested."""
    return [True, weight is not None, True]


def _batch_norm_backward(grad_output, input, weight, running_mean, running_var, save_mean, save_invstd, training, eps):
    return dict(
        zip(
            GRADS,
            torch.ops.aten.native_batch_norm_backward(
                grad_output,
                input,
                weight,
                running_mean,
                running_var,
                save_mean,
                save_invstd,
                training,
                eps,
                _wanted(weight),
            ),
        )
    )


def _layer_norm(input, weight, bias, normalized_shape, eps):
    return torch.native_layer_norm(input, normalized_shape, weight, bias, eps)


def _layer_norm_backward(grad_output, input, weight, bias, mean, rstd, normalized_shape):
    keep = list(input.shape[: input.ndim - len(normalized_shape)]) + [1] * len(normalized_shape)
    return dict(
        zip(
            GRADS,
            torch.ops.aten.native_layer_norm_backward(
                grad_output,
                input,
                normalized_shape,
                mean.reshape(keep),
                rstd.reshape(keep),
                weight,
                bias,
                [True, weight is not None, bias is not None],
            ),
        )
    )


def _group_norm(input, weight, bias, num_groups, eps):
    n, c = input.shape[:2]
    plane = int(np.prod(input.shape[2:]))
    return torch.native_group_norm(input.contiguous(), weight, bias, n, c, plane, num_groups, eps)


def _group_norm_backward(grad_output, input, weight, mean, rstd, num_groups):
    n, c = input.shape[:2]
    return dict(
        zip(
            GRADS,
            torch.ops.aten.native_group_norm_backward(
                grad_output.contiguous(),
                input.contiguous(),
                mean,
                rstd,
                weight,
                n,
                c,
                int(np.prod(input.shape[2:])),
                num_groups,
                _wanted(weight)[:2] + [weight is not None],
            ),
        )
    )


_NORMS: Table = {
    "diopiBatchNorm": Reference("torch.native_batch_norm", _batch_norm, double=True),
    "diopiBatchNormBackward": Reference("torch.ops.aten.native_batch_norm_backward", _batch_norm_backward, double=True),
    "diopiLayerNorm": Reference("torch.native_layer_norm", _layer_norm, double=True),
    "diopiLayerNormBackward": Reference("torch.ops.aten.native_layer_norm_backward", _layer_norm_backward, double=True),
    "diopiGroupNorm": Reference("torch.native_group_norm", _group_norm, double=True),
    "diopiGroupNormBackward": Reference("torch.ops.aten.native_group_norm_backward", _group_norm_backward, double=True),
}

TABLE: Table = {**_PRODUCTS, **_SOFTMAX, **_LOSSES, **_NORMS}
