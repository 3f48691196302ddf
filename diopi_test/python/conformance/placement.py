# SPDX-License-Identifier: BSD-3-Clause
"""Where the elements of a tensor lie in memory: strides that are dense, transposed, padded, wide or random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Shape = tuple[int, ...]

# A number of elements that exceeds int32.
WIDE = 2**31 + 5


@dataclass(frozen=True)
class Placement:
    """The shape of a tensor, its strides and its offset in memory. Strides and offset count elements."""

    shape: Shape
    strides: tuple[int, ...]
    offset: int = 0

    @property
    def span(self) -> int:
        """The number of elements from the first to the last one in memory."""
        if 0 in self.shape:
            return 0
        return 1 + sum((n - 1) * s for n, s in zip(self.shape, self.strides))


def row_major(shape: Shape, order: tuple[int, ...] | None = None, gap: int = 1) -> Placement:
    """Dense strides. `order` lists the dimensions from outermost to innermost; the innermost one has stride `gap`."""
    order = order if order is not None else tuple(range(len(shape)))
    strides, step = [0] * len(shape), gap
    for dim in reversed(order):
        strides[dim] = step
        step *= max(shape[dim], 1)
    return Placement(shape, tuple(strides))


def transposed(shape: Shape) -> Placement:
    """Dense strides with the dimensions in reversed order."""
    return row_major(shape, tuple(reversed(range(len(shape)))))


def sliced(shape: Shape) -> Placement:
    """Every second column of a matrix with one more row and column."""
    return Placement(shape, row_major(tuple(n + 1 for n in shape), gap=2).strides)


def strided(shape: Shape) -> Placement:
    """Dimensions in reversed order, with gaps between the elements."""
    return Placement(shape, row_major(tuple(n + 1 for n in shape), tuple(reversed(range(len(shape)))), gap=3).strides)


def odd_strides(shape: Shape) -> Placement:
    """Row-major, except that dimensions of size 1 have arbitrary strides."""
    dense = row_major(shape).strides
    return Placement(shape, tuple(1001 + i if n == 1 else s for i, (n, s) in enumerate(zip(shape, dense))))


def channels_last(shape: Shape) -> Placement:
    """Dense strides with dimension 1 innermost. A tensor of fewer than 3 or more than 5 dimensions is row-major."""
    n = len(shape)
    return row_major(shape, (0, *range(2, n), 1)) if n in (3, 4, 5) else row_major(shape)


def wide_stride(shape: Shape) -> Placement:
    """Row-major, except that the outermost dimension of size > 1 has a stride of more than 2^31 elements."""
    dense = row_major(shape)
    first = next((i for i, n in enumerate(shape) if n > 1), None)
    if first is None or 0 in shape:
        return dense
    return Placement(shape, tuple(WIDE + s if i == first else s for i, s in enumerate(dense.strides)))


def random_placement(shape: Shape, rng: np.random.Generator) -> Placement:
    """A random order of dimensions, with random padding and gaps. Dimensions of size 1 have arbitrary strides."""
    n = len(shape)
    padded = tuple(int(s + p) for s, p in zip(shape, rng.integers(0, 3, n)))
    strides = list(row_major(padded, tuple(int(d) for d in rng.permutation(n)), int(rng.choice([1, 1, 2, 3]))).strides)
    for dim, size in enumerate(shape):
        if size == 1:
            strides[dim] = int(rng.choice([1, 5, 1000]))
    return Placement(shape, tuple(strides), int(rng.integers(0, 4)))
