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


TABLE: Table = {
    "diopiLayerNorm": Reference("torch.native_layer_norm", _layer_norm, double=True),
    "diopiLayerNormBackward": Reference("torch.ops.aten.native_layer_norm_backward", _layer_norm_backward, double=True),
}
