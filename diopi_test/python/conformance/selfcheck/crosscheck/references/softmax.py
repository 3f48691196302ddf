# SPDX-License-Identifier: BSD-3-Clause
"""References for softmax, in double precision."""

from __future__ import annotations

from ..reference import Reference, Table, composed, torch


def _hidden(mask, shape, fixed_triu_mask):
    if fixed_triu_mask:
        return torch.ones(shape, dtype=torch.bool).triu(1)
    return mask.bool().expand(shape)


def _masked(input, mask, scale, fixed_triu_mask):
    return torch.softmax((input * scale).masked_fill(_hidden(mask, input.shape, fixed_triu_mask), -10000.0), -1)


def _masked_backward(grad_output, output, mask, scale, fixed_triu_mask):
    grad = torch.ops.aten._softmax_backward_data(grad_output, output, -1, torch.float64) * scale
    return grad.masked_fill(_hidden(mask, output.shape, fixed_triu_mask), 0.0)


TABLE: Table = {
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
    "diopiScaledMaskedSoftmax": composed("masked_fill and torch.softmax", _masked, double=True),
    "diopiScaledMaskedSoftmaxBackward": composed(
        "torch.ops.aten._softmax_backward_data", _masked_backward, double=True
    ),
}
