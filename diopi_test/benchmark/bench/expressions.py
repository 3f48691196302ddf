# SPDX-License-Identifier: BSD-3-Clause
"""The functions that expressions in operators/*.yaml can use: they compute shapes of results from shapes of
operands."""

from __future__ import annotations

import math
from functools import cache
from types import CodeType
from typing import Any

Shape = list[int]


def numel(shape: Shape) -> int:
    return math.prod(shape)


def line_bytes(count: int, size: int, itemsize: int) -> int:
    """The bytes of the cache lines that hold `count` random elements of `size` adjacent ones, on average."""
    line = 64
    lines = max(1, size * itemsize // line)
    return round(line * lines * (1 - (1 - 1 / lines) ** count))


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


def inserted(shape: Shape, dim: int, size: int) -> Shape:
    """The shape with a further dimension."""
    place = dim % (len(shape) + 1)
    return [*shape[:place], size, *shape[place:]]


def swapped(shape: Shape, dim0: int, dim1: int) -> Shape:
    result = list(shape)
    result[dim0], result[dim1] = shape[dim1], shape[dim0]
    return result


def product(left: Shape, right: Shape) -> Shape:
    """The shape of a product of matrices, or of batches of matrices that broadcast."""
    return broadcast(left[:-2], right[:-2]) + [left[-2], right[-1]]


def windows(
    sizes: Shape, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape | None = None, ceil: bool = False
) -> Shape:
    """The number of positions of a kernel in each dimension; with `ceil`, the last one may lie partly outside."""
    result = []
    for size, k, s, p, d in zip(sizes, kernel, stride, padding, dilation or [1] * len(sizes)):
        room = size + 2 * p - d * (k - 1) - 1
        count = (-(-room // s) if ceil else room // s) + 1
        result.append(count - 1 if ceil and (count - 1) * s >= size + p else count)
    return result


def spread(
    sizes: Shape,
    kernel: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape | None = None,
    output_padding: Shape | None = None,
) -> Shape:
    """The extents of the result of a transposed convolution."""
    ones, zeros = [1] * len(sizes), [0] * len(sizes)
    return [
        (size - 1) * s - 2 * p + d * (k - 1) + more + 1
        for size, k, s, p, d, more in zip(sizes, kernel, stride, padding, dilation or ones, output_padding or zeros)
    ]


def padded(shape: Shape, pad: list[int]) -> Shape:
    """The shape after padding; `pad` has two numbers for each dimension, beginning with the last one."""
    result = list(shape)
    for i in range(len(pad) // 2):
        result[-1 - i] += pad[2 * i] + pad[2 * i + 1]
    return result


def count_of(start: float, end: float, step: float) -> int:
    """The number of elements of a sequence."""
    return max(0, math.ceil((end - start) / step))


def is_floating(dtype: str) -> bool:
    return dtype.startswith(("float", "bfloat", "complex"))


def floating(dtype: str) -> str:
    """The dtype of a quotient."""
    return dtype if is_floating(dtype) else "float32"


def summed(dtype: str) -> str:
    """The dtype of a sum."""
    return dtype if is_floating(dtype) else "int64"


def with_number(dtype: str, number: float) -> str:
    """The dtype of the result of a tensor and a number."""
    return floating(dtype) if isinstance(number, float) else dtype


SHAPES = (broadcast, reduced, replaced, permuted, inserted, swapped, product, windows, spread, padded)
HELPERS = {f.__name__: f for f in (*SHAPES, numel, line_bytes, count_of, floating, summed, with_number)}
BUILTINS = {"len": len, "max": max, "min": min, "sum": sum, "int": int, "range": range, "zip": zip}


@cache
def compiled(expression: str) -> CodeType:
    return compile(expression, expression, "eval")


def evaluate(expression: str, values: dict[str, Any]) -> Any:
    """The value of an expression. The files with expressions belong to the source tree, so they are trusted like
    code."""
    return eval(compiled(expression), {"__builtins__": BUILTINS, **HELPERS, **values})  # noqa: S307
