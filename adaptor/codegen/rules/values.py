# SPDX-License-Identifier: BSD-3-Clause
"""Rules about attributes: dimensions, lists, numbers, enums, strings, and what may not be null."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..strict_yaml import Mapping as Raw
from .base import Rule, rule
from .conditions import plain_text
from .dtype_fields import Dtype, DtypeOf
from .fields import (
    Flag,
    Interval,
    Parameter,
    Parameters,
    Plain,
    Range,
    Terms,
    Text,
    attribute,
    field,
    has_shape,
    is_list,
    listed,
    may_be_null,
    tensor,
    term_words,
)
from .shapes import Bounded
from .terms import Term


def _list(**options: Any) -> Any:
    return field(Parameter(is_list, "list"), **options)


@rule("dim_in_range", "in-range")
@dataclass(frozen=True)
class DimInRange(Rule):
    """An integer is a dimension of a tensor, counted from the start or from the end."""

    param: str = attribute(each=True)
    of: str = field(Parameter(has_shape, "tensor"))

    def requirement(self) -> str:
        return f"{self.param} must be a dimension of {self.of}"


@rule("dims_in_range", "in-range")
@dataclass(frozen=True)
class DimsInRange(Rule):
    """The entries of a list are dimensions of a tensor; `unique`: each at most once; `all`: each exactly once."""

    param: str = _list(each=True)
    of: str = tensor()
    unique: bool | None = field(Flag(), default=None)
    all: bool | None = field(Flag(), default=None)

    def requirement(self) -> str:
        if self.all:
            return f"{self.param} must name each dimension of {self.of} exactly once"
        return f"{self.param} must name dimensions of {self.of}{', each at most once' * bool(self.unique)}"


@rule("length", "length")
@dataclass(frozen=True, kw_only=True)
class Length(Bounded):
    """A list of integers or of tensors has this length: `is`, `in`, or `min` and `max`."""

    of: str = _list(each=True)

    def requirement(self) -> str:
        return f"{self.of} must have {self.count('entry')}".replace("entrys", "entries")


@rule("value", "value")
@dataclass(frozen=True)
class Value(Rule):
    """A number lies in the interval `in`, or between `min` and `max`, or is more than `above` or less than `below`, or
    is none of `not`, or is `finite`. NaN is outside of every interval, unless `nan: true` accepts it. `part: whole`
    speaks of the number without its fraction."""

    param: str = attribute(each=True)
    within: Range | None = field(Interval(), key="in", default=None)
    min: Any = field(Terms(), default=None)
    max: Any = field(Terms(), default=None)
    above: Any = field(Terms(), default=None)
    below: Any = field(Terms(), default=None)
    other: tuple | None = field(Plain(several=True), key="not", default=None)
    finite: bool | None = field(Flag(), default=None)
    part: str | None = field(Text(("whole",)), default=None)
    nan: bool | None = field(Flag(), default=None)

    def check(self, raw: Raw) -> None:
        if not any(k in raw for k in ("in", "min", "max", "above", "below", "not", "finite")):
            raise raw.error("the rule value has in, min, max, above, below, not or finite", "rule")

    def requirement(self) -> str:
        bounds = (
            ("at least", self.min),
            ("at most", self.max),
            ("greater than", self.above),
            ("less than", self.below),
        )
        parts = [f"be {word} {term_words(bound)}" for word, bound in bounds if bound is not None]
        if self.within:
            parts.append(f"be within {self.within}")
        if self.finite:
            parts.append("be finite")
        if self.other:
            parts.append(f"not be {listed((_number(v) for v in self.other), 'or')}")
        subject = f"the whole part of {self.param}" if self.part else self.param
        return f"{subject} must {' and '.join(parts)}{' or be NaN' * bool(self.nan)}"


def _number(value: Any) -> str:
    return "NaN" if isinstance(value, float) and math.isnan(value) else plain_text(value)


@rule("values", "values")
@dataclass(frozen=True)
class Values(Rule):
    """Each entry of a list of integers lies between `min` and `max`."""

    of: str = _list(each=True)
    min: Any = field(Terms(), default=None)
    max: Any = field(Terms(), default=None)

    def check(self, raw: Raw) -> None:
        if "min" not in raw and "max" not in raw:
            raise raw.error("the rule values has min, max or both", "rule")

    def requirement(self) -> str:
        bounds = (("at least", self.min), ("at most", self.max))
        parts = [f"{word} {term_words(bound)}" for word, bound in bounds if bound is not None]
        return f"each entry of {self.of} must be {' and '.join(parts)}"


@rule("sum", "sum")
@dataclass(frozen=True)
class Sum(Rule):
    """The entries of a list of integers add up to a number."""

    of: str = _list()
    value: Term = field(Terms(), key="is")

    def requirement(self) -> str:
        return f"the sum of {self.of} must be {term_words(self.value)}"


@rule("enum", "enum")
@dataclass(frozen=True)
class Enum(Rule):
    """A parameter is a value of its enum; `in` names those that have a meaning here, if not all have."""

    param: str = attribute(each=True)
    within: tuple | None = field(Plain(several=True), key="in", default=None)

    def requirement(self) -> str:
        return f"{self.param} must be {listed(self.within, 'or') if self.within else 'a value of its enum'}"


@rule("string", "string")
@dataclass(frozen=True)
class String(Rule):
    """A string is one of `in`."""

    param: str = attribute(each=True)
    within: tuple = field(Plain(several=True), key="in")

    def requirement(self) -> str:
        return f"{self.param} must be {listed((repr(v).replace(chr(39), chr(34)) for v in self.within), 'or')}"


PARTS = {"negative": "the negative of ", "whole": "the whole part of "}


@rule("fits", "fits")
@dataclass(frozen=True)
class Fits(Rule):
    """A number fits a dtype, as `Operands and values` below defines it. `part`: its negative or its whole part must;
    `minus`: the difference of it and another number must; `finite`: NaN and infinities do not fit; `exact`: the dtype
    holds it and every integer below it exactly; `in_range`: it must lie between the least and the greatest number of
    the dtype, so that a negative number fits no unsigned dtype and bool holds 0 and 1."""

    param: str = attribute(each=True)
    dtype: DtypeOf = field(Dtype())
    part: str | None = field(Text(tuple(PARTS)), default=None)
    minus: Any = field(Terms(), default=None)
    finite: bool | None = field(Flag(), default=None)
    exact: bool | None = field(Flag(), default=None)
    in_range: bool | None = field(Flag(), default=None)

    def identifier(self) -> str:
        return f"{self.param}-{self.part}-fits" if self.part else super().identifier()

    def requirement(self) -> str:
        subject = PARTS.get(self.part or "", "") + self.param
        subject += f" - {self.minus}" if self.minus is not None else ""
        finite = "be finite and " * bool(self.finite)
        exactly = " exactly, and so must every integer from 0 to it" * bool(self.exact)
        verb = "lie in the range of" if self.in_range else "fit"
        return f"{subject} must {finite}{verb} {self.dtype.words}{exactly}"


@rule("whole_number", "whole")
@dataclass(frozen=True)
class WholeNumber(Rule):
    """A number has no fraction."""

    param: str = attribute(each=True)

    def requirement(self) -> str:
        return f"{self.param} must be a whole number"


@rule("given", "given")
@dataclass(frozen=True)
class Given(Rule):
    """A parameter that may be null is not null, under the condition of `when`."""

    params: str = field(Parameter(may_be_null, "parameter that may be null"), each=True)

    def requirement(self) -> str:
        return f"{self.params} must not be null"


@rule("absent", "absent")
@dataclass(frozen=True)
class Absent(Rule):
    """A parameter that may be null is null, under the condition of `when`."""

    params: str = field(Parameter(may_be_null, "parameter that may be null"), each=True)

    def requirement(self) -> str:
        return f"{self.params} must be null"


@rule("any_given", "any-given")
@dataclass(frozen=True)
class AnyGiven(Rule):
    """At least one of several parameters is not null."""

    params: tuple[str, ...] = field(Parameters(may_be_null, "parameter that may be null"))

    def requirement(self) -> str:
        return f"{listed(self.params)} must not all be null"


@rule("ordered", "ordered")
@dataclass(frozen=True)
class Ordered(Rule):
    """The first number is not greater than the second; `strict`: it is less."""

    params: tuple[str, ...] = field(Parameters(lambda p: p.dir == "attr", "attribute"))
    strict: bool | None = field(Flag(), default=None)

    def check(self, raw: Raw) -> None:
        if len(self.params) != 2:
            raise raw.error("the rule ordered compares two numbers", "params")

    def requirement(self) -> str:
        return f"{self.params[0]} must be {'less than' if self.strict else 'at most'} {self.params[1]}"
