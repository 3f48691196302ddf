# SPDX-License-Identifier: BSD-3-Clause
"""References for blocks of images and their sums, and for sums of windows."""

from __future__ import annotations

from ..reference import Reference, Table, torch


def _pair(value):
    """A list of one value as two; PyTorch checks other lists."""
    return list(value) * 2 if len(value) == 1 else value


def _im2col(input, kernel_size, dilation, padding, stride):
    return torch.nn.functional.unfold(input, *map(_pair, (kernel_size, dilation, padding, stride)))


def _col2im(input, output_size, kernel_size, dilation, padding, stride):
    return torch.nn.functional.fold(input, *map(_pair, (output_size, kernel_size, dilation, padding, stride)))


def _unfold_backward(grad_output, input_sizes, dim, size, step):
    windows = torch.zeros(input_sizes, dtype=grad_output.dtype).unfold(dim, size, step)  # checks the arguments
    if windows.shape != grad_output.shape:
        raise ValueError("unfold_backward reads outside of its tensor")
    return torch.ops.aten.unfold_backward(grad_output, input_sizes, dim, size, step)


TABLE: Table = {
    "diopiUnfoldBackward": Reference("torch.ops.aten.unfold_backward", _unfold_backward, double=True),
    "diopiIm2Col": Reference("torch.nn.functional.unfold", _im2col),
    "diopiCol2Im": Reference("torch.nn.functional.fold", _col2im, double=True),
}
