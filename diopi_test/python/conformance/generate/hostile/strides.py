# SPDX-License-Identifier: BSD-3-Clause
"""Tensors whose elements share memory, and tensors whose offsets exceed 32 bits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adaptor.codegen.model import Function

from ...cases.case import Case
from .templates import Template, specs


def nothing_only_read(function: Function) -> str | None:
    if any(p.is_tensor_list for p in function.params):
        return "the layout of tensors in lists is not varied"
    if any(p.is_tensor and p.dir == "in" for p in function.params):
        return None
    return "it has no tensor that is only read"


def has_rows(case: Case) -> bool:
    """Whether an input has two dimensions of more than one element, and the case allows elements that share memory."""
    wide = [
        p
        for p, s in specs(case)
        if p.dir == "in" and p.is_tensor and s.shape is not None and sum(n > 1 for n in s.shape) > 1
    ]
    return bool(wide) and "expanded" in case.layouts and not any(p.is_tensor_list for p, _ in specs(case))


def overlapping(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[Case]:
    """Calls with overlapping windows: two dimensions have stride 1, so most elements of memory occur several times."""
    if has_rows(template.case):
        case = template.linked(template.case)
        yield replace(
            case,
            id=f"hostile_overlapping,{template.case.id}",
            layouts=("overlapping",),
            dtypes=case_dtypes,
            hostile="overlapping",
        )


def wide_stride(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[Case]:
    """Calls with rows more than 2^31 elements apart. The memory between the rows is reserved but never used."""
    if max(template.primary, default=1) > 1:
        few = tuple(d for d in case_dtypes if d in (case_dtypes[0], "float32", "int8", "bfloat16"))
        case = template.linked(template.case)
        yield replace(
            case,
            id=f"hostile_wide_stride,{template.case.id}",
            layouts=("wide_stride",),
            dtypes=few,
            hostile="wide_stride",
        )
