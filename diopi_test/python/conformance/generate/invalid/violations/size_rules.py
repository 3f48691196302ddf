# SPDX-License-Identifier: BSD-3-Clause
"""Calls that break rules about numbers of dimensions, elements and entries, and about extents and windows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from adaptor.codegen.rules import Check
from adaptor.codegen.rules.shapes import (
    Bounded,
    Divisible,
    EqualExtents,
    Extent,
    ExtentsWithin,
    Ndim,
    NoEmptyDims,
    NonemptyReduction,
    Numel,
)
from adaptor.codegen.rules.terms import Item, Operation, Slice, Term
from adaptor.codegen.rules.values import Length
from adaptor.codegen.rules.windows import KernelFits, PaddingBelowHalf

from ....cases.reader import TensorSpec
from ....handles import Argument
from ..base import Base, Violation, shape_of
from ..terms import number
from .table import blamed, breaks, everything, text_of


def allowed(rule: Bounded, count: int, base: Base) -> bool:
    """Whether a number fulfils is, in, min and max; unknown bounds are taken as fulfilled."""
    if rule.within is not None:
        return count in rule.within
    exact, least, most = (number(b, base) for b in (rule.value, rule.min, rule.max))
    return (exact is None or count == exact) and (least is None or count >= least) and (most is None or count <= most)


def _neighbours(rule: Bounded, count: int, base: Base, limit: int = 40) -> Iterator[int]:
    """The numbers nearest to a valid one, below and above, that are not allowed."""
    below = next((n for n in range(count - 1, -1, -1) if not allowed(rule, n, base)), None)
    above = next((n for n in range(count + 1, count + limit) if not allowed(rule, n, base)), None)
    yield from (n for n in (below, above) if n is not None)


@breaks(Ndim)
def wrong_rank(base: Base, rule: Ndim, check: Check) -> Iterator[Violation]:
    """A tensor with too few dimensions, and with too many."""
    spec, items = base.spec(rule.of), base.arguments.get(rule.of)
    if isinstance(items, list) and items and isinstance(items[-1], TensorSpec):
        for count in _neighbours(rule, len(shape_of(items[-1])), base):
            wrong = replace(items[-1], shape=_of_rank(shape_of(items[-1]), count), values=None)
            yield Violation(f"{rule.of}[-1]={text_of(wrong.shape or ())}", {rule.of: [*items[:-1], wrong]}, (rule.of,))
    if spec is None or spec.same is not None:
        return
    for count in _neighbours(rule, len(shape_of(spec)), base):
        shape = _of_rank(shape_of(spec), count)
        names = everything(base, rule.of)
        yield Violation(f"{rule.of}={text_of(shape)}", {rule.of: base.reshaped(rule.of, shape)}, names)


def _of_rank(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    return (1,) * (count - len(shape)) + shape[len(shape) - min(count, len(shape)) :]


@breaks(Numel)
def other_number_of_elements(base: Base, rule: Numel, check: Check) -> Iterator[Violation]:
    spec, items = base.spec(rule.of), base.arguments.get(rule.of)
    shapes = [s for s in ((2,), (1, 3), (0,)) if not allowed(rule, math.prod(s), base)]
    for shape in shapes:
        if spec is not None:
            yield Violation(f"{rule.of}={text_of(shape)}", {rule.of: base.reshaped(rule.of, shape)}, (rule.of,))
        elif isinstance(items, list) and items and isinstance(items[-1], TensorSpec):
            wrong = [*items[:-1], replace(items[-1], shape=shape, values=None)]
            yield Violation(f"{rule.of}[-1]={text_of(shape)}", {rule.of: wrong}, (rule.of,))


@breaks(Length)
def other_length(base: Base, rule: Length, check: Check) -> Iterator[Violation]:
    """A list with too few entries, and with too many."""
    items = base.arguments.get(rule.of)
    if not isinstance(items, list):
        return
    p = base.function.param(rule.of)
    names = (rule.of, *rule.names(), *([p.count] if p.count else []))
    repeated = next((v for v in items if v is not None), 1)
    for count in _neighbours(rule, len(items), base):
        changes = {rule.of: [*items, *[repeated] * count][:count]}
        for q in base.function.params:  # lists of the same length stay so
            if p.count and q.count == p.count and isinstance(others := base.arguments.get(q.name), list) and others:
                changes[q.name] = [*others, *others[-1:] * count][:count]
        yield Violation(f"{rule.of}_of_{count}", changes, tuple(dict.fromkeys((*names, *changes))))


def _extent(term: Term, base: Base) -> tuple[str, int] | None:
    """A tensor and the dimension, from the start, of which a term gives the extent."""
    if isinstance(term, Operation):
        return _extent(term.left, base) or _extent(term.right, base)
    if not isinstance(term, (Item, Slice)) or base.spec(term.name) is None:
        return None
    index: Any = term.start or -1 if isinstance(term, Slice) else term.index
    index = base.arguments.get(index) if isinstance(index, str) else index
    rank = len(shape_of(base.spec(term.name)))
    return (term.name, index % rank) if type(index) is int and -rank <= index < rank else None


def _with_extent(base: Base, name: str, dim: int, extent: int, *others: str) -> Violation:
    shape = shape_of(base.spec(name))
    wrong = (*shape[:dim], extent, *shape[dim + 1 :])
    return Violation(f"{name}={text_of(wrong)}", {name: base.reshaped(name, wrong)}, everything(base, name, *others))


@breaks(EqualExtents)
def unequal(base: Base, rule: EqualExtents, check: Check) -> Iterator[Violation]:
    """Each of the extents one larger, while the others stay."""
    if None in (number(t, base) for t in rule.of):
        return
    for term in reversed(rule.of):
        found = _extent(term, base)
        if found is not None and base.spec(found[0]).same is None:
            name, dim = found
            yield _with_extent(base, name, dim, shape_of(base.spec(name))[dim] + 1, *rule.names())


@breaks(Extent)
def extent_outside(base: Base, rule: Extent, check: Check) -> Iterator[Violation]:
    found, value = _extent(rule.of, base), number(rule.of, base)
    if found is not None and value is not None:
        for count in _neighbours(rule, int(value), base, 100):
            yield _with_extent(base, *found, count, *rule.names())


@breaks(Divisible)
def no_multiple(base: Base, rule: Divisible, check: Check) -> Iterator[Violation]:
    """A divisor larger than the extent; or an extent one larger."""
    name = next((n for n in rule.by.names if isinstance(base.arguments.get(n), int)), None)
    if name is not None and number(rule.of, base) is not None:
        yield Violation(f"{name}=97", {name: 97}, everything(base, name), (97,))
    elif (found := _extent(rule.of, base)) is not None:
        yield _with_extent(base, *found, shape_of(base.spec(found[0]))[found[1]] + 1, *rule.names())


@breaks(ExtentsWithin)
def extent_too_large(base: Base, rule: ExtentsWithin, check: Check) -> Iterator[Violation]:
    """An extent larger than the other tensor's; and a dimension more."""
    spec, other = base.spec(rule.of), base.spec(rule.within)
    if spec is None or other is None or not math.prod(shape_of(spec)):
        return
    ignored = base.arguments.get(rule.ignored) if rule.ignored else None
    shape, limits = shape_of(spec), shape_of(other)
    for dim in range(len(shape)):
        if len(shape) == len(limits) and (type(ignored) is not int or dim != ignored % len(shape)):
            yield _with_extent(base, rule.of, dim, limits[dim] + 1, *rule.names())
    more = (2, *(shape or (3,)))
    changes = {rule.of: base.reshaped(rule.of, more)}
    yield Violation(f"{rule.of}={text_of(more)}", changes, everything(base, rule.of))


@breaks(NoEmptyDims)
def empty_dimension(base: Base, rule: NoEmptyDims, check: Check) -> Iterator[Violation]:
    """The first and the last of the dimensions without elements."""
    if base.spec(rule.of) is None:
        return
    rank = len(shape_of(base.spec(rule.of)))
    last = rank if rule.last is None else int(number(rule.last, base) or 0)
    for dim in dict.fromkeys(d for d in (rank - last, rank - 1) if 0 <= d < rank):
        yield _with_extent(base, rule.of, dim, 0)


@breaks(NonemptyReduction)
def nothing_to_reduce(base: Base, rule: NonemptyReduction, check: Check) -> Iterator[Violation]:
    """A reduced dimension without elements, while the result has elements."""
    spec = base.spec(rule.of)
    over = base.arguments.get(rule.over) if rule.over else None
    rank = len(shape_of(spec)) if spec is not None else 0
    dims = over if isinstance(over, list) else [over if type(over) is int else 0]
    if rank and dims:
        yield _with_extent(base, rule.of, dims[0] % rank, 0, *rule.names())


@breaks(PaddingBelowHalf)
def too_much_padding(base: Base, rule: PaddingBelowHalf, check: Check) -> Iterator[Violation]:
    kernel = base.arguments.get(rule.kernel)
    count = len(kernel) if isinstance(kernel, list) else 1
    yield Violation(f"{rule.param}=50", {rule.param: [50] * count}, (rule.param,), (50,))


@breaks(KernelFits)
def kernel_too_large(base: Base, rule: KernelFits, check: Check) -> Iterator[Violation]:
    """A kernel of 500, or a weight far apart, without padding and with every window inside."""
    kernel = base.arguments.get(rule.kernel)
    names = tuple(n for n in (rule.dilation, rule.kernel, rule.of) if n)
    changes: dict[str, Argument] = {}
    if isinstance(kernel, list):
        changes = {rule.kernel: [500] * len(kernel), rule.padding: [0] * len(kernel)}
        slug = f"{rule.kernel}=500"
    elif base.spec(rule.kernel) is not None and rule.dilation:
        shape = shape_of(base.spec(rule.kernel))
        if max(shape[2:], default=1) < 2:
            return
        changes, slug = {rule.dilation: [100] * (len(shape) - 2)}, f"{rule.dilation}=100"
    else:
        return
    if rule.ceil_mode:
        changes[rule.ceil_mode] = False
    yield Violation(slug, changes, blamed(base, *names))
