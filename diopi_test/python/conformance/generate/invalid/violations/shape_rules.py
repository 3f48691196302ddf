# SPDX-License-Identifier: BSD-3-Clause
"""Calls that break rules about the shapes of tensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adaptor.codegen.rules import Check
from adaptor.codegen.rules.shapes import (
    ANY,
    BROADCAST,
    Broadcastable,
    BroadcastsTo,
    EndsWith,
    ResultShape,
    SameShape,
    Shape,
)
from adaptor.codegen.rules.terms import Name, Slice

from ....cases.reader import TensorSpec
from ....handles import Argument
from ..base import Base, Violation, shape_of
from ..terms import extents
from .table import blamed, breaks, everything, text_of


def wrong_shapes(shape: tuple[int, ...], position: int = -1) -> tuple[tuple[int, ...], ...]:
    """One more in a dimension, and one dimension more."""
    longer = tuple(n + (i == position % len(shape)) for i, n in enumerate(shape)) if shape else (2,)
    return longer, (2, *(shape or (3,)))


def reshaped(base: Base, name: str, shape: tuple[int, ...], *others: str) -> Violation:
    """A tensor of another shape; the message about an output must say the shape."""
    output = base.function.param(name).dir == "out"
    first = (name, *others)
    who = first if output and not others else blamed(base, *first)
    return Violation(
        f"{name}={text_of(shape)}", {name: base.reshaped(name, shape)}, who, (shape,) if output and not others else ()
    )


def of_lists(base: Base, name: str, shape_like: int = 0) -> Iterator[Violation]:
    """A list whose last tensor has another shape."""
    items = base.arguments.get(name)
    if isinstance(items, list) and items and isinstance(items[-1], TensorSpec):
        wrong = wrong_shapes(shape_of(items[-1]))[shape_like]
        changed = [*items[:-1], replace(items[-1], shape=wrong, values=None)]
        yield Violation(f"{name}[-1]={text_of(wrong)}", {name: changed}, blamed(base, name))


@breaks(SameShape)
def other_shape(base: Base, rule: SameShape, check: Check) -> Iterator[Violation]:
    """Each of the tensors in another shape than the others."""
    present = [n for n in rule.of if base.arguments.get(n) is not None]
    for name in present if len(present) > 1 or base.function.param(rule.of[0]).is_tensor_list else ():
        spec = base.spec(name)
        if spec is None:
            yield from of_lists(base, name)
        elif spec.same is None:
            for shape in wrong_shapes(shape_of(spec)):
                yield reshaped(base, name, shape, *(n for n in present if n != name))


@breaks(Shape)
def not_the_shape(base: Base, rule: Shape, check: Check) -> Iterator[Violation]:
    """The tensor in another shape; in place, an operand that would enlarge the result."""
    spec, value = base.spec(rule.of), base.arguments.get(rule.of)
    if isinstance(value, list) and value and all(type(n) is int for n in value):
        wrong = [*value[:-1], value[-1] + 1]
        yield Violation(f"{rule.of}={text_of(wrong)}", {rule.of: wrong}, everything(base, rule.of))
    if spec is None:
        yield from of_lists(base, rule.of)
        return
    if base.function.param(rule.of).dir == "inout" and rule.value == BROADCAST:
        for q in base.tensors("in"):
            if base.spec(q.name).same is None:
                larger = (2, *shape_of(base.spec(rule.of)))
                changes = {q.name: base.reshaped(q.name, larger)}
                yield Violation(f"{q.name}={text_of(larger)}", changes, (rule.of, q.name))
        return
    if spec.same is None:
        free = base.arguments.get(rule.ignored) if rule.ignored else None
        rank = len(shape_of(spec))
        position = _fixed(rule.value, base)
        if type(free) is int and rank and position % rank == free % rank:
            position -= 1
        for shape in wrong_shapes(shape_of(spec), position)[rank == 1 and type(free) is int :]:
            others = () if rule.value == BROADCAST else rule.names()[1:]
            yield reshaped(base, rule.of, shape, *others)


@breaks(Shape)
def no_extent(base: Base, rule: Shape, check: Check) -> Iterator[Violation]:
    """Each attribute that the shape consists of as -1, which is no size and does not mean any size either."""
    names = dict.fromkeys(e.name for e in rule.value if isinstance(e, Name)) if isinstance(rule.value, tuple) else ()
    for name in names:
        if type(base.arguments.get(name)) is int and base.spec(rule.of) is not None:
            yield Violation(f"{name}=-1", {name: -1}, everything(base, name))


def _fixed(value: Argument, base: Base) -> int:
    """A dimension, from the end, whose extent the rule prescribes."""
    if not isinstance(value, tuple):
        return -1
    position = 0
    for entry in reversed(value):
        many = 1 if entry == ANY or not isinstance(entry, (Slice, Name)) else len(extents(entry, base) or ())
        if entry != ANY and many:
            return position - 1
        position -= many
    return -1


@breaks(ResultShape)
def not_the_result(base: Base, rule: ResultShape, check: Check) -> Iterator[Violation]:
    """The tensor in another shape than the operator gives it."""
    spec = base.spec(rule.of)
    if spec is None:
        yield from of_lists(base, rule.of)
    elif spec.same is None:
        for shape in wrong_shapes(shape_of(spec)):
            yield reshaped(base, rule.of, shape)


@breaks(EndsWith)
def other_end(base: Base, rule: EndsWith, check: Check) -> Iterator[Violation]:
    """A last extent one larger, more extents than the tensor has, and none."""
    shape = base.arguments[rule.param]
    for wrong in ([*shape[:-1], shape[-1] + 1], [2] * 9, []):
        yield Violation(f"{rule.param}={'x'.join(map(str, wrong)) or 'nothing'}", {rule.param: wrong}, (rule.param,))


@breaks(Broadcastable)
def not_broadcastable(base: Base, rule: Broadcastable, check: Check) -> Iterator[Violation]:
    """An extent that is neither one nor the other's."""
    for term in rule.of[1:]:
        name = term.names[0]
        spec = base.spec(name)
        parts = [(t, extents(t, base)) for t in rule.of if t != term]
        other = max((e for _, e in parts if e), key=len, default=())
        own = extents(term, base)
        if spec is None or own is None or not other or other[-1] < 2 or spec.same is not None:
            continue
        behind = len(shape_of(spec)) - len(own)  # dimensions that do not take part
        shape = shape_of(spec)
        wrong = (*(own[:-1]), other[-1] + 1, *(shape[len(own) :] if behind else ()))
        yield Violation(
            f"{name}={text_of(wrong)}", {name: base.reshaped(name, wrong)}, blamed(base, name, *rule.names())
        )


@breaks(Broadcastable)
def entries_that_do_not_broadcast(base: Base, rule: Broadcastable, check: Check) -> Iterator[Violation]:
    """Two tensors of a list with 2 and 3 elements."""
    for name in rule.names():
        items = base.arguments.get(name)
        if not isinstance(items, list):
            continue
        numbers = [i for i, v in enumerate(items) if isinstance(v, TensorSpec) and v.dtype not in ("bool", "uint8")]
        if len(numbers) > 1:
            changed = list(items)
            for size, i in enumerate(numbers[:2], 2):
                changed[i] = TensorSpec((size,), items[i].dtype, "zeros")
            for i in numbers[2:]:
                changed[i] = TensorSpec((1,), items[i].dtype, "zeros")
            yield Violation(f"{name}=2+3", {name: changed}, (name,))


@breaks(BroadcastsTo)
def not_expandable(base: Base, rule: BroadcastsTo, check: Check) -> Iterator[Violation]:
    """A last dimension that is neither one nor the result's."""
    spec = base.spec(rule.source)
    if spec is None or spec.same is not None:
        return
    target = _target(rule, base)
    if target is None:
        shape = shape_of(spec)
        wrong = (*shape[:-1], (shape[-1] if shape else 1) + 97)
    elif target:
        wrong = (*shape_of(spec)[:-1], target[-1] + 1)
    else:
        wrong = (2,)
    yield Violation(
        f"{rule.source}={text_of(wrong)}",
        {rule.source: base.reshaped(rule.source, wrong)},
        everything(base, rule.source),
    )


def _target(rule: BroadcastsTo, base: Base) -> tuple[int, ...] | None:
    """The shape to which the tensor must broadcast, if the call says it."""
    if isinstance(rule.to, tuple):
        parts = [extents(t, base) for t in rule.to]
        return None if None in parts else tuple(n for p in parts for n in p or ())
    if not isinstance(rule.to, str):
        return extents(rule.to, base) if isinstance(rule.to, (Name, Slice)) else None
    results = [shape_of(base.spec(p.name)) for p in base.tensors("out", "inout") if p.name != rule.source]
    return results[0] if results else None
