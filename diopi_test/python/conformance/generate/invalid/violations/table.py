# SPDX-License-Identifier: BSD-3-Clause
"""The table of violations: for each rule the functions that make calls which break it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from adaptor.codegen.rules import Check, Rule

from ..base import Base, Violation

Maker = Callable[[Base, Any, Check], Iterator[Violation]]
VIOLATIONS: dict[type[Rule], list[Maker]] = {}


def breaks(*rules: type[Rule]) -> Callable[[Maker], Maker]:
    """Declares a function to make violations of these rules: of a valid call, the rule and the check that has it."""

    def register(make: Maker) -> Maker:
        for rule in rules:
            VIOLATIONS.setdefault(rule, []).append(make)
        return make

    return register


def text_of(shape: tuple[int, ...] | list[int]) -> str:
    """`2x3`, as part of the name of a case."""
    return "x".join(map(str, shape)) or "scalar"


def blamed(base: Base, *first: str) -> tuple[str, ...]:
    """The parameters of which the message must name one: these, and what is read."""
    return tuple(dict.fromkeys((*first, *(p.name for p in base.tensors("in", "inout")))))


def everything(base: Base, *first: str) -> tuple[str, ...]:
    """These parameters, and every tensor of the call."""
    return tuple(dict.fromkeys((*first, *(p.name for p in base.tensors("in", "inout", "out")))))
