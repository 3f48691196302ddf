# SPDX-License-Identifier: BSD-3-Clause
"""Elements selected by a mask, and the positions of nonzero elements."""

import numpy as np

from . import Value, oracle


@oracle("diopiNonzero", dtype="int64")
def nonzero(input):
    if input.ndim == 0:
        return np.zeros((int(input != 0), 0), np.int64)
    return np.stack(np.nonzero(input), 1)


@oracle("diopiMaskedSelect", dtype="input", signed_zero=True)
def masked_select(input, mask):
    values, chosen = np.broadcast_arrays(input, mask != 0)
    return values[chosen]


@oracle("diopiMaskedSelectBackward", dtype="grad_output")
def masked_select_backward(grad_output, input, mask):
    """If the mask broadcasts over an element of `input`, the element receives the sum of its gradients."""
    places, chosen = np.broadcast_arrays(np.arange(input.size).reshape(input.shape), mask != 0)
    if grad_output.dtype == bool:
        total = np.zeros(input.size, bool)
        np.logical_or.at(total, places[chosen], grad_output)
        return total.reshape(input.shape)
    total, magnitude = np.zeros(input.size, grad_output.dtype), np.zeros(input.size)
    np.add.at(total, places[chosen], grad_output)
    np.add.at(magnitude, places[chosen], np.abs(grad_output).astype(np.float64))
    return Value(total.reshape(input.shape), magnitude.reshape(input.shape))
