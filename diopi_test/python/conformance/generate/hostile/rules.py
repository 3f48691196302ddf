# SPDX-License-Identifier: BSD-3-Clause
"""The rules for hostile cases in a case file: its `hostile` key. Unknown keys and wrong types are errors.

Most operators need no rule. A rule states what a valid case does not show: an attribute that repeats a size, the
smallest allowed size, numbers that a parameter may not hold, and classes that do not apply, each with a reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping as Readable
from dataclasses import dataclass, field, replace
from typing import Any

from adaptor.codegen.model import Function
from adaptor.codegen.strict_yaml import Mapping

from ...cases.reader import CaseFile
from ...handles import Argument

CLASSES = (
    "special",
    "lengths",
    "empty",
    "zero_dim",
    "one_element",
    "overlapping",
    "same_input",
    "out_is_input",
    "wide_stride",
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
    "keep_values",
    "large_exponent",
    "large_exponent_complex",
    "huge_exponent",
    "largest_integer",
    "aliases",
    "square",
    "longest",
    "not_drawn",
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
    """The forward call that creates arguments of a gradient. It gives their shapes alone, or their numbers, too."""

    function: str
    shapes: Readable[str, str] = field(default_factory=dict)  # parameter of the gradient -> output of `function`
    values: Readable[str, str] = field(default_factory=dict)  # as `shapes`, for parameters that take the numbers, too
    arguments: Readable[str, Argument] = field(default_factory=dict)  # arguments that only `function` has


@dataclass(frozen=True)
class Rules:
    """The rules of one operator."""

    case: str | None = None  # beginning of the id of the template, instead of the case with the best score
    dims: tuple[int, ...] | None = None  # dimensions of the first tensor whose size may change
    # Dimensions of the first tensor that may have size 0; `kept` means all dimensions that are not reduced.
    may_be_empty: tuple[int, ...] | str | None = None
    at_least: int = 1  # the smallest size that a dimension may get, except 0
    sizes_in: tuple[str, ...] = ()  # attributes that repeat sizes of the tensors
    forward: Forward | None = None
    ranges: Readable[str, Range] = field(default_factory=dict)
    keep_values: tuple[str, ...] = ()  # parameters that keep the numbers of the case
    # Class "special": real numbers go up to (the dtype's largest number) ** large_exponent.
    large_exponent: float = 1.0
    large_exponent_complex: float = 0.4  # class "special": the exponent for complex numbers
    huge_exponent: float | None = None  # class "huge": the exponent; 0.95 if the file gives none
    largest_integer: int | None = None  # the largest integer that "special" uses; None: the dtype's largest
    aliases: Readable[str, tuple[str, ...]] = field(default_factory=dict)  # output -> inputs that it may be the same as
    square: bool = False  # an output has the shape of an input only if all sizes are equal
    longest: int | None = None  # random calls: the largest size that a dimension may get
    # Random calls: cases that they do not use, with the reason. `*` in an id stands for any text.
    not_drawn: Readable[str, str] = field(default_factory=dict)
    without: Readable[str, str] = field(default_factory=dict)  # class -> why it does not apply


def rules_for(function: Function, files: Readable[str, CaseFile]) -> Rules:
    """The operator's rules from the case file of its family. Later rules override earlier ones."""
    rules = Rules()
    case_file = files.get(function.family)
    for raw in case_file.hostile if case_file else ():
        if function.name in raw.take_list("names", str, [function.name]):
            rules = _merged(rules, raw, function)
    return rules


def check_rules(case_file: CaseFile, functions: Readable[str, Function]) -> None:
    """Raises an error for the first mistake in a file's rules, also in rules of operators without cases."""
    for raw in case_file.hostile:
        for name in raw.take_list("names", str, []):
            if name not in functions or functions[name].family != case_file.path.stem:
                raise raw.error(f"'{name}' is not an operator of the family '{case_file.path.stem}'", "names")
        members = [
            f
            for f in functions.values()
            if f.family == case_file.path.stem and f.name in raw.take_list("names", str, [f.name])
        ]
        for function in members:
            merged = _merged(Rules(), raw, function)
            if merged.forward is not None and merged.forward.function not in functions:
                raise raw.error(f"'{merged.forward.function}' is not a function of the contract", "forward")
        known = {p.name for f in members for p in f.params}
        for key in ("ranges", "aliases"):
            _known(raw, key, raw.take(key, Mapping, {}), known)
        for key in ("plain", "sizes_in"):
            _known(raw, key, raw.take_list(key, str, []), known)


def _known(raw: Mapping, key: str, names: Any, known: set[str]) -> None:
    for name in names:
        if name not in known:
            raise raw.error(f"'{name}' is not a parameter of these operators", key)


def _merged(rules: Rules, raw: Mapping, function: Function) -> Rules:
    raw.check_keys((), KEYS)
    changes: dict[str, Any] = {}
    for key, kind in (
        ("case", str),
        ("at_least", int),
        ("longest", int),
        ("largest_integer", int),
        ("large_exponent", (int, float)),
        ("large_exponent_complex", (int, float)),
        ("huge_exponent", (int, float)),
        ("square", bool),
    ):
        if key in raw:
            changes[key] = raw.take(key, kind)
    if raw.get("may_be_empty") == "kept":
        changes["may_be_empty"] = "kept"
    elif "may_be_empty" in raw:
        changes["may_be_empty"] = tuple(raw.take_list("may_be_empty", int))
    for key, kind in (("dims", int), ("sizes_in", str), ("keep_values", str)):
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
    if "not_drawn" in raw:
        given = raw.take("not_drawn", Mapping)
        changes["not_drawn"] = {**rules.not_drawn, **{k: given.take(k, str) for k in given}}
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
