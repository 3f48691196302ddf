# SPDX-License-Identifier: BSD-3-Clause
"""The functions that expressions in operators/*.yaml can use: they compute shapes of results from shapes of
operands."""

from __future__ import annotations

import math
from typing import Any

Shape = list[int]


def numel(shape: Shape) -> int:
    return math.prod(shape)


def broadcast(*shapes: Shape) -> Shape:
    rank = max(len(shape) for shape in shapes)
    padded = [[1] * (rank - len(shape)) + list(shape) for shape in shapes]
    return [max(sizes) if min(sizes) > 0 else 0 for sizes in zip(*padded)]


def reduced(shape: Shape, dims: list[int], keepdim: bool = False) -> Shape:
    """The shape after a reduction of `dims`. An empty `dims` means all dimensions."""
    gone = {dim % len(shape) for dim in dims} if dims else set(range(len(shape)))
    if keepdim:
        return [1 if i in gone else size for i, size in enumerate(shape)]
    return [size for i, size in enumerate(shape) if i not in gone]


def replaced(shape: Shape, dim: int, size: int) -> Shape:
    result = list(shape)
    result[dim] = size
    return result


def permuted(shape: Shape, dims: list[int]) -> Shape:
    return [shape[dim] for dim in dims]


def windows(sizes: Shape, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape | None = None) -> Shape:
    """The number of positions of a kernel in each dimension."""
    dilation = dilation or [1] * len(sizes)
    return [
        (size + 2 * p - d * (k - 1) - 1) // s + 1 for size, k, s, p, d in zip(sizes, kernel, stride, padding, dilation)
    ]


def spread(sizes: Shape, kernel: Shape, stride: Shape, padding: Shape) -> Shape:
    """The extents of the result of a transposed convolution."""
    return [(size - 1) * s - 2 * p + k for size, k, s, p in zip(sizes, kernel, stride, padding)]


def padded(shape: Shape, pad: list[int]) -> Shape:
    """The shape after padding; `pad` has two numbers for each dimension, beginning with the last one."""
    result = list(shape)
    for i in range(len(pad) // 2):
        result[-1 - i] += pad[2 * i] + pad[2 * i + 1]
    return result


HELPERS = {f.__name__: f for f in (numel, broadcast, reduced, replaced, permuted, windows, spread, padded)}
BUILTINS = {"len": len, "max": max, "min": min, "sum": sum, "int": int, "range": range, "zip": zip}


def evaluate(expression: str, values: dict[str, Any]) -> Any:
    """The value of an expression. The files with expressions belong to the source tree, so they are trusted like
    code."""
    return eval(expression, {"__builtins__": BUILTINS, **HELPERS, **values})  # noqa: S307
