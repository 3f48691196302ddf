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
