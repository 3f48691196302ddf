# SPDX-License-Identifier: BSD-3-Clause
"""Tensors of any memory layout. Each lies in a buffer in which the judge checks all other bytes after a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dtypes import NUMPY

GUARD_BYTES = 256
# The byte that fills unused memory. In every dtype it gives an implausible number; as a bool it is neither 0 nor 1. It
# gives no NaN, so an unwritten element differs from a correct NaN.
POISON = 0xC5
# A number of elements that exceeds int32.
FAR = 2**31 + 5


@dataclass(frozen=True)
class Layout:
    """The shape and strides (in elements) of a tensor."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def span(self) -> int:
        """The number of elements from the first to the last one in memory."""
        if 0 in self.shape:
            return 0
        return 1 + sum((n - 1) * s for n, s in zip(self.shape, self.strides))


def row_major(shape: tuple[int, ...], order: tuple[int, ...] | None = None, gap: int = 1) -> Layout:
    """Dense strides. `order` lists the dimensions from outermost to innermost; the innermost one has stride `gap`."""
    order = order if order is not None else tuple(range(len(shape)))
    strides, step = [0] * len(shape), gap
    for dim in reversed(order):
        strides[dim] = step
        step *= max(shape[dim], 1)
    return Layout(shape, tuple(strides))


def make_layout(kind: str, shape: tuple[int, ...]) -> Layout:
    """The layout that a variant gives to a tensor of this shape."""
    n, plain = len(shape), row_major(shape)
    if kind == "transposed":
        return row_major(shape, tuple(reversed(range(n))))
    if kind == "sliced":  # every second column of a matrix with one more row and column
        padded = tuple(s + 1 for s in shape)
        return Layout(shape, row_major(padded, gap=2).strides)
    if kind == "strided":  # dimensions in reversed order, with gaps between the elements
        padded = tuple(s + 1 for s in shape)
        return Layout(shape, row_major(padded, tuple(reversed(range(n))), gap=3).strides)
    if kind == "far_apart":
        return far_apart(shape)
    if kind == "odd_strides":  # dimensions of size 1 have arbitrary strides
        return Layout(shape, tuple(1001 + i if n == 1 else s for i, (n, s) in enumerate(zip(shape, plain.strides))))
    if kind == "channels_last" and n in (3, 4, 5):
        return row_major(shape, (0, *range(2, n), 1))
    return plain


def far_apart(shape: tuple[int, ...]) -> Layout:
    """Row-major, except that the outermost dimension of size > 1 has a stride of more than 2^31 elements."""
    plain = row_major(shape)
    first = next((i for i, n in enumerate(shape) if n > 1), None)
    if first is None or 0 in shape:
        return plain
    return Layout(shape, tuple(FAR + s if i == first else s for i, s in enumerate(plain.strides)))


def random_layout(shape: tuple[int, ...], rng: np.random.Generator) -> Layout:
    """A random order of dimensions, with random padding and gaps. Dimensions of size 1 have arbitrary strides."""
    n = len(shape)
    padded = tuple(int(s + p) for s, p in zip(shape, rng.integers(0, 3, n)))
    strides = list(row_major(padded, tuple(int(d) for d in rng.permutation(n)), int(rng.choice([1, 1, 2, 3]))).strides)
    for dim, size in enumerate(shape):
        if size == 1:
            strides[dim] = int(rng.choice([1, 5, 1000]))
    return Layout(shape, tuple(strides))


class Buffer:
    """One tensor: a view with the given dtype, layout and offset of a byte buffer that has guard bands at both ends."""

    claims: str | None = None  # the dtype of the handle, if it differs from the dtype of the elements

    def __init__(self, dtype: str, layout: Layout, offset: int = 0) -> None:
        self.dtype, self.layout = dtype, layout
        itemsize = NUMPY[dtype].itemsize
        guard = GUARD_BYTES // itemsize
        self.offset = guard + offset  # in elements from the start of the storage
        self.elements = self.offset + layout.span + guard
        raw = np.empty(self.elements * itemsize + 64, np.uint8)
        start = -raw.ctypes.data % 64
        self.bytes = raw[start : start + self.elements * itemsize]
        self.bytes.fill(POISON)
        self.before: Any = None  # a copy of all bytes before the call, made by `seal`

    def _view(self, memory: np.ndarray) -> np.ndarray:
        typed = memory.view(NUMPY[self.dtype])
        strides = tuple(s * typed.itemsize for s in self.layout.strides)
        # The offset is passed separately, because an empty tensor has no element at which a slice could start.
        return np.ndarray(self.layout.shape, typed.dtype, memory, self.offset * typed.itemsize, strides)

    @property
    def array(self) -> np.ndarray:
        """The tensor as an array that shares the buffer's memory."""
        return self._view(self.bytes)

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
        if element >= self.layout.span:
            return f"{element - self.layout.span + 1} elements past the end"
        return f"at element {element} of its memory"
