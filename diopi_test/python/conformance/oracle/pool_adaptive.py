# SPDX-License-Identifier: BSD-3-Clause
"""Adaptive average pooling: each output element is the mean of one window of the input."""

import itertools

import numpy as np

from . import Value, oracle


def parts(sizes, outputs):
    """Each output position with the slices of its window of the input. Adjacent windows may overlap."""
    for at in itertools.product(*map(range, outputs)):
        yield at, tuple(slice(o * n // m, -(-(o + 1) * n // m)) for o, n, m in zip(at, sizes, outputs))


def _mean(input, output_size, spatial: int):
    outputs = list(output_size) * (spatial if len(output_size) == 1 else 1)
    out = np.empty((*input.shape[:-spatial], *outputs))
    magnitude = np.empty(out.shape)
    over = tuple(range(-spatial, 0))
    for at, part in parts(input.shape[-spatial:], outputs):
        out[(..., *at)] = input[(..., *part)].mean(axis=over)
        magnitude[(..., *at)] = np.abs(input[(..., *part)]).mean(axis=over)
    return Value(out, magnitude)


def _backward(grad_output, input, spatial: int):
    grad, magnitude = np.zeros(input.shape), np.zeros(input.shape)
    for at, part in parts(input.shape[-spatial:], grad_output.shape[-spatial:]):
        share = grad_output[(..., *at)] / np.prod([s.stop - s.start for s in part])
        share = share.reshape(*share.shape, *[1] * spatial)
        grad[(..., *part)] += share
        magnitude[(..., *part)] += np.abs(share)
    return Value(grad, magnitude)


for _n in (1, 2, 3):

    def _forward(input, output_size, n=_n):
        return _mean(input, output_size, n)

    def _gradient(grad_output, input, n=_n):
        return _backward(grad_output, input, n)

    oracle(f"diopiAdaptiveAvgPool{_n}d", dtype="input")(_forward)
    oracle(f"diopiAdaptiveAvgPool{_n}dBackward", dtype="input")(_gradient)
