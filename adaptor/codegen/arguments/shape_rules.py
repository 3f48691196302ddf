# SPDX-License-Identifier: BSD-3-Clause
"""Rules about shapes and dimensions as C++ statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..checks import base_type
from ..rules.shapes import (
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
from ..rules.terms import Name, Slice
from ..rules.values import (
    DimInRange,
    DimsInRange,
)
from .statements import (
    NDIM,
    SHAPE,
    Statement,
    bounds,
    quoted,
    statements,
)
from .struct import is_view, is_view_list
from .terms import NotGenerated, extents, number, shape

if TYPE_CHECKING:
    from .reader import Reader


@statements.register(Ndim)
def _(rule: Ndim, reader: Reader) -> list[Statement]:
    if not is_view(reader.param(rule.of)) and not is_view_list(reader.param(rule.of)):
        raise NotGenerated(f"the dimensions of {rule.of}")
    return [Statement(NDIM, f"require_ndim({reader.view(rule.of)}, {bounds(rule, reader)})")]


@statements.register(Numel)
def _(rule: Numel, reader: Reader) -> list[Statement]:
    if not is_view(reader.param(rule.of)) and not is_view_list(reader.param(rule.of)):
        raise NotGenerated(f"the elements of {rule.of}")
    return [Statement(SHAPE, f"require_numel({reader.view(rule.of)}, {bounds(rule, reader)})")]


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
    if not rule.unique and not rule.all:
        raise NotGenerated("dimensions that may occur more than once")
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
        return [
            Statement(SHAPE, _same_shapes(n, reader.view(first.name), reader), reader.all_given(n)) for n in rule.of[1:]
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


def _same_shapes(name: str, like: str, reader: Reader) -> str:
    """That the tensors of a list have the shapes of those of another; results without dimensions may have shape [1]."""
    view = reader.view(name)
    is_result = reader.param(name).dir == "out"
    return f"require_result_shapes(&{view}, {like})" if is_result else f"require_same_shapes({view}, {like})"


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
    return [Statement(SHAPE, f"require_extent({quoted(rule.of)}, {number(rule.of, reader)}, {bounds(rule, reader)})")]


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
