# SPDX-License-Identifier: BSD-3-Clause
"""Calls in which one tensor holds finite numbers of every magnitude up to the dtype's largest number.

All other tensors hold ordinary numbers. So if an intermediate result overflows, this one tensor is the cause.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adaptor.codegen.model import Function

from ...cases.case import Case
from ...cases.special_numbers import Mix
from ...dtypes import FLOATING, is_floating
from . import special
from .rules import Range
from .special import dtypes_of, longer, number_tensors
from .templates import Template


def why_not(function: Function) -> str | None:
    numbers = [p for p in function.params if p.dir in ("in", "inout") and p.is_tensor_like]
    if not any(p.dtypes is None or set(p.dtypes) & set(FLOATING) for p in numbers):
        return "it reads no floating-point tensor"
    return special.why_not(function)


def generate(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[Case]:
    case, rules = longer(template), template.rules
    for name in number_tensors(case, template):
        fitting = tuple(d for d in case_dtypes if all(is_floating(t) for t in dtypes_of(case, [name], d)))
        mix = Mix(
            ("huge",),
            **vars(rules.ranges.get(name, Range())),
            large_exponent=0.95 if rules.huge_exponent is None else rules.huge_exponent,
        )
        value = case.arguments[name]
        mixed = [s and replace(s, mix=mix) for s in value] if isinstance(value, list) else replace(value, mix=mix)
        if fitting:
            yield replace(
                case,
                id=f"hostile_huge,{name},{template.case.id}",
                arguments={**case.arguments, name: mixed},
                dtypes=fitting,
                layouts=("contiguous",),
                hostile="huge",
            )
