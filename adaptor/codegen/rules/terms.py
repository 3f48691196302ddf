# SPDX-License-Identifier: BSD-3-Clause
"""The formal terms of checks: numbers of elements and extents, such as `input[-1]` or `groups * weight[1]`.

    term    = product {("+" | "-") product}
    product = atom {"*" atom}
    atom    = integer | name | name "[" index "]" | function "(" term {"," term} ")"
    index   = ["-"] integer | name | [bound] ":" [bound]
    bound   = ["-"] integer | name

A name is a parameter: an integer, a list of integers, or a tensor, which stands for its shape. `input[1]` is an extent
and `input[:-1]` a part of the shape; `input[dim:]` is the part from the dimension that a parameter names. `input[dim]`
is the extent along an integer parameter (1 for a tensor without dimensions). `input[indices]` is the shape after
advanced indexing with a list of tensors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

# Function -> what it says of its argument in a sentence.
FUNCTIONS = {
    "numel": "the number of elements of {}",
    "ndim": "the number of dimensions of {}",
    "len": "the length of {}",
    "channels": "the number of channels of {}",  # the second extent, or the only one of a vector
    "count_nonzero": "the number of true elements of {}",
    "broadcast": "the broadcast shape of {}",
    "prod": "the product of {}",
}


class TermError(ValueError):
    """A text that is no term."""


@dataclass(frozen=True)
class Term:
    """A parsed term."""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that it names, each once."""
        return ()

    def renamed(self, names: Mapping[str, str]) -> Term:
        return self

    @property
    def words(self) -> str:
        """The term in a sentence."""
        return str(self)


@dataclass(frozen=True)
class Number(Term):
    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Name(Term):
    """A parameter: its value, or the shape of a tensor."""

    name: str

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def renamed(self, names: Mapping[str, str]) -> Name:
        return Name(names.get(self.name, self.name))

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Item(Term):
    """`input[-1]`, `input[dim]`, `input[indices]`."""

    name: str
    index: int | str

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, self.index) if isinstance(self.index, str) else (self.name,)

    def renamed(self, names: Mapping[str, str]) -> Item:
        index = names.get(self.index, self.index) if isinstance(self.index, str) else self.index
        return Item(names.get(self.name, self.name), index)

    def __str__(self) -> str:
        return f"{self.name}[{self.index}]"


@dataclass(frozen=True)
class Slice(Term):
    """`input[:-1]`, `input[dim:]`: several extents."""

    name: str
    start: int | str | None
    stop: int | str | None

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *(b for b in (self.start, self.stop) if isinstance(b, str)))

    def renamed(self, names: Mapping[str, str]) -> Slice:
        start, stop = (names.get(b, b) if isinstance(b, str) else b for b in (self.start, self.stop))
        return replace(self, name=names.get(self.name, self.name), start=start, stop=stop)

    def __str__(self) -> str:
        start, stop = ("" if n is None else n for n in (self.start, self.stop))
        return f"{self.name}[{start}:{stop}]"


@dataclass(frozen=True)
class Call(Term):
    """`numel(input)`."""

    function: str
    arguments: tuple[Term, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(n for a in self.arguments for n in a.names))

    def renamed(self, names: Mapping[str, str]) -> Call:
        return replace(self, arguments=tuple(a.renamed(names) for a in self.arguments))

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(str, self.arguments))})"

    @property
    def words(self) -> str:
        return FUNCTIONS[self.function].format(" and ".join(a.words for a in self.arguments))


@dataclass(frozen=True)
class Operation(Term):
    """A sum, a difference or a product."""

    sign: str
    left: Term
    right: Term

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.left.names, *self.right.names)))

    def renamed(self, names: Mapping[str, str]) -> Operation:
        return replace(self, left=self.left.renamed(names), right=self.right.renamed(names))

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"

    @property
    def words(self) -> str:
        return f"{self.left.words} {self.sign} {self.right.words}"


_TOKEN = re.compile(r"\s*(?:(?P<integer>\d+)|(?P<name>[A-Za-z_]\w*)|(?P<sign>[-+*\[\]():,]))")


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens = text, []
        position, end = 0, len(text.rstrip())
        while position < end:
            found = _TOKEN.match(text, position)
            if found is None:
                raise TermError(f"'{text}' is no term: '{text[position:].strip()}' is not understood")
            self.tokens.append(found[0].strip())
            position = found.end()

    def parse(self) -> Term:
        result = self.sum()
        if self.tokens:
            raise self.error(f"'{self.tokens[0]}' is left over")
        return result

    def error(self, why: str) -> TermError:
        return TermError(f"'{self.text}' is no term: {why}")

    def next(self, *wanted: str) -> str:
        """The next token, which must be one of these."""
        if not self.tokens or self.tokens[0] not in wanted:
            raise self.error(f"{' or '.join(wanted)} is missing")
        return self.tokens.pop(0)

    def has(self, *signs: str) -> bool:
        return bool(self.tokens) and self.tokens[0] in signs

    def sum(self) -> Term:
        result = self.product()
        while self.has("+", "-"):
            result = Operation(self.tokens.pop(0), result, self.product())
        return result

    def product(self) -> Term:
        result = self.atom()
        while self.has("*"):
            result = Operation(self.tokens.pop(0), result, self.atom())
        return result

    def atom(self) -> Term:
        if self.has("-") or self.tokens and self.tokens[0].isdigit():
            return Number(self.integer())
        if not self.tokens or not self.tokens[0].isidentifier():
            raise self.error("a name or an integer is missing")
        name = self.tokens.pop(0)
        if self.has("("):
            return self.call(name)
        if self.has("["):
            return self.index(name)
        return Name(name)

    def integer(self) -> int:
        sign = -1 if self.has("-") and self.tokens.pop(0) else 1
        if not self.tokens or not self.tokens[0].isdigit():
            raise self.error("an integer is missing")
        return sign * int(self.tokens.pop(0))

    def call(self, name: str) -> Term:
        if name not in FUNCTIONS:
            raise self.error(f"unknown function '{name}' (known: {', '.join(FUNCTIONS)})")
        self.next("(")
        arguments = [self.sum()]
        while self.next(",", ")") == ",":
            arguments.append(self.sum())
        return Call(name, tuple(arguments))

    def index(self, name: str) -> Term:
        self.next("[")
        start = None if self.has(":") else self.bound()
        if self.has(":"):
            self.next(":")
            item: Term = Slice(name, start, None if self.has("]") else self.bound())
        elif start is None:
            raise self.error("an index is missing")
        else:
            item = Item(name, start)
        self.next("]")
        return item

    def bound(self) -> int | str:
        """An index or the limit of a part: an integer or the name of a parameter."""
        return self.tokens.pop(0) if self.tokens and self.tokens[0].isidentifier() else self.integer()


def parse(text: Any) -> Term:
    """The term that a text or an integer of a YAML file stands for."""
    if isinstance(text, int) and not isinstance(text, bool):
        return Number(text)
    if not isinstance(text, str):
        raise TermError(f"a term is an integer or a text, not {text!r}")
    return _Parser(text).parse()
