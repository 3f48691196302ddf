# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons, which return bool, and the maximum and minimum of two tensors."""

import numpy as np

from . import oracle


def _comparison(name: str):
    forms = [f"diopi{name}{form}" for form in ("", "Inp", "Scalar", "InpScalar")]
    return oracle(*forms, promote=("input", "other"), dtype="bool")


@_comparison("Eq")
def eq(input, other):
    return input == other


@_comparison("Ne")
def ne(input, other):
    return input != other


@_comparison("Gt")
def gt(input, other):
    return input > other


@_comparison("Ge")
def ge(input, other):
    return input >= other


@_comparison("Lt")
def lt(input, other):
    return input < other


@_comparison("Le")
def le(input, other):
    return input <= other


@oracle("diopiMaximum", promote=("input", "other"))
def maximum(input, other):
    """The larger of two elements; NaN if either is NaN."""
    return np.maximum(input, other)


@oracle("diopiMinimum", promote=("input", "other"))
def minimum(input, other):
    """The smaller of two elements; NaN if either is NaN."""
    return np.minimum(input, other)


@oracle("diopiIsNan", dtype="bool")
def is_nan(input):
    return np.isnan(input) if input.dtype.kind in "fc" else np.zeros(input.shape, bool)
