# SPDX-License-Identifier: BSD-3-Clause
"""Calls with size 0 in each dimension in turn, with 0-d tensors, and with tensors of one element."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...cases.case import Case, TensorSpec
from .templates import Template, renamed_spec, specs


def empty(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[Case]:
    for dim in template.emptied:
        case = template.resized(dim, 0)
        if case is not None:
            yield replace(
                case,
                id=f"hostile_empty,{dim},{template.case.id}",
                layouts=("contiguous", "strided_out"),
                dtypes=case_dtypes,
                hostile="empty",
            )


def one_element(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[Case]:
    case = template.renamed(lambda n: 1)
    if case is not None and template.rules.at_least <= 1:
        yield replace(
            case,
            id=f"hostile_one_element,{template.case.id}",
            layouts=("contiguous", "offset"),
            dtypes=case_dtypes,
            hostile="one_element",
        )


def has_one_shape(case: Case) -> bool:
    """Whether all input tensors (all tensors, if there is no input) have the same shape, 0-d tensors excepted."""
    shapes = {s.shape for p, s in specs(case) if p.dir != "out"} or {s.shape for _, s in specs(case)}
    return len(shapes - {()}) <= 1 and None not in shapes


def zero_dim(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[Case]:
    """A call with 0-d tensors only, if all tensors of the template have the same shape. Arguments that name a dimension
    become 0 or an empty list."""
    arguments = dict(template.case.arguments)
    if not has_one_shape(template.case):
        return
    arguments |= {name: [] for name in template.rules.sizes_in if isinstance(arguments.get(name), list)}
    for p, spec in specs(template.case):
        if spec.shape is None:
            continue
        value = template.case.arguments[p.name]
        arguments[p.name] = [v and _number(v) for v in value] if isinstance(value, list) else _number(value)
    for name in ("dim", "dims", "dim0", "dim1"):
        if arguments.get(name) is not None:
            arguments[name] = [] if isinstance(arguments[name], list) else 0
    case = template.linked(replace(template.case, arguments=arguments))
    yield replace(
        case,
        id=f"hostile_zero_dim,{template.case.id}",
        layouts=("contiguous", "offset", "vector_of_one"),
        dtypes=case_dtypes,
        hostile="zero_dim",
    )


def _number(spec: TensorSpec) -> TensorSpec:
    return replace(renamed_spec(spec, lambda n: 1), shape=())
