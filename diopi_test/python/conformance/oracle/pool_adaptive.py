# SPDX-License-Identifier: BSD-3-Clause
"""Adaptive pooling: each output element is the mean, or the largest element, of one window of the input."""

import itertools

import numpy as np

from . import Value, oracle
from .pool_max import scattered, winners


def parts(sizes, outputs):
    """Each output position with the slices of its window of the input. Adjacent windows may overlap."""
    for at in itertools.product(*map(range, outputs)):
        yield at, tuple(slice(o * n // m, -(-(o + 1) * n // m)) for o, n, m in zip(at, sizes, outputs))


def mean(input, output_size, spatial: int):
    outputs = list(output_size) * (spatial if len(output_size) == 1 else 1)
    out = np.empty((*input.shape[:-spatial], *outputs))
    magnitude = np.empty(out.shape)
    over = tuple(range(-spatial, 0))
    for at, part in parts(input.shape[-spatial:], outputs):
        out[(..., *at)] = input[(..., *part)].mean(axis=over)
        magnitude[(..., *at)] = np.abs(input[(..., *part)]).mean(axis=over)
    return Value(out, magnitude)


def mean_backward(grad_output, input, spatial: int):
    grad, magnitude = np.zeros(input.shape), np.zeros(input.shape)
    for at, part in parts(input.shape[-spatial:], grad_output.shape[-spatial:]):
        share = grad_output[(..., *at)] / np.prod([s.stop - s.start for s in part])
        share = share.reshape(*share.shape, *[1] * spatial)
        grad[(..., *part)] += share
        magnitude[(..., *part)] += np.abs(share)
    return Value(grad, magnitude)


def largest(input, output_size, spatial: int):
    """The largest element of each window with its index: the first of several equal elements, or the last NaN."""
    outputs = list(output_size) * (spatial if len(output_size) == 1 else 1)
    found = list(parts(input.shape[-spatial:], outputs))
    return winners(input, tuple(outputs), found, spatial)


for _n in (1, 2, 3):

    def _forward(input, output_size, n=_n):
        return mean(input, output_size, n)

    def _gradient(grad_output, input, n=_n):
        return mean_backward(grad_output, input, n)

    oracle(f"diopiAdaptiveAvgPool{_n}d", dtype="input")(_forward)
    oracle(f"diopiAdaptiveAvgPool{_n}dBackward", dtype="input")(_gradient)

    def _with_indices(input, output_size, n=_n):
        return largest(input, output_size, n)

    def _without(input, output_size, n=_n):
        return largest(input, output_size, n)["out"]

    def _scattered(grad_output, input, indices, n=_n):
        return scattered(grad_output, indices, input.shape, n)

    oracle(f"diopiAdaptiveMaxPool{_n}dWithIndices", dtype={"out": "input", "indices": "int64"})(_with_indices)
    oracle(f"diopiAdaptiveMaxPool{_n}d", dtype="input")(_without)
    oracle(f"diopiAdaptiveMaxPool{_n}dBackward", dtype="input")(_scattered)
