# SPDX-License-Identifier: BSD-3-Clause
"""A scaled product or quotient of two tensors, added to a third."""

import numpy as np

from . import Value, oracle


@oracle("diopiAddcmul", "diopiAddcmulInp", promote=("input", "tensor1", "tensor2"), round_operands=False)
def addcmul(input, tensor1, tensor2, value):
    term = value * tensor1 * tensor2
    return Value(input + term, magnitude=np.abs(input) + np.abs(term))


@oracle("diopiAddcdiv", "diopiAddcdivInp", promote=("input", "tensor1", "tensor2"), round_operands=False)
def addcdiv(input, tensor1, tensor2, value):
    term = value * tensor1 / tensor2
    return Value(input + term, magnitude=np.abs(input) + np.abs(term))


@oracle("diopiLerpTensor", "diopiLerpScalar")
def lerp(input, end, weight):
    """Linear interpolation: `input` at weight 0, `end` at weight 1. It is computed from the nearer of the two."""
    weight = np.asarray(weight)
    near = np.abs(weight) < 0.5
    distance = end - input
    value = np.where(near, input + weight * distance, end - distance * (1 - weight))
    return Value(value, magnitude=np.abs(input) + np.abs(end) + np.abs(weight * distance))
