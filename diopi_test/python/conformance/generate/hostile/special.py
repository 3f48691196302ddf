# SPDX-License-Identifier: BSD-3-Clause
"""Calls with NaN, infinities, signed zeros, denormals, large numbers and integer extremes among ordinary numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from adaptor.codegen.model import Function, Param

from ...cases.case import Case, TensorSpec
from ...cases.special_numbers import KINDS, Mix, kinds_of
from ...handles import Argument
from ...lists import as_list
from .rules import Range
from .templates import Template

LENGTH = 37  # size of the last dimension: several SIMD vectors and a remainder
_POSITIONS = ("indices", "signed_indices", "permutation", "mask")


def generate(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[Case]:
    """One case for each kind of number, with this kind in all tensors. If there are several tensors, also one case for
    each tensor, with all kinds in this tensor."""
    case = longer(template)
    names = number_tensors(case, template)
    for kind in KINDS:
        fitting = tuple(d for d in case_dtypes if any(kind in kinds_of(t) for t in dtypes_of(case, names, d)))
        if fitting and names:
            yield _case(template, case, names, (kind,), fitting, kind)
    for name in names if len(names) > 1 else ():
        fitting = tuple(d for d in case_dtypes if any(kinds_of(t) for t in dtypes_of(case, [name], d)))
        if fitting:
            yield _case(template, case, [name], KINDS, fitting, f"all_in_{name}")


def number_tensors(case: Case, template: Template) -> list[str]:
    """The parameters whose tensors hold numbers for computation, not indices or masks."""
    return [p.name for p in case.function.params if _holds_numbers(p, case.arguments.get(p.name), template)]


def why_not(function: Function) -> str | None:
    """The reason why the class does not apply to an operator, or None."""
    if any(p.dir in ("in", "inout") and p.is_tensor_like and _of_numbers(p) for p in function.params):
        return None
    return "it reads only tensors of indices or masks, or no tensor"


def longer(template: Template) -> Case:
    """The template with size LENGTH in its last dimension that may change, if there is one."""
    for dim in template.dims[:1]:
        longer = template.resized(dim, max(LENGTH, template.rules.at_least))
        if longer is not None:
            return longer
    return template.linked(template.case)


def _first(value: Argument) -> Any:
    """The first TensorSpec of an argument that is a tensor or a list of tensors; None if there is none."""
    found = as_list(value)
    return next((s for s in found if isinstance(s, TensorSpec)), None)


def _holds_numbers(p: Param, value: Argument, template: Template) -> bool:
    """Whether the tensor holds numbers for computation that this class may replace: not indices, masks, literal values
    or numbers that a forward call gave."""
    spec = _first(value)
    if p.dir not in ("in", "inout") or spec is None or spec.values is not None or spec.same is not None:
        return False
    if p.name in template.rules.keep_values or (spec.gen or "").split("(")[0] in _POSITIONS:
        return False
    if any(s.parameter == p.name and not s.shape_only for s in template.linked(template.case).saved):
        return False
    return _of_numbers(p)


def _of_numbers(p: Param) -> bool:
    return p.dtypes is None or len(set(p.dtypes) - {"bool", "uint8", "int32", "int64"}) > 0


def dtypes_of(case: Case, names: list[str], dtype: str) -> set[str]:
    return {spec.dtype or dtype for spec in map(_first, (case.arguments[n] for n in names))}


def with_mix(template: Template, case: Case, names: list[str], kinds: tuple[str, ...]) -> Case:
    """The case with special numbers of these kinds in the tensors of these names."""
    arguments, rules = dict(case.arguments), template.rules
    for name in names:
        mix = Mix(
            kinds,
            **vars(rules.ranges.get(name, Range())),
            large_exponent=rules.large_exponent,
            large_exponent_complex=rules.large_exponent_complex,
            largest_integer=rules.largest_integer,
        )
        value = arguments[name]
        arguments[name] = (
            [s and replace(s, mix=mix) for s in value] if isinstance(value, list) else replace(value, mix=mix)
        )
    return replace(case, arguments=arguments)


def _case(
    template: Template, case: Case, names: list[str], kinds: tuple[str, ...], case_dtypes: tuple[str, ...], label: str
) -> Case:
    layouts = ("contiguous", "mixed") if "mixed" in case.layouts else ("contiguous",)
    return replace(
        with_mix(template, case, names, kinds),
        id=f"hostile_special,{label},{template.case.id}",
        dtypes=case_dtypes,
        layouts=layouts,
        hostile="special",
    )
