# SPDX-License-Identifier: BSD-3-Clause
"""References for layer normalisation, in double precision."""

from __future__ import annotations

from ..reference import Reference, Table, torch
from .norm_batch import GRADS


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


def _layer_norm_gb(input, weight, bias, eps, begin_norm_axis):
    axis = range(input.ndim)[begin_norm_axis]
    shape = list(input.shape[axis:])
    out, mean, invstd = torch.native_layer_norm(input, shape, weight, bias, eps)
    statistics = input.shape[:axis]
    return {"out": out, "running_mean": mean.reshape(statistics), "running_var": invstd.reshape(statistics)}


def _layer_norm_gb_backward(grad_output, input, weight, bias, running_mean, running_std, begin_norm_axis):
    shape = list(input.shape[range(input.ndim)[begin_norm_axis] :])
    weight = torch.ones(shape, dtype=input.dtype) if weight is None else weight
    bias = torch.zeros(shape, dtype=input.dtype)
    return _layer_norm_backward(grad_output, input, weight, bias, running_mean, running_std, shape)


TABLE: Table = {
    "diopiLayerNorm": Reference("torch.native_layer_norm", _layer_norm, double=True),
    "diopiLayerNormBackward": Reference("torch.ops.aten.native_layer_norm_backward", _layer_norm_backward, double=True),
    "diopiLayerNormGB": Reference("torch.native_layer_norm", _layer_norm_gb, double=True),
    "diopiLayerNormGBBackward": Reference(
        "torch.ops.aten.native_layer_norm_backward", _layer_norm_gb_backward, double=True
    ),
}
