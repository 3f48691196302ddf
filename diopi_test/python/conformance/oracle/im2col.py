# SPDX-License-Identifier: BSD-3-Clause
"""Sliding windows: unfolding along a dimension, blocks of images as columns, and the sums back."""

import itertools

import numpy as np

from . import Value, oracle


@oracle("diopiUnfold")
def unfold(input, dim, size, step):
    if input.ndim == 0:
        return input.reshape(1)[:size]
    count = (input.shape[dim] - size) // step + 1
    windows = [np.take(input, np.arange(i * step, i * step + size), axis=dim) for i in range(count)]
    return np.stack([np.moveaxis(w, dim, -1) for w in windows], axis=dim % input.ndim)


def _sum(array, add):
    """The sums that `add(total, array)` makes; those of bool are `or`, so that they are only whether there is one."""
    total = add(array.astype(np.int64) if array.dtype == bool else array)
    return total > 0 if array.dtype == bool else total


def _magnitude(array, add):
    return add(np.abs(array).astype(np.float64))


@oracle("diopiUnfoldBackward")
def unfold_backward(grad_output, input_sizes, dim, size, step):
    shape = tuple(input_sizes) or (1,)
    grad = grad_output if input_sizes else grad_output.reshape(1, size)

    def add(windows):
        total = np.zeros(shape, windows.dtype)
        view = np.moveaxis(total, dim, 0)
        for i in range(windows.shape[dim % len(shape)]):
            window = np.moveaxis(np.take(windows, i, axis=dim % len(shape)), -1, 0)
            view[i * step : i * step + size] += window
        return total.reshape(tuple(input_sizes))

    return Value(_sum(grad, add), _magnitude(grad, add))


def _pair(value) -> list[int]:
    return list(value) * (2 if len(value) == 1 else 1)


class _Blocks:
    """The blocks of images of a height and a width."""

    def __init__(self, sizes, kernel_size, dilation, padding, stride):
        self.kernel, self.dilation, self.padding, self.stride = map(_pair, (kernel_size, dilation, padding, stride))
        self.sizes = sizes
        numbers = zip(sizes, self.kernel, self.dilation, self.padding, self.stride)
        self.counts = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in numbers]

    def padded(self, image):
        return np.pad(image, [(0, 0)] * (image.ndim - 2) + [(p, p) for p in self.padding])

    def positions(self):
        """Each element of a block with its slices of the padded image."""
        for at in itertools.product(*map(range, self.kernel)):
            numbers = zip(at, self.dilation, self.counts, self.stride)
            yield at, tuple(slice(i * d, i * d + (n - 1) * s + 1, s) for i, d, n, s in numbers)


@oracle("diopiIm2Col")
def im2col(input, kernel_size, dilation, padding, stride):
    blocks = _Blocks(input.shape[-2:], kernel_size, dilation, padding, stride)
    padded = blocks.padded(input)
    columns = np.empty((*input.shape[:-2], *blocks.kernel, *blocks.counts), input.dtype)
    for at, window in blocks.positions():
        columns[(..., *at, slice(None), slice(None))] = padded[(..., *window)]
    rows = input.shape[-3] * int(np.prod(blocks.kernel))
    return columns.reshape(*input.shape[:-3], rows, int(np.prod(blocks.counts)))


@oracle("diopiCol2Im")
def col2im(input, output_size, kernel_size, dilation, padding, stride):
    sizes = _pair(output_size)
    blocks = _Blocks(sizes, kernel_size, dilation, padding, stride)
    channels = input.shape[-2] // int(np.prod(blocks.kernel))
    shape = (*input.shape[:-2], channels, *blocks.kernel, *blocks.counts)

    def add(columns):
        total = np.zeros((*shape[:-4], *(n + 2 * p for n, p in zip(sizes, blocks.padding))), columns.dtype)
        columns = columns.reshape(shape)
        for at, window in blocks.positions():
            total[(..., *window)] += columns[(..., *at, slice(None), slice(None))]
        rows, cols = (slice(p, p + n) for n, p in zip(sizes, blocks.padding))
        return total[..., rows, cols]

    return Value(_sum(input, add), _magnitude(input, add))
