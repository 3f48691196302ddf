"""Functions of one element."""

import math

import numpy as np

from ..dtypes import real_dtype
from ..oracles import oracle


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
    """0 for NaN, as PyTorch has it."""
    return (input > 0).astype(np.int8) - (input < 0).astype(np.int8)


def _elementary(name: str, definition) -> None:
    """A function of the real line (and the complex plane) that NumPy knows by itself."""
    oracle(*_both(name), promote=("input",), dtype="float")(lambda input: definition(input))


_elementary("Acos", np.arccos)
_elementary("Acosh", np.arccosh)
_elementary("Asin", np.arcsin)
_elementary("Asinh", np.arcsinh)
_elementary("Atan", np.arctan)
_elementary("Atanh", np.arctanh)
_elementary("Tan", np.tan)
_elementary("Sinh", np.sinh)
_elementary("Cosh", np.cosh)
_elementary("Expm1", np.expm1)
_elementary("Log1p", np.log1p)
_elementary("Log2", np.log2)
_elementary("Log10", np.log10)


@oracle(*_both("Reciprocal"), promote=("input",), dtype="float")
def reciprocal(input):
    return 1 / input


@oracle(*_both("Erfinv"), promote=("input",), dtype="float")
def erfinv(input):
    """The x with erf(x) = input, by Newton's method on the side where erfc keeps its digits."""
    return np.vectorize(_erfinv, otypes=[np.float64])(input)


def _erfinv(y: float) -> float:
    if not abs(y) < 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    if abs(y) < 1e-8:
        return y * math.sqrt(math.pi) / 2
    tail = 1 - abs(y)
    x = math.sqrt(-math.log(tail * (2 - tail))) * 0.9
    for _ in range(60):
        slope = 2 / math.sqrt(math.pi) * math.exp(-x * x)
        off = (math.erf(x) - abs(y)) if abs(y) < 0.5 else (tail - math.erfc(x))
        step = off / slope
        x -= step / (1 + x * step)  # Halley's correction
        if abs(step) <= 1e-16 * x:
            break
    return math.copysign(x, y)


@oracle(*_both("Sgn"))
def sgn(input):
    if np.iscomplexobj(input):
        return np.where(input == 0, 0, input / np.abs(input))
    return sign(input)
