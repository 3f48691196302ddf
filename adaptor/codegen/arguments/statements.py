# SPDX-License-Identifier: BSD-3-Clause
"""Rules of the registry as C++ statements over the arguments of a form.

A statement has a stage: what is given, values of attributes, dtypes of operands, other dtypes, numbers of dimensions,
shapes, then the shapes that results have. The statements of a form are sorted by stage, so a check of an extent comes
after the check that the dimension exists.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING

from ..rules.base import Rule
from ..rules.shapes import (
    Bounded,
)
from .terms import NotGenerated, number

if TYPE_CHECKING:
    from .reader import Reader

GIVEN, ATTRIBUTE, OPERAND_DTYPE, DTYPE, NDIM, SHAPE, RESULT = range(7)


@dataclass(frozen=True)
class Statement:
    """The call of a function that returns a Status."""

    stage: int
    call: str
    given: tuple[str, ...] = ()  # the call is made if these expressions are true
    check: str = ""  # the identifier of the check


def quoted(text: object) -> str:
    return json.dumps(str(text))


@singledispatch
def statements(rule: Rule, reader: Reader) -> list[Statement]:
    """The statements of a rule. Raises NotGenerated if the family makes the check."""
    raise NotGenerated(f"the rule {rule.name}")


def bounds(rule: Bounded, reader: Reader) -> str:
    """The bounds of a rule as a C++ expression."""
    if rule.within is not None:
        return f"OneOf{{{', '.join(map(str, rule.within))}}}"
    if rule.value is not None:
        return f"Between::exactly({number(rule.value, reader)})"
    least = "0" if rule.min is None else number(rule.min, reader)
    most = "INT64_MAX" if rule.max is None else number(rule.max, reader)
    return f"Between{{{least}, {most}}}"


def alternatives(values: object) -> str:
    words = [str(v) for v in values]  # type: ignore[attr-defined]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
