# SPDX-License-Identifier: BSD-3-Clause
"""The valid call that an invalid one is made from, with every tensor spelled out, and the change that spoils it."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from adaptor.codegen.model import Function, Param

from ...cases.group import Group
from ...cases.prepare import prepare
from ...cases.prepared import Expected, Prepared
from ...cases.reader import Case, ExpectedError, TensorSpec
from ...handles import Argument, Output
from ...lists import as_list
from ...oracle import Oracle

ATTEMPTS = 4  # valid calls of one dtype from which an invalid one is tried
LARGEST = 20_000  # elements of a tensor of such a call
PREFERRED = ("float32", "float64", "int32", "int64", "bool")


@dataclass(frozen=True)
class Violation:
    """What makes a valid call invalid, and whom the message must then name."""

    slug: str
    changes: dict[str, Argument]
    arguments: tuple[str, ...]
    values: tuple[float | tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class Base:
    """A valid call."""

    case: Case
    dtype: str
    arguments: dict[str, Argument]  # every tensor with its shape and dtype, outputs included
    oracle: Oracle
    expected: dict[str, Output] = field(default_factory=dict)  # what the oracle says of the outputs

    @property
    def function(self) -> Function:
        return self.case.function

    def tensors(self, *directions: str) -> list[Param]:
        """The parameters of these directions that hold a tensor in this call."""
        return [
            p
            for p in self.function.params
            if p.dir in directions and isinstance(self.arguments.get(p.name), TensorSpec)
        ]

    def lists(self, *directions: str) -> list[Param]:
        return [
            p for p in self.function.params if p.dir in directions and p.is_tensor_list and self.arguments.get(p.name)
        ]

    def spec(self, name: str) -> Argument:
        """The TensorSpec of a parameter; None where it is no tensor in this call."""
        value = self.arguments.get(name)
        return value if isinstance(value, TensorSpec) else None

    def reshaped(self, name: str, shape: tuple[int, ...]) -> TensorSpec:
        return _free(replace(self.arguments[name], shape=shape))

    def retyped(self, name: str, dtype: str) -> TensorSpec:
        return _free(replace(self.arguments[name], dtype=dtype))

    def invalid(self, violation: Violation, code: str, check: str = "") -> Case:
        """The call with what makes it invalid; `check` is the identifier of the violated check without the function."""
        shows = (check,) if check else ()
        error = ExpectedError(code, violation.arguments, violation.values, shows, tuple(violation.changes))
        return replace(
            self.case,
            id=f"invalid:{check}{':' * bool(check)}{violation.slug}!{code}",
            arguments=self.arguments | violation.changes,
            dtypes=(self.dtype,),
            layouts=("contiguous",),
            error=error,
            saved=(),
        )


def _free(spec: TensorSpec) -> TensorSpec:
    """The tensor with numbers that any shape and dtype can have."""
    keeps = spec.gen is not None and spec.gen.startswith(("indices", "bool", "zeros", "ones", "full"))
    return replace(spec, values=None, gen=spec.gen if keeps else None)


def _explicit(value: Argument, dtype: str) -> Argument:
    """A tensor of the case, or each of a list, with its dtype."""
    if isinstance(value, TensorSpec):
        return replace(value, dtype=value.dtype or dtype)
    if isinstance(value, list):
        return [_explicit(v, dtype) for v in value]
    return value


def _output(expected: Output) -> Argument:
    if isinstance(expected, list):
        return [_output(e) for e in expected] if expected and isinstance(expected[0], (Expected, type(None))) else None
    return TensorSpec(expected.shape, expected.dtype) if isinstance(expected, Expected) else None


def _spelled_out(prepared: Prepared) -> dict[str, Argument]:
    group = prepared.group
    arguments = {k: _explicit(v, group.dtype) for k, v in group.case.arguments.items()}
    for p in group.case.function.params:
        if p.dir == "out" and not p.allocates and p.name in prepared.expected:
            made = _output(prepared.expected[p.name])
            if made is not None:
                arguments[p.name] = made
    return arguments


def shape_of(spec: TensorSpec) -> tuple[int, ...]:
    """The shape of a tensor, also of one whose values are given."""
    if spec.values is None:
        return spec.shape or ()
    shape, values = [], spec.values
    while isinstance(values, tuple):
        shape.append(len(values))
        values = values[0] if values else 0
    return tuple(shape)


def _fitness(case: Case) -> tuple:
    """Cases with ordinary tensors first: not empty, of several dimensions, small."""
    specs = [s for v in case.arguments.values() for s in as_list(v) if isinstance(s, TensorSpec)]
    shapes = [shape_of(s) for s in specs]
    sizes = [math.prod(s) for s in shapes]
    odd = any(s.same is not None or (s.gen or "").startswith(("special", "extreme", "mask")) for s in specs)
    return (
        odd,
        any(n == 0 for n in sizes),
        any(1 in s for s in shapes),
        not any(len(s) > 1 for s in shapes),
        sum(n == 1 for n in sizes),
        max(sizes, default=0) > LARGEST,
        -len(specs),
        max(sizes, default=0),
    )


class _Draft(dict[str, Argument]):
    """The arguments of a case, to look at before the oracle computes the outputs: LookupError if one is asked for."""

    def __init__(self, arguments: Mapping[str, Argument], outputs: frozenset[str]) -> None:
        super().__init__((name, value) for name, value in arguments.items() if name not in outputs)
        self._outputs = outputs

    def __getitem__(self, name: str) -> Argument:
        if name in self._outputs:
            raise LookupError(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Argument = None) -> Argument:
        return self[name] if name in self or name in self._outputs else default

    def __or__(self, changes: Mapping[str, Argument]) -> _Draft:  # type: ignore[override]
        return _Draft({**self, **changes}, self._outputs - changes.keys())


@dataclass(frozen=True)
class Candidate:
    """A call of the cases: as its case gives it, and, if the oracle accepts it, with its outputs."""

    draft: Base
    base: Callable[[], Base | None]


class Bases:
    """The valid calls of one operator, the best ones first."""

    def __init__(self, cases: list[Case], oracle: Oracle) -> None:
        self.cases = sorted((c for c in cases if c.error is None), key=_fitness)
        self.oracle = oracle
        self._made: dict[tuple[int, str], Base | None] = {}
        self._drafts: dict[tuple[int, str], Base] = {}

    @functools.cached_property
    def dtypes(self) -> tuple[str, ...]:
        """The dtypes of the cases, the preferred ones first."""
        known = dict.fromkeys(d for c in self.cases for d in c.dtypes)
        return tuple(dict.fromkeys((*(d for d in PREFERRED if d in known), *known)))

    def first(self) -> Base | None:
        """The best valid call of one of the preferred dtypes, or of any dtype where the cases have none of these."""
        found = (candidate.base() for candidate in self.candidates(PREFERRED, ATTEMPTS))
        return next((base for base in found if base is not None), None)

    def candidates(self, dtypes: tuple[str, ...], attempts: int) -> Iterator[Candidate]:
        """A few calls of each of these dtypes, or of every dtype of the cases where none has these."""
        wanted = [d for d in dtypes if d in self.dtypes]
        for dtype in wanted or self.dtypes:
            fitting = ((i, case) for i, case in enumerate(self.cases) if dtype in case.dtypes)
            for position, case in itertools.islice(fitting, attempts):
                made = functools.partial(self._base, position, case, dtype)
                yield Candidate(self._draft(position, case, dtype), made)

    def having(self, name: str) -> Iterator[Base]:
        """Calls that have this argument, among all cases."""
        for position, case in enumerate(self.cases):
            if case.arguments.get(name) not in (None, []):
                base = self._base(position, case, "float32" if "float32" in case.dtypes else case.dtypes[0])
                if base is not None:
                    yield base

    def _draft(self, position: int, case: Case, dtype: str) -> Base:
        key = position, dtype
        if key not in self._drafts:
            outputs = frozenset(p.name for p in case.function.params if p.dir == "out" and not p.allocates)
            arguments = {k: _explicit(v, dtype) for k, v in case.arguments.items()}
            self._drafts[key] = Base(case, dtype, _Draft(arguments, outputs), self.oracle, _Draft({}, outputs))
        return self._drafts[key]

    def _base(self, position: int, case: Case, dtype: str) -> Base | None:
        key = position, dtype
        if key not in self._made:
            try:
                prepared = prepare(Group(case, dtype, case.layouts), self.oracle)
                self._made[key] = Base(case, dtype, _spelled_out(prepared), self.oracle, prepared.expected)
            except Exception:  # not applicable; or wrong, which the case itself says when it is judged
                self._made[key] = None
        return self._made[key]
