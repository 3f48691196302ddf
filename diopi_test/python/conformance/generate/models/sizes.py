# SPDX-License-Identifier: BSD-3-Clause
"""Makes calls smaller until they fit a budget, so that a run of a whole model takes seconds or minutes.

Every size above a limit is replaced by the smallest number that

- is at least the limit,
- is greater than the replacement of the next smaller size of the call,
- has the same remainder modulo 8.

So the ranks, the sizes of 1 (broadcasting), the equality and order of sizes, and the remainders by vector widths and
strides do not change. The limit is the largest of 2^20, ..., 32, 24, 16, 8 with which the call fits the budget. If the
call does not fit with 8, the limits 4 and 2 follow, with remainders modulo the limit. Kernel sizes do not change, and
the input of a kernel stays at least twice as large as the dilated kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from .calls import Call, Tensor


@dataclass(frozen=True)
class Budget:
    """The cost of one call, or its limit: elements of the largest tensor, and multiplications."""

    elements: int
    work: int


QUICK = Budget(1 << 16, 1 << 22)
FULL = Budget(1 << 25, 1 << 30)  # an oracle computes such a call in float64 within 20 seconds and 4 GiB

_LIMITS = [(n, 8) for k in range(20, 3, -1) for n in (1 << k, 3 << (k - 2)) if n % 8 == 0] + [(8, 8), (4, 4), (2, 2)]


@dataclass(frozen=True)
class Resizing:
    """How the calls of an operator are made smaller, in addition to the shapes of their tensors."""

    sizes: tuple[str, ...] = ()  # parameters that contain sizes, such as `normalized_shape`
    cost: Callable[[Call], Budget] | None = None  # the cost of a call; None: `plain_cost`
    least: Callable[[Call], dict[int, int]] | None = None  # size -> the smallest allowed replacement


def broadcast(shapes: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape of shapes that broadcast."""
    result: list[int] = []
    for shape in shapes:
        result = [1] * (len(shape) - len(result)) + result
        for i, n in enumerate(reversed(shape), 1):
            if result[-i] == 1:
                result[-i] = n
    return tuple(result)


def plain_cost(call: Call) -> Budget:
    """The cost of an element-wise call: the elements of its largest tensor or of the common shape."""
    elements = max((t.numel for t in call.flat()), default=0)
    together = Tensor(broadcast(t.shape for t in call.flat() if t.shape), "")
    ranks = {len(t.shape) for t in call.flat() if t.shape}
    return Budget(max(elements, together.numel if len(ranks) == 1 else 0), 0)


def _numbers(value: Any) -> list[int]:
    return [n for v in value for n in _numbers(v)] if isinstance(value, list) else [value] if value else []


def _mapped(value: Any, table: dict[int, int]) -> Any:
    return [_mapped(v, table) for v in value] if isinstance(value, list) else table.get(value, value)


def size_table(sizes: list[int], limit: int, unit: int, least: dict[int, int]) -> dict[int, int]:
    """The replacement of each size above the limit; `sizes` must be sorted."""
    last = max((n for n in sizes if n <= limit), default=0)
    table = {}
    for n in sizes:
        if n > limit:
            start = max(limit, last + 1, min(n, least.get(n, 0)))
            last = table[n] = start + (n - start) % unit
    return table


def _resized(call: Call, sizes: tuple[str, ...], table: dict[int, int]) -> Call:
    def one(tensor: Tensor | None) -> Tensor | None:
        if tensor is None or tensor.shape is None:
            return tensor
        return replace(tensor, shape=tuple(table.get(n, n) for n in tensor.shape))

    tensors = {k: tuple(map(one, v)) if isinstance(v, tuple) else one(v) for k, v in call.tensors.items()}
    params = {k: _mapped(v, table) if k in sizes else v for k, v in call.params.items()}
    return replace(call, tensors=tensors, params=params)


def reduced(call: Call, resizing: Resizing, budget: Budget) -> Call:
    """The call if it fits the budget, else a smaller call of the same kind."""
    cost = resizing.cost or plain_cost

    def fits(candidate: Call) -> bool:
        costs = cost(candidate)
        return costs.elements <= budget.elements and costs.work <= budget.work

    if fits(call):
        return call
    numbers = [n for t in call.flat() for n in t.shape or ()]
    numbers += [n for name in resizing.sizes for n in _numbers(call.params.get(name))]
    sizes = sorted(set(numbers))
    least = resizing.least(call) if resizing.least else {}
    smallest = call
    for limit, unit in _LIMITS:
        if limit < sizes[-1]:
            smallest = _resized(call, resizing.sizes, size_table(sizes, limit, unit, least))
            if fits(smallest):
                break
    return smallest
