# SPDX-License-Identifier: BSD-3-Clause
"""Calls that break rules about the values of attributes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from adaptor.codegen.checks import base_type
from adaptor.codegen.rules import Check
from adaptor.codegen.rules.values import (
    Absent,
    AnyGiven,
    DimInRange,
    DimsInRange,
    Enum,
    Fits,
    Given,
    Ordered,
    String,
    Sum,
    Value,
    Values,
    WholeNumber,
)

from .... import dtypes
from ....cases.reader import TensorSpec
from ..base import Base, Violation
from ..terms import number, shape_named
from .table import blamed, breaks


def _of_check(check: Check, *first: str) -> tuple[str, ...]:
    """These parameters, and those of the conditions."""
    return tuple(dict.fromkeys((*first, *check.names())))


@breaks(DimInRange)
def dim_out_of_range(base: Base, rule: DimInRange, check: Check) -> Iterator[Violation]:
    """Just beyond either end."""
    shape = shape_named(rule.of, base)
    if shape and base.arguments.get(rule.param) is not None:
        for dim in (len(shape), -len(shape) - 1):
            yield Violation(f"{rule.param}={dim}", {rule.param: dim}, (rule.param,), (dim,))


@breaks(DimsInRange)
def dims_out_of_range(base: Base, rule: DimsInRange, check: Check) -> Iterator[Violation]:
    """Just beyond either end; one dimension twice, and one missing, where the rule forbids it."""
    shape = shape_named(rule.of, base)
    if not shape:
        return
    rank = len(shape)
    rest = list(range(1, rank)) if rule.all else []
    for dim in (rank, -rank - 1):
        yield Violation(f"{rule.param}={dim}", {rule.param: [dim, *rest]}, (rule.param,), (dim,))
    if (rule.unique or rule.all) and rank > 1:
        yield Violation(f"{rule.param}_twice", {rule.param: [0, -rank, *rest[1:]]}, (rule.param,))
    if rule.all and rank > 1:
        yield Violation(f"{rule.param}_without_one", {rule.param: rest}, (rule.param,))


def _is_real(base: Base, name: str) -> bool:
    """Whether a parameter can hold fractions and NaN in this call."""
    p = base.function.param(name)
    return p.type in ("double", "float") or p.is_scalar and base.dtype not in dtypes.INTEGRAL


def _outside(base: Base, rule: Value) -> Iterator[float | int]:
    """Numbers that the rule forbids, next to its bounds; NaN where it can be said."""
    real = _is_real(base, rule.param)
    step = 0.5 if real and rule.part is None else 1
    low, high = number(rule.min, base), number(rule.max, base)
    above, below = number(rule.above, base), number(rule.below, base)
    yield from () if low is None else (low - step,)
    yield from () if high is None else (high + step,)
    yield from () if above is None else (above,)
    yield from () if below is None else (below,)
    if rule.within:
        yield from (n for n in (rule.within.least - step, rule.within.most + step) if math.isfinite(n))
        yield from (n for n, out in ((rule.within.least, rule.within.open_left),) if out)
        yield from (n for n, out in ((rule.within.most, rule.within.open_right),) if out and math.isfinite(n))
    yield from rule.other or ()
    if real and not rule.nan and (rule.finite or not rule.other):
        yield math.nan
    if real and rule.finite:
        yield from (math.inf, -math.inf)


@breaks(Value)
def value_outside(base: Base, rule: Value, check: Check) -> Iterator[Violation]:
    """Numbers just outside of the interval, and NaN."""
    p = base.function.param(rule.param)
    counted = tuple(q.name for q in base.function.params if q.count == rule.param)
    real = _is_real(base, rule.param)
    for value in dict.fromkeys(_outside(base, rule)):
        if isinstance(value, float) and not real:
            if not value.is_integer():
                continue
            value = int(value)
        plain = float(value) if p.type in ("double", "float") else value
        said = () if isinstance(value, float) and not math.isfinite(value) else (value,)
        yield Violation(f"{rule.param}={value:g}", {rule.param: plain}, _of_check(check, rule.param, *counted), said)


@breaks(Values)
def entry_outside(base: Base, rule: Values, check: Check) -> Iterator[Violation]:
    """A list with an entry below the least and above the greatest number."""
    items = base.arguments.get(rule.of)
    if not isinstance(items, list):
        return
    count = max(len(items), 1)
    low, high = number(rule.min, base), number(rule.max, base)
    for entry in (n for n in (None if low is None else low - 1, None if high is None else high + 1) if n is not None):
        yield Violation(f"{rule.of}={entry}", {rule.of: [int(entry)] * count}, (rule.of,), (entry,))


@breaks(Sum)
def other_sum(base: Base, rule: Sum, check: Check) -> Iterator[Violation]:
    items = base.arguments.get(rule.of)
    if isinstance(items, list) and items:
        wrong = [*items[:-1], items[-1] + 1]
        yield Violation(f"{rule.of}_one_more", {rule.of: wrong}, blamed(base, *_of_check(check, rule.of)))


@breaks(Enum)
def unknown_enumerator(base: Base, rule: Enum, check: Check) -> Iterator[Violation]:
    for value in (77, -1):
        yield Violation(f"{rule.param}={value}", {rule.param: value}, (rule.param,))


@breaks(String)
def unknown_text(base: Base, rule: String, check: Check) -> Iterator[Violation]:
    yield Violation(f"{rule.param}=median", {rule.param: "median"}, (rule.param,))


@breaks(WholeNumber)
def fraction(base: Base, rule: WholeNumber, check: Check) -> Iterator[Violation]:
    if base.arguments.get(rule.param) is not None:
        yield Violation(f"{rule.param}=1.5", {rule.param: 1.5}, _of_check(check, rule.param), (1.5,))


@breaks(Fits)
def too_large_integer(base: Base, rule: Fits, check: Check) -> Iterator[Violation]:
    """Just beyond either end of an integral dtype, and far beyond."""
    if base.dtype not in dtypes.INTEGRAL or rule.exact:
        return
    limits = np.iinfo(dtypes.NUMPY[base.dtype])
    most, least = int(limits.max), -int(limits.max) - (1 if base.dtype in dtypes.SIGNED else 0)
    least = int(limits.min) if rule.in_range else least
    sign = -1 if rule.part == "negative" else 1
    far = (sign * n for n in (most + 1, least - 1, 2**62, -(2**62)) if not least <= n <= most)
    shift = int(number(rule.minus, base) or 0) if rule.minus is not None else 0
    yield from _misfits(base, rule, [n + shift for n in far if -(2**63) <= n + shift < 2**63])


@breaks(Fits)
def too_large_number(base: Base, rule: Fits, check: Check) -> Iterator[Violation]:
    if base.dtype in ("float32", "complex64") and not rule.exact:
        yield from _misfits(base, rule, [3.5e38, -1e300, *([math.nan, math.inf] if rule.finite else [])])


def _misfits(base: Base, rule: Fits, numbers: list[Any]) -> Iterator[Violation]:
    p = base.function.param(rule.param)
    integer = base_type(p.type).startswith("int")
    if p.is_tensor or not _of_one_dtype(base) or integer and any(isinstance(n, float) for n in numbers):
        return
    for value in numbers:
        plain = float(value) if p.type in ("double", "float") else value
        said = () if isinstance(value, float) and not math.isfinite(value) else (value,)
        yield Violation(f"{rule.param}={value}", {rule.param: plain}, (rule.param, *rule.names()), said)


def _of_one_dtype(base: Base) -> bool:
    """Whether the dtype of the case is that of the computation: no tensor and no other scalar raises it."""
    specs = [base.spec(p.name) for p in base.tensors("in", "inout") if "float32" in (p.dtypes or ())]
    floating = any(isinstance(base.arguments.get(p.name), float) for p in base.function.params if p.is_scalar)
    return all(s.dtype == base.dtype for s in specs) and not (floating and base.dtype in dtypes.INTEGRAL)


@breaks(Given)
def missing(base: Base, rule: Given, check: Check) -> Iterator[Violation]:
    yield Violation(f"{rule.params}=null", {rule.params: None}, _of_check(check, rule.params))


@breaks(Absent)
def superfluous(base: Base, rule: Absent, check: Check) -> Iterator[Violation]:
    """A tensor of one element where there must be none."""
    if base.function.param(rule.params).is_tensor and base.arguments.get(rule.params) is None:
        changes = {rule.params: TensorSpec((1,), base.dtype)}
        yield Violation(f"{rule.params}=1", changes, _of_check(check, rule.params))


@breaks(AnyGiven)
def none_given(base: Base, rule: AnyGiven, check: Check) -> Iterator[Violation]:
    yield Violation(",".join(f"{n}=null" for n in rule.params), dict.fromkeys(rule.params), rule.params)


@breaks(Ordered)
def out_of_order(base: Base, rule: Ordered, check: Check) -> Iterator[Violation]:
    """The first number greater than the second, or equal to it where it must be less."""
    first, second = rule.params
    value = base.arguments.get(first)
    if not isinstance(value, (int, float)):
        return
    for step in (1, *((0,) if rule.strict else ())):
        yield Violation(f"{second}={value - step:g}", {second: value - step}, rule.params)
