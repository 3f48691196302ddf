# SPDX-License-Identifier: BSD-3-Clause
"""Scalars that are values: which dtype each must fit, as the registry says it, and what that dtype makes of it.

`proto/registry/README.md` has the rule, under "Operands and values".
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
    """Which dtype a value must fit, in the registry's words, or what of it: its negative, its whole part."""

    dtype: str
    part: str = ""

    def accepts(self, value: bool | int | float, dtype: str) -> bool:
        if self.part.startswith("the negative"):
            value = -value
        elif self.part and math.isfinite(value):
            value = int(value)
        return fits(value, dtype)


def value_parameters(function: Function) -> dict[str, ValueRule]:
    """The parameters that must fit a dtype."""
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
    """What an integral dtype makes of a value that fits it: a whole number, and of a negative one an unsigned one."""
    if not dtypes.is_integral(dtype):
        return value
    return wrapped(int(value), dtype)


def wrapped(value: int, dtype: str) -> int:
    """The number of an integral dtype that has the same last bits."""
    limits = np.iinfo(dtypes.NUMPY[dtype])
    return (value - int(limits.min)) % (int(limits.max) - int(limits.min) + 1) + int(limits.min)


def value_dtype(rule: ValueRule, names: Mapping[str, str]) -> str | None:
    """The dtype that is meant, where `names` has the dtypes of tensors, `case` and perhaps `promoted`."""
    known = names.get("promoted") or next((names[n] for n in ("input", "mat1", "batch1", "case") if n in names), None)
    if rule.dtype == INPUT:
        return names.get("input", known)
    if rule.dtype == OUT:
        return names.get("case")
    if rule.dtype == COMPUTATION and known is not None and dtypes.is_floating(known):
        return dtypes.accumulation_dtype(known)
    return known
