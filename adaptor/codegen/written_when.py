# SPDX-License-Identifier: BSD-3-Clause
"""The conditions under which a call writes an output: their mistakes, and what documents and entries make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rules.base import Condition
from .rules.conditions import NumelIs, ParamIs, plain_text
from .strict_yaml import Mapping

if TYPE_CHECKING:  # model imports this module
    from .model import Function, Param


def check_written_when(function: Function, raw: Mapping) -> None:
    """The entries evaluate these conditions, so they speak only of what an entry knows without reading elements."""
    for param, at in zip(function.params, raw["params"]):
        for condition in param.written_when:
            name = condition.names()[0]
            known = next((p for p in function.params if p.name == name), None)
            if known is None:
                raise at.error(f"'{name}' is not a parameter of {function.name}", "written_when")
            if not _is_plain(condition, known):
                raise at.error(
                    "a condition of written_when is about a flag, a number, or the number of elements of a tensor "
                    "that is not null",
                    "written_when",
                )


def _is_plain(condition: Condition, param: Param) -> bool:
    if isinstance(condition, NumelIs):
        return param.is_tensor and not param.nullable
    return isinstance(condition, ParamIs) and condition.given is None and not param.is_pointer


def words(param: Param) -> str:
    """`written only if training is true, otherwise left as it is`."""
    return f"written only if {' and '.join(c.clause() for c in param.written_when)}, otherwise left as it is"


def expression(param: Param) -> str:
    """The conditions as a C++ expression over the arguments of an entry."""
    return " && ".join(_expression(c) for c in param.written_when)


def _expression(condition: Condition) -> str:
    if isinstance(condition, NumelIs):
        subject = f"diopi::numel_of({condition.numel})"
        bounds = (("==", condition.value), (">=", condition.min), ("<=", condition.max))
        return " && ".join(f"{subject} {sign} {value}" for sign, value in bounds if value is not None)
    assert isinstance(condition, ParamIs)
    parts = [" || ".join(f"{condition.param} == {plain_text(v)}" for v in condition.value or ())]
    parts += [f"{condition.param} != {plain_text(v)}" for v in condition.other or ()]
    limits = ((">=", condition.min), ("<=", condition.max), (">", condition.above), ("<", condition.below))
    parts += [f"{condition.param} {sign} {plain_text(limit)}" for sign, limit in limits if limit is not None]
    return " && ".join(f"({p})" if "||" in p else p for p in parts if p)
