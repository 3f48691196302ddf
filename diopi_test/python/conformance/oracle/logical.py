"""Logical connectives: whatever is not zero counts as true, NaN included."""

import numpy as np

from ..oracles import oracle


@oracle("diopiLogicalAnd", "diopiLogicalAndInp", promote=("input", "other"), dtype="bool")
def logical_and(input, other):
    return (input != 0) & (other != 0)


@oracle("diopiLogicalOr", "diopiLogicalOrInp", promote=("input", "other"), dtype="bool")
def logical_or(input, other):
    return (input != 0) | (other != 0)


@oracle("diopiLogicalNot", "diopiLogicalNotInp", dtype="bool")
def logical_not(input):
    return np.asarray(input == 0)
