# SPDX-License-Identifier: BSD-3-Clause
"""Rules about dtypes. What the `dtypes` of a parameter say needs no rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..dtype_sets import CONVERTIBLE
from ..strict_yaml import Mapping as Raw
from .base import DTYPE_ERROR, Rule, rule
from .dtype_fields import Dtype, DtypeOf, Dtypes, DtypeSet
from .fields import Parameter, Parameters, field, is_tensor, several, spoken

if TYPE_CHECKING:  # model imports this package
    from ..model import Function


@rule("dtype", "dtype", DTYPE_ERROR)
@dataclass(frozen=True)
class DtypeRule(Rule):
    """The dtype of a tensor, or the promoted dtype, is one of `in`, or none of `not_in`."""

    of: DtypeOf = field(Dtype(), each=True)
    within: DtypeSet | None = field(Dtypes(), key="in", default=None)
    outside: DtypeSet | None = field(Dtypes(), key="not_in", default=None)

    def check(self, raw: Raw) -> None:
        if ("in" in raw) == ("not_in" in raw):
            raise raw.error("the rule dtype has either in or not_in", "rule")

    def subject(self) -> str:
        return self.of.word

    def requirement(self) -> str:
        if self.within:
            return f"{self.of.words} must be {self.within.words}"
        assert self.outside is not None
        return f"{self.of.words} must not be {self.outside.words}"

    def accepts(self, dtype: str) -> bool:
        return (
            dtype in self.within.dtypes if self.within else dtype not in (self.outside.dtypes if self.outside else ())
        )


@rule("same_dtype", "same-dtype", DTYPE_ERROR)
@dataclass(frozen=True)
class SameDtype(Rule):
    """Tensors have one dtype, where PyTorch does not promote."""

    of: tuple[str, ...] = field(Parameters(is_tensor, "tensor"))

    def requirement(self) -> str:
        return f"{several(self.of)} must have the same dtype"


def operands(function: Function) -> list[str]:
    """The tensors that a function reads."""
    return [p.name for p in function.params if is_tensor(p) and p.dir in ("in", "inout")]


@rule("castable", "castable", DTYPE_ERROR)
@dataclass(frozen=True)
class Castable(Rule):
    """`torch.can_cast` allows the conversion of the dtype `from` to that of the tensor `to`."""

    to: str = field(Parameter(is_tensor, "tensor"), each=True)
    source: DtypeOf = field(Dtype(), key="from")

    def requirement(self) -> str:
        return f"{self.source.words} must be castable to the dtype of {spoken(self.to)}"

    def says_nothing(self, function: Function) -> bool:
        if self.source.word == self.to or _keeps_dtype(self.source, self.to, function):
            return True
        return _highest(self.source, function) <= min(_categories(function, self.to), default=-1)


def _keeps_dtype(source: DtypeOf, name: str, function: Function) -> bool:
    """Whether a tensor is the only operand and `source` is its dtype, as that of the real parts of real numbers is."""
    only = operands(function) == [name] and not any(p.is_scalar for p in function.params)
    return only and (source.word == "promoted" or source.word == "real" and max(_categories(function, name)) < 3)


def _categories(function: Function, name: str) -> list[int]:
    """The categories of the dtypes that a tensor may have."""
    return [CONVERTIBLE[d] for d in function.param(name).dtypes or ()]


def _highest(source: DtypeOf, function: Function) -> int:
    """The highest category that a dtype can have: bool 0, integers 1, floating point 2, complex 3."""
    if source.is_parameter:
        return max(_categories(function, source.word), default=3)
    if source.word not in ("promoted", "floating"):
        return 3
    names = source.among or operands(function)
    found = [c for n in names for c in _categories(function, n) or [3]]
    numbers = any(p.is_scalar for p in function.params) or source.word == "floating"
    return max([*found, CONVERTIBLE["float32"] * numbers])
