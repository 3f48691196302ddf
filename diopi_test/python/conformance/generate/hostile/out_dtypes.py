# SPDX-License-Identifier: BSD-3-Clause
"""Calls whose output has another dtype than the case. The contract says which values are converted, and when."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from adaptor.codegen.model import Function, Param
from adaptor.codegen.rules.dtypes import SameDtype

from ...cases.case import Case, TensorSpec
from ...dtypes import NUMPY, category
from .templates import Template


def _output(function: Function) -> Param | None:
    """The output that the caller creates, if the operator has exactly one output; else None."""
    outputs = [p for p in function.params if p.is_tensor_like and p.dir in ("out", "inout")]
    one = outputs[0] if len(outputs) == 1 else None
    return one if one is not None and one.is_tensor and one.dir == "out" else None


def why_not(function: Function) -> str | None:
    out = _output(function)
    if out is None:
        return "it does not have exactly one output, or the caller does not create it"
    if not any(p.is_tensor_like and p.dir == "in" for p in function.params):
        return "it reads no tensor, so the dtype of the output is the dtype of the case"
    equal = any(isinstance(c.rule, SameDtype) and out.name in c.rule.of for c in function.checks)
    if len(out.dtypes or ()) < 2 or equal:
        return "its output can have only one dtype, or must have the dtype of another tensor"
    return None


def generate(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[Case]:
    """For each dtype of the case, up to three output dtypes: of a lower, a higher and the same category of promotion.

    A hash of the names chooses among the dtypes of a category.
    """
    case = template.linked(template.case)
    out = _output(case.function)
    if out is None:
        return
    requested = case.arguments.get(out.name) or TensorSpec()
    if not isinstance(requested, TensorSpec) or requested.same is not None:
        return
    for dtype in case_dtypes:
        others = [d for d in NUMPY if d in (out.dtypes or ()) and d not in (dtype, requested.dtype)]
        kinds = [
            [d for d in others if category(d) - category(dtype) in steps] for steps in ((-3, -2, -1), (1, 2, 3), (0,))
        ]
        for fitting in filter(None, kinds):
            hash_number = hashlib.sha256(f"out:{case.function.name}/{dtype}/{fitting[0]}".encode()).digest()[0]
            other = fitting[hash_number % len(fitting)]
            yield replace(
                case,
                id=f"hostile_out_dtypes,{out.name}={other},{template.case.id}",
                arguments={**case.arguments, out.name: replace(requested, dtype=other)},
                dtypes=(dtype,),
                layouts=("contiguous",),
                hostile="out_dtypes",
            )
