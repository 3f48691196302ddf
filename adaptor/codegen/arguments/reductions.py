# SPDX-License-Identifier: BSD-3-Clause
"""The dimensions that a function reduces, and the rules about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from ..checks import base_type
from ..rules.shapes import EndsWith, NonemptyReduction, ResultShape
from ..rules.values import DimInRange, DimsInRange

if TYPE_CHECKING:
    from ..model import Function
    from ..rules.base import Rule
    from .reader import Reader

R = TypeVar("R", bound="Rule")


@dataclass(frozen=True)
class Reduction:
    """The tensor that a function reduces, and the parameter that says over which dimensions; None: over all."""

    of: str
    over: str | None
    by_extents: bool = False  # `over` lists the extents of the last dimensions

    def lines(self, reader: Reader) -> list[str]:
        """The statements that set the mask of the dimensions."""
        view = reader.view(self.of)
        if self.over is None:
            return [f"args->reduced = all_axes({view});"]
        param = reader.param(self.over)
        if base_type(param.type) == "int64_t" and not param.is_pointer:
            return [f"args->reduced = one_axis(args->{reader.location(self.over)}, {view});"]
        function = "read_last_axes" if self.by_extents else "read_axes"
        return [f'DIOPI_TRY({function}({self.over}, {view}, "{self.over}", &args->reduced));']

    def reads(self, rule: DimInRange | DimsInRange | EndsWith) -> bool:
        """Whether the statements of `lines` make the check of a rule."""
        return (rule.param, rule.of) == (self.over, self.of)


def reduction_of(function: Function) -> Reduction | None:
    """What a function reduces; None if it reduces nothing, or rules do not say which dimensions."""
    for rule in _rules(function, NonemptyReduction):
        return Reduction(rule.of, rule.over)
    if not any(rule.keepdim for rule in _rules(function, ResultShape)):
        return None
    for ends in _rules(function, EndsWith):
        return Reduction(ends.of, ends.param, by_extents=True)
    found: list[DimsInRange | DimInRange] = [*_rules(function, DimsInRange), *_rules(function, DimInRange)]
    return Reduction(found[0].of, found[0].param) if found else None


def result_shape(rule: ResultShape, reader: Reader) -> str | None:
    """The call that compares a tensor with the shape of a reduction; None if the shape is another."""
    reduction = reader.operator.reduction
    if reduction is None:
        return None
    view, source = reader.view(rule.of), reader.view(reduction.of)
    if rule.keepdim:
        return f"require_reduced_shape({view}, {source}, args->reduced)"
    if rule.function is None and any(p.name == "keepdim" for p in reader.form.params):
        return f"require_result_shape(&{view}, reduced_shape({source}.shape, args->reduced, keepdim))"
    return None


def _rules(function: Function, kind: type[R]) -> Iterator[R]:
    return (c.rule for c in function.checks if isinstance(c.rule, kind))
