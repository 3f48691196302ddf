# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic of two operands. A Scalar form takes a number as the second operand; an Inp form writes to `input`."""

import numpy as np

from ..dtypes import accumulation_dtype, is_inexact, is_integral, narrow, real_dtype, round_through, widen
from ..scalars import wrapped
from . import Value, oracle


def _forms(name: str) -> tuple[str, ...]:
    return tuple(f"diopi{name}{form}" for form in ("", "Inp", "Scalar", "InpScalar"))


def _combined(result, input, term, alpha):
    """The sum or difference of `input` and `term`. With an alpha, `term` is a product that was rounded before, so the
    magnitude counts that rounding, too."""
    return result if alpha == 1 else Value(result, magnitude=np.abs(input) + np.abs(term))


def _factor(alpha, promoted: str):
    """Alpha rounded to the dtype of the computation. With float32 tensors, an alpha of 0.1 is the float32 number."""
    if alpha is None or not is_inexact(promoted):
        return 1 if alpha is None else alpha
    return widen(narrow(np.asarray(alpha, np.float64), accumulation_dtype(real_dtype(promoted))))[()]


def _term(alpha, other, promoted: str):
    """The product of alpha and the operand; that of two numbers wraps around like that of an element and a number."""
    term = alpha * other
    return wrapped(term, promoted) if isinstance(term, int) and is_integral(promoted) else term


@oracle(*_forms("Add"), promote=("input", "other"), round_operands=False)
def add(input, other, dtypes, alpha):
    alpha = _factor(alpha, dtypes["promoted"])
    if dtypes["promoted"] == "bool":
        return input | (other & bool(alpha))
    term = _term(alpha, other, dtypes["promoted"])
    return _combined(input + term, input, term, alpha)


@oracle(*_forms("Sub"), promote=("input", "other"), round_operands=False)
def sub(input, other, dtypes, alpha):
    alpha = _factor(alpha, dtypes["promoted"])
    term = _term(alpha, other, dtypes["promoted"])
    return _combined(input - term, input, term, alpha)


@oracle(*_forms("Mul"), promote=("input", "other"), round_operands=False, exact_number=("other",))
def mul(input, other):
    return input * other


@oracle(
    *_forms("Div"),
    promote=("input", "other"),
    round_operands=False,
    converts_scalars=False,
    exact_number=("other",),
)
def div(input, other, rounding_mode, dtypes):
    """True division returns a floating dtype. Division with a rounding mode returns the promoted dtype."""
    promoted = dtypes["promoted"]
    compute = promoted
    if not is_inexact(promoted) and rounding_mode == "RoundModeNone":
        compute = "float32"
        input = round_through(input, compute)
    if not isinstance(other, np.ndarray) or compute != promoted:
        other = round_through(np.asarray(other), accumulation_dtype(compute))
    if rounding_mode == "RoundModeNone":
        return Value(input / other, dtype=compute)
    if is_inexact(promoted):
        if rounding_mode == "RoundModeFloor":
            return np.where(other == 0, input / other, np.floor_divide(input, other))
        return np.trunc(round_through(input / other, accumulation_dtype(promoted)))
    floor = input // other
    if rounding_mode == "RoundModeTrunc":
        return floor + ((floor < 0) & (floor * other != input))
    return floor


@oracle("diopiRemainderTensor", "diopiRemainderScalar", "diopiRemainder", promote=("input", "other"))
def remainder(input, other):
    """The remainder has the sign of the divisor."""
    return np.remainder(input, other)
