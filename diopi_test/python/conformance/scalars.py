# SPDX-License-Identifier: BSD-3-Clause
"""Scalars that are values: the dtype that each must fit according to the registry, and their conversion to this dtype.

`proto/registry/README.md` explains the rule under "Operands and values".
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from adaptor.codegen.model import Function
from adaptor.codegen.rules.values import PARTS, Fits

from . import dtypes

PROMOTED, INPUT, COMPUTATION, OUT = (
    "the promoted dtype",
    "the dtype of input",
    "the dtype of the computation",
    "the dtype",
)
SENTENCE = re.compile(
    r"(?P<part>the negative of |the whole part of )?(?P<name>\w+) does not fit "
    rf"(?P<dtype>{PROMOTED}|{INPUT}|{COMPUTATION}|{OUT})\.?"
)


@dataclass(frozen=True)
class ValueRule:
    """The dtype that a value must fit, in the registry's words. `part` says if its negative or whole part must fit."""

    dtype: str
    part: str = ""

    def accepts(self, value: bool | int | float, dtype: str) -> bool:
        if self.part.startswith("the negative"):
            value = -value
        elif self.part and math.isfinite(value):
            value = int(value)
        return fits(value, dtype)


def value_parameters(function: Function) -> dict[str, ValueRule]:
    """The parameters whose values must fit a dtype, with their rules."""
    found = (SENTENCE.fullmatch(sentence) for sentence in function.contract.get("errors", ()))
    written = {match["name"]: ValueRule(match["dtype"], match["part"] or "") for match in found if match}
    return written | {
        check.rule.param: ValueRule(_WORDS.get(check.rule.dtype.word, OUT), PARTS.get(check.rule.part or "", ""))
        for check in function.checks
        if isinstance(check.rule, Fits) and check.rule.minus is None
    }


_WORDS = {"promoted": PROMOTED, "input": INPUT, "computation": COMPUTATION}


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
    if rule.dtype == INPUT:
        return names.get("input", known)
    if rule.dtype == OUT:
        return names.get("case")
    if rule.dtype == COMPUTATION and known is not None and dtypes.is_floating(known):
        return dtypes.accumulation_dtype(known)
    return known
