# SPDX-License-Identifier: BSD-3-Clause
"""Rules about the elements of tensors, and the rule for what no other rule expresses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..strict_yaml import Mapping as Raw
from .base import Rule, rule
from .fields import (
    Flag,
    Interval,
    Kind,
    Parameter,
    Range,
    Scope,
    Terms,
    Text,
    attribute,
    field,
    has_shape,
    spoken,
    tensor,
    term_words,
)
from .terms import Term

if TYPE_CHECKING:  # model imports this package
    from ..model import Function


@rule("index", "index", data_dependent=True)
@dataclass(frozen=True)
class Index(Rule):
    """The elements of a tensor are positions: of `in` along the dimension `along` (an integer or an attribute), or
    integers from 0 to below `below`. `negative`: they may count from the end. `except`: a number that is accepted
    too."""

    of: str = tensor(each=True)
    within: str | None = field(Parameter(has_shape, "tensor"), key="in", default=None)
    along: Term | None = field(Terms(), default=None)
    below: Term | None = field(Terms(), default=None)
    negative: bool | None = field(Flag(), default=None)
    ignored: str | None = attribute(key="except", default=None)

    def check(self, raw: Raw) -> None:
        if (self.within is None) == (self.below is None):
            raise raw.error("the rule index has either in or below", "rule")

    def requirement(self) -> str:
        counted = ", where a negative one counts from the end" * bool(self.negative)
        ignored = f" or {self.ignored}" if self.ignored else ""
        if self.within:
            along = f" in dimension {self.along}" if self.along is not None else ""
            return f"each element of {spoken(self.of)} must be a position of {self.within}{along}{ignored}{counted}"
        return f"each element of {spoken(self.of)} must be 0 to below {term_words(self.below)}{ignored}{counted}"


@rule("nonzero", "nonzero", data_dependent=True)
@dataclass(frozen=True)
class Nonzero(Rule):
    """No element of a tensor is zero, or a scalar in its place is not zero."""

    of: str = field(Parameter(lambda p: p.is_tensor or p.is_scalar, "tensor or scalar"), each=True)

    def requirement(self) -> str:
        return f"{self.of} must have no zero"

    def reads_elements(self, function: Function) -> bool:
        return not function.param(self.of).is_scalar


@rule("elements", "elements", data_dependent=True)
@dataclass(frozen=True)
class Elements(Rule):
    """The elements of a tensor lie in the interval `in`, or between `min` and `max`; `finite`: none is infinite. NaN is
    outside of every interval."""

    of: str = tensor(each=True)
    within: Range | None = field(Interval(), key="in", default=None)
    min: Any = field(Terms(), default=None)
    max: Any = field(Terms(), default=None)
    finite: bool | None = field(Flag(), default=None)

    def check(self, raw: Raw) -> None:
        if not any(k in raw for k in ("in", "min", "max", "finite")):
            raise raw.error("the rule elements has in, min, max or finite", "rule")

    def requirement(self) -> str:
        parts = [f"within {self.within}"] if self.within else []
        parts += [f"at least {term_words(self.min)}"] if self.min is not None else []
        parts += [f"at most {term_words(self.max)}"] if self.max is not None else []
        parts += ["finite"] if self.finite else []
        return f"each element of {spoken(self.of)} must be {' and '.join(parts)}"


class Example(Kind):
    """The arguments of a call that the rule forbids, as in `data/cases/*.yaml`."""

    def read(self, value: Any, at: Raw, key: str, scope: Scope) -> Raw:
        return at.take(key, Raw)

    def names(self, value: Raw) -> tuple[str, ...]:
        return tuple(k for k in value if k != "dtypes")

    def renamed(self, value: Raw, names: Any) -> Raw:
        result = Raw({names.get(k, k): v for k, v in value.items()})
        result.path, result.line = value.path, value.line
        result.key_lines = {names.get(k, k): n for k, n in value.key_lines.items()}
        return result


class ErrorCode(Text):
    def read(self, value: Any, at: Raw, key: str, scope: Scope) -> str:
        if value not in scope.errors or value == "diopiSuccess":
            raise at.error(f"'{value}' is no error of diopiError_t", key)
        return value


@rule("written", "written")
@dataclass(frozen=True)
class Written(Rule):
    """What no rule expresses: the requirement as a sentence (`text`), the error (`code`), the arguments of a call that
    violates it (`call`, as in the case files; the rest is taken from a valid call), and why no rule expresses it
    (`why`). `param` is the argument that the message names. It needs an `id`."""

    param: str = field(Parameter(lambda p: True, "parameter"))
    text: str = field(Text())
    why: str = field(Text())
    error: str = field(ErrorCode(), key="code", default="diopiErrorOccurred")
    call: Raw | None = field(Example(), default=None)

    def requirement(self) -> str:
        return self.text
