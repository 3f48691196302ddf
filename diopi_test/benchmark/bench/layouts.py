# SPDX-License-Identifier: BSD-3-Clause
"""Memory layouts: strides, offset and storage size of a tensor."""

from __future__ import annotations

import math
from dataclasses import dataclass

SIZES = {
    "int8": 1,
    "uint8": 1,
    "bool": 1,
    "int16": 2,
    "float16": 2,
    "bfloat16": 2,
    "int32": 4,
    "float32": 4,
    "int64": 8,
    "float64": 8,
    "complex64": 8,
}


@dataclass(frozen=True)
class Layout:
    strides: list[int]
    offset: int
    storage_elements: int


def row_major(shape: list[int]) -> list[int]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return strides[::-1]


def permuted_storage(shape: list[int], order: list[int]) -> list[int]:
    """The strides of a tensor whose dimensions have this order in memory, outermost first."""
    inner = row_major([shape[dim] for dim in order])
    return [inner[order.index(dim)] for dim in range(len(shape))]


def make_layout(shape: list[int], kind: str) -> Layout:
    """The layout of a kind: contiguous, transposed (the last two dimensions swapped in memory), channels_last, sliced
    (a gap of one row length after each row), strided (every second element), expanded (stride 0 in dimension 0)."""
    rank, numel = len(shape), math.prod(shape)
    if kind == "contiguous":
        return Layout(row_major(shape), 0, numel)
    if kind == "transposed":
        return Layout(permuted_storage(shape, [*range(rank - 2), rank - 1, rank - 2]), 0, numel)
    if kind == "channels_last":
        return Layout(permuted_storage(shape, [0, *range(2, rank), 1]), 0, numel)
    if kind == "sliced":
        return Layout(row_major([*shape[:-1], 2 * shape[-1]]), shape[-1], 2 * numel)
    if kind == "strided":
        return Layout([2 * stride for stride in row_major(shape)], 0, 2 * numel)
    if kind == "expanded":
        return Layout([0, *row_major(shape[1:])], 0, math.prod(shape[1:]))
    raise ValueError(f"there is no layout {kind}")
