# SPDX-License-Identifier: BSD-3-Clause
"""References for adaptive pooling with one to three spatial dimensions."""

from __future__ import annotations

from ..reference import Reference, Table, gradients, torch


def _adaptive_pool(rank: int) -> Table:
    name = f"adaptive_avg_pool{rank}d"
    path = f"torch.nn.functional.{name}"

    def forward(input, output_size):
        return getattr(torch.nn.functional, name)(input, list(output_size) * (rank // len(output_size)))

    def backward(grad_output, input):
        return gradients(lambda x: forward(x, grad_output.shape[-rank:]), grad_output, input)[0]

    return {
        f"diopiAdaptiveAvgPool{rank}d": Reference(path, forward, double=True),
        f"diopiAdaptiveAvgPool{rank}dBackward": Reference(f"torch.autograd of {path}", backward, double=True),
    }


TABLE: Table = {
    **_adaptive_pool(1),
    **_adaptive_pool(2),
    **_adaptive_pool(3),
}
