# SPDX-License-Identifier: BSD-3-Clause
"""References for batch normalisation, in double precision."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, torch

GRADS = ("grad_input", "grad_weight", "grad_bias")


def _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """torch.native_batch_norm, which also returns the statistics of the batch."""
    mean = None if running_mean is None else running_mean.clone()
    var = None if running_var is None else running_var.clone()
    out, save_mean, save_invstd = torch.native_batch_norm(input, weight, bias, mean, var, training, momentum, eps)
    saved = {"save_mean": save_mean, "save_invstd": save_invstd} if training else {}
    return {"out": out, "running_mean": mean, "running_var": var, **saved}


def wanted_gradients(weight: Any) -> list[bool]:
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
                wanted_gradients(weight),
            ),
        )
    )


TABLE: Table = {
    "diopiBatchNorm": Reference("torch.native_batch_norm", _batch_norm, double=True),
    "diopiBatchNormBackward": Reference("torch.ops.aten.native_batch_norm_backward", _batch_norm_backward, double=True),
}
