# SPDX-License-Identifier: BSD-3-Clause
"""References for adaptive pooling with one to three spatial dimensions."""

from __future__ import annotations

from ..reference import Reference, Table, gradients, torch
from .pool_max import scattered


def _adaptive_pool(rank: int) -> Table:
    name = f"adaptive_avg_pool{rank}d"
    path = f"torch.nn.functional.{name}"
    largest = f"torch.nn.functional.adaptive_max_pool{rank}d"

    def sizes(output_size):
        return list(output_size) * (rank // len(output_size))

    def forward(input, output_size):
        return getattr(torch.nn.functional, name)(input, sizes(output_size))

    def with_indices(input, output_size):
        return getattr(torch.nn.functional, f"adaptive_max_pool{rank}d")(input, sizes(output_size), True)

    def backward(grad_output, input):
        return gradients(lambda x: forward(x, grad_output.shape[-rank:]), grad_output, input)[0]

    return {
        f"diopiAdaptiveAvgPool{rank}d": Reference(path, forward, double=True),
        f"diopiAdaptiveAvgPool{rank}dBackward": Reference(f"torch.autograd of {path}", backward, double=True),
        f"diopiAdaptiveMaxPool{rank}d": Reference(
            largest, lambda input, output_size: with_indices(input, output_size)[0]
        ),
        f"diopiAdaptiveMaxPool{rank}dWithIndices": Reference(f"{largest} with return_indices", with_indices),
        f"diopiAdaptiveMaxPool{rank}dBackward": scattered(rank),
    }


TABLE: Table = {
    **_adaptive_pool(1),
    **_adaptive_pool(2),
    **_adaptive_pool(3),
}
