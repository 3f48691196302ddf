# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of compressed sparse rows in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import dtypes
from ..csr import Csr
from ..layouts import Layout, Tensor
from ..placement import row_major
from .buffers import Buffer

LARGEST_SPAN = 2**24  # elements; a part whose layout spreads it further is contiguous


@dataclass(frozen=True)
class CsrBuffers:
    """A sparse tensor in memory: the buffers of its row pointers, column indices and values."""

    shape: tuple[int, ...]
    parts: tuple[Buffer, Buffer, Buffer]

    @property
    def values(self) -> Buffer:
        return self.parts[2]

    def __str__(self) -> str:
        return f"sparse {self.values.dtype}{list(self.shape)} with {self.parts[1].placement.shape[0]} entries"


def in_memory(matrix: Csr, layout: Layout, name: str) -> CsrBuffers:
    """The parts in memory, each placed as the layout places an input of one dimension."""

    def part(array: np.ndarray, of: str) -> Buffer:
        place = layout.place_input(Tensor(array.shape, f"{name}:{of}"), False)
        buffer = Buffer(dtypes.name_of(array.dtype), place if place.span < LARGEST_SPAN else row_major(array.shape))
        buffer.array[...] = array
        return buffer

    names = ("row_pointers", "columns", "values")
    first, second, third = (part(a, n) for a, n in zip(matrix.parts(), names))
    return CsrBuffers(matrix.shape, (first, second, third))
