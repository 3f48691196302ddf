# SPDX-License-Identifier: BSD-3-Clause
"""Calls in which each dimension in turn has size 1, with an arbitrary stride of this dimension.

The stride of a dimension of size 1 has no meaning. Code with a special path for such dimensions may still use the
stride, or assume that elements are adjacent or that the output has the input's layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...cases.case import Case, TensorSpec
from .templates import Template

_POOL = re.compile(r"diopi(Adaptive)?\w*Pool([123])d(?:WithIndices|Backward)?")


def generate(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[Case]:
    few = tuple(d for d in case_dtypes if d in (case_dtypes[0], "float32", "bfloat16"))
    pool = _POOL.fullmatch(template.case.function.name)
    made = _windows(template, pool) if pool else _plain(template)
    for dim, case in made:
        yield replace(
            case,
            id=f"hostile_thin,{dim},{template.case.id}",
            layouts=("odd_strides", "mixed"),
            dtypes=few,
            hostile="thin",
        )


def _plain(template: Template) -> Iterator[tuple[int, Case]]:
    """Sets each dimension in turn to size 1. If kernels need larger sizes, only the outermost dimension is set."""
    rank = len(template.primary)
    for dim in template.dims:
        outer = dim == -rank and rank > 3  # the batch of images, which a kernel does not span
        case = template.resized(dim, 1) if template.rules.at_least <= 1 or outer else None
        if case is not None:
            yield dim, case


def _windows(template: Template, pool: re.Match) -> Iterator[tuple[int, Case]]:
    """Pooling windows without overlap, of two elements in each spatial dimension but one, which has size 1."""
    count = int(pool[2])
    for thin in range(count):
        sizes, kernel = ([1 if i == thin else n for i in range(count)] for n in (4, 2))
        attributes: dict[str, Any] = {
            "kernel_size": kernel,
            "ksize": kernel,
            "stride": kernel,
            "padding": [0] * count,
            "dilation": [1] * count,
        }
        results = [n // k for n, k in zip(sizes, kernel)]
        attributes |= {"output_size": results, "ceil_mode": False, "divisor_override": None}
        arguments = dict(template.case.arguments)
        arguments |= {k: v for k, v in attributes.items() if k in arguments}
        for name, shape in (("input", sizes), ("grad_output", results)):
            if isinstance(arguments.get(name), TensorSpec):
                arguments[name] = replace(arguments[name], shape=(2, 3, *shape), values=None)
        yield thin - count, template.linked(replace(template.case, arguments=arguments))
