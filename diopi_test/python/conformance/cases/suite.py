# SPDX-License-Identifier: BSD-3-Clause
"""Selects the cases of a run by the filters of the command line."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from adaptor.codegen.model import Registry

from ..run.prepared import Group
from .case import VECTOR_OF_ONE, RawCase, TensorSpec


class UsageError(Exception):
    """Raised for a mistake in the command line."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """The known names that are similar to `name`, as the end of a message."""
    by_lower = {k.lower(): k for k in known}
    near = difflib.get_close_matches(name.lower(), by_lower, 3, 0.6)
    return f"; did you mean {' or '.join(by_lower[n] for n in near)}?" if near else ""


@dataclass(frozen=True)
class Selection:
    """The filters of the command line."""

    functions: tuple[str, ...] = ()  # contract names; empty: all
    dtypes_left_out: tuple[str, ...] = ()
    case: str | None = None  # the name of a case, with or without its variant; `*` stands for any text
    all_variants: bool = False
    quick: bool = False  # only a quarter of the hostile cases, chosen by a hash of their names
    nhwc: bool = False  # channels-last instead of contiguous, in cases with a tensor of 4 or 5 dimensions


@dataclass
class Suite:
    """The groups to run."""

    groups: list[Group] = field(default_factory=list)

    @property
    def functions(self) -> list[str]:
        return list(dict.fromkeys(g.raw.function.name for g in self.groups))


def resolve_names(registry: Registry, names: list[str]) -> tuple[str, ...]:
    """The operators in `names`. `add`, `Add` and `diopiAdd` mean diopiAdd; a family means all its operators."""
    by_lower = {f.name.lower().replace("_", ""): f.name for f in registry.operators}
    by_snake = {f.name.removeprefix("diopi").lower().replace("_", ""): f.name for f in registry.operators}
    result: dict[str, None] = {}
    for name in (part for n in names for part in n.split(",") if part):
        plain = name.lower().replace("_", "")
        found = by_lower.get(plain) or by_snake.get(plain)
        family = [] if found else [f.name for f in registry.family(name)]
        if not found and not family:
            names = [
                *(f.name for f in registry.operators),
                *(f.name.removeprefix("diopi") for f in registry.operators),
                *registry.families,
            ]
            raise UsageError(f"'{name}' is neither an operator nor a family of the contract{suggestion(name, names)}")
        result.update(dict.fromkeys([found] if found else family))
    return tuple(result)


def _variants(raw: RawCase, dtype: str, everything: bool) -> tuple[str, ...]:
    """All variants for the case's first dtype and float32. For other dtypes `contiguous` and one more layout, which a
    hash of the name chooses."""
    layouts = tuple(v for v in raw.variants if v != VECTOR_OF_ONE)
    if everything or len(layouts) < 3 or dtype in (raw.dtypes[0], "float32"):
        return raw.variants
    others = [v for v in layouts if v != "contiguous"]
    hash_number = hashlib.sha256(f"{raw.function.name}/{raw.id}/{dtype}".encode()).digest()[0]
    chosen = ("contiguous", others[hash_number % len(others)]) if "contiguous" in layouts else (others[0],)
    return (*chosen, VECTOR_OF_ONE) if VECTOR_OF_ONE in raw.variants else chosen


def _left_out_of_quick(raw: RawCase, dtype: str) -> bool:
    """Whether --quick skips a hostile case: three of four by a hash of the name, and all that span 2^31 elements."""
    if not raw.hostile:
        return False
    hash_number = hashlib.sha256(f"quick:{raw.function.name}/{raw.id}/{dtype}".encode()).digest()[0]
    return hash_number % 4 != 0 or raw.hostile == "far_apart"


def _channels_last(raw: RawCase, variants: tuple[str, ...]) -> tuple[str, ...]:
    """The variants with `channels_last` in place of `contiguous`, if the case has a tensor that this layout changes."""
    shapes = [
        s.shape
        for v in raw.arguments.values()
        for s in (v if isinstance(v, list) else [v])
        if isinstance(s, TensorSpec) and s.shape is not None
    ]
    if raw.error is not None or not any(len(shape) in (4, 5) and 0 not in shape for shape in shapes):
        return variants
    return ("channels_last", *(v for v in variants if v not in ("contiguous", "channels_last")))


def select(cases: list[RawCase], selection: Selection) -> Suite:
    """The groups that pass the filters, in the order of the case files."""
    suite = Suite()
    for raw in cases:
        if selection.functions and raw.function.name not in selection.functions:
            continue
        literal = selection.case.partition("*")[0] if selection.case else ""
        if not f"{raw.function.name}/{raw.id}/".startswith(literal[: len(raw.function.name) + len(raw.id) + 2]):
            continue
        for dtype in raw.dtypes:
            if dtype in selection.dtypes_left_out or (selection.quick and _left_out_of_quick(raw, dtype)):
                continue
            variants = _variants(raw, dtype, selection.all_variants or bool(selection.case))
            group = Group(raw, dtype, _channels_last(raw, variants) if selection.nhwc else variants)
            narrowed = _narrowed(group, selection.case) if selection.case else group
            if narrowed is not None:
                suite.groups.append(narrowed)
    if selection.case and not suite.groups:
        raise UsageError(f"there is no case '{selection.case}'{_similar_cases(cases, selection.case)}")
    return suite


def _similar_cases(cases: list[RawCase], case: str) -> str:
    """Cases of the same operator with a similar name. If the operator has no cases: operators with a similar name."""
    operator, _, rest = case.partition("/")
    own = {f"{c.function.name}/{c.id}": None for c in cases if c.function.name == operator}
    if not own:
        return suggestion(operator, dict.fromkeys(c.function.name for c in cases))
    return suggestion(f"{operator}/{rest.rsplit('/', 2)[0]}", own)


def _narrowed(group: Group, case: str) -> Group | None:
    """The group with the variants that `case` names, or with all variants if `case` names the group; else None."""
    if matches(group.name, case):
        return group
    variants = tuple(v for v in group.variants if matches(f"{group.name}/{v}", case))
    return Group(group.raw, group.dtype, variants) if variants else None


def matches(name: str, pattern: str) -> bool:
    """Whether the name equals the pattern, in which `*` stands for any text. No other character is special."""
    if "*" not in pattern:
        return name == pattern
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), name) is not None
