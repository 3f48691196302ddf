# SPDX-License-Identifier: BSD-3-Clause
"""The fields of rules and conditions: how each kind is read, which parameters it names, and how it is renamed.

A rule is a frozen dataclass; each of its fields has a `Kind` in its metadata. The list of a field that is `each` stands
for one check per entry.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..checks import base_type
from ..strict_yaml import Mapping as Raw
from .terms import Call, Item, Name, Number, Operation, Slice, Term, TermError, parse

if TYPE_CHECKING:  # model imports this package
    from ..model import Function, Param

# Words that stand for all tensors of a function of some directions. A parameter of the same name goes first.
GROUPS = {"inputs": ("in", "inout"), "outputs": ("out", "inout"), "tensors": ("in", "out", "inout")}
SINGULAR = {"inputs": "each input", "outputs": "each output", "tensors": "each tensor"}


@dataclass(frozen=True)
class Scope:
    """The names that checks may use besides parameters."""

    sets: Mapping[str, tuple[str, ...]]
    dtypes: frozenset[str]
    errors: frozenset[str]


def is_tensor(param: Param) -> bool:
    """A tensor or list of tensors that the caller makes."""
    return param.is_tensor_like and not param.allocates


def is_value(param: Param) -> bool:
    """A value of the caller: a number, flag, text, or list of integers."""
    return param.dir == "attr" and base_type(param.type) != "diopiContextHandle_t"


def is_list(param: Param) -> bool:
    """What has a length: a list of integers or of tensors."""
    return param.is_tensor_list or base_type(param.type) == "diopiSize_t" or param.type == "const int64_t *"


def has_shape(param: Param) -> bool:
    return is_tensor(param) or base_type(param.type) == "diopiSize_t"


def may_be_null(param: Param) -> bool:
    return param.nullable


def members(word: str, function: Function) -> tuple[str, ...]:
    """The parameters that a name or a group stands for in a function."""
    if word not in GROUPS or any(p.name == word for p in function.params):
        return (word,)
    return tuple(p.name for p in function.params if is_tensor(p) and p.dir in GROUPS[word])


def spoken(name: str) -> str:
    """A parameter or a group as the subject of a sentence."""
    return SINGULAR.get(name, name)


def several(names: Iterable[object]) -> str:
    """Parameters and groups as the subject of one sentence."""
    words = [f"the {n}" if str(n) in GROUPS else str(n) for n in names]
    return listed(words)


def listed(words: Iterable[object], last: str = "and") -> str:
    """`a, b and c`."""
    texts = [str(w) for w in words]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {last} {texts[-1]}"


class Kind:
    """What a field may hold; this one holds plain values that name no parameter."""

    def read(self, value: Any, at: Raw, key: str, scope: Scope) -> Any:
        raise NotImplementedError

    def names(self, value: Any) -> tuple[str, ...]:
        return ()

    def renamed(self, value: Any, names: Mapping[str, str]) -> Any:
        return value

    def grouped(self, value: Any, function: Function) -> Any:
        """The value with the parameters of this function in the place of groups."""
        return value

    def misfit(self, value: Any, function: Function) -> str | None:
        """Why a function cannot have this value: a parameter that it lacks, or one of another kind."""
        known = {p.name for p in function.params}
        lacking = [n for n in self.names(value) if n not in known]
        return f"'{lacking[0]}' is no parameter of {function.name}" if lacking else None


@dataclass(frozen=True)
class Flag(Kind):
    def read(self, value: Any, at: Raw, key: str, scope: Scope) -> bool:
        return at.take(key, bool)


@dataclass(frozen=True)
class Text(Kind):
    """A sentence or an identifier; `choices`: one of these."""

    choices: tuple[str, ...] = ()

    def read(self, value: Any, at: Raw, key: str, scope: Scope) -> str:
        text = at.take(key, str)
        if self.choices and text not in self.choices:
            raise at.error(f"'{key}' must be one of {', '.join(self.choices)}, not '{text}'", key)
        return text


@dataclass(frozen=True)
class Plain(Kind):
    """A number, flag or text, or a list of them: the values of an attribute."""

    several: bool = False

    def read(self, value: Any, at: Raw, key: str, scope: Scope) -> Any:
        values = value if self.several and isinstance(value, list) else [value]
        for item in values:
            if not isinstance(item, (bool, int, float, str)):
                raise at.error(f"'{key}' must be a value{' or a list of values' * self.several}, not {item!r}", key)
        return tuple(values) if self.several else value


@dataclass(frozen=True)
class Parameter(Kind):
    """The name of a parameter, or of a group of tensors."""

    accepts: Callable[[Param], bool]
    what: str

    def read(self, value: Any, at: Raw, key: str, scope: Scope) -> Any:
        return at.take(key, str)

    def names(self, value: str) -> tuple[str, ...]:
        return (value,)

    def renamed(self, value: str, names: Mapping[str, str]) -> str:
        return names.get(value, value)

    def misfit(self, value: str, function: Function) -> str | None:
        absent = super().misfit(value, function)
        if absent is None and not self.accepts(function.param(value)):
            return f"'{value}' of {function.name} is no {self.what}"
        return absent


@dataclass(frozen=True)
class Parameters(Parameter):
    """A list of parameters, in which a group stands for its members."""

    least: int = 2

    def read(self, value: Any, at: Raw, key: str, scope: Scope) -> Any:
        names = at.take_list(key, str) if isinstance(value, list) else [at.take(key, str)]
        if len(names) < self.least and not any(n in GROUPS for n in names):
            raise at.error(f"'{key}' must name at least {self.least} parameters", key)
        return tuple(names)

    def names(self, value: tuple[str, ...]) -> tuple[str, ...]:  # type: ignore[override]
        return value

    def renamed(self, value: tuple[str, ...], names: Mapping[str, str]) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(dict.fromkeys(names.get(n, n) for n in value))

    def grouped(self, value: tuple[str, ...], function: Function) -> tuple[str, ...]:
        return tuple(dict.fromkeys(m for n in value for m in members(n, function)))

    def misfit(self, value: tuple[str, ...], function: Function) -> str | None:  # type: ignore[override]
        single = Parameter(self.accepts, self.what)
        found = (single.misfit(n, function) for n in value)
        reason = next((r for r in found if r), None)
        if reason is None and len(value) < self.least and not any(function.param(n).is_tensor_list for n in value):
            return f"it speaks of fewer than {self.least} parameters"
        return reason


@dataclass(frozen=True)
class Terms(Kind):
    """A term, or with `several` a list of terms or one term; `words` are words of the rule's own."""

    several: bool = False
    words: tuple[str, ...] = ()

    def read(self, value: Any, at: Raw, key: str, scope: Scope) -> Any:
        if isinstance(value, list) and not self.several:
            raise at.error(f"'{key}' must be one term", key)
        if isinstance(value, list):
            return tuple(self._one(v, at, key) for v in value)
        return self._one(value, at, key)

    def _one(self, value: Any, at: Raw, key: str) -> Term | str | float:
        if isinstance(value, str) and value in self.words:
            return value
        if isinstance(value, float):
            return value
        try:
            return parse(value)
        except TermError as error:
            raise at.error(f"'{key}': {error}", key) from None

    def names(self, value: Any) -> tuple[str, ...]:
        values = value if isinstance(value, tuple) else (value,)
        return tuple(dict.fromkeys(n for v in values if isinstance(v, Term) for n in v.names))

    def renamed(self, value: Any, names: Mapping[str, str]) -> Any:
        if isinstance(value, tuple):
            return tuple(self.renamed(v, names) for v in value)
        return value.renamed(names) if isinstance(value, Term) else value

    def misfit(self, value: Any, function: Function) -> str | None:
        absent = super().misfit(value, function)
        if absent is not None:
            return absent
        values = value if isinstance(value, tuple) else (value,)
        found = (_term_misfit(v, function) for v in values if isinstance(v, Term))
        return next((r for r in found if r), None)


def _term_misfit(term: Term, function: Function) -> str | None:
    """Why a term has no value: a shape is asked of what has none, or an index is no integer and no list of tensors."""
    if isinstance(term, Call):
        return next((r for a in term.arguments if (r := _term_misfit(a, function))), None)
    if isinstance(term, Operation):
        return _term_misfit(term.left, function) or _term_misfit(term.right, function)
    if isinstance(term, (Item, Slice)) and not (has_shape(p := function.param(term.name)) or is_list(p)):
        return f"'{term.name}' of {function.name} has no shape"
    if isinstance(term, Item) and isinstance(term.index, str):
        index = function.param(term.index)
        if not (is_value(index) or index.is_tensor_list):
            return f"'{term.index}' of {function.name} is neither an integer nor a list of tensors"
    if isinstance(term, Slice):
        limits = (b for b in (term.start, term.stop) if isinstance(b, str))
        wrong = next((b for b in limits if not is_value(function.param(b))), None)
        return f"'{wrong}' of {function.name} is no integer" if wrong else None
    return None


@dataclass(frozen=True)
class Range:
    """An interval of numbers."""

    least: float
    most: float
    open_left: bool
    open_right: bool

    def __str__(self) -> str:
        left, right = "(" if self.open_left else "[", ")" if self.open_right else "]"
        return f"{left}{self.least:g}, {self.most:g}{right}"

    def holds(self, value: float) -> bool:
        """Whether a number lies inside; NaN never does."""
        above = value > self.least if self.open_left else value >= self.least
        below = value < self.most if self.open_right else value <= self.most
        return above and below


@dataclass(frozen=True)
class Interval(Kind):
    """`[0, 1]`, `(0, inf)`."""

    def read(self, value: Any, at: Raw, key: str, scope: Scope) -> Range:
        text = at.take(key, str)
        parts = text[1:-1].split(",") if text[:1] in ("[", "(") and text[-1:] in ("]", ")") else []
        try:
            least, most = (float(p) for p in parts)
        except ValueError:
            raise at.error(f"'{key}' must be an interval such as '[0, 1]', not '{text}'", key) from None
        if math.isnan(least) or math.isnan(most) or least > most:
            raise at.error(f"'{key}' is an empty interval: '{text}'", key)
        return Range(least, most, text[0] == "(", text[-1] == ")")


_REQUIRED: Any = dataclasses.MISSING


def field(kind: Kind, *, key: str = "", default: Any = _REQUIRED, each: bool = False) -> Any:
    """A field of a rule; `key` is its name in YAML where Python has a keyword of that name."""
    return dataclasses.field(default=default, metadata={"kind": kind, "key": key, "each": each})


def tensor(*, key: str = "", default: Any = _REQUIRED, each: bool = False) -> Any:
    return field(Parameter(is_tensor, "tensor"), key=key, default=default, each=each)


def attribute(*, key: str = "", default: Any = _REQUIRED, each: bool = False) -> Any:
    return field(Parameter(is_value, "attribute"), key=key, default=default, each=each)


def term_words(value: object) -> str:
    """A term, a number or a word in a sentence."""
    if isinstance(value, (Number, Name)) or not isinstance(value, Term):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return value.words
