# SPDX-License-Identifier: BSD-3-Clause
"""The conditions of `when`: on the value of an attribute, on a dtype, on the dimensions or elements of a tensor."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from ..strict_yaml import Mapping as Raw
from .base import Condition
from .dtype_fields import Dtype, DtypeOf, Dtypes, DtypeSet
from .fields import Flag, Parameter, Plain, Scope, field, has_shape, listed


def _any(_: object) -> bool:
    return True


def plain_text(value: Any) -> str:
    """A value as a sentence has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value == "":
        return "empty"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _same(value: Any, other: Any) -> bool:
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


@dataclass(frozen=True)
class ParamIs(Condition):
    """`{param: train, is: true}`; also `not`, `min`, `max`, `above`, `below`, and `given` for what may be null."""

    param: str = field(Parameter(_any, "parameter"))
    value: tuple | None = field(Plain(several=True), key="is", default=None)
    other: tuple | None = field(Plain(several=True), key="not", default=None)
    min: Any = field(Plain(), default=None)
    max: Any = field(Plain(), default=None)
    above: Any = field(Plain(), default=None)
    below: Any = field(Plain(), default=None)
    given: bool | None = field(Flag(), default=None)

    def check(self, raw: Raw) -> None:
        if len(raw) < 2:
            raise raw.error("a condition on a parameter says is, not, min, max, above, below or given", "param")

    def holds(self, value: Any) -> bool:
        """Whether the parameter may have this value, which is None for a null."""
        if self.given is not None and (value is not None) != self.given:
            return False
        if self.value is not None and not any(_same(value, v) for v in self.value):
            return False
        if self.other is not None and any(_same(value, v) for v in self.other):
            return False
        limits = (
            (self.min, operator.lt),
            (self.max, operator.gt),
            (self.above, operator.le),
            (self.below, operator.ge),
        )
        return all(
            limit is None or isinstance(value, (int, float)) and not violates(value, limit)
            for limit, violates in limits
        )

    def clause(self) -> str:
        words = {
            "is": listed(map(plain_text, self.value), "or") if self.value else None,
            "is not": listed(map(plain_text, self.other), "or") if self.other else None,
            "is at least": self.min,
            "is at most": self.max,
            "is greater than": self.above,
            "is less than": self.below,
        }
        parts = [f"{verb} {plain_text(value)}" for verb, value in words.items() if value is not None]
        if self.given is not None:
            parts.append("is given" if self.given else "is null")
        return f"{self.param} {' and '.join(parts)}"


@dataclass(frozen=True)
class DtypeIn(Condition):
    """`{dtype: promoted, in: [integral, bool]}`, or `not_in`."""

    dtype: DtypeOf = field(Dtype())
    within: DtypeSet | None = field(Dtypes(), key="in", default=None)
    outside: DtypeSet | None = field(Dtypes(), key="not_in", default=None)

    def check(self, raw: Raw) -> None:
        if ("in" in raw) == ("not_in" in raw):
            raise raw.error("a condition on a dtype has either in or not_in", "dtype")

    def clause(self) -> str:
        if self.within:
            return f"{self.dtype.words} is {self.within.words}"
        assert self.outside is not None
        return f"{self.dtype.words} is not {self.outside.words}"


@dataclass(frozen=True)
class SizeIs(Condition):
    """`{ndim: weight, is: 1}` and `{numel: input, is: 0}`; also `min` and `max`."""

    value: int | None = field(Plain(), key="is", default=None)
    min: int | None = field(Plain(), default=None)
    max: int | None = field(Plain(), default=None)

    def check(self, raw: Raw) -> None:
        if len(raw) != 2:
            raise raw.error("a condition on a size has one of is, min and max")

    def holds(self, size: int) -> bool:
        return (
            (self.value is None or size == self.value)
            and (self.min is None or size >= self.min)
            and (self.max is None or size <= self.max)
        )

    def size(self, what: str) -> str:
        if self.value is not None:
            return f"{self.value} {what}{'s' * (self.value != 1)}"
        bound, number = ("at least", self.min) if self.min is not None else ("at most", self.max)
        return f"{bound} {number} {what}{'s' * (number != 1)}"


@dataclass(frozen=True, kw_only=True)
class NdimIs(SizeIs):
    ndim: str = field(Parameter(has_shape, "tensor"))

    def clause(self) -> str:
        return f"{self.ndim} has {self.size('dimension')}"


@dataclass(frozen=True, kw_only=True)
class NumelIs(SizeIs):
    numel: str = field(Parameter(has_shape, "tensor"))

    def clause(self) -> str:
        return f"{self.numel} has {self.size('element')}"


CONDITIONS: dict[str, type[Condition]] = {"param": ParamIs, "dtype": DtypeIn, "ndim": NdimIs, "numel": NumelIs}


def read_when(raw: Raw, scope: Scope, key: str = "when") -> tuple[Condition, ...]:
    """The conditions of a check, all of which must hold: one mapping or a list of them."""
    if key not in raw:
        return ()
    entries = raw.take_list(key, Raw) if isinstance(raw[key], list) else [raw.take(key, Raw)]
    result: list[Condition] = []
    for entry in entries:
        kinds = [k for k in CONDITIONS if k in entry]
        if len(kinds) != 1:
            raise entry.error(f"a condition has one of {', '.join(CONDITIONS)}")
        result += CONDITIONS[kinds[0]].read(entry, scope)
    return tuple(result)


__all__ = ["DtypeIn", "NdimIs", "NumelIs", "ParamIs", "plain_text", "read_when"]
