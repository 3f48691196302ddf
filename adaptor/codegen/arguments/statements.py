# SPDX-License-Identifier: BSD-3-Clause
"""Rules of the registry as C++ statements over the arguments of a form.

A statement has a stage: what is given, values of attributes, dtypes of operands, other dtypes, numbers of dimensions,
shapes, then the shapes that results have. The statements of a form are sorted by stage, so a check of an extent comes
after the check that the dimension exists.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING

from ..checks import base_type
from ..rules.base import Rule
from ..rules.conditions import Condition, DtypeIn, NdimIs, NumelIs, ParamIs
from ..rules.dtype_fields import DtypeOf
from ..rules.dtypes import Castable, DtypeRule, SameDtype, operands
from ..rules.shapes import (
    Bounded,
    Broadcastable,
    BroadcastsTo,
    Divisible,
    EndsWith,
    EqualExtents,
    Extent,
    ExtentsWithin,
    FitsIndex,
    Ndim,
    NoEmptyDims,
    NonemptyReduction,
    NoOverlap,
    Numel,
    SameShape,
    Shape,
)
from ..rules.terms import Name, Number, Slice, Term
from ..rules.values import (
    Absent,
    AnyGiven,
    DimInRange,
    DimsInRange,
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
from .struct import is_view, is_view_list
from .terms import NotGenerated, extents, names_shape, number, shape

if TYPE_CHECKING:
    from ..model import Param
    from .reader import Reader

GIVEN, ATTRIBUTE, OPERAND_DTYPE, DTYPE, NDIM, SHAPE, RESULT = range(7)


@dataclass(frozen=True)
class Statement:
    """The call of a function that returns a Status."""

    stage: int
    call: str
    given: tuple[str, ...] = ()  # the call is made if these expressions are true


def quoted(text: object) -> str:
    return json.dumps(str(text))


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


@singledispatch
def statements(rule: Rule, reader: Reader) -> list[Statement]:
    """The statements of a rule. Raises NotGenerated if the family makes the check."""
    raise NotGenerated(f"the rule {rule.name}")


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
        Statement(ATTRIBUTE, f"require_enum({quoted(param.name)}, {param.name}, {{{given}}}, {quoted(_or(values))})")
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
    return [Statement(ATTRIBUTE, f"require_entries({quoted(rule.of)}, {rule.of}, {least}, {most})")]


def _within(rule: Bounded, reader: Reader) -> str:
    """The bounds of a rule as a C++ expression."""
    if rule.within is not None:
        return f"OneOf{{{', '.join(map(str, rule.within))}}}"
    if rule.value is not None:
        return f"Between::exactly({number(rule.value, reader)})"
    least = "0" if rule.min is None else number(rule.min, reader)
    most = "INT64_MAX" if rule.max is None else number(rule.max, reader)
    return f"Between{{{least}, {most}}}"


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
            SHAPE if shaped else ATTRIBUTE, f"require_length({quoted(rule.of)}, {length}, {_within(rule, reader)})"
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


@statements.register(Sum)
def _(rule: Sum, reader: Reader) -> list[Statement]:
    param = reader.param(rule.of)
    if base_type(param.type) != "diopiSize_t" or param.is_pointer:
        raise NotGenerated(f"{rule.of} is no diopiSize_t")
    value = number(rule.value, reader)
    return [Statement(SHAPE, f"require_sum({quoted(rule.of)}, {rule.of}, {quoted(rule.value)}, {value})")]


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


@statements.register(Ndim)
def _(rule: Ndim, reader: Reader) -> list[Statement]:
    if not is_view(reader.param(rule.of)) and not is_view_list(reader.param(rule.of)):
        raise NotGenerated(f"the dimensions of {rule.of}")
    return [Statement(NDIM, f"require_ndim({reader.view(rule.of)}, {_within(rule, reader)})")]


@statements.register(Numel)
def _(rule: Numel, reader: Reader) -> list[Statement]:
    if not is_view(reader.param(rule.of)) and not is_view_list(reader.param(rule.of)):
        raise NotGenerated(f"the elements of {rule.of}")
    return [Statement(SHAPE, f"require_numel({reader.view(rule.of)}, {_within(rule, reader)})")]


@statements.register(DimInRange)
def _(rule: DimInRange, reader: Reader) -> list[Statement]:
    param, of = reader.param(rule.param), reader.param(rule.of)
    if param.is_pointer and _reads_reduction(rule, reader):
        return []
    if base_type(param.type) == "int64_t" and param.is_pointer and is_view(of):
        return [Statement(NDIM, f"require_dim(*{param.name}, {reader.view(rule.of)}, {quoted(param.name)})")]
    if param.is_pointer or not is_view(of):
        raise NotGenerated(f"{rule.param} is no integer")
    member = f"args->{reader.location(rule.param)}"
    return [Statement(NDIM, f"wrap_dim({param.name}, {reader.view(rule.of)}, {quoted(param.name)}, &{member})")]


def _reads_reduction(rule: DimInRange | DimsInRange | EndsWith, reader: Reader) -> bool:
    """Whether the check is made when the mask of the reduced dimensions is computed."""
    reduction = reader.operator.reduction
    return reduction is not None and reduction.reads(rule)


@statements.register(EndsWith)
def _(rule: EndsWith, reader: Reader) -> list[Statement]:
    if not _reads_reduction(rule, reader):
        raise NotGenerated(f"the rule {rule.name}")
    return []


@statements.register(DimsInRange)
def _(rule: DimsInRange, reader: Reader) -> list[Statement]:
    if _reads_reduction(rule, reader):
        return []
    param = reader.param(rule.param)
    if base_type(param.type) != "diopiSize_t" or param.is_pointer or not is_view(reader.param(rule.of)):
        raise NotGenerated(f"the rule {rule.name}")
    name, view = quoted(param.name), reader.view(rule.of)
    length = f"require_length({name}, {param.name}.len, Between::exactly({view}.ndim()))"
    dims = f"require_dims({name}, {param.name}, {view})"
    return [Statement(NDIM, call) for call in ((length, dims) if rule.all else (dims,))]


@statements.register(NonemptyReduction)
def _(rule: NonemptyReduction, reader: Reader) -> list[Statement]:
    return [Statement(SHAPE, f"require_nonempty_reduction({reader.view(rule.of)}, args->reduced)")]


@statements.register(SameShape)
def _(rule: SameShape, reader: Reader) -> list[Statement]:
    first = reader.param(rule.of[0])
    if len(rule.of) == 1 and is_view_list(first) and not first.nullable:
        return [Statement(SHAPE, f"require_same_shapes({reader.view(first.name)})")]
    params = [reader.param(n) for n in rule.of]
    if all(is_view_list(p) and p.count == first.count for p in params) and not first.nullable:
        lists = [(reader.view(n), reader.all_given(n)) for n in rule.of[1:]]
        return [
            Statement(SHAPE, f"require_same_shapes({view}, {reader.view(first.name)})", given) for view, given in lists
        ]
    if not all(is_view(reader.param(n)) for n in rule.of):
        raise NotGenerated("the shapes of a list")
    solid = [n for n in rule.of if not reader.may_be_vector(n) and not reader.param(n).nullable] or [rule.of[0]]
    if reader.param(solid[0]).nullable:
        views = ", ".join(map(reader.pointer, rule.of))
        return [Statement(SHAPE, f"require_same_shapes({{{views}}})")]
    rest = [n for n in rule.of if n != solid[0]]
    like = reader.view(solid[0])
    return [Statement(SHAPE, _same_shape(n, like, reader), reader.all_given(n)) for n in rest]


def _same_shape(name: str, like: str, reader: Reader) -> str:
    view = reader.view(name)
    return (
        f"require_result_shape(&{view}, {like})"
        if reader.may_be_vector(name)
        else f"require_same_shape({view}, {like})"
    )


@statements.register(Shape)
def _(rule: Shape, reader: Reader) -> list[Statement]:
    if not is_view(reader.param(rule.of)):
        raise NotGenerated(f"the shape of {rule.of}")
    view = reader.view(rule.of)
    if rule.ignored is not None:
        raise NotGenerated("a shape with a free dimension")
    if isinstance(rule.value, Name) and is_view(reader.param(rule.value.name)):
        like = rule.value.name
        return [Statement(SHAPE, _same_shape(rule.of, reader.view(like), reader), reader.all_given(like))]
    if isinstance(rule.value, tuple):
        return [Statement(SHAPE, f"require_shape_like(&{view}, {_pattern(rule.value, reader)})")]
    function = f"require_result_shape(&{view}" if reader.may_be_vector(rule.of) else f"require_shape({view}"
    return [Statement(SHAPE, f"{function}, {shape(rule.value, reader)})")]


def _pattern(terms: tuple[object, ...], reader: Reader) -> str:
    """Extents of which some are free as a C++ expression; a list of single extents needs no ShapePattern."""
    if any(isinstance(t, Slice) for t in terms):
        return "ShapePattern()" + "".join(extents(t, reader) for t in terms)
    return f"{{{', '.join('kAnyExtent' if t == 'any' else number(t, reader) for t in terms)}}}"


@statements.register(Broadcastable)
def _(rule: Broadcastable, reader: Reader) -> list[Statement]:
    if reader.broadcast_names and {str(t) for t in rule.of} == set(reader.broadcast_names):
        return []  # done when the broadcast shape is computed
    if len(rule.of) > 2 and all(isinstance(t, Name) and is_view(reader.param(t.name)) for t in rule.of):
        views = ", ".join(reader.pointer(str(t)) for t in rule.of)
        return [Statement(SHAPE, f"require_broadcastable({{{views}}})")]
    first, *rest = (shape(t, reader) for t in rule.of)
    words = [quoted(str(t)) for t in rule.of]
    if len(rest) != 1:
        raise NotGenerated("the shapes of several tensors")
    return [Statement(SHAPE, f"require_broadcastable({first}, {words[0]}, {rest[0]}, {words[1]})")]


@statements.register(BroadcastsTo)
def _(rule: BroadcastsTo, reader: Reader) -> list[Statement]:
    if rule.to == "result" or not is_view(reader.param(rule.source)):
        raise NotGenerated("the shape of the result")
    if isinstance(rule.to, tuple):
        raise NotGenerated("a list of extents")
    view = f"{'&' * reader.may_be_vector(rule.source)}{reader.view(rule.source)}"
    return [Statement(SHAPE, f"require_broadcasts_to({view}, {shape(rule.to, reader)})")]


@statements.register(EqualExtents)
def _(rule: EqualExtents, reader: Reader) -> list[Statement]:
    terms = ", ".join(f"{{{quoted(t)}, {number(t, reader)}}}" for t in rule.of)
    return [Statement(SHAPE, f"require_equal_extents({{{terms}}})")]


@statements.register(Extent)
def _(rule: Extent, reader: Reader) -> list[Statement]:
    return [Statement(SHAPE, f"require_extent({quoted(rule.of)}, {number(rule.of, reader)}, {_within(rule, reader)})")]


@statements.register(Divisible)
def _(rule: Divisible, reader: Reader) -> list[Statement]:
    of, by = number(rule.of, reader), number(rule.by, reader)
    positive = ", kPositive" if rule.positive else ""
    return [Statement(SHAPE, f"require_divisible({quoted(rule.of)}, {of}, {quoted(rule.by)}, {by}{positive})")]


@statements.register(ExtentsWithin)
def _(rule: ExtentsWithin, reader: Reader) -> list[Statement]:
    dim = "-1" if rule.ignored is None else f"static_cast<int>(args->{reader.location(rule.ignored)})"
    empty = ", kAnyShapeIfEmpty" if rule.empty else ""
    return [
        Statement(SHAPE, f"require_extents_within({reader.view(rule.of)}, {reader.view(rule.within)}, {dim}{empty})")
    ]


@statements.register(NoEmptyDims)
def _(rule: NoEmptyDims, reader: Reader) -> list[Statement]:
    last = "kMaxDims" if rule.last is None else number(rule.last, reader)
    return [Statement(SHAPE, f"require_no_empty_dims({reader.view(rule.of)}, {last})")]


@statements.register(NoOverlap)
def _(rule: NoOverlap, reader: Reader) -> list[Statement]:
    return [Statement(SHAPE, f"require_writable({reader.view(rule.of)})")]


@statements.register(FitsIndex)
def _(rule: FitsIndex, reader: Reader) -> list[Statement]:
    return [Statement(SHAPE, f"require_fits_index({reader.view(rule.of)}, {number(rule.count, reader)})")]


def _or(values: object) -> str:
    words = [str(v) for v in values]  # type: ignore[attr-defined]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


__all__ = [
    "ATTRIBUTE",
    "DTYPE",
    "GIVEN",
    "NDIM",
    "OPERAND_DTYPE",
    "RESULT",
    "SHAPE",
    "Number",
    "Param",
    "Statement",
    "Term",
    "condition",
    "statements",
]
