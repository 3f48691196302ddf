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


def _transposed(rank: int) -> Table:
    name = f"conv_transpose{rank}d"

    def forward(input, weight, bias, stride, padding, output_padding, groups, dilation):
        return getattr(torch.nn.functional, name)(
            input, weight, bias, stride, padding, output_padding, groups, dilation
        )

    def missing(grad_output, input, weight, stride, padding, dilation):
        """The output padding that gives the output the shape of its gradient."""
        numbers = ([*v] * (rank if len(v) == 1 else 1) for v in (stride, padding, dilation))
        extents = zip(grad_output.shape[-rank:], input.shape[-rank:], weight.shape[2:], *numbers)
        return [m - ((n - 1) * s - 2 * p + d * (k - 1) + 1) for m, n, k, s, p, d in extents]

    def backward(grad_output, input, weight, stride, padding, dilation, output_padding, groups):
        forward(input, weight, None, stride, [0] * rank, output_padding, groups, dilation)  # checks output_padding
        bias = torch.zeros(weight.shape[1] * groups, dtype=weight.dtype)
        more = missing(grad_output, input, weight, stride, padding, dilation)
        grads = gradients(
            lambda x, w, b: forward(x, w, b, stride, padding, more, groups, dilation), grad_output, input, weight, bias
        )
        return dict(zip(("grad_input", "grad_weight", "grad_bias"), grads))

    path = f"torch.nn.functional.{name}"
    return {
        f"diopiConvTranspose{rank}d": Reference(path, forward, double=True),
        f"diopiConvTranspose{rank}dBackward": Reference(f"torch.autograd of {path}", backward, double=True),
    }


TABLE: Table = {
    **_convolution(2),
    **_convolution(3),
    **_transposed(2),
    **_transposed(3),
}
