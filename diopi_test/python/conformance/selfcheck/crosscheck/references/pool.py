# SPDX-License-Identifier: BSD-3-Clause
"""References for the pooling that mode and adaptive select."""

from __future__ import annotations

from ..reference import Reference, Table, torch
from . import pool_adaptive, pool_avg, pool_max


def _pool(rank: int) -> Table:
    functional = torch.nn.functional if torch else None

    def check_mode(mode):
        if mode not in ("max", "avg"):
            raise ValueError(f"mode = {mode}")

    def forward(input, mode, ksize, stride, padding, dilation, ceil_mode, exclusive, adaptive, output_size):
        check_mode(mode)
        if adaptive:
            sizes = list(output_size) * (rank // len(output_size))
            return getattr(functional, f"adaptive_{mode}_pool{rank}d")(input, sizes)
        if mode == "max":
            call = pool_max.TABLE[f"diopiMaxPool{rank}dWithIndices"].call
            return call(input, ksize, stride, padding, dilation, ceil_mode)[0]
        pool = getattr(functional, f"avg_pool{rank}d")
        return pool(input, ksize, stride or None, padding, ceil_mode, not exclusive)

    def backward(grad_output, input, mode, ksize, stride, padding, ceil_mode, exclusive, adaptive, indices):
        check_mode(mode)
        if mode == "max":
            return pool_max.scattered(rank).call(grad_output, input, indices)
        if adaptive:
            return pool_adaptive.TABLE[f"diopiAdaptiveAvgPool{rank}dBackward"].call(grad_output, input)
        call = pool_avg.TABLE[f"diopiAvgPool{rank}dBackward"].call
        return call(grad_output, input, ksize, stride, padding, ceil_mode, not exclusive, None)

    path = "max_pool, avg_pool, adaptive_max_pool and adaptive_avg_pool of torch.nn.functional"
    return {
        f"diopiPool{rank}d": Reference(path, forward, double=True),
        f"diopiPool{rank}dBackward": Reference(f"the gradients of {path}", backward, double=True),
    }


TABLE: Table = {
    **_pool(1),
    **_pool(2),
    **_pool(3),
}
