# SPDX-License-Identifier: BSD-3-Clause
"""Reads `checks`, `checks_of` and `form_of` of the registry, each mistake with its file and line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..checks import check_text
from ..strict_yaml import Mapping as Raw
from . import RULES
from .base import Declared
from .conditions import read_when
from .fields import Scope

COMMON = ("rule", "id", "when", "data_dependent", "untested")
FORMS = ("inplace", "scalar", "inplace_scalar")


@dataclass(frozen=True)
class Taken:
    """The checks of another function, some of whose parameters have other names here."""

    function: str
    renamed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Form:
    """The function of which this one is a form, and which form."""

    function: str
    kind: str

    @property
    def in_place(self) -> bool:
        return self.kind.startswith("inplace")


def read_checks(raw: Raw, key: str, scope: Scope) -> tuple[Declared, ...]:
    """The checks at `key` of a contract."""
    result: list[Declared] = []
    for entry in raw.take_list(key, Raw, []):
        result += _check(entry, scope)
    return tuple(result)


def _check(raw: Raw, scope: Scope) -> list[Declared]:
    name = raw.take("rule", str)
    if name is None:
        raise raw.error("missing field 'rule'")
    if name not in RULES:
        raise raw.error(f"unknown rule '{name}' (known: {', '.join(sorted(RULES))})", "rule")
    texts = {k: raw.take(k, str) for k in ("id", "untested", "text", "why") if isinstance(raw.get(k), str)}
    for key, text in texts.items():
        check_text(text, raw, key)
    identifier = raw.take("id", str, "")
    if identifier and not re.fullmatch(r"[A-Za-z0-9_]+(-[A-Za-z0-9_]+)+", identifier):
        raise raw.error(
            f"an id is at least two words of letters and digits with hyphens between, not '{identifier}'", "id"
        )
    if name == "written" and not identifier:
        raise raw.error("a written check needs an id", "rule")
    rules = RULES[name].read(raw, scope, COMMON)
    if identifier and len(rules) > 1:
        raise raw.error(f"the id '{identifier}' would stand for {len(rules)} checks", "id")
    when = read_when(raw, scope)
    depends, untested = raw.take("data_dependent", bool), raw.take("untested", str, "")
    return [Declared(r, when, identifier, depends, untested, raw.path, raw.line) for r in rules]


def read_taken(raw: Raw, key: str = "checks_of") -> tuple[Taken, ...]:
    """`checks_of: diopiIndex`, or `{function: diopiIndex, rename: {input: zeros}}`, or a list of such entries."""
    if key not in raw:
        return ()
    result = []
    for entry in raw[key] if isinstance(raw[key], list) else [raw[key]]:
        if isinstance(entry, str):
            result.append(Taken(entry))
            continue
        if not isinstance(entry, Raw):
            raise raw.error(f"'{key}' names functions, not {entry!r}", key)
        entry.check_keys(("function",), ("rename",))
        names = entry.take("rename", Raw, Raw())
        result.append(Taken(entry.take("function", str), {k: names.take(k, str) for k in names}))
    return tuple(result)


def read_form(raw: Raw) -> Form | None:
    """`form_of` of a function."""
    if "form_of" not in raw:
        return None
    entry = raw.take("form_of", Raw)
    entry.check_keys(("function", "kind"))
    kind = entry.take("kind", str)
    if kind not in FORMS:
        raise entry.error(f"'kind' must be one of {', '.join(FORMS)}, not '{kind}'", "kind")
    return Form(entry.take("function", str), kind)
