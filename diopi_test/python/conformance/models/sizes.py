# SPDX-License-Identifier: BSD-3-Clause
"""Makes calls smaller until they fit a budget, so that a run of a whole model takes seconds or minutes.

Every size above a limit becomes the smallest number that is at least the limit, is greater than what the next
smaller size of the call became, and leaves the same remainder modulo 8. So ranks, ones (broadcasting), equal and
different sizes, their order, and remainders by vector widths, strides and kernels stay what they were. The limit is
the largest of 2^20 ... 32, 24, 16, 8 with which the call fits; only where even 8 does not suffice, 4 and 2 follow, with
remainders modulo the limit. Kernels stay as they are; what they move over never becomes less than twice their reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from .calls import Call, Tensor


@dataclass(frozen=True)
class Budget:
    """What one call may cost: elements of its largest tensor, and multiplications."""

    elements: int
    work: int


QUICK = Budget(1 << 16, 1 << 22)
FULL = Budget(1 << 25, 1 << 30)  # of what the oracle does in double precision in twenty seconds and 4 GiB

_LIMITS = [(n, 8) for k in range(20, 3, -1) for n in (1 << k, 3 << (k - 2)) if n % 8 == 0] + [(8, 8), (4, 4), (2, 2)]


@dataclass(frozen=True)
class Resizing:
    """What must be known of an operator to make its calls smaller, beside the shapes of its tensors."""

    sizes: tuple[str, ...] = ()  # parameters that are sizes, as `normalized_shape`
    cost: Callable[[Call], Budget] | None = None  # where the inputs do not tell it
    least: Callable[[Call], dict[int, int]] | None = None  # sizes that are not reduced below a number


def broadcast(shapes: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape; where there is none, sizes win that are not."""
    result: list[int] = []
    for shape in shapes:
        result = [1] * (len(shape) - len(result)) + result
        for i, n in enumerate(reversed(shape), 1):
            if result[-i] == 1:
                result[-i] = n
    return tuple(result)


def plain_cost(call: Call) -> Budget:
    """The common shape of all tensors, no multiplications that matter."""
    elements = max((t.numel for t in call.flat()), default=0)
    together = Tensor(broadcast(t.shape for t in call.flat() if t.shape), "")
    ranks = {len(t.shape) for t in call.flat() if t.shape}
    return Budget(max(elements, together.numel if len(ranks) == 1 else 0), 0)


def _numbers(value: Any) -> list[int]:
    return [n for v in value for n in _numbers(v)] if isinstance(value, list) else [value] if value else []


def _mapped(value: Any, table: dict[int, int]) -> Any:
    return [_mapped(v, table) for v in value] if isinstance(value, list) else table.get(value, value)


def size_table(sizes: list[int], limit: int, unit: int, least: dict[int, int]) -> dict[int, int]:
    """What each size above the limit becomes; `sizes` are sorted."""
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
    """The call, or a smaller one of the same kind that fits."""
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
