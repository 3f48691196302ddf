# SPDX-License-Identifier: BSD-3-Clause
"""References for softmax, in double precision."""

from __future__ import annotations

from ..reference import Reference, Table, torch

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
}
