# SPDX-License-Identifier: BSD-3-Clause
"""Selects the cases of a run by the filters of the command line."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from adaptor.codegen.model import Registry

from ..layouts import CHANNELS_LAST, CONTIGUOUS, LAYOUTS
from ..lists import as_list
from .case import RANDOM, Case, TensorSpec
from .group import Group


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
    case: str | None = None  # the name of a case, with or without its layout; `*` stands for any text
    all_layouts: bool = False
    quick: bool = False  # only a quarter of the hostile cases, chosen by a hash of their names
    layouts_of: frozenset[str] = frozenset()  # operators that are judged in channels-last, too, as the vendor declares
    nhwc: bool = False  # channels-last instead of contiguous, in cases with a tensor of 4 or 5 dimensions


@dataclass
class Suite:
    """The groups to run."""

    groups: list[Group] = field(default_factory=list)

    @property
    def functions(self) -> list[str]:
        return list(dict.fromkeys(g.case.function.name for g in self.groups))


FAMILY = "family:"  # before a name that is also an operator's


def _operator_names(registry: Registry) -> dict[str, str]:
    """The operators by their names with and without `diopi`, in lower case and without `_`."""
    names = {f.name.removeprefix("diopi").lower().replace("_", ""): f.name for f in registry.operators}
    return {**names, **{f.name.lower().replace("_", ""): f.name for f in registry.operators}}


def _parts(names: list[str]) -> list[str]:
    return [part for name in names for part in name.split(",") if part]


def resolve_names(registry: Registry, names: list[str]) -> tuple[str, ...]:
    """The operators in `names`. `add`, `Add` and `diopiAdd` mean diopiAdd; a family means all its operators. A name
    that is both means the operator, unless it begins with `family:`."""
    operators = _operator_names(registry)
    result: dict[str, None] = {}
    for name in _parts(names):
        found = operators.get(name.lower().replace("_", ""))
        family = [] if found else [f.name for f in registry.family(name.removeprefix(FAMILY))]
        if not found and not family:
            known = [
                *(f.name for f in registry.operators),
                *(f.name.removeprefix("diopi") for f in registry.operators),
                *registry.families,
            ]
            raise UsageError(f"'{name}' is neither an operator nor a family of the contract{suggestion(name, known)}")
        result.update(dict.fromkeys([found] if found else family))
    return tuple(result)


def double_names(registry: Registry, names: list[str]) -> list[str]:
    """A sentence for each of `names` that means an operator, and is also a family with others."""
    operators = _operator_names(registry)
    notes = []
    for name in _parts(names):
        found = operators.get(name.lower().replace("_", ""))
        family = [f.name for f in registry.family(name)]
        if found and set(family) - {found}:
            notes.append(f"'{name}' means the operator {found}; {FAMILY}{name} means the {len(family)} of the family")
    return notes


def _layouts(case: Case, dtype: str, everything: bool) -> tuple[str, ...]:
    """All layouts for the case's first dtype and float32. For other dtypes `contiguous` and one more layout, which a
    hash of the name chooses, and the layouts that every dtype has."""
    sampled = tuple(name for name in case.layouts if not LAYOUTS[name].every_dtype)
    if everything or len(sampled) < 3 or dtype in (case.dtypes[0], "float32"):
        return case.layouts
    others = [name for name in sampled if name != CONTIGUOUS]
    hash_number = hashlib.sha256(f"{case.function.name}/{case.id}/{dtype}".encode()).digest()[0]
    chosen = (CONTIGUOUS, others[hash_number % len(others)]) if CONTIGUOUS in sampled else (others[0],)
    return (*chosen, *(name for name in case.layouts if LAYOUTS[name].every_dtype))


def _left_out_of_quick(case: Case, dtype: str) -> bool:
    """Whether --quick skips a hostile case: three of four by a hash of the name, and all in layouts of slow calls."""
    if case.hostile in ("", RANDOM):
        return False
    hash_number = hashlib.sha256(f"quick:{case.function.name}/{case.id}/{dtype}".encode()).digest()[0]
    return hash_number % 4 != 0 or not all(LAYOUTS[name].quick for name in case.layouts)


def _has_images(case: Case) -> bool:
    """Whether the case is a valid call with a tensor that the layout `channels_last` changes."""
    shapes = [
        s.shape
        for v in case.arguments.values()
        for s in as_list(v)
        if isinstance(s, TensorSpec) and s.shape is not None
    ]
    return case.error is None and any(len(shape) in (4, 5) and 0 not in shape for shape in shapes)


def _channels_last(case: Case, layouts: tuple[str, ...], selection: Selection) -> tuple[str, ...]:
    """The layouts with `channels_last` if the vendor declares it, and in place of `contiguous` with --nhwc."""
    declared = case.function.name in selection.layouts_of and not case.hostile and CHANNELS_LAST not in layouts
    if not (selection.nhwc or declared) or not _has_images(case):
        return layouts
    if not selection.nhwc:
        return (*layouts, CHANNELS_LAST)
    return (CHANNELS_LAST, *(name for name in layouts if name not in (CONTIGUOUS, CHANNELS_LAST)))


def select(cases: list[Case], selection: Selection) -> Suite:
    """The groups that pass the filters, in the order of the case files."""
    suite = Suite()
    for case in cases:
        if selection.functions and case.function.name not in selection.functions:
            continue
        literal = selection.case.partition("*")[0] if selection.case else ""
        if not f"{case.function.name}/{case.id}/".startswith(literal[: len(case.function.name) + len(case.id) + 2]):
            continue
        for dtype in case.dtypes:
            if dtype in selection.dtypes_left_out or (selection.quick and _left_out_of_quick(case, dtype)):
                continue
            layouts = _layouts(case, dtype, selection.all_layouts or bool(selection.case))
            group = Group(case, dtype, _channels_last(case, layouts, selection))
            narrowed = _narrowed(group, selection.case) if selection.case else group
            if narrowed is not None:
                suite.groups.append(narrowed)
    if selection.case and not suite.groups:
        raise UsageError(f"there is no case '{selection.case}'{_similar_cases(cases, selection.case)}")
    return suite


def _similar_cases(cases: list[Case], case: str) -> str:
    """Cases of the same operator with a similar name. If the operator has no cases: operators with a similar name."""
    operator, _, rest = case.partition("/")
    own = {f"{c.function.name}/{c.id}": None for c in cases if c.function.name == operator}
    if not own:
        return suggestion(operator, dict.fromkeys(c.function.name for c in cases))
    return suggestion(f"{operator}/{rest.rsplit('/', 2)[0]}", own)


def _narrowed(group: Group, case: str) -> Group | None:
    """The group with the layouts that `case` names, or with all layouts if `case` names the group; else None."""
    if matches(group.name, case):
        return group
    layouts = tuple(v for v in group.layouts if matches(f"{group.name}/{v}", case))
    return Group(group.case, group.dtype, layouts) if layouts else None


def matches(name: str, pattern: str) -> bool:
    """Whether the name equals the pattern, in which `*` stands for any text. No other character is special."""
    if "*" not in pattern:
        return name == pattern
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), name) is not None
