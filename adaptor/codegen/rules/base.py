# SPDX-License-Identifier: BSD-3-Clause
"""What all rules have in common: typed fields, a sentence, an identifier, an error code, and the condition `when`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ..strict_yaml import Mapping as Raw
from .fields import GROUPS, Kind, Parameter, Scope, members, spoken

if TYPE_CHECKING:  # model imports this package
    from ..model import Function

ERROR, DTYPE_ERROR = "diopiErrorOccurred", "diopiDtypeNotSupported"
R = TypeVar("R", bound="Record")


@dataclass(frozen=True)
class Record:
    """A rule or a condition: a mapping of YAML with a fixed set of typed fields."""

    @classmethod
    def kinds(cls) -> dict[str, tuple[str, Kind]]:
        """Python name of each field -> its name in YAML and its kind."""
        return {f.name: (f.metadata["key"] or f.name, f.metadata["kind"]) for f in dataclasses.fields(cls)}

    @classmethod
    def optional(cls) -> list[str]:
        return [f.metadata["key"] or f.name for f in dataclasses.fields(cls) if f.default is not dataclasses.MISSING]

    @classmethod
    def read(cls: type[R], raw: Raw, scope: Scope, common: tuple[str, ...] = ()) -> list[R]:
        """The record of a mapping, or one for each entry of the list of a field that is `each`."""
        keys = [key for key, _ in cls.kinds().values()]
        raw.check_keys([k for k in keys if k not in cls.optional()], [*cls.optional(), *common])
        records: list[dict[str, Any]] = [{}]
        for name, (key, kind) in cls.kinds().items():
            if key not in raw:
                continue
            values = [kind.read(v, at, key, scope) for v, at in _each(cls, name, raw, key)]
            records = [{**r, name: v} for r in records for v in values]
        made = [cls(**r) for r in records]
        for record in made:
            record.check(raw)
        return made

    def check(self, raw: Raw) -> None:
        """Raises where fields contradict each other."""

    def values(self) -> Iterator[tuple[str, Kind, Any]]:
        """Name, kind and value of each field that is given."""
        for name, (_, kind) in self.kinds().items():
            value = getattr(self, name)
            if value is not None:
                yield name, kind, value

    def names(self) -> tuple[str, ...]:
        """The parameters that it speaks of."""
        return tuple(dict.fromkeys(n for _, kind, value in self.values() for n in kind.names(value)))

    def renamed(self: R, names: Mapping[str, str]) -> R:
        return replace(self, **{name: kind.renamed(value, names) for name, kind, value in self.values()})

    def resolved(self: R, function: Function) -> list[R]:
        """The records of a function: groups replaced by the parameters that they stand for."""
        plain = replace(self, **{name: kind.grouped(value, function) for name, kind, value in self.values()})
        result = [plain]
        for field in dataclasses.fields(self):
            if field.metadata["each"]:
                result = [
                    replace(r, **{field.name: member})
                    for r in result
                    for member in _members(getattr(r, field.name), function)
                ]
        return result

    def misfit(self, function: Function) -> str | None:
        """Why this cannot be said of a function."""
        found = (kind.misfit(value, function) for _, kind, value in self.values())
        return next((reason for reason in found if reason), None)


def _each(cls: type[Record], name: str, raw: Raw, key: str) -> list[tuple[Any, Raw]]:
    """The value of a field, or each value of a list, with a mapping in which it stands alone."""
    field = next(f for f in dataclasses.fields(cls) if f.name == name)
    if not (field.metadata["each"] and isinstance(raw[key], list)):
        return [(raw[key], raw)]
    if not raw[key]:
        raise raw.error(f"'{key}' is empty", key)
    result = []
    for value in raw[key]:
        alone = Raw(raw)
        alone.path, alone.line, alone.key_lines = raw.path, raw.line, raw.key_lines
        alone[key] = value
        result.append((value, alone))
    return result


def _members(value: Any, function: Function) -> tuple[Any, ...]:
    if isinstance(value, str):
        return members(value, function)
    word = getattr(value, "word", None)  # of a dtype
    if isinstance(word, str) and word in GROUPS:
        return tuple(replace(value, word=m) for m in members(word, function))
    return (value,)


@dataclass(frozen=True)
class Rule(Record):
    """A requirement. Its docstring says what it means; `slug` is the last part of its identifiers."""

    name: ClassVar[str]
    slug: ClassVar[str]
    code: ClassVar[str] = ERROR
    data_dependent: ClassVar[bool] = False

    def subject(self) -> str:
        """What the requirement is about: the first parameter that it names."""
        for _, kind, value in self.values():
            if isinstance(kind, Parameter):
                return value[0] if isinstance(value, tuple) else value
        return self.names()[0]

    def identifier(self) -> str:
        return f"{self.subject()}-{self.slug}"

    def requirement(self) -> str:
        """`dim must be a dimension of input`, without a full stop."""
        raise NotImplementedError

    def reads_elements(self, function: Function) -> bool:
        """Whether a vendor must look at elements of a tensor to know whether a call fulfils it."""
        return self.data_dependent

    def says_nothing(self, function: Function) -> bool:
        """Whether every call fulfils it, as after `out` has become the operand that it is compared with."""
        return False


RULES: dict[str, type[Rule]] = {}
C = TypeVar("C", bound=type[Rule])


def rule(name: str, slug: str, code: str = ERROR, data_dependent: bool = False) -> Callable[[C], C]:
    """Registers a rule under the name that YAML uses."""

    def register(cls: C) -> C:
        cls.name, cls.slug, cls.code, cls.data_dependent = name, slug, code, data_dependent
        RULES[name] = cls
        return cls

    return register


@dataclass(frozen=True)
class Condition(Record):
    """A restriction of a check to some calls."""

    def clause(self) -> str:
        """`train is true`."""
        raise NotImplementedError


@dataclass(frozen=True)
class Declared:
    """A check as the registry writes it, before it is known of which function it speaks."""

    rule: Rule
    when: tuple[Condition, ...] = ()
    id: str = ""
    data_dependent: bool | None = None
    untested: str = ""  # why no call of the judge can violate it
    path: Path = Path()
    line: int = 0

    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.rule.names(), *(n for c in self.when for n in c.names()))))

    def renamed(self, names: Mapping[str, str]) -> Declared:
        return replace(self, rule=self.rule.renamed(names), when=tuple(c.renamed(names) for c in self.when))

    @property
    def slug(self) -> str:
        """The identifier without the function."""
        return self.id or self.rule.identifier()

    @property
    def depends_on_data(self) -> bool:
        return self.rule.data_dependent if self.data_dependent is None else self.data_dependent

    @property
    def sentence(self) -> str:
        requirement = self.rule.requirement()
        if self.when:
            requirement = f"if {' and '.join(c.clause() for c in self.when)}, {requirement}"
        first = (
            requirement if _begins_with_name(requirement, self.names()) else requirement[:1].upper() + requirement[1:]
        )
        text = first.rstrip(".") + "."
        return text + " A device may report this when the stream is synchronised." * self.depends_on_data


def _begins_with_name(text: str, names: tuple[str, ...]) -> bool:
    """Whether a sentence starts with a parameter, which keeps its spelling."""
    return any(text.startswith(n) and not text[len(n) : len(n) + 1].isalnum() for n in names if n not in GROUPS)


@dataclass(frozen=True)
class Check(Declared):
    """A check of one function."""

    function: str = ""

    @property
    def identifier(self) -> str:
        """`diopiSoftmax-dim-in-range`."""
        return f"{self.function}-{self.slug}"

    @property
    def code(self) -> str:
        return getattr(self.rule, "error", "") or self.rule.code


__all__ = ["DTYPE_ERROR", "ERROR", "RULES", "Check", "Condition", "Declared", "Record", "Rule", "rule", "spoken"]
