# SPDX-License-Identifier: BSD-3-Clause
"""References for convolutions with two and three spatial dimensions."""

from __future__ import annotations

from ..reference import Reference, Table, gradients, torch


def _convolution(rank: int) -> Table:
    name = f"conv{rank}d"

    def forward(input, weight, bias, stride, padding, dilation, groups):
        return getattr(torch.nn.functional, name)(input, weight, bias, stride, padding, dilation, groups)

    def backward(grad_output, input, weight, stride, padding, dilation, groups):
        bias = torch.zeros(weight.shape[0], dtype=weight.dtype)
        grads = gradients(
            lambda x, w, b: forward(x, w, b, stride, padding, dilation, groups), grad_output, input, weight, bias
        )
        return dict(zip(("grad_input", "grad_weight", "grad_bias"), grads))

    path = f"torch.nn.functional.{name}"
    return {
        f"diopiConvolution{rank}d": Reference(path, forward, double=True),
        f"diopiConvolution{rank}dBackward": Reference(f"torch.autograd of {path}", backward, double=True),
    }


TABLE: Table = {
    **_convolution(2),
    **_convolution(3),
}
