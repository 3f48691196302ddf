"""A scaled product or quotient of two tensors, added to a third."""

import numpy as np

from ..oracles import Value, oracle


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
    """From `input` at weight 0 to `end` at weight 1."""
    term = weight * (end - input)
    return Value(input + term, magnitude=np.abs(input) + np.abs(end) + np.abs(term))
