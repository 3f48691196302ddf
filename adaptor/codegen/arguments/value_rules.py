# SPDX-License-Identifier: BSD-3-Clause
"""Rules about attributes as C++ statements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..checks import base_type
from ..rules.values import (
    Absent,
    AnyGiven,
    Enum,
    Fits,
    Given,
    Length,
    Ordered,
    String,
    Sum,
    Value,
    Values,
    WholeNumber,
)
from .conditions import dtype, literal
from .statements import (
    ATTRIBUTE,
    DTYPE,
    GIVEN,
    SHAPE,
    Statement,
    alternatives,
    bounds,
    quoted,
    statements,
)
from .terms import NotGenerated, names_shape, number

if TYPE_CHECKING:
    from ..model import Param
    from .reader import Reader


@statements.register(Given)
def _(rule: Given, reader: Reader) -> list[Statement]:
    return [Statement(GIVEN, f"require_given({reader.given(rule.params)}, {quoted(rule.params)})")]


@statements.register(Absent)
def _(rule: Absent, reader: Reader) -> list[Statement]:
    return [Statement(GIVEN, f"require_absent({reader.given(rule.params)}, {quoted(rule.params)})")]


@statements.register(AnyGiven)
def _(rule: AnyGiven, reader: Reader) -> list[Statement]:
    given = " || ".join(reader.given(p) for p in rule.params)
    return [Statement(GIVEN, f"require_given({given}, {quoted(' or '.join(rule.params))})")]


@statements.register(Enum)
def _(rule: Enum, reader: Reader) -> list[Statement]:
    param = reader.param(rule.param)
    values = rule.within or [name for name, _ in reader.registry.enums[base_type(param.type)]]
    given = ", ".join(f"int({v})" for v in values)
    return [
        Statement(
            ATTRIBUTE, f"require_enum({quoted(param.name)}, {param.name}, {{{given}}}, {quoted(alternatives(values))})"
        )
    ]


@statements.register(String)
def _(rule: String, reader: Reader) -> list[Statement]:
    values = ", ".join(map(quoted, rule.within))
    return [Statement(ATTRIBUTE, f"require_string({quoted(rule.param)}, {rule.param}, {{{values}}})")]


@statements.register(WholeNumber)
def _(rule: WholeNumber, reader: Reader) -> list[Statement]:
    param = reader.param(rule.param)
    if not param.is_scalar:
        raise NotGenerated(f"{rule.param} is no scalar")
    return [Statement(ATTRIBUTE, f"require_whole_number(*{rule.param}, {quoted(rule.param)})")]


@statements.register(Value)
def _(rule: Value, reader: Reader) -> list[Statement]:
    param = reader.param(rule.param)
    name, result = quoted(rule.param), []
    floating = param.is_scalar or base_type(param.type) in ("double", "float")
    value = _number(rule, param)
    whole = "whole_part_" * bool(rule.part)
    if rule.finite:
        result.append(Statement(ATTRIBUTE, f"require_finite({name}, {value})"))
    if rule.within:
        r = rule.within
        least, most = (
            f"Bound{{{_bound(v)}, {str(o).lower()}}}" for v, o in ((r.least, r.open_left), (r.most, r.open_right))
        )
        result.append(Statement(ATTRIBUTE, f"require_within({name}, {value}, {least}, {most})"))
    bounds = (("at_least", rule.min), ("at_most", rule.max), ("above", rule.above), ("below", rule.below))
    for word, bound in bounds:
        if bound is not None:
            stage = SHAPE if names_shape(bound) else ATTRIBUTE
            of = number(bound, reader)
            text = f"require_{whole}{word}({name}, {value}, {f'double({of})' if floating else of}"
            result.append(Statement(stage, f"{text}{', kNanAllowed' if rule.nan else ''})"))
    for other in rule.other or ():
        text = f"double({literal(other)})" if floating else literal(other)
        result.append(Statement(ATTRIBUTE, f"require_{whole}not({name}, {value}, {text})"))
    return result


def _number(rule: Value, param: Param) -> str:
    """The number of which the rule speaks, as a C++ expression."""
    bounds = (rule.finite, rule.within, rule.max, rule.above, rule.below)
    if rule.part and not (param.is_scalar and all(b is None for b in bounds)):
        raise NotGenerated(f"the whole part of {rule.param}")
    if param.is_scalar:
        return f"scalar_as<double>(*{param.name})"
    if param.is_pointer and base_type(param.type) != "int64_t":
        raise NotGenerated(f"{rule.param} is no number")
    return f"*{param.name}" if param.is_pointer else param.name


def _bound(value: float) -> str:
    return ("-" * (value < 0) + "INFINITY") if math.isinf(value) else repr(value)


@statements.register(Values)
def _(rule: Values, reader: Reader) -> list[Statement]:
    param = reader.param(rule.of)
    if base_type(param.type) != "diopiSize_t" or param.is_pointer:
        raise NotGenerated(f"{rule.of} is no diopiSize_t")
    least = "INT64_MIN" if rule.min is None else number(rule.min, reader)
    most = "INT64_MAX" if rule.max is None else number(rule.max, reader)
    stage = SHAPE if names_shape(rule.min) or names_shape(rule.max) else ATTRIBUTE
    return [Statement(stage, f"require_entries({quoted(rule.of)}, {rule.of}, {least}, {most})")]


@statements.register(Length)
def _(rule: Length, reader: Reader) -> list[Statement]:
    param = reader.param(rule.of)
    if param.is_tensor_list and param.count:
        length = param.count
    elif base_type(param.type) == "diopiSize_t" and not param.is_pointer:
        length = f"{param.name}.len"
    else:
        raise NotGenerated(f"the length of {rule.of}")
    shaped = any(names_shape(t) for t in (rule.value, rule.min, rule.max))
    return [
        Statement(
            SHAPE if shaped else ATTRIBUTE, f"require_length({quoted(rule.of)}, {length}, {bounds(rule, reader)})"
        )
    ]


@statements.register(Ordered)
def _(rule: Ordered, reader: Reader) -> list[Statement]:
    if any(reader.param(n).is_scalar for n in rule.params):
        raise NotGenerated("numbers of the caller")
    first, second = rule.params
    values = [_value(reader.param(n)) for n in rule.params]
    strict = ", kStrictly" if rule.strict else ""
    return [
        Statement(ATTRIBUTE, f"require_ordered({quoted(first)}, {values[0]}, {quoted(second)}, {values[1]}{strict})")
    ]


@statements.register(Fits)
def _(rule: Fits, reader: Reader) -> list[Statement]:
    param = reader.param(rule.param)
    if rule.finite or rule.exact or rule.in_range:
        return [Statement(DTYPE, _number_fits(rule, reader))]
    if rule.minus is not None:
        raise NotGenerated("a number other than the argument")
    if not param.is_scalar:
        raise NotGenerated(f"{rule.param} is no scalar")
    part = {None: "", "negative": "negative_", "whole": "whole_part_"}[rule.part]
    call = f"require_{part}fits(*{rule.param}, {quoted(rule.param)}, {dtype(rule.dtype, reader)})"
    return [Statement(DTYPE, call)]


def _number_fits(rule: Fits, reader: Reader) -> str:
    """A check of a number that is no diopiScalar_t, or of the difference of two numbers."""
    of, argument = dtype(rule.dtype, reader), _value(reader.param(rule.param))
    text, value = rule.param, argument
    if rule.minus is not None:
        text = f"{text} - {rule.minus}"
        value = f"{value} - {rule.minus}" if rule.finite else f"difference_of({value}, {number(rule.minus, reader)})"
    if rule.exact:
        return f"require_exact({quoted(rule.param)}, {argument}, {value}, {of})"
    return f"require_{'finite_fits' if rule.finite else 'in_range'}({quoted(text)}, {value}, {of})"


def _value(param: Param) -> str:
    return f"*{param.name}" if param.is_pointer else param.name


@statements.register(Sum)
def _(rule: Sum, reader: Reader) -> list[Statement]:
    param = reader.param(rule.of)
    if base_type(param.type) != "diopiSize_t" or param.is_pointer:
        raise NotGenerated(f"{rule.of} is no diopiSize_t")
    value = number(rule.value, reader)
    return [Statement(SHAPE, f"require_sum({quoted(rule.of)}, {rule.of}, {quoted(rule.value)}, {value})")]
