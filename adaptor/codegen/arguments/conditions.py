# SPDX-License-Identifier: BSD-3-Clause
"""The conditions of `when`, and dtypes, as C++ expressions over the arguments of a form."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..checks import base_type
from ..rules.conditions import Condition, DtypeIn, NdimIs, NumelIs, ParamIs
from ..rules.dtype_fields import DtypeOf
from .statements import quoted
from .struct import is_view
from .terms import NotGenerated

if TYPE_CHECKING:
    from .reader import Reader


def condition(when: Condition, reader: Reader) -> str:
    """A condition as a C++ expression."""
    if isinstance(when, ParamIs):
        return _param_is(when, reader)
    if isinstance(when, DtypeIn):
        names = (when.within or when.outside).dtypes  # type: ignore[union-attr]
        text = f"{reader.dtype_set(names)}.has({dtype(when.dtype, reader)})"
        return text if when.within else f"!{text}"
    if isinstance(when, (NdimIs, NumelIs)):
        name = when.ndim if isinstance(when, NdimIs) else when.numel
        if not is_view(reader.param(name)):
            raise NotGenerated(f"a condition on {name}")
        size = f"{reader.view(name)}.{'ndim()' if isinstance(when, NdimIs) else 'numel'}"
        for sign, value in (("==", when.value), (">=", when.min), ("<=", when.max)):
            if value is not None:
                return f"{size} {sign} {value}"
    raise NotGenerated(f"the condition {when.clause()}")


def _param_is(when: ParamIs, reader: Reader) -> str:
    param = reader.param(when.param)
    if when.given is not None:
        return reader.given(when.param) if when.given else f"!{reader.given(when.param)}"
    if base_type(param.type) == "char":
        return _text_is(when, param.name)
    if param.is_pointer:
        raise NotGenerated(f"a condition on {when.param}")
    parts = []
    if when.value is not None:
        parts.append(" || ".join(f"{param.name} == {literal(v)}" for v in when.value))
    if when.other is not None:
        parts.append(" && ".join(f"{param.name} != {literal(v)}" for v in when.other))
    for sign, value in ((">=", when.min), ("<=", when.max), (">", when.above), ("<", when.below)):
        if value is not None:
            parts.append(f"{param.name} {sign} {literal(value)}")
    return " && ".join(f"({p})" if "||" in p and len(parts) > 1 else p for p in parts)


def _text_is(when: ParamIs, name: str) -> str:
    """A condition on a string."""
    alternatives = [f"std::strcmp({name}, {quoted(v)}) == 0" for v in when.value or ()]
    excluded = [f"std::strcmp({name}, {quoted(v)}) != 0" for v in when.other or ()]
    parts = [" || ".join(alternatives)] * bool(alternatives) + excluded
    return " && ".join(f"({p})" if "||" in p and len(parts) > 1 else p for p in parts)


def literal(value: object) -> str:
    """A value of YAML: names of enum values stand for themselves."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return "NAN" if math.isnan(value) else repr(value)
    return str(value)


def dtype(of: DtypeOf, reader: Reader) -> str:
    """A dtype as a C++ expression."""
    if of.is_parameter:
        if not is_view(reader.param(of.word)):
            raise NotGenerated(f"the dtype of {of.word}")
        return f"{reader.view(of.word)}.dtype"
    if of.among:
        return f"promoted_dtype({', '.join(map(reader.view, of.among))})"
    wrapper = {"promoted": "{}", "floating": "floating_dtype({})", "summed": "summed_dtype({})"}.get(of.word)
    if of.word == "computation":
        wrapper = "compute_dtype({})"
    if of.word == "real":
        first = reader.operands[0].name
        return f"real_dtype({reader.view(first)}.dtype)"
    if of.word == "quotient":
        return "(rounding_mode == RoundModeNone ? floating_dtype(args->promoted) : args->promoted)"
    if wrapper is None:
        raise NotGenerated(of.words)
    return wrapper.format("args->promoted")
