# SPDX-License-Identifier: BSD-3-Clause
"""Convolutions of any number of spatial dimensions, and their gradients."""

import itertools
from typing import Any

import numpy as np

from . import Value, oracle
from .matmul import in_long_double


def _each(value, spatial: int) -> list[int]:
    return list(value) * (spatial if len(value) == 1 else 1)


class _Geometry:
    """The windows of a convolution: for each kernel position, the slice of the padded input that it multiplies."""

    def __init__(self, input, weight, stride, padding, dilation):
        self.spatial = weight.ndim - 2
        self.stride, self.padding, self.dilation = (_each(v, self.spatial) for v in (stride, padding, dilation))
        self.padded = [(0, 0), (0, 0)] + [(p, p) for p in self.padding]
        self.kernel = weight.shape[2:]
        self.output = [
            (input.shape[i + 2] + 2 * self.padding[i] - self.dilation[i] * (k - 1) - 1) // self.stride[i] + 1
            for i, k in enumerate(self.kernel)
        ]

    def products(self, images: int, weight) -> int:
        """The number of products in all sums of a convolution, and in those of each of its gradients."""
        return images * weight.size * int(np.prod(self.output))

    def windows(self):
        for position in itertools.product(*map(range, self.kernel)):
            yield (
                position,
                (slice(None), slice(None))
                + tuple(
                    slice(p * d, p * d + (n - 1) * s + 1, s)
                    for p, d, n, s in zip(position, self.dilation, self.output, self.stride)
                ),
            )

    def interior(self, padded):
        return padded[
            (slice(None), slice(None)) + tuple(slice(p, padded.shape[i + 2] - p) for i, p in enumerate(self.padding))
        ]


def _grouped(array, groups: int, axis: int):
    shape = array.shape
    return array.reshape(*shape[:axis], groups, shape[axis] // groups, *shape[axis + 1 :])


def _forward(input, weight, geometry, groups: int):
    padded = np.pad(input, geometry.padded)
    w = _grouped(weight, groups, 0)
    out: Any = 0
    for position, window in geometry.windows():
        taken = _grouped(padded[window], groups, 1)
        out = out + np.einsum("ngc...,goc->ngo...", taken, w[(slice(None),) * 3 + position])
    return out.reshape(input.shape[0], weight.shape[0], *geometry.output)


def _both(function, products: int, *arrays) -> Value:
    """The value is `function` of the arrays; the magnitude is `function` of their absolute values."""
    value = in_long_double(function, products, *arrays)
    return Value(value, function(*(np.abs(a).astype(np.float64) for a in arrays)))


@oracle("diopiConvolution2d", "diopiConvolution3d")
def convolution(input, weight, bias, stride, padding, dilation, groups):
    batch = input if input.ndim == weight.ndim else input[None]
    geometry = _Geometry(batch, weight, stride, padding, dilation)
    products = geometry.products(len(batch), weight)
    out = _both(lambda x, w: _forward(x, w, geometry, groups), products, batch, weight)
    array, magnitude = out.array, out.magnitude
    if bias is not None:
        spread = bias.reshape(-1, *[1] * geometry.spatial)
        array, magnitude = array + spread, magnitude + np.abs(spread)
    return Value(array, magnitude) if batch is input else Value(array[0], magnitude[0])


def _grad_input(grad, weight, shape, geometry, groups: int):
    padded = np.zeros([n + 2 * p[0] for n, p in zip(shape, geometry.padded)], grad.dtype)
    w, g = _grouped(weight, groups, 0), _grouped(grad, groups, 1)
    for position, window in geometry.windows():
        part = np.einsum("ngo...,goc->ngc...", g, np.conj(w[(slice(None),) * 3 + position]))
        padded[window] += part.reshape(padded[window].shape)
    return geometry.interior(padded)


def _grad_weight(grad, input, weight_shape, geometry, groups: int):
    padded = np.pad(np.conj(input), geometry.padded)
    g, positions = _grouped(grad, groups, 1), int(np.prod(geometry.output))
    result = np.zeros(weight_shape, np.result_type(grad, input))
    for position, window in geometry.windows():
        taken = _grouped(padded[window], groups, 1)
        part = np.einsum(
            "ngop,ngcp->goc", g.reshape(*g.shape[:3], positions), taken.reshape(*taken.shape[:3], positions)
        )
        result[(slice(None), slice(None)) + position] = part.reshape(weight_shape[:2])
    return result


@oracle("diopiConvolution2dBackward", "diopiConvolution3dBackward")
def convolution_backward(grad_output, input, weight, stride, padding, dilation, groups):
    batched = input.ndim == weight.ndim
    x, grad = (input, grad_output) if batched else (input[None], grad_output[None])
    geometry = _Geometry(x, weight, stride, padding, dilation)
    products = geometry.products(len(x), weight)
    grad_input = _both(lambda g, w: _grad_input(g, w, x.shape, geometry, groups), products, grad, weight)
    if not batched:
        grad_input = Value(grad_input.array[0], grad_input.magnitude[0])
    over = (0, *range(2, grad.ndim))
    return {
        "grad_input": grad_input,
        "grad_weight": _both(lambda g, i: _grad_weight(g, i, weight.shape, geometry, groups), products, grad, x),
        "grad_bias": _both(lambda g: g.sum(axis=over), grad.size, grad),
    }


def _transposed_geometry(input, weight, outputs, stride, padding, dilation):
    """The windows of the convolution whose input is the output here. Its outputs are the positions of the input."""
    geometry = _Geometry(np.empty((0, 0, *outputs)), weight, stride, padding, dilation)
    geometry.output = list(input.shape[2:])
    return geometry


def _transposed_outputs(input, weight, stride, padding, output_padding, dilation) -> list[int]:
    spatial = weight.ndim - 2
    numbers = [_each(v, spatial) for v in (stride, padding, output_padding, dilation)]
    return [
        (n - 1) * s - 2 * p + d * (k - 1) + more + 1
        for n, k, s, p, more, d in zip(input.shape[2:], weight.shape[2:], *numbers)
    ]


@oracle("diopiConvTranspose2d", "diopiConvTranspose3d")
def conv_transpose(input, weight, bias, stride, padding, output_padding, groups, dilation):
    batch = input if input.ndim == weight.ndim else input[None]
    outputs = _transposed_outputs(batch, weight, stride, padding, output_padding, dilation)
    geometry = _transposed_geometry(batch, weight, outputs, stride, padding, dilation)
    shape = (batch.shape[0], groups * weight.shape[1], *outputs)
    products = geometry.products(len(batch), weight)
    out = _both(lambda x, w: _grad_input(x, np.conj(w), shape, geometry, groups), products, batch, weight)
    array, magnitude = out.array, out.magnitude
    if bias is not None:
        spread = bias.reshape(-1, *[1] * geometry.spatial)
        array, magnitude = array + spread, magnitude + np.abs(spread)
    return Value(array, magnitude) if batch is input else Value(array[0], magnitude[0])


@oracle("diopiConvTranspose2dBackward", "diopiConvTranspose3dBackward")
def conv_transpose_backward(grad_output, input, weight, stride, padding, dilation, groups):
    batched = input.ndim == weight.ndim
    x, grad = (input, grad_output) if batched else (input[None], grad_output[None])
    geometry = _transposed_geometry(x, weight, grad.shape[2:], stride, padding, dilation)
    products = geometry.products(len(x), weight)
    grad_input = _both(lambda g, w: _forward(g, np.conj(w), geometry, groups).reshape(x.shape), products, grad, weight)
    if not batched:
        grad_input = Value(grad_input.array[0], grad_input.magnitude[0])
    over = (0, *range(2, grad.ndim))
    return {
        "grad_input": grad_input,
        "grad_weight": _both(
            lambda i, g: np.conj(_grad_weight(i, g, weight.shape, geometry, groups)), products, x, grad
        ),
        "grad_bias": _both(lambda g: g.sum(axis=over), grad.size, grad),
    }
