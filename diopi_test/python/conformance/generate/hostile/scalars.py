# SPDX-License-Identifier: BSD-3-Clause
"""Calls with scalars that do not fit the integer dtype of the tensors, for operators that must accept them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from adaptor.codegen.model import Function
from diopi.signatures import bare

from ... import dtypes
from ...cases.case import Case
from ...scalars import value_parameters
from .templates import Template


def operands(function: Function) -> list[str]:
    """The scalars that are operands. Other scalars must fit their dtype; the invalid calls test that."""
    values = value_parameters(function)
    return [p.name for p in function.params if bare(p.type) == "diopiScalar_t*" and p.name not in values]


def why_not(function: Function) -> str | None:
    if not any(bare(p.type) == "diopiScalar_t*" for p in function.params):
        return "it takes no scalar"
    if not operands(function):
        return "its scalars must fit their dtype; the invalid calls test that"
    if not any(
        p.is_tensor_like and p.dir in ("in", "inout") and set(p.dtypes or ()) & set(dtypes.INTEGRAL)
        for p in function.params
    ):
        return "it reads no integer tensor"
    return None


def numbers(dtype: str) -> list[int | float | bool]:
    """Integers slightly and far outside the dtype's range, a fraction, and True.

    No integer is a multiple of 2^bits, because that would wrap around to 0.
    """
    info = np.iinfo(dtype)
    beyond = [int(info.max) + 4, int(info.min) - 5, 2**33 + 7, -3, 300]
    return [n for n in beyond if not info.min <= n <= info.max and abs(n) < 2**63] + [2.75, True]


def _takes_fractions(function: Function) -> bool:
    return any(
        set(p.dtypes or ()) & set(dtypes.FLOATING) for p in function.params if p.dir != "out" and p.is_tensor_like
    )


def generate(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[Case]:
    case = template.linked(template.case)
    for name in operands(case.function):
        if case.arguments.get(name) is None:
            continue
        for dtype in (d for d in case_dtypes if dtypes.is_integral(d)):
            for number in (n for n in numbers(dtype) if _takes_fractions(case.function) or not isinstance(n, float)):
                yield replace(
                    case,
                    id=f"hostile_scalars,{name}={number},{template.case.id}",
                    arguments={**case.arguments, name: number},
                    dtypes=(dtype,),
                    layouts=("contiguous",),
                    hostile="scalars",
                )
