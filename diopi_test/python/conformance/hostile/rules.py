# SPDX-License-Identifier: BSD-3-Clause
"""What a case file says about the cases that are derived from it: its `hostile` key, read strictly.

Most operators need nothing. A rule says what cannot be seen from a case: a size that an attribute repeats, a smallest
size, numbers that a parameter may not hold, and which classes make no sense and why.
"""

from __future__ import annotations

import math
from collections.abc import Mapping as Readable
from dataclasses import dataclass, field, replace
from typing import Any

from adaptor.codegen.model import Function
from adaptor.codegen.strict_yaml import Mapping

from ..case_files import CaseFile

CLASSES = (
    "special",
    "lengths",
    "empty",
    "zero_dim",
    "one_element",
    "overlapping",
    "same_input",
    "out_is_input",
    "far_apart",
    "thin",
    "huge",
    "out_dtypes",
    "long",
    "scalars",
)

KEYS = (
    "names",
    "case",
    "dims",
    "may_be_empty",
    "at_least",
    "sizes_in",
    "forward",
    "ranges",
    "plain",
    "large",
    "large_complex",
    "huge",
    "largest_integer",
    "aliases",
    "square",
    "without",
)


@dataclass(frozen=True)
class Range:
    """The numbers that a parameter may hold."""

    low: float = -math.inf
    high: float = math.inf
    nan: bool = True
    zero: bool = True
    inf: bool = True
    denormal: bool = True


@dataclass(frozen=True)
class Forward:
    """The forward call whose outputs a gradient takes: by shape alone, or with their numbers."""

    function: str
    shapes: Readable[str, str] = field(default_factory=dict)  # parameter of the gradient -> output of `function`
    values: Readable[str, str] = field(default_factory=dict)
    arguments: Readable[str, Any] = field(default_factory=dict)  # of `function` alone


@dataclass(frozen=True)
class Rules:
    """What holds for one operator."""

    case: str | None = None  # beginning of the id of the case to derive from, instead of the most telling one
    dims: tuple[int, ...] | None = None  # of the first tensor: those whose size may change
    may_be_empty: tuple[int, ...] | str | None = None  # likewise, those that may have no element; `kept`: not reduced
    at_least: int = 1  # the smallest size that a dimension may get, apart from none at all
    sizes_in: tuple[str, ...] = ()  # attributes that repeat sizes of the tensors
    forward: Forward | None = None
    ranges: Readable[str, Range] = field(default_factory=dict)
    plain: tuple[str, ...] = ()  # parameters that keep the numbers of the case
    large: float = 1.0  # large numbers go up to the dtype's largest to this power
    large_complex: float = 0.4
    huge: float | None = None  # likewise where one tensor alone holds them (0.95)
    largest_integer: int | None = None  # integers too keep away from the ends of their dtype
    aliases: Readable[str, tuple[str, ...]] = field(default_factory=dict)  # output -> inputs that it may be
    square: bool = False  # an output is as large as an input where all sizes are equal
    without: Readable[str, str] = field(default_factory=dict)  # class -> why it makes no sense


def rules_for(function: Function, files: Readable[str, CaseFile]) -> Rules:
    """The rules of the operator's family, the later ones over the earlier."""
    rules = Rules()
    case_file = files.get(function.family)
    for raw in case_file.hostile if case_file else ():
        if function.name in raw.take_list("names", str, [function.name]):
            rules = _merged(rules, raw, function)
    return rules


def check_rules(case_file: CaseFile, functions: Readable[str, Function]) -> None:
    """Every mistake in a file's rules, whichever operators have cases."""
    for raw in case_file.hostile:
        for name in raw.take_list("names", str, []):
            if name not in functions or functions[name].family != case_file.path.stem:
                raise raw.error(f"'{name}' is no operator of the family '{case_file.path.stem}'", "names")
        members = [
            f
            for f in functions.values()
            if f.family == case_file.path.stem and f.name in raw.take_list("names", str, [f.name])
        ]
        for function in members:
            merged = _merged(Rules(), raw, function)
            if merged.forward is not None and merged.forward.function not in functions:
                raise raw.error(f"'{merged.forward.function}' is no function of the contract", "forward")
        known = {p.name for f in members for p in f.params}
        for key in ("ranges", "aliases"):
            _known(raw, key, raw.take(key, Mapping, {}), known)
        for key in ("plain", "sizes_in"):
            _known(raw, key, raw.take_list(key, str, []), known)


def _known(raw: Mapping, key: str, names: Any, known: set[str]) -> None:
    for name in names:
        if name not in known:
            raise raw.error(f"'{name}' is no parameter of these operators", key)


def _merged(rules: Rules, raw: Mapping, function: Function) -> Rules:
    raw.check_keys((), KEYS)
    changes: dict[str, Any] = {}
    for key, kind in (
        ("case", str),
        ("at_least", int),
        ("largest_integer", int),
        ("large", (int, float)),
        ("large_complex", (int, float)),
        ("huge", (int, float)),
        ("square", bool),
    ):
        if key in raw:
            changes[key] = raw.take(key, kind)
    if raw.get("may_be_empty") == "kept":
        changes["may_be_empty"] = "kept"
    elif "may_be_empty" in raw:
        changes["may_be_empty"] = tuple(raw.take_list("may_be_empty", int))
    for key, kind in (("dims", int), ("sizes_in", str), ("plain", str)):
        if key in raw:
            changes[key] = tuple(raw.take_list(key, kind))
    if "ranges" in raw:
        ranges = raw.take("ranges", Mapping)
        changes["ranges"] = {**rules.ranges, **{k: _range(v, raw) for k, v in ranges.items()}}
    if "aliases" in raw:
        names, aliases = {p.name for p in function.params}, raw.take("aliases", Mapping)
        given = {k: aliases.take_list(k, str) for k in aliases}
        changes["aliases"] = {
            k: kept for k, v in given.items() if k in names and (kept := tuple(i for i in v if i in names))
        }
    if "forward" in raw:
        changes["forward"] = _forward(raw.take("forward", Mapping))
    if "without" in raw:
        for name, reason in raw.take("without", Mapping).items():
            if name not in CLASSES or not isinstance(reason, str) or not reason:
                raise raw.error(f"'without' must give a reason for each class (known: {', '.join(CLASSES)})", "without")
        changes["without"] = {**rules.without, **raw["without"]}
    return replace(rules, **changes)


_MAY = ("nan", "zero", "inf", "denormal")


def _range(value: object, raw: Mapping) -> Range:
    if not isinstance(value, Mapping):
        raise raw.error("a range is a mapping with low, high, nan, zero, inf and denormal", "ranges")
    value.check_keys((), ("low", "high", *_MAY))
    ends = {"low": -math.inf, "high": math.inf}
    low, high = (float(value.take(key, (int, float), end)) for key, end in ends.items())
    return Range(low, high, **{key: value.take(key, bool, True) for key in _MAY})


def _forward(raw: Mapping) -> Forward:
    raw.check_keys(("function",), ("shapes", "values", "arguments"))
    return Forward(
        raw.take("function", str), *(dict(raw.take(k, Mapping, {})) for k in ("shapes", "values", "arguments"))
    )
