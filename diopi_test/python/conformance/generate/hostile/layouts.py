# SPDX-License-Identifier: BSD-3-Clause
"""Tensors whose elements share memory, and tensors whose offsets exceed 32 bits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adaptor.codegen.model import Function

from ...cases.case import RawCase
from .templates import Template, specs


def nothing_only_read(function: Function) -> str | None:
    if any(p.is_tensor_list for p in function.params):
        return "the layout of tensors in lists is not varied"
    if any(p.is_tensor and p.dir == "in" for p in function.params):
        return None
    return "it has no tensor that is only read"


def has_rows(raw: RawCase) -> bool:
    """Whether an input has two dimensions of more than one element, and the case allows elements that share memory."""
    wide = [
        p
        for p, s in specs(raw)
        if p.dir == "in" and p.is_tensor and s.shape is not None and sum(n > 1 for n in s.shape) > 1
    ]
    return bool(wide) and "expanded" in raw.variants and not any(p.is_tensor_list for p, _ in specs(raw))


def overlapping(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[RawCase]:
    """Calls with overlapping windows: two dimensions have stride 1, so most elements of memory occur several times."""
    if has_rows(template.raw):
        raw = template.linked(template.raw)
        yield replace(
            raw,
            id=f"hostile_overlapping,{template.raw.id}",
            variants=("overlapping",),
            dtypes=case_dtypes,
            hostile="overlapping",
            own=frozenset(),
        )


def far_apart(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[RawCase]:
    """Calls with rows more than 2^31 elements apart. The memory between the rows is reserved but never used."""
    if max(template.primary, default=1) > 1:
        few = tuple(d for d in case_dtypes if d in (case_dtypes[0], "float32", "int8", "bfloat16"))
        raw = template.linked(template.raw)
        yield replace(
            raw,
            id=f"hostile_far_apart,{template.raw.id}",
            variants=("far_apart",),
            dtypes=few,
            hostile="far_apart",
            own=frozenset(),
        )
