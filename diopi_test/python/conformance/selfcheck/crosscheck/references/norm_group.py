# SPDX-License-Identifier: BSD-3-Clause
"""References for group normalisation, in double precision."""

from __future__ import annotations

import numpy as np

from ..reference import Reference, Table, torch
from .norm_batch import GRADS, wanted_gradients


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
                wanted_gradients(weight)[:2] + [weight is not None],
            ),
        )
    )


TABLE: Table = {
    "diopiGroupNorm": Reference("torch.native_group_norm", _group_norm, double=True),
    "diopiGroupNormBackward": Reference("torch.ops.aten.native_group_norm_backward", _group_norm_backward, double=True),
}
