# SPDX-License-Identifier: BSD-3-Clause
"""Rules about the shapes of tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..strict_yaml import Mapping as Raw
from .base import Rule, rule
from .dtypes import operands
from .fields import (
    Flag,
    Parameter,
    Parameters,
    Plain,
    Scope,
    Terms,
    Text,
    field,
    has_shape,
    is_tensor,
    listed,
    members,
    several,
    spoken,
    tensor,
    term_words,
)
from .terms import Item, Name, Number, Operation, Slice, Term

if TYPE_CHECKING:  # model imports this package
    from ..model import Function

ANY, BROADCAST = "any", "broadcast"


@rule("same_shape", "same-shape")
@dataclass(frozen=True)
class SameShape(Rule):
    """Tensors have one shape; of several lists, the tensors of the same number; of one list, its tensors."""

    of: tuple[str, ...] = field(Parameters(is_tensor, "tensor"))

    def requirement(self) -> str:
        return f"{several(self.of)} must have the same shape"


@rule("shape", "shape")
@dataclass(frozen=True)
class Shape(Rule):
    """A tensor has the shape `is`: that of a tensor, of a list of integers, a part of it, `broadcast` (the shape to
    which the operands broadcast), or a list of extents. In a list, `any` is any extent and a part such as `input[:-1]`
    is several. `except`: the extent of this dimension is free."""

    of: str = field(Parameter(has_shape, "tensor"), each=True)
    value: Any = field(Terms(several=True, words=(ANY, BROADCAST)), key="is")
    ignored: str | None = field(Parameter(lambda p: p.dir == "attr", "attribute"), key="except", default=None)

    def requirement(self) -> str:
        free = f", except in dimension {self.ignored}" if self.ignored else ""
        return f"{spoken(self.of)} must have {self._text()}{free}"

    def _text(self) -> str:
        if self.value == BROADCAST:
            return "the broadcast shape of the operands"
        if isinstance(self.value, tuple):
            return f"the shape [{', '.join(map(str, self.value))}]"
        return f"the shape of {self.value}" if isinstance(self.value, Name) else f"the shape {self.value}"

    def says_nothing(self, function: Function) -> bool:
        if self.value == BROADCAST:
            return operands(function) == [self.of]
        return self.value == Name(self.of)


@rule("ends_with", "end")
@dataclass(frozen=True)
class EndsWith(Rule):
    """The last extents of a tensor are those of a list of integers."""

    param: str = field(Parameter(has_shape, "list of integers"))
    of: str = tensor()

    def requirement(self) -> str:
        return f"{self.param} must be the end of the shape of {self.of}"


@rule("result_shape", "shape")
@dataclass(frozen=True)
class ResultShape(Rule):
    """A tensor has the shape that the operator gives it, as `shape` of the contract says; with `function`, the shape
    of the result of that function (of its output `output`, if it has several); with `keepdim`, with or without the
    reduced dimensions."""

    of: str = tensor(each=True)
    function: str | None = field(Text(), default=None)
    output: str | None = field(Text(), default=None)
    keepdim: bool | None = field(Flag(), default=None)

    def requirement(self) -> str:
        whose = f"{self.output or 'the result'} of {self.function}" if self.function else "the result"
        kept = ", with or without the reduced dimensions" if self.keepdim else ""
        return f"{spoken(self.of)} must have the shape of {whose}{kept}"


class Shapes(Terms):
    """A list of tensors or of parts of their shapes, in which a group stands for its tensors."""

    def read(self, value: Any, at: Raw, key: str, scope: Scope) -> Any:
        return tuple(self._one(v, at, key) for v in (value if isinstance(value, list) else [value]))

    def grouped(self, value: tuple[Term, ...], function: Function) -> tuple[Term, ...]:
        plain = (members(str(v), function) if isinstance(v, Name) else (v,) for v in value)
        terms = (Name(m) if isinstance(m, str) else m for group in plain for m in group)
        return tuple(dict.fromkeys(terms))

    def misfit(self, value: tuple[Term, ...], function: Function) -> str | None:
        reason = super().misfit(value, function)
        if reason is not None:
            return reason
        shapes = [function.param(n) for n in self.names(value)]
        lacking = [p.name for p in shapes if not has_shape(p)]
        if lacking:
            return f"'{lacking[0]}' of {function.name} has no shape"
        few = len(value) < 2 and not any(p.is_tensor_list for p in shapes)
        return "it speaks of fewer than 2 tensors" if few else None


@rule("broadcastable", "broadcastable")
@dataclass(frozen=True)
class Broadcastable(Rule):
    """The shapes of tensors, or parts of them, broadcast to one shape; entries of a list among themselves. A group
    stands for its tensors."""

    of: tuple[Term, ...] = field(Shapes())

    def requirement(self) -> str:
        return f"the shapes of {several(self.of)} must broadcast"


@rule("broadcasts_to", "broadcasts")
@dataclass(frozen=True)
class BroadcastsTo(Rule):
    """A tensor can be expanded to a shape: that of a tensor, a list of integers, a list of extents, or `broadcast`."""

    source: str = field(Parameter(is_tensor, "tensor"), key="from", each=True)
    to: Any = field(Terms(several=True, words=(BROADCAST, "result")))

    def requirement(self) -> str:
        words = {BROADCAST: "the broadcast shape of the operands", "result": "the shape of the result"}
        if isinstance(self.to, tuple):
            target = f"[{', '.join(map(str, self.to))}]"
        else:
            target = words[self.to] if isinstance(self.to, str) else f"the shape of {self.to}"
        return f"{spoken(self.source)} must broadcast to {target}"

    def says_nothing(self, function: Function) -> bool:
        return self.to == Name(self.source)


@dataclass(frozen=True)
class Bounded(Rule):
    """A number of dimensions, elements or entries: exactly `is`, one of `in`, or between `min` and `max`."""

    value: Any = field(Terms(), key="is", default=None)
    within: tuple | None = field(Plain(several=True), key="in", default=None)
    min: Any = field(Terms(), default=None)
    max: Any = field(Terms(), default=None)

    def check(self, raw: Raw) -> None:
        given = [k for k in ("is", "in", "min", "max") if k in raw]
        if not given or len(given) > 1 and given != ["min", "max"]:
            raise raw.error(f"the rule {self.name} has one of is, in, min and max, or min and max", "rule")

    def count(self, what: str) -> str:
        """`at least 2 dimensions`."""
        if self.within is not None:
            return f"{listed(self.within, 'or')} {what}s"
        if self.value is not None:
            return _amount("", self.value, what)
        bounds = [
            _amount(word, n, what) for word, n in (("at least", self.min), ("at most", self.max)) if n is not None
        ]
        return " and ".join(bounds)


def _amount(bound: str, number: Any, what: str) -> str:
    many = "" if number == Number(1) else "s"
    if isinstance(number, (Number, Name)):
        return f"{bound} {number} {what}{many}".strip()
    return f"{bound or 'exactly'} as many {what}s as {term_words(number)}"


@rule("ndim", "ndim")
@dataclass(frozen=True, kw_only=True)
class Ndim(Bounded):
    """A tensor has this number of dimensions: `is`, `in`, or `min` and `max`."""

    of: str = field(Parameter(is_tensor, "tensor"), each=True)

    def requirement(self) -> str:
        return f"{spoken(self.of)} must have {self.count('dimension')}"


@rule("numel", "numel")
@dataclass(frozen=True, kw_only=True)
class Numel(Bounded):
    """A tensor has this number of elements: `is`, `in`, or `min` and `max`."""

    of: str = field(Parameter(is_tensor, "tensor"), each=True)

    def requirement(self) -> str:
        return f"{spoken(self.of)} must have {self.count('element')}"


@rule("equal_extents", "equal")
@dataclass(frozen=True)
class EqualExtents(Rule):
    """Terms such as `input[1]` and `groups * weight[1]` are equal."""

    of: tuple[Term, ...] = field(Terms(several=True))

    def check(self, raw: Raw) -> None:
        if not isinstance(self.of, tuple) or len(self.of) < 2:
            raise raw.error("the rule equal_extents compares a list of at least two terms", "of")

    def requirement(self) -> str:
        return f"{listed(self.of)} must be equal"


@rule("extent", "extent")
@dataclass(frozen=True, kw_only=True)
class Extent(Bounded):
    """An extent or a number of elements lies between `min` and `max`."""

    of: Term = field(Terms())

    def check(self, raw: Raw) -> None:
        super().check(raw)
        if not isinstance(self.of, (Item, Slice, Operation)) and not getattr(self.of, "arguments", ()):
            raise raw.error("the rule extent speaks of a term such as input[1] or numel(input)", "rule")

    def subject(self) -> str:
        return self.of.names[0]

    def requirement(self) -> str:
        parts = [("", self.value), ("at least ", self.min), ("at most ", self.max)]
        texts = [f"{word}{term_words(n)}" for word, n in parts if n is not None]
        texts += [listed(self.within, "or")] if self.within else []
        return f"{term_words(self.of)} must be {' and '.join(texts)}"


@rule("divisible", "divisible")
@dataclass(frozen=True)
class Divisible(Rule):
    """An extent is a multiple of a number; with `positive`, not zero."""

    of: Term = field(Terms())
    by: Term = field(Terms())
    positive: bool | None = field(Flag(), default=None)

    def requirement(self) -> str:
        return f"{self.of} must be a {'positive ' * bool(self.positive)}multiple of {self.by}"


@rule("extents_within", "extents")
@dataclass(frozen=True)
class ExtentsWithin(Rule):
    """A tensor has as many dimensions as another and no larger extent, except in the dimension `except`. With `empty`,
    a tensor without elements may have any shape."""

    of: str = tensor()
    within: str = tensor(key="in")
    ignored: str | None = field(Parameter(lambda p: p.dir == "attr", "attribute"), key="except", default=None)
    empty: bool | None = field(Flag(), default=None)

    def requirement(self) -> str:
        other = f", except in dimension {self.ignored}" if self.ignored else ""
        empty = f", unless {self.of} is empty" if self.empty else ""
        return f"{self.of} must have as many dimensions as {self.within} and no larger extent{other}{empty}"


@rule("no_empty_dims", "not-empty")
@dataclass(frozen=True)
class NoEmptyDims(Rule):
    """No extent of a tensor is 0; with `last`, none of so many last ones."""

    of: str = tensor(each=True)
    last: Any = field(Terms(), default=None)

    def requirement(self) -> str:
        last = "" if self.last is None else f" among its last {self.last}"
        return f"{spoken(self.of)} must have no extent of 0{last}"


@rule("nonempty_reduction", "not-empty")
@dataclass(frozen=True)
class NonemptyReduction(Rule):
    """No dimension that is reduced (`over`; if it is null, empty or absent, all of them) has an extent of 0."""

    of: str = tensor()
    over: str | None = field(Parameter(lambda p: p.dir == "attr", "attribute"), default=None)

    def requirement(self) -> str:
        return f"{self.of} must have elements in each dimension that is reduced"


@rule("no_overlap", "no-overlap")
@dataclass(frozen=True)
class NoOverlap(Rule):
    """Different elements of an output lie in different memory."""

    of: str = tensor(each=True)

    def requirement(self) -> str:
        return f"different elements of {spoken(self.of)} must lie in different memory"


@rule("fits_index", "fits-index")
@dataclass(frozen=True)
class FitsIndex(Rule):
    """The dtype of an output of indices can number `count` elements."""

    of: str = tensor()
    count: Term = field(Terms())

    def requirement(self) -> str:
        return f"the dtype of {self.of} must hold every index below {term_words(self.count)}"
