# SPDX-License-Identifier: BSD-3-Clause
"""Tensors whose elements share memory, and tensors that reach over more elements than 32 bits can count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adaptor.codegen.model import Function

from ..case_files import RawCase
from .templates import Template, specs


def nothing_only_read(function: Function) -> str | None:
    if any(p.is_tensor_list for p in function.params):
        return "tensors of lists keep the layout of the case"
    if any(p.is_tensor and p.dir == "in" for p in function.params):
        return None
    return "no tensor is only read"


def has_rows(raw: RawCase) -> bool:
    """Whether an input has two dimensions for windows, and its elements may share memory."""
    wide = [
        p
        for p, s in specs(raw)
        if p.dir == "in" and p.is_tensor and s.shape is not None and sum(n > 1 for n in s.shape) > 1
    ]
    return bool(wide) and "expanded" in raw.variants and not any(p.is_tensor_list for p, _ in specs(raw))


def overlapping(template: Template, own: tuple[str, ...]) -> Iterator[RawCase]:
    """Windows: two dimensions that step by one, so that most elements are seen several times."""
    if has_rows(template.raw):
        raw = template.linked(template.raw)
        yield replace(
            raw,
            id=f"hostile_overlapping,{template.raw.id}",
            variants=("overlapping",),
            dtypes=own,
            hostile="overlapping",
            own=frozenset(),
        )


def far_apart(template: Template, own: tuple[str, ...]) -> Iterator[RawCase]:
    """Rows that lie more than 2^31 elements apart, in memory that is reserved and never touched in between."""
    if max(template.primary, default=1) > 1:
        few = tuple(d for d in own if d in (own[0], "float32", "int8", "bfloat16"))
        raw = template.linked(template.raw)
        yield replace(
            raw,
            id=f"hostile_far_apart,{template.raw.id}",
            variants=("far_apart",),
            dtypes=few,
            hostile="far_apart",
            own=frozenset(),
        )
