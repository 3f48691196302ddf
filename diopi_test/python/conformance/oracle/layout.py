# SPDX-License-Identifier: BSD-3-Clause
"""Copies between layouts and dtypes."""

import numpy as np

from ..dtypes import INTEGRAL, NUMPY
from ..placement import channels_last, row_major
from . import Value, oracle


def converted(values: np.ndarray, source: str, target: str) -> np.ndarray:
    """Conversion between dtypes. Fractions are truncated; nonzero numbers become true; complex numbers lose their
    imaginary part."""
    if target == "bool":
        return values != 0
    if source.startswith("complex") and not target.startswith("complex"):
        values = values.real
    if target in INTEGRAL and values.dtype == np.float64:
        return np.trunc(values).astype(np.int64).astype(NUMPY[target])
    return values


@oracle("diopiCopyInp", signed_zero=True)
def copy(src, dest, dtypes):
    target = dtypes.get("dest", dtypes["src"])
    return Value(np.broadcast_to(converted(src, dtypes["src"], target), dest), dtype=target)


@oracle("diopiCastDtype", signed_zero=True)
def cast_dtype(input, dtypes):
    return Value(converted(input, dtypes["input"], dtypes["out"]), dtype=dtypes["out"])


@oracle("diopiContiguous", signed_zero=True)
def contiguous(input, memoryFormat):
    """A copy that is row-major, or whose channels (dimension 1) have stride 1, or that keeps the strides."""
    if memoryFormat == "Preserve":
        return Value(input, strides="input")
    place = row_major if memoryFormat == "Contiguous" else channels_last
    return Value(input, strides=place(input.shape).strides)


@oracle("diopiNativeMemoryFormatCast", signed_zero=True)
def native_memory_format_cast(in_, format):
    """A vendor without memory formats of its own changes nothing."""
    return in_


@oracle("diopiGetNativeMemoryFormat")
def get_native_memory_format(input):
    return 2


@oracle("diopiTensorDestructionHook")
def tensor_destruction_hook(ptr):
    return {}
