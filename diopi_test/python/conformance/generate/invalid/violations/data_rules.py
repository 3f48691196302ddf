# SPDX-License-Identifier: BSD-3-Clause
"""Calls that break rules about the elements of tensors, and the example calls of written checks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from adaptor.codegen.rules import Check
from adaptor.codegen.rules.data import Elements, Index, Nonzero, Written

from .... import dtypes
from ....cases.arguments import read_arguments
from ....cases.reader import TensorSpec
from ..base import Base, Violation, shape_of
from ..terms import number
from .table import blamed, breaks

FAR = 1000  # a position that no tensor of the cases has


def size_of(spec: TensorSpec) -> int:
    """The number of elements of a tensor."""
    shape: Iterable[int] = shape_of(spec)
    return math.prod(shape)


def _positions(base: Base, rule: Index, dtype: str) -> list[int]:
    """Positions that the rule forbids: at the upper end if the call says it, and beyond both ends."""
    upper = number(rule.below, base) if rule.below is not None else None
    ignored = number(base.arguments.get(rule.ignored), base) if rule.ignored else None
    numbers = [FAR, *([int(upper)] if upper is not None else [])]
    if dtype in dtypes.SIGNED:
        numbers += [-FAR - 1, *([] if rule.negative else [-1])]
    return [n for n in numbers if n != ignored and (dtype in dtypes.SIGNED or n >= 0) and (dtype != "uint8" or n < 256)]


@breaks(Index)
def bad_index(base: Base, rule: Index, check: Check) -> Iterator[Violation]:
    spec, items = base.spec(rule.of), base.arguments.get(rule.of) or []
    if spec is not None and spec.dtype in dtypes.INTEGRAL and size_of(spec):
        for value in _positions(base, rule, spec.dtype):
            wrong = replace(spec, shape=shape_of(spec), values=None, gen=f"full({value})")
            yield Violation(f"{rule.of}={value}", {rule.of: wrong}, (rule.of,), (value,))
    items = items if isinstance(items, list) else []
    for i, item in enumerate(items):
        if isinstance(item, TensorSpec) and item.dtype in ("int32", "int64") and size_of(item):
            for value in _positions(base, rule, item.dtype):
                wrong = TensorSpec(shape_of(item), item.dtype, f"full({value})")
                yield Violation(
                    f"{rule.of}[{i}]={value}", {rule.of: [*items[:i], wrong, *items[i + 1 :]]}, (rule.of,), (value,)
                )


@breaks(Nonzero)
def zero_divisor(base: Base, rule: Nonzero, check: Check) -> Iterator[Violation]:
    spec = base.spec(rule.of)
    wrong = 0 if spec is None else TensorSpec(shape_of(spec), spec.dtype, "zeros")
    if spec is None or size_of(spec):
        mode = base.arguments.get("rounding_mode")
        yield Violation(f"{rule.of}=0{f',{mode}' if mode else ''}", {rule.of: wrong}, (rule.of,))


@breaks(Elements)
def element_outside(base: Base, rule: Elements, check: Check) -> Iterator[Violation]:
    """Every element just outside of the interval, or NaN."""
    name, spec, items = rule.of, base.spec(rule.of), base.arguments.get(rule.of)
    last = items[-1] if isinstance(items, list) and items else spec
    if not isinstance(last, TensorSpec) or not size_of(last):
        return
    real = dtypes.is_floating(str(last.dtype))
    low = rule.within.least if rule.within else number(rule.min, base)
    high = rule.within.most if rule.within else number(rule.max, base)
    numbers = [n for n in (None if low is None else low - 1, None if high is None else high + 1) if n is not None]
    numbers = [n for n in numbers if math.isfinite(n)]
    numbers += [math.nan] if real else []
    numbers += [math.inf] if real and rule.finite else []
    for value in numbers:
        wrong = TensorSpec(shape_of(last), last.dtype, f"full({float(value) if real else int(value)})")
        changes = {name: [*items[:-1], wrong] if items and isinstance(items, list) else wrong}
        yield Violation(f"{name}={value:g}", changes, blamed(base, name) if isinstance(items, list) else (name,))


@breaks(Written)
def example(base: Base, rule: Written, check: Check) -> Iterator[Violation]:
    """The call that the registry gives."""
    if rule.call is not None:
        arguments = read_arguments(base.function, rule.call)
        said = {n: _explicit(v, base.dtype) for n, v in arguments.items()}
        yield Violation("example", said, blamed(base, rule.param))


def _explicit(value: object, dtype: str) -> object:
    if isinstance(value, TensorSpec):
        return replace(value, dtype=value.dtype or dtype)
    return [_explicit(v, dtype) for v in value] if isinstance(value, list) else value
