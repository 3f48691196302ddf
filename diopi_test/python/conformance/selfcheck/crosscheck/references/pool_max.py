# SPDX-License-Identifier: BSD-3-Clause
"""References for maximum pooling with one to three spatial dimensions."""

from __future__ import annotations

from ..reference import Reference, Table, composed, torch


def scattered(rank: int) -> Reference:
    """The sums of gradients with one index."""

    def backward(grad_output, input, indices):
        if indices.dtype not in (torch.int32, torch.int64) or grad_output.shape != indices.shape:
            raise ValueError("scatter_add accepts other dtypes, and more numbers than indices")
        if grad_output.shape[:-rank] != input.shape[:-rank]:
            raise ValueError("scatter_add accepts numbers for some of the planes")
        planes = torch.zeros_like(input).flatten(-rank)
        flat = indices.long().flatten(-rank)
        return planes.scatter_add(-1, flat, grad_output.flatten(-rank)).reshape(input.shape)

    return composed("torch.zeros, torch.scatter_add on flat planes", backward, double=True)


def _max_pool(rank: int) -> Table:
    name = f"max_pool{rank}d"

    def forward(input, kernel_size, stride, padding, dilation, ceil_mode):
        if rank == 1 and not input.is_floating_point():  # PyTorch pools integers only with indices
            return with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)[0]
        return getattr(torch.nn.functional, name)(input, kernel_size, stride or None, padding, dilation, ceil_mode)

    def with_indices(input, kernel_size, stride, padding, dilation, ceil_mode):
        return getattr(torch.nn.functional, name)(
            input, kernel_size, stride or None, padding, dilation, ceil_mode, True
        )

    path = f"torch.nn.functional.{name}"
    return {
        **({f"diopiMaxPool{rank}d": Reference(path, forward)} if rank == 1 else {}),
        f"diopiMaxPool{rank}dWithIndices": Reference(f"{path} with return_indices", with_indices, double=True),
        f"diopiMaxPool{rank}dBackward": scattered(rank),
    }


TABLE: Table = {
    **_max_pool(1),
    **_max_pool(2),
    **_max_pool(3),
}
