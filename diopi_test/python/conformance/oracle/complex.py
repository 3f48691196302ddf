# SPDX-License-Identifier: BSD-3-Clause
"""Complex numbers from their parts, and the parts of complex numbers."""

import numpy as np

from . import Value, oracle


def _complex_dtype(dtypes):
    return "complex128" if "float64" in (dtypes.get("real"), dtypes.get("abs")) else "complex64"


def _joined(real, imag):
    """real + i imag without arithmetic, which would make NaN of infinities."""
    shape = np.broadcast_shapes(real.shape, imag.shape)
    result = np.empty(shape, np.complex128)
    result.real, result.imag = real, imag
    return result


@oracle("diopiComplex", dtype=_complex_dtype, signed_zero=True)
def complex_(real, imag):
    return _joined(real, imag)


@oracle("diopiPolar", dtype=_complex_dtype)
def polar(abs, angle):
    return _joined(abs * np.cos(angle), abs * np.sin(angle))


@oracle("diopiConj", dtype="input", signed_zero=True)
def conj(input):
    return np.conj(input) if np.iscomplexobj(input) else input


def _part_dtype(dtypes):
    return {"complex64": "float32", "complex128": "float64"}.get(dtypes["input"], dtypes["input"])


@oracle("diopiReal", signed_zero=True)
def real(input, dtypes):
    return Value(input.real, dtype=_part_dtype(dtypes))


@oracle("diopiImag", signed_zero=True)
def imag(input, dtypes):
    return Value(input.imag, dtype=_part_dtype(dtypes))
