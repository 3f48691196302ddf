# SPDX-License-Identifier: BSD-3-Clause
"""Calls with sizes near the widths of SIMD vectors, in the dimensions whose size may be any number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...cases.case import Case
from .templates import Template

WIDTHS = (4, 8, 16, 32, 64)
LENGTHS = tuple(sorted({1} | {w + d for w in WIDTHS for d in (-1, 0, 1)}))
LAYOUTS = ("contiguous", "offset")


def generate(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[Case]:
    """Varies the last dimension with every dtype, then the reduced dimensions with at most three dtypes.

    If the rules name dimensions (`dims`), these are varied instead.
    """
    for place, dim in enumerate(_dims(template)):
        few = tuple(d for d in case_dtypes if d in (case_dtypes[0], "float32", "bfloat16"))
        for length in LENGTHS:
            case = template.resized(dim, length) if length >= template.rules.at_least else None
            if case is not None:
                yield replace(
                    case,
                    id=f"hostile_lengths,{dim}={length},{template.case.id}",
                    layouts=LAYOUTS,
                    dtypes=case_dtypes if place == 0 else few,
                    hostile="lengths",
                )


def _dims(template: Template) -> list[int]:
    if template.rules.dims is not None:
        return list(template.dims)
    return list(dict.fromkeys(d for d in (*template.dims[:1], *template.reduced) if d in template.dims))
