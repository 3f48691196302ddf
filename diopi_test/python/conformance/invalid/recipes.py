# SPDX-License-Identifier: BSD-3-Clause
"""The table of recipes: which sentences of the registry each understands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .base import Base, Violation

Maker = Callable[[Base, re.Match], Iterator[Violation]]


@dataclass(frozen=True)
class Recipe:
    """Makes violations of the sentences, or of the clauses of a sentence, that match its pattern."""

    pattern: re.Pattern
    make: Maker
    code: str


RECIPES: list[Recipe] = []

_CODE = re.compile(r"\s*\(diopi[A-Z]\w+\)")


def recipe(*patterns: str, code: str = "diopiErrorOccurred") -> Callable[[Maker], Maker]:
    """Declares a function to be the recipe for sentences (or clauses) that one of the patterns matches as a whole."""

    def register(make: Maker) -> Maker:
        RECIPES.extend(Recipe(re.compile(pattern), make, code) for pattern in patterns)
        return make

    return register


def clauses(sentence: str) -> tuple[str, ...]:
    """The sentence as a whole, and its parts where a comma or semicolon joins several; codes and full stop left out."""
    plain = _CODE.sub("", sentence).rstrip(".")
    parts = [re.sub(r"^or ", "", part) for part in re.split(r"[;,] ", plain)]
    return tuple(dict.fromkeys((plain, *parts)))


def matching(text: str) -> Iterator[tuple[Recipe, re.Match]]:
    for item in RECIPES:
        found = item.pattern.fullmatch(text)
        if found:
            yield item, found
