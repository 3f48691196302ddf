# SPDX-License-Identifier: BSD-3-Clause
"""The fields of rules that speak of dtypes: whose dtype, and which dtypes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..strict_yaml import Mapping as Raw
from .fields import SINGULAR, Kind, Scope, listed

if TYPE_CHECKING:  # model imports this package
    from ..model import Function

# Dtypes that a function computes with, beside those of its tensors: word -> what a sentence calls it.
DTYPE_WORDS = {
    "promoted": "the promoted dtype",
    "floating": "the promoted dtype (float32 for integers and bool)",
    "summed": "the promoted dtype (int64 for integers and bool)",
    "real": "the dtype of the real parts",
    "quotient": "the dtype of the quotient",
    "computation": "the dtype of the computation",
    "result": "the dtype of the result",
}


@dataclass(frozen=True)
class DtypeOf:
    """The dtype of a tensor, or one of `DTYPE_WORDS`; `among`: the tensors whose dtypes are promoted."""

    word: str
    among: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.word}({', '.join(self.among)})" if self.among else self.word

    @property
    def words(self) -> str:
        if self.among:
            return f"the dtype to which {listed(self.among)} promote"
        if self.word in SINGULAR:
            return f"the dtype of {SINGULAR[self.word]}"
        return DTYPE_WORDS.get(self.word) or f"the dtype of {self.word}"

    @property
    def is_parameter(self) -> bool:
        return self.word not in DTYPE_WORDS


@dataclass(frozen=True)
class Dtype(Kind):
    """`input`, `promoted`, `promoted(input, out)`."""

    def read(self, value: Any, at: Raw, key: str, scope: Scope) -> DtypeOf:
        text = at.take(key, str)
        if not text.endswith(")"):
            return DtypeOf(text)
        word, _, among = text[:-1].partition("(")
        names = tuple(n.strip() for n in among.split(","))
        if word != "promoted" or len(names) < 2 or not all(n.isidentifier() for n in names):
            raise at.error(f"'{key}' must be a tensor, promoted(a, b), or one of {', '.join(DTYPE_WORDS)}", key)
        return DtypeOf(word, names)

    def names(self, value: DtypeOf) -> tuple[str, ...]:
        return (value.word,) if value.is_parameter else value.among

    def renamed(self, value: DtypeOf, names: Mapping[str, str]) -> DtypeOf:
        among = tuple(dict.fromkeys(names.get(n, n) for n in value.among))
        if value.among and len(among) == 1:
            return DtypeOf(among[0])
        return DtypeOf(names.get(value.word, value.word) if value.is_parameter else value.word, among)

    def misfit(self, value: DtypeOf, function: Function) -> str | None:
        absent = super().misfit(value, function)
        if absent is not None:
            return absent
        wrong = [n for n in self.names(value) if not function.param(n).is_tensor_like]
        return f"'{wrong[0]}' of {function.name} is no tensor" if wrong else None


@dataclass(frozen=True)
class DtypeSet:
    """Names of sets and of dtypes, and the dtypes that they stand for."""

    written: tuple[str, ...]
    dtypes: tuple[str, ...]

    @property
    def words(self) -> str:
        return listed(({"floating": "floating point", "boolean": "bool"}.get(n, n) for n in self.written), "or")


@dataclass(frozen=True)
class Dtypes(Kind):
    """Dtypes as in the `dtypes` of a parameter."""

    def read(self, value: Any, at: Raw, key: str, scope: Scope) -> DtypeSet:
        names = at.take_list(key, str) if isinstance(value, list) else [at.take(key, str)]
        result: dict[str, None] = {}
        for name in names:
            if name not in scope.sets and name not in scope.dtypes:
                raise at.error(f"unknown dtype or dtype set '{name}'", key)
            result.update(dict.fromkeys(scope.sets.get(name, (name,))))
        if not names:
            raise at.error(f"'{key}' is empty", key)
        return DtypeSet(tuple(names), tuple(result))
