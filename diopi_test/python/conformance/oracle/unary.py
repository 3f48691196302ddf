# SPDX-License-Identifier: BSD-3-Clause
"""Functions of one element."""

import math

import numpy as np

from ..dtypes import real_dtype
from . import oracle


def _both(name: str) -> tuple[str, str]:
    return f"diopi{name}", f"diopi{name}Inp"


@oracle(*_both("Abs"), dtype=lambda names: real_dtype(names["input"]), signed_zero=True)
def abs_(input):
    return np.abs(input)


@oracle(*_both("Neg"), signed_zero=True)
def neg(input):
    return -input if input.dtype != np.uint64 else np.uint64(0) - input


@oracle(*_both("Exp"), promote=("input",), dtype="float")
def exp(input):
    return np.exp(input)


@oracle(*_both("Log"), promote=("input",), dtype="float")
def log(input):
    return np.log(input)


@oracle(*_both("Sqrt"), promote=("input",), dtype="float", signed_zero=True)
def sqrt(input):
    return np.sqrt(input)


@oracle(*_both("Rsqrt"), promote=("input",), dtype="float")
def rsqrt(input):
    return 1 / np.sqrt(input)


@oracle(*_both("Sin"), promote=("input",), dtype="float", signed_zero=True)
def sin(input):
    return np.sin(input)


@oracle(*_both("Cos"), promote=("input",), dtype="float")
def cos(input):
    return np.cos(input)


@oracle(*_both("Tanh"), promote=("input",), dtype="float", signed_zero=True)
def tanh(input):
    return np.tanh(input)


@oracle(*_both("Erf"), promote=("input",), dtype="float", signed_zero=True)
def erf(input):
    return np.vectorize(math.erf, otypes=[np.float64])(input)


@oracle(*_both("Floor"), signed_zero=True)
def floor(input):
    return np.floor(input) if input.dtype == np.float64 else input


@oracle(*_both("Ceil"), signed_zero=True)
def ceil(input):
    return np.ceil(input) if input.dtype == np.float64 else input


@oracle("diopiSign")
def sign(input):
    """-1, 0 or 1; the sign of NaN is 0, as in PyTorch."""
    return (input > 0).astype(np.int8) - (input < 0).astype(np.int8)


@oracle(*_both("Sgn"))
def sgn(input):
    """z / |z| of a complex number, the sign of a real number."""
    if np.iscomplexobj(input):
        # |z| of the largest numbers overflows, and that of denormal numbers is inexact. Scaling z by a power of two
        # avoids both and keeps the direction.
        largest = np.maximum(np.abs(input.real), np.abs(input.imag))
        input = input * np.where(largest > 1e300, 2.0**-10, np.where(largest < 1e-290, 2.0**80, 1.0))
        size = np.abs(input)
        return np.where(size == 0, 0, input / np.where(size == 0, 1, size))
    return input if input.dtype == bool else sign(input)


@oracle(*_both("Reciprocal"), promote=("input",), dtype="float", signed_zero=True)
def reciprocal(input):
    return 1 / input


@oracle(*_both("Expm1"), promote=("input",), dtype="float", signed_zero=True)
def expm1(input):
    return np.expm1(input)


@oracle(*_both("Log1p"), promote=("input",), dtype="float", signed_zero=True)
def log1p(input):
    if np.iscomplexobj(input):  # |1 + z|^2 = 1 + x (2 + x) + y^2; NumPy's cancels near 0, this near -1
        x, y = input.real, input.imag
        far = (x < -0.5) | (x > 1e100) | (np.abs(y) > 1e100)
        u, v = np.where(far, 1, x), np.where(far, 1, y)
        return np.where(far, np.log(1 + input), np.log1p(u * (2 + u) + v * v) / 2 + 1j * np.arctan2(v, 1 + u))
    return np.log1p(input)


@oracle(*_both("Log2"), promote=("input",), dtype="float")
def log2(input):
    return np.log2(input)


@oracle(*_both("Log10"), promote=("input",), dtype="float")
def log10(input):
    return np.log10(input)


@oracle(*_both("Tan"), promote=("input",), dtype="float", signed_zero=True)
def tan(input):
    return np.tan(input)


@oracle(*_both("Asin"), promote=("input",), dtype="float", signed_zero=True)
def asin(input):
    return np.arcsin(input)


@oracle(*_both("Acos"), promote=("input",), dtype="float")
def acos(input):
    return np.arccos(input)


@oracle(*_both("Atan"), promote=("input",), dtype="float", signed_zero=True)
def atan(input):
    return np.arctan(input)


@oracle(*_both("Sinh"), promote=("input",), dtype="float", signed_zero=True)
def sinh(input):
    return np.sinh(input)


@oracle(*_both("Cosh"), promote=("input",), dtype="float")
def cosh(input):
    return np.cosh(input)


@oracle(*_both("Asinh"), promote=("input",), dtype="float", signed_zero=True)
def asinh(input):
    return np.arcsinh(input)


@oracle(*_both("Acosh"), promote=("input",), dtype="float")
def acosh(input):
    return np.arccosh(input)


@oracle(*_both("Atanh"), promote=("input",), dtype="float", signed_zero=True)
def atanh(input):
    return np.arctanh(input)


@oracle(*_both("Erfinv"), promote=("input",), dtype="float", signed_zero=True)
def erfinv(input):
    return np.vectorize(_erfinv, otypes=[np.float64])(input)


def _erfinv(x: float) -> float:
    """Newton's method for erf(y) = x. For |x| > 0.5 it uses erfc, which keeps its precision near |x| = 1."""
    size = abs(x)
    if not size < 1:
        return math.copysign(math.inf, x) if size == 1 else math.nan
    if size < 1e-8:
        return x * math.sqrt(math.pi) / 2
    w = -math.log((1 - size) * (1 + size))
    a = 2 / (0.147 * math.pi) - w / 2
    y = math.sqrt(math.sqrt(a * a + w / 0.147) - a)
    for _ in range(6):
        error = (1 - size) - math.erfc(y) if size > 0.5 else math.erf(y) - size
        y -= error * math.exp(y * y) * math.sqrt(math.pi) / 2
    return math.copysign(y, x)
