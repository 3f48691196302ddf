# SPDX-License-Identifier: BSD-3-Clause
"""References for operators with sliding windows: convolutions and pooling with one to three spatial dimensions."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, composed, gradients, torch


def _functional(name: str) -> Any:
    return getattr(torch.nn.functional, name)


def _convolution(rank: int) -> Table:
    name = f"conv{rank}d"

    def forward(input, weight, bias, stride, padding, dilation, groups):
        return _functional(name)(input, weight, bias, stride, padding, dilation, groups)

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


def _max_pool(rank: int) -> Table:
    name = f"max_pool{rank}d"

    def forward(input, kernel_size, stride, padding, dilation, ceil_mode):
        if rank == 1 and not input.is_floating_point():  # PyTorch pools integers only with indices
            return with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)[0]
        return _functional(name)(input, kernel_size, stride or None, padding, dilation, ceil_mode)

    def with_indices(input, kernel_size, stride, padding, dilation, ceil_mode):
        return _functional(name)(input, kernel_size, stride or None, padding, dilation, ceil_mode, True)

    def backward(grad_output, input, indices):
        planes = torch.zeros_like(input).flatten(-rank)
        flat = indices.long().flatten(-rank)
        return planes.scatter_add(-1, flat, grad_output.flatten(-rank)).reshape(input.shape)

    path = f"torch.nn.functional.{name}"
    return {
        **({f"diopiMaxPool{rank}d": Reference(path, forward)} if rank == 1 else {}),
        f"diopiMaxPool{rank}dWithIndices": Reference(f"{path} with return_indices", with_indices, double=True),
        f"diopiMaxPool{rank}dBackward": composed(
            "torch.zeros, torch.scatter_add on flat planes", backward, double=True
        ),
    }


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


def _adaptive_pool(rank: int) -> Table:
    name = f"adaptive_avg_pool{rank}d"
    path = f"torch.nn.functional.{name}"

    def forward(input, output_size):
        return _functional(name)(input, list(output_size) * (rank // len(output_size)))

    def backward(grad_output, input):
        return gradients(lambda x: forward(x, grad_output.shape[-rank:]), grad_output, input)[0]

    return {
        f"diopiAdaptiveAvgPool{rank}d": Reference(path, forward, double=True),
        f"diopiAdaptiveAvgPool{rank}dBackward": Reference(f"torch.autograd of {path}", backward, double=True),
    }


TABLE: Table = {**_convolution(2), **_convolution(3)}
for _rank in (1, 2, 3):
    TABLE |= _max_pool(_rank) | _average_pool(_rank) | _adaptive_pool(_rank)
