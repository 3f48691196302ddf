# SPDX-License-Identifier: BSD-3-Clause
"""Rules about dtypes as C++ statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..rules.dtype_fields import DtypeOf
from ..rules.dtypes import Castable, DtypeRule, SameDtype, operands
from .conditions import dtype
from .statements import (
    DTYPE,
    OPERAND_DTYPE,
    Statement,
    quoted,
    statements,
)
from .struct import is_view, is_view_list
from .terms import NotGenerated

if TYPE_CHECKING:
    from .reader import Reader


@statements.register(DtypeRule)
def _(rule: DtypeRule, reader: Reader) -> list[Statement]:
    if rule.within:
        words, expected = reader.dtype_set(rule.within.dtypes), rule.within.words
    else:
        assert rule.outside is not None
        words, expected = f"~{reader.dtype_set(rule.outside.dtypes)}", f"another than {rule.outside.words}"
    if rule.of.is_parameter:
        return [Statement(DTYPE, f"require_dtype_in({reader.view(rule.of.word)}, {words}, {quoted(expected)})")]
    tensors = tuple(operands(reader.form))
    promoted = [p.name for p in reader.operands]
    if rule.of == DtypeOf("promoted") and set(tensors) > set(promoted):  # the result has the dtype of some operands
        of, promoted = dtype(DtypeOf("promoted", tensors), reader), list(tensors)
    else:
        of = dtype(rule.of, reader)
    names = ", ".join(promoted)
    return [Statement(OPERAND_DTYPE, f"require_promoted_in({of}, {words}, {quoted(names)}, {quoted(expected)})")]


@statements.register(SameDtype)
def _(rule: SameDtype, reader: Reader) -> list[Statement]:
    if not any(reader.param(n).nullable for n in rule.of) and all(is_view_list(reader.param(n)) for n in rule.of):
        lists = [reader.view(n) for n in rule.of]
        return [Statement(DTYPE, f"require_same_dtypes({lists[0]}, {other})") for other in lists]
    views = [reader.view(n) for n in rule.of if is_view(reader.param(n))]
    if len(views) != len(rule.of):
        raise NotGenerated("the dtypes of a list")
    optional = [n for n in rule.of if reader.param(n).nullable]
    required = [n for n in rule.of if n not in optional]
    if not required:
        raise NotGenerated("tensors that may all be null")
    first = required[0]
    return [
        Statement(DTYPE, f"require_same_dtype({reader.view(n)}, {reader.view(first)})", reader.all_given(n))
        for n in rule.of
        if n != first
    ]


@statements.register(Castable)
def _(rule: Castable, reader: Reader) -> list[Statement]:
    if rule.source.is_parameter and is_view_list(reader.param(rule.source.word)):
        source = reader.view(rule.source.word)
    else:
        source = dtype(rule.source, reader)
    return [Statement(DTYPE, f"require_castable({source}, {reader.view(rule.to)})")]
