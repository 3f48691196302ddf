# SPDX-License-Identifier: BSD-3-Clause
"""Scalars that are values: the dtype that each must fit according to the registry, and their conversion to this dtype.

`proto/registry/README.md` explains the rule under "Operands and values".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from adaptor.codegen.model import Function
from adaptor.codegen.rules.values import Fits

from . import dtypes


@dataclass(frozen=True)
class ValueRule:
    """The dtype that a value must fit, as a check names it, and the part of the value that must fit."""

    dtype: str
    part: str = ""  # negative or whole; empty: the value itself
    always: bool = True  # False: in the calls that meet the condition of the check

    def accepts(self, value: bool | int | float, dtype: str) -> bool:
        if self.part == "negative":
            value = -value
        elif self.part and math.isfinite(value):
            value = int(value)
        return fits(value, dtype)


def value_parameters(function: Function) -> dict[str, ValueRule]:
    """The parameters that must fit a dtype, in every call or under a condition."""
    return {
        check.rule.param: ValueRule(check.rule.dtype.word, check.rule.part or "", not check.when)
        for check in function.checks
        if isinstance(check.rule, Fits) and check.rule.minus is None
    }


def fits(value: bool | int | float, dtype: str) -> bool:
    """Whether a dtype can hold a value."""
    if dtype == "bool":
        return True
    if dtypes.is_integral(dtype):
        limits = np.iinfo(dtypes.NUMPY[dtype])
        most, least = int(limits.max), int(limits.min)
        if isinstance(value, float):
            return math.isfinite(value) and least <= value <= most
        return (-most if least == 0 else least) <= value <= most
    return not math.isfinite(value) or abs(value) <= largest(dtype)


def largest(dtype: str) -> float:
    """The largest finite number of a floating or complex dtype."""
    real = dtypes.real_dtype(dtype)
    return float(dtypes.ml_dtypes.finfo(dtypes.NUMPY[real]).max)


def held(value: bool | int | float, dtype: str) -> bool | int | float:
    """A fitting value converted to the dtype. An integral dtype truncates it; unsigned dtypes wrap negative numbers."""
    if not dtypes.is_integral(dtype):
        return value
    return wrapped(int(value), dtype)


def wrapped(value: int, dtype: str) -> int:
    """The value wrapped around to the range of an integral dtype."""
    limits = np.iinfo(dtypes.NUMPY[dtype])
    return (value - int(limits.min)) % (int(limits.max) - int(limits.min) + 1) + int(limits.min)


def value_dtype(rule: ValueRule, names: Mapping[str, str]) -> str | None:
    """The dtype that a rule means. `names` has the dtypes of tensors, of `case`, and possibly of `promoted`."""
    known = names.get("promoted") or next((names[n] for n in ("input", "mat1", "batch1", "case") if n in names), None)
    if rule.dtype == "computation":
        return dtypes.accumulation_dtype(known) if known is not None and dtypes.is_floating(known) else known
    if rule.dtype != "promoted":
        return names.get(rule.dtype) or names.get("case")
    return known
