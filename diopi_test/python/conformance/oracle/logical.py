# SPDX-License-Identifier: BSD-3-Clause
"""Logical and bitwise operators. In logical operators, every nonzero number is true, and so is NaN."""

import numpy as np

from . import oracle


@oracle("diopiLogicalAnd", "diopiLogicalAndInp", promote=("input", "other"), dtype="bool")
def logical_and(input, other):
    return (input != 0) & (other != 0)


@oracle("diopiLogicalOr", "diopiLogicalOrInp", promote=("input", "other"), dtype="bool")
def logical_or(input, other):
    return (input != 0) | (other != 0)


@oracle("diopiLogicalNot", "diopiLogicalNotInp", dtype="bool")
def logical_not(input):
    return np.asarray(input == 0)


def _bitwise(name: str):
    return oracle(
        *(f"diopiBitwise{name}{form}" for form in ("", "Inp", "Scalar", "InpScalar")), promote=("input", "other")
    )


@_bitwise("And")
def bitwise_and(input, other):
    return input & other


@_bitwise("Or")
def bitwise_or(input, other):
    return input | other


@oracle("diopiBitwiseNot", "diopiBitwiseNotInp")
def bitwise_not(input):
    return ~input
