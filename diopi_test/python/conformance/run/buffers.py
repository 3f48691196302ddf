# SPDX-License-Identifier: BSD-3-Clause
"""Tensors of any memory placement. Each lies in a buffer in which the judge checks all other bytes after a call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import NUMPY
from ..placement import Placement

GUARD_BYTES = 256
# The byte that fills unused memory. In every dtype it gives an implausible number; as a bool it is neither 0 nor 1. It
# gives no NaN, so an unwritten element differs from a correct NaN.
POISON = 0xC5


class Buffer:
    """One tensor: a view with the given dtype and placement of a byte buffer that has guard bands at both ends."""

    claims: str | None = None  # the dtype of the handle, if it differs from the dtype of the elements

    def __init__(self, dtype: str, placement: Placement) -> None:
        self.dtype, self.placement = dtype, placement
        itemsize = NUMPY[dtype].itemsize
        guard = GUARD_BYTES // itemsize
        self.offset = guard + placement.offset  # in elements from the start of the storage
        self.elements = self.offset + placement.span + guard
        raw = np.empty(self.elements * itemsize + 64, np.uint8)
        start = -raw.ctypes.data % 64
        self.bytes = raw[start : start + self.elements * itemsize]
        self.bytes.fill(POISON)
        self.before: Any = None  # a copy of all bytes before the call, made by `seal`

    def _view(self, memory: np.ndarray) -> np.ndarray:
        typed = memory.view(NUMPY[self.dtype])
        strides = tuple(s * typed.itemsize for s in self.placement.strides)
        # The offset is passed separately, because an empty tensor has no element at which a slice could start.
        return np.ndarray(self.placement.shape, typed.dtype, memory, self.offset * typed.itemsize, strides)

    @property
    def array(self) -> np.ndarray:
        """The tensor as an array that shares the buffer's memory."""
        return self._view(self.bytes)

    def pieces(self) -> list[slice]:
        """The parts of `bytes` that the judge uses."""
        return [slice(0, self.bytes.nbytes)]

    def seal(self) -> None:
        """Copies all bytes before the call, for `first_change`."""
        self.before = self.bytes.copy()

    def first_change(self, inside: bool) -> str | None:
        """The place of the first byte that the call changed outside the tensor's elements; with `inside`, of the first
        changed byte anywhere. None if no such byte changed."""
        after = self.bytes
        if not inside:
            after = self.bytes.copy()
            if self.array.size:
                self._view(after)[...] = self._view(self.before)
        changed = np.flatnonzero(after != self.before)
        if changed.size == 0:
            return None
        element = int(changed[0]) // NUMPY[self.dtype].itemsize - self.offset
        if element < 0:
            return f"{-element} elements before the start"
        if element >= self.placement.span:
            return f"{element - self.placement.span + 1} elements past the end"
        return f"at element {element} of its memory"
