# SPDX-License-Identifier: BSD-3-Clause
"""Tensors that span more memory than a machine has. The memory is reserved, and only the rows are used.

If the rows of a tensor are more than 2^31 elements apart, offsets must be computed in 64 bits. Each row has guard
bands before and after it; the judge does not check the rest of the memory between rows.
"""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np

from ..dtypes import NUMPY
from ..placement import WIDE, Placement
from .buffers import GUARD_BYTES, POISON, Buffer

MAP_NORESERVE = 0x4000  # the value in Linux; Python's module mmap does not define it


class TooLargeForDevice(Exception):
    """Raised if a device has less memory than a tensor in reserved memory spans: a device cannot reserve memory."""

    def __init__(self) -> None:
        super().__init__("the device lacks the memory for rows that are more than 2^31 elements apart")


def make_buffer(dtype: str, placement: Placement) -> Buffer:
    """A buffer for this placement; it has reserved memory if the placement spans more than 2^31 elements."""
    return ReservedBuffer(dtype, placement) if placement.span > WIDE else Buffer(dtype, placement)


class ReservedBuffer(Buffer):
    """A tensor in reserved memory. Only the rows of its outermost dimension occupy physical memory."""

    def __init__(self, dtype: str, placement: Placement) -> None:
        self.dtype, self.placement = dtype, placement
        self.claims: str | None = None
        item = NUMPY[dtype].itemsize
        self.offset = GUARD_BYTES // item
        self.elements = self.offset + placement.span + self.offset
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
        self._memory = mmap.mmap(-1, self.elements * item, flags=flags)
        self.bytes = np.frombuffer(self._memory, np.uint8)
        dim = next(i for i, s in enumerate(placement.strides) if s > WIDE)
        row = 1 + sum((n - 1) * s for i, (n, s) in enumerate(zip(placement.shape, placement.strides)) if i != dim)
        starts = [i * placement.strides[dim] * item for i in range(placement.shape[dim])]
        self._rows = [slice(s, s + 2 * GUARD_BYTES + row * item) for s in starts]
        for part in self._rows:
            self.bytes[part] = POISON
        self.before: Any = None  # a copy of the bytes of each row before the call, made by `seal`
        inner = [i for i in range(len(placement.shape)) if i != dim]
        self._own = np.zeros(2 * GUARD_BYTES + row * item, bool)  # which bytes of a row belong to elements
        np.ndarray(
            (*(placement.shape[i] for i in inner), item),
            bool,
            self._own,
            GUARD_BYTES,
            (*(placement.strides[i] * item for i in inner), 1),
        )[...] = True

    def pieces(self) -> list[slice]:
        return self._rows

    def seal(self) -> None:
        self.before = [self.bytes[part].copy() for part in self._rows]

    def first_change(self, inside: bool) -> str | None:
        for number, (part, before) in enumerate(zip(self._rows, self.before)):
            changed = np.flatnonzero((self.bytes[part] != before) & (inside | ~self._own))
            if changed.size:
                place = (int(changed[0]) - GUARD_BYTES) // NUMPY[self.dtype].itemsize
                return f"at element {place} of row {number}"
        return None
