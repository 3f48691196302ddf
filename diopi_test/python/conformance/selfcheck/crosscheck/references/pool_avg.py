# SPDX-License-Identifier: BSD-3-Clause
"""References for average pooling with one to three spatial dimensions."""

from __future__ import annotations

from ..reference import Reference, Table, torch


def _average_pool(rank: int) -> Table:
    name = f"avg_pool{rank}d"

    def backward(grad_output, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        """PyTorch's backward function, which supports integers; torch.autograd does not. One dimension uses the 2-d
        function."""
        if rank == 1:
            one, zero = [1], [0]
            arguments = [one + list(v) for v in (kernel_size, stride or kernel_size)] + [zero + list(padding)]
            return torch.ops.aten.avg_pool2d_backward(
                grad_output.unsqueeze(-2), input.unsqueeze(-2), *arguments, ceil_mode, count_include_pad, None
            ).squeeze(-2)
        return getattr(torch.ops.aten, f"{name}_backward")(
            grad_output, input, kernel_size, stride or [], padding, ceil_mode, count_include_pad, divisor_override
        )

    path = f"torch.ops.aten.{name}_backward" if rank > 1 else "torch.ops.aten.avg_pool2d_backward of one row"
    return {f"diopiAvgPool{rank}dBackward": Reference(path, backward, double=True)}


TABLE: Table = {
    **_average_pool(1),
    **_average_pool(2),
    **_average_pool(3),
}
