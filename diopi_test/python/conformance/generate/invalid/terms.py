# SPDX-License-Identifier: BSD-3-Clause
"""The values of terms and conditions of checks in a valid call, and calls for which a condition holds."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import Any

from adaptor.codegen.rules import Check, Condition
from adaptor.codegen.rules.conditions import DtypeIn, NdimIs, ParamIs, SizeIs
from adaptor.codegen.rules.dtype_fields import DtypeOf
from adaptor.codegen.rules.terms import Call, Item, Name, Number, Operation, Slice, Term

from ... import dtypes
from ...cases.reader import TensorSpec
from ...lists import as_list
from .base import Base, shape_of


def shape_named(name: str, base: Base) -> tuple[int, ...] | None:
    """The shape of a tensor, or a list of integers, of the call."""
    value = base.arguments.get(name)
    if isinstance(value, TensorSpec):
        return shape_of(value)
    if isinstance(value, list) and all(type(v) is int for v in value):
        return tuple(value)
    return None


def extents(term: Term, base: Base) -> tuple[int, ...] | None:
    """The extents that a term stands for; None if the call does not say them."""
    if isinstance(term, Name):
        return shape_named(term.name, base)
    if isinstance(term, Slice):
        shape = shape_named(term.name, base)
        limits = [_limit(b, base, 0 if shape is None else len(shape)) for b in (term.start, term.stop)]
        return None if shape is None else shape[slice(*limits)]
    if isinstance(term, Call) and term.function == "broadcast":
        shapes = [extents(a, base) for a in term.arguments]
        known = [s for s in shapes if s is not None]
        longest = max(map(len, known), default=0)
        padded = [(1,) * (longest - len(s)) + s for s in known]
        return tuple(next((n for n in column if n != 1), 1) for column in zip(*padded)) if known else None
    value = number(term, base)
    return None if value is None else (int(value),)


def _limit(bound: int | str | None, base: Base, ndim: int) -> Any:
    """The limit of a part of a shape; a parameter is a dimension, which may count from the end."""
    value = base.arguments.get(bound) if isinstance(bound, str) else bound
    return value + ndim if isinstance(bound, str) and type(value) is int and value < 0 else value


def number(term: Any, base: Base) -> float | int | None:
    """The number that a term stands for; None if the call does not say it."""
    if isinstance(term, (int, float)):
        return term
    if isinstance(term, Number):
        return term.value
    if isinstance(term, Name):
        value = base.arguments.get(term.name)
        return value if isinstance(value, (int, float)) else None
    if isinstance(term, Item):
        return _item(term, base)
    if isinstance(term, Operation):
        left, right = number(term.left, base), number(term.right, base)
        if left is None or right is None:
            return None
        return {"+": left + right, "-": left - right, "*": left * right}[term.sign]
    if isinstance(term, Call):
        return _call(term, base)
    return None


def _item(term: Item, base: Base) -> int | None:
    shape = shape_named(term.name, base)
    index = base.arguments.get(term.index) if isinstance(term.index, str) else term.index
    if shape is None or type(index) is not int:
        return None
    if not shape:
        return 1 if isinstance(term.index, str) else None
    return shape[index] if -len(shape) <= index < len(shape) else None


def _call(term: Call, base: Base) -> int | None:
    name = getattr(term.arguments[0], "name", "")
    if term.function == "len" and isinstance(base.arguments.get(name), list):
        return len(base.arguments[name])
    shape = extents(term.arguments[0], base)
    if shape is None:
        return None
    if term.function == "channels":
        return (*shape, 1)[min(1, max(len(shape) - 1, 0))] if shape else None
    if term.function in ("ndim", "len"):
        return len(shape)
    return math.prod(shape) if term.function in ("numel", "prod") else None


def dtype_in(of: DtypeOf, base: Base) -> str | None:
    """The dtype that a check speaks of, in this call."""
    if of.is_parameter:
        value = base.arguments.get(of.word)
        items = [v for v in as_list(value) if isinstance(v, TensorSpec)]
        return items[0].dtype if items else None
    names = of.among or tuple(p.name for p in base.tensors("in", "inout"))
    found = [base.arguments[n].dtype for n in names if isinstance(base.arguments.get(n), TensorSpec)]
    if not found:
        return base.dtype
    result = functools.reduce(dtypes.promote, found)
    fraction = any(isinstance(base.arguments.get(n), float) for n in base.oracle.promote) and not of.among
    if dtypes.category(result) < 2 and (fraction or of.word in ("floating", "quotient")):
        return "float32"
    return dtypes.accumulation_dtype(result) if of.word == "computation" else result


def holds(condition: Condition, base: Base) -> bool:
    """Whether a condition of `when` holds in a call."""
    if isinstance(condition, DtypeIn):
        dtype = dtype_in(condition.dtype, base)
        if condition.within:
            return dtype in condition.within.dtypes
        return condition.outside is not None and dtype is not None and dtype not in condition.outside.dtypes
    if isinstance(condition, SizeIs):
        name = condition.ndim if isinstance(condition, NdimIs) else getattr(condition, "numel", "")
        shape = shape_named(name, base)
        if shape is None:
            return False
        return condition.holds(len(shape) if isinstance(condition, NdimIs) else math.prod(shape))
    return isinstance(condition, ParamIs) and condition.holds(base.arguments.get(condition.param))


def established(condition: Condition, base: Base) -> Base | None:
    """The call, changed so that a condition on an attribute holds; None if this cannot be done."""
    if holds(condition, base):
        return base
    if not isinstance(condition, ParamIs) or condition.given:
        return None
    choices: list[Any] = list(condition.value or ())
    choices += [None] if condition.given is False else []
    for bound, step in (("min", 0), ("max", 0), ("above", 1), ("below", -1)):
        limit = getattr(condition, bound)
        choices += [] if limit is None else [limit + step]
    other = condition.other or ()
    choices += [not v for v in other if isinstance(v, bool)]
    choices += [v + 1 for v in other if isinstance(v, (int, float)) and not isinstance(v, bool)]
    choices += ENUMERATORS.get(base.function.param(condition.param).type, ()) if other else ()
    for choice in choices:
        changed = replace(base, arguments=base.arguments | {condition.param: choice})
        if holds(condition, changed):
            return changed
    return None


# A value of an enum that differs from the one that a condition excludes.
ENUMERATORS = {
    "diopiRoundMode_t": ("RoundModeFloor", "RoundModeNone"),
    "diopiReduction_t": ("ReductionMean", "ReductionNone"),
}


def fulfilled(check: Check, base: Base, change: bool) -> Base | None:
    """The call if all conditions of a check hold in it, or with `change` after changes of attributes."""
    result: Base | None = base
    for condition in check.when:
        if result is not None and not holds(condition, result):
            result = established(condition, result) if change else None
    return result


__all__ = ["dtype_in", "extents", "fulfilled", "holds", "number", "shape_named"]
