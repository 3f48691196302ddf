# SPDX-License-Identifier: BSD-3-Clause
"""The table of memory layouts. Each row says when a layout applies to a call, and where it puts the call's tensors.

A new layout is a new row. No other module decides by the name of a layout.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from . import placement
from .placement import Placement, Shape, row_major

Fold = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Tensor:
    """A tensor of a call that needs a place in memory."""

    shape: Shape
    name: str = ""  # the names of the case and of the parameter; random placements depend on it
    strides: Shape | None = None  # the strides in elements of an input whose elements share memory


@dataclass(frozen=True)
class Tensors:
    """The shapes of a call's tensors, as far as they decide whether a layout differs from `contiguous`."""

    inputs: tuple[Shape, ...]  # each tensor once, tensors of lists included
    only_read: tuple[Shape, ...]  # the inputs that the call does not write
    outputs: tuple[Shape, ...]  # outputs that the caller creates, without empty tensors
    has_lists: bool = False  # whether a parameter is a list of tensors
    has_numbers: bool = False  # whether an output is 0-d, or the gradient of a 0-d output is an input


Place = Callable[[Tensor], Placement]


@dataclass(frozen=True)
class Layout:
    """One memory layout of the tensors of a call."""

    name: str
    applies: Callable[[Tensors], bool] = lambda tensors: True  # whether the layout changes the call
    only_read: Place = lambda tensor: row_major(tensor.shape)  # the place of an input that the call does not write
    written: Place | None = None  # the place of an input that the call also writes; None: that of other inputs
    output: Place = lambda tensor: row_major(tensor.shape)
    fold: Fold | None = None  # makes elements of inputs that the call only reads share memory
    as_vectors: bool = False  # 0-d outputs and their gradients become tensors of shape [1]
    ordinary: bool = False  # every case has this layout, unless it says otherwise
    every_dtype: bool = False  # it is judged in all dtypes of a case, also where other layouts are only sampled
    quick: bool = True  # whether --quick judges hostile cases with this layout
    repeated: bool = False  # calls with two of the case's dtypes are made twice
    repeated_if_random: bool = False  # calls that take numbers from a generator are made twice

    def place_input(self, tensor: Tensor, written: bool) -> Placement:
        return (self.written or self.only_read)(tensor) if written else self.only_read(tensor)


def at(place: Callable[[Shape], Placement], offset: int = 0) -> Place:
    """The place that a shape alone determines."""
    return lambda tensor: replace(place(tensor.shape), offset=offset)


def _random(tensor: Tensor) -> Placement:
    seed = int.from_bytes(hashlib.sha256(tensor.name.encode()).digest()[:8], "little")
    return placement.random_placement(tensor.shape, np.random.default_rng(seed))


def _expanded(tensor: Tensor) -> Placement:
    """The first dimension of size > 1 has stride 0, if the elements share memory in this way."""
    if tensor.strides is None or 0 not in tensor.strides:
        return row_major(tensor.shape)
    dim = next(i for i, n in enumerate(tensor.shape) if n > 1)
    dense = row_major(tuple(1 if i == dim else n for i, n in enumerate(tensor.shape))).strides
    return Placement(tensor.shape, tuple(0 if i == dim else s for i, s in enumerate(dense)))


def _overlapping(tensor: Tensor) -> Placement:
    return row_major(tensor.shape) if tensor.strides is None else Placement(tensor.shape, tensor.strides)


def _repeated_row(tensor: Tensor) -> Placement:
    return Placement(tensor.shape, (0, *row_major(tensor.shape[1:]).strides))


def expand(array: np.ndarray) -> np.ndarray:
    """The array with its first dimension of size > 1 replaced by copies of its first entry, with stride 0."""
    dim = next(i for i, n in enumerate(array.shape) if n > 1)
    first = array[tuple(slice(0, 1) if i == dim else slice(None) for i in range(array.ndim))]
    return np.broadcast_to(first, array.shape)


def overlap(array: np.ndarray) -> np.ndarray:
    """Overlapping windows: the last two dimensions of size > 1 both have stride 1."""
    wide = [i for i, n in enumerate(array.shape) if n > 1]
    if len(wide) < 2:
        return array
    rows, columns = (array.shape[i] for i in wide[-2:])
    outer = array.reshape(-1, rows, columns)
    line = np.ascontiguousarray(np.concatenate((outer[:, 0, :], outer[:, 1:, -1]), axis=1))
    strides, step = [array.itemsize] * array.ndim, line.strides[0]
    for dim in reversed(wide[:-2]):
        strides[dim], step = step, step * array.shape[dim]
    return np.lib.stride_tricks.as_strided(line, array.shape, strides, writeable=False)


def _is_matrix(shape: Shape) -> bool:
    return sum(n > 1 for n in shape) > 1


def _is_image(shape: Shape) -> bool:
    return len(shape) in (4, 5) and 0 not in shape


_TABLE = (
    Layout("contiguous", ordinary=True, repeated=True, repeated_if_random=True),
    Layout(
        "transposed",
        lambda t: any(_is_matrix(s) and 0 not in s for s in t.inputs),
        at(placement.transposed),
        ordinary=True,
    ),
    Layout("sliced", lambda t: any(0 not in s for s in t.inputs), at(placement.sliced, 3), ordinary=True),
    Layout(
        "strided_out",
        lambda t: bool(t.outputs),
        written=at(placement.strided, 1),
        output=at(placement.strided, 1),
        ordinary=True,
    ),
    Layout(
        "expanded",
        lambda t: not t.has_lists and any(0 not in s and max(s, default=0) > 1 for s in t.only_read),
        _expanded,
        written=at(row_major),
        fold=expand,
        ordinary=True,
    ),
    Layout(
        "mixed",
        lambda t: bool(t.outputs) or any(s and 0 not in s for s in t.inputs),
        _random,
        output=_random,
        ordinary=True,
    ),
    Layout(
        "channels_last",
        lambda t: any(_is_image(s) for s in (*t.inputs, *t.outputs)),
        at(placement.channels_last),
        output=at(placement.channels_last),
        repeated_if_random=True,
    ),
    Layout("offset", only_read=at(row_major, 1), output=at(row_major, 1)),
    Layout(
        "overlapping",
        lambda t: not t.has_lists and any(_is_matrix(s) for s in t.only_read),
        _overlapping,
        written=at(row_major),
        fold=overlap,
    ),
    Layout("wide_stride", only_read=at(placement.wide_stride), output=at(placement.wide_stride), quick=False),
    Layout("over_2g_elements", only_read=_repeated_row, quick=False),
    Layout("vector_of_one", lambda t: t.has_numbers, as_vectors=True, every_dtype=True),
    Layout("odd_strides", only_read=at(placement.odd_strides), output=at(placement.odd_strides)),
)

LAYOUTS = {layout.name: layout for layout in _TABLE}
ORDINARY = tuple(name for name, layout in LAYOUTS.items() if layout.ordinary)
# The layouts of a case that lists none.
DEFAULT = tuple(name for name, layout in LAYOUTS.items() if layout.ordinary or layout.every_dtype)
CONTIGUOUS, CHANNELS_LAST = "contiguous", "channels_last"
