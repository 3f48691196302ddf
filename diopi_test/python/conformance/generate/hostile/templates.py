# SPDX-License-Identifier: BSD-3-Clause
"""Templates: the valid cases from which an operator's hostile cases are made, and how their sizes are changed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from adaptor.codegen.model import Param, Registry

from ...cases.case import Case, SavedOutput, TensorSpec
from ...handles import Argument
from ...lists import as_list
from .rules import Rules

MOST_ELEMENTS = 4096
_SIZED = re.compile(r"((?:signed_)?indices)\((\d+)\)")


@dataclass(frozen=True)
class Template:
    """A valid case from which hostile cases are made, with the rules of its operator."""

    case: Case
    rules: Rules
    registry: Registry

    @property
    def primary(self) -> tuple[int, ...]:
        """The shape whose sizes are varied: the shape of the tensor with the most dimensions, inputs before outputs.

        Tensors whose shape a forward call gives do not count.
        """
        order, forward = {"in": 0, "inout": 0, "out": 1}, self.rules.forward
        follow = {*forward.shapes, *forward.values} if forward else ()
        shapes = [
            (-len(s.shape), order[p.dir], i, s.shape)
            for i, (p, s) in enumerate(specs(self.case))
            if s.shape is not None and p.name not in follow
        ]
        if shapes:
            return min(shapes)[-1]
        for name in self.rules.sizes_in:
            value = self.case.arguments.get(name)
            if value is not None:
                return tuple(value) if isinstance(value, list) else (int(value),)
        return ()

    @property
    def dims(self) -> tuple[int, ...]:
        """The dimensions whose size may change, as negative numbers. Dimensions of size 1 may not change."""
        return self._counted(self.rules.dims)

    @property
    def reduced(self) -> tuple[int, ...]:
        """The dimensions in the argument `dim`; all dimensions if `dim` is empty or null."""
        if "dim" not in self.case.arguments:
            return ()
        value = self.case.arguments["dim"]
        listed = as_list(value)
        return self._counted(None if listed in ([], [None]) else listed)

    @property
    def emptied(self) -> tuple[int, ...]:
        """The dimensions that may have size 0."""
        rule = self.rules.may_be_empty
        if rule == "kept":
            return tuple(d for d in self.dims if d not in self.reduced)
        return self.dims if rule is None or isinstance(rule, str) else self._counted(rule)

    def _counted(self, dims: Iterable[int] | None) -> tuple[int, ...]:
        rank = len(self.primary)
        wanted = range(-1, -rank - 1, -1) if dims is None else (d if d < 0 else d - rank for d in dims)
        return tuple(d for d in wanted if -rank <= d < 0 and self.primary[d] > 1)

    def resized(self, dim: int, size: int) -> Case | None:
        """The case with `size` in place of every size equal to that of `dim`; None if no index would be valid."""
        old = self.primary[dim]
        return self.renamed(lambda n: size if n == old else n)

    def renamed(self, rename: Callable[[int], int]) -> Case | None:
        """The case with every size n replaced by rename(n); None if no index would be valid."""
        arguments: dict[str, Argument] = {}
        for name, value in self.case.arguments.items():
            if name in self.rules.sizes_in and value is not None:
                arguments[name] = [rename(n) for n in value] if isinstance(value, list) else rename(value)
                continue
            several = isinstance(value, list)
            made = [
                renamed_spec(v, rename) if isinstance(v, TensorSpec) else v for v in (value if several else [value])
            ]
            if any(m is _NOWHERE for m in made):
                return None
            arguments[name] = made if several else made[0]
        return self.linked(replace(self.case, arguments=arguments))

    def linked(self, case: Case) -> Case:
        """The case with its arguments taken from the results of the forward call, if the rules name one."""
        forward = self.rules.forward
        if forward is None:
            return case
        function = self.registry.functions[forward.function]
        given = {
            **{k: v for k, v in case.arguments.items() if k not in forward.shapes and k not in forward.values},
            **forward.arguments,
        }
        call = replace(
            case,
            function=function,
            saved=(),
            error=None,
            arguments={p.name: given[p.name] for p in function.params if p.name in given and p.dir != "out"},
        )
        saved = tuple(
            SavedOutput(k, v, call, shape_only=only)
            for links, only in ((forward.shapes, True), (forward.values, False))
            for k, v in links.items()
            if isinstance(case.arguments.get(k), TensorSpec)
        )
        open_shapes = {s.parameter: replace(case.arguments[s.parameter], shape=None, values=None) for s in saved}
        return replace(case, arguments={**case.arguments, **open_shapes}, saved=saved)


_NOWHERE = object()


def renamed_spec(spec: TensorSpec, rename: Callable[[int], int]) -> Any:
    if spec.shape is None:
        return spec
    shape, gen = tuple(rename(n) for n in spec.shape), spec.gen
    match = _SIZED.fullmatch(gen.replace(" ", "")) if gen else None
    if match:
        size = rename(int(match[2]))
        if size == 0 and 0 not in shape:
            return _NOWHERE
        gen = f"{match[1]}({size})"
    return replace(spec, shape=shape, gen=gen)


def specs(case: Case) -> Iterator[tuple[Param, TensorSpec]]:
    """Every tensor of the case with its parameter, including each tensor of a list."""
    for p in case.function.params:
        value = case.arguments.get(p.name)
        for spec in as_list(value):
            if isinstance(spec, TensorSpec):
                yield p, spec


def _attributes(case: Case) -> str:
    """The arguments that are not tensors, as text. Cases with equal text are calls of one kind."""
    parts = {k: v for k, v in case.arguments.items() if not any(isinstance(s, TensorSpec) for s in as_list(v))}
    return repr(sorted(parts.items(), key=lambda i: i[0]))


class Rank(NamedTuple):
    """How well a case serves as a template. Ranks compare like tuples: the first criterion counts most, and a smaller
    value is better."""

    empty_or_large: bool  # the tensor whose sizes are varied has no element, or more than MOST_ELEMENTS
    not_preferred: bool  # the class prefers cases of another kind
    single_elements: bool  # no dimension has more than one element
    fixed_tensors: int  # the number of tensors whose numbers are not random
    equal_sizes: int  # the number of sizes that repeat another one or are less than 2
    dimensions: int  # the place in DIMENSIONS
    fewer_tensors: int  # the negative number of tensors
    elements: int
    position: int  # in the case file


# Two dimensions show more mistakes than one, and cost less time than four.
DIMENSIONS = {2: 0, 3: 1, 4: 2, 1: 3, 5: 3}


def _rank(position: int, case: Case, rules: Rules, registry: Registry, fits: Callable[[Case], bool]) -> Rank:
    tensors = [s for _, s in specs(case)]
    primary = Template(case, rules, registry).primary
    elements = math.prod(primary)
    return Rank(
        empty_or_large=0 in primary or elements > MOST_ELEMENTS,
        not_preferred=not fits(case),
        single_elements=not any(n > 1 for n in primary),
        fixed_tensors=sum(s.values is not None or s.same is not None or s.gen == "special" for s in tensors),
        equal_sizes=len(primary) - len(set(primary)) + sum(n < 2 for n in primary),
        dimensions=DIMENSIONS.get(len(primary), 9),
        fewer_tensors=-len(tensors),
        elements=elements,
        position=position,
    )


def _named(cases: list[tuple[int, Case]], name: str | None, fits: Callable[[Case], bool]) -> list[tuple[int, Case]]:
    """The cases whose id begins with `name`. If there is none, or the class prefers only other cases: all cases."""
    named = [(i, case) for i, case in cases if name is not None and case.id.startswith(name)]
    wanted = any(fits(case) for _, case in named) or not any(fits(case) for _, case in cases)
    return named if named and wanted else cases


def templates(
    cases: list[Case], rules: Rules, registry: Registry, max_templates: int, fits: Callable[[Case], bool]
) -> Iterator[tuple[Template, tuple[str, ...]]]:
    """At most `max_templates` templates for each dtype, which differ in more than shapes, with their dtypes."""
    valid = [
        (i, case)
        for i, case in enumerate(cases)
        if case.error is None and any(True for _ in specs(case)) or case.error is None and rules.sizes_in
    ]
    ranks = {i: _rank(i, case, rules, registry, fits) for i, case in valid}
    chosen: dict[int, tuple[Case, list[str]]] = {}
    for dtype in dict.fromkeys(d for _, case in valid for d in case.dtypes):
        named = _named([v for v in valid if dtype in v[1].dtypes], rules.case, fits)
        for i, case in _of_different_kinds(sorted(named, key=lambda v: ranks[v[0]]), max_templates):
            chosen.setdefault(i, (case, []))[1].append(dtype)
    for case, case_dtypes in (chosen[i] for i in sorted(chosen)):
        yield Template(case, rules, registry), tuple(case_dtypes)


def _of_different_kinds(cases: list[tuple[int, Case]], most: int) -> Iterator[tuple[int, Case]]:
    """The first cases, at most so many, whose attributes differ."""
    kinds: set[str] = set()
    for i, case in cases:
        kind = _attributes(case)
        if kind not in kinds:
            kinds.add(kind)
            yield i, case
        if len(kinds) == most:
            return
