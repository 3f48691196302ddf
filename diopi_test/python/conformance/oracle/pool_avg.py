# SPDX-License-Identifier: BSD-3-Clause
"""Average pooling with any number of spatial dimensions, and the windows of average and max pooling."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from . import Value, oracle


@dataclass(frozen=True)
class Window:
    """The window of one output element: its slices of the spatial dimensions, and its size including padding."""

    slices: tuple[slice, ...]
    padded_size: int


def _extent(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """The output size of one dimension. With ceil_mode, PyTorch counts a last, partial window unless it starts in the
    padding after the input."""
    out = (size + 2 * padding - dilation * (kernel - 1) - 1 + (stride - 1 if ceil_mode else 0)) // stride + 1
    return out - 1 if ceil_mode and (out - 1) * stride >= size + padding else out


def windows(sizes, kernel_size, stride, padding, dilation, ceil_mode):
    """The shape of the output, and a list of each output position with its window."""
    n = len(sizes)
    kernel, padding, dilation = (list(v) * (n if len(v) == 1 else 1) for v in (kernel_size, padding, dilation))
    stride = list(stride) * (n if len(stride) == 1 else 1) if stride else kernel
    shape = tuple(_extent(*v, ceil_mode) for v in zip(sizes, kernel, stride, padding, dilation))

    def window(at) -> Window:
        slices, padded = [], 1
        for o, size, k, s, p, d in zip(at, sizes, kernel, stride, padding, dilation):
            first = o * s - p
            begin = first % d if first < 0 else first  # the window's first position inside the input
            slices.append(slice(begin, min(first + d * (k - 1) + 1, size), d))
            padded *= min(first + k, size + p) - first
        return Window(tuple(slices), padded)

    return shape, [(at, window(at)) for at in itertools.product(*map(range, shape))]


def _divided(total, divisor: int):
    """The quotient; that of integers is truncated towards zero."""
    if total.dtype.kind == "f":
        return total / divisor
    return np.sign(total) * np.sign(divisor) * (np.abs(total) // abs(divisor))


def _size(window: Window, count_include_pad, divisor_override) -> int:
    size = int(np.prod([s.stop - s.start for s in window.slices]))
    return divisor_override or (window.padded_size if count_include_pad else size)


def average(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor, spatial: int):
    shape, found = windows(input.shape[-spatial:], kernel_size, stride, padding, [1], ceil_mode)
    out = np.empty((*input.shape[:-spatial], *shape), input.dtype)
    magnitude = np.empty(out.shape)
    over = tuple(range(-spatial, 0))
    for at, window in found:
        taken, size = input[(..., *window.slices)], _size(window, count_include_pad, divisor)
        out[(..., *at)] = _divided(taken.sum(axis=over), size)
        magnitude[(..., *at)] = np.abs(taken).sum(axis=over) / abs(size)
    return Value(out, magnitude)


def average_backward(
    grad_output, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor, spatial: int
):
    _, found = windows(input.shape[-spatial:], kernel_size, stride, padding, [1], ceil_mode)
    grad, magnitude = np.zeros(input.shape, input.dtype), np.zeros(input.shape)
    for at, window in found:
        share = _divided(grad_output[(..., *at)], _size(window, count_include_pad, divisor))
        share = share.reshape(*share.shape, *[1] * spatial)
        grad[(..., *window.slices)] += share
        magnitude[(..., *window.slices)] += np.abs(share)
    return Value(grad, magnitude)


for _n in (1, 2, 3):

    def _forward(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override=None, n=_n):
        return average(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, n)

    def _gradient(
        grad_output, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override=None, n=_n
    ):
        return average_backward(
            grad_output, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, n
        )

    oracle(f"diopiAvgPool{_n}d", dtype="input")(_forward)
    oracle(f"diopiAvgPool{_n}dBackward", dtype="input")(_gradient)
