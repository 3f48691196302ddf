# SPDX-License-Identifier: BSD-3-Clause
"""Names of operators: DIOPI's, and PyTorch's (ATen) by the table aten.json."""

from __future__ import annotations

import difflib
import functools
import json
import re
from pathlib import Path

from .. import contract
from .errors import UsageError

ATEN = "aten::"


@functools.cache
def aten() -> dict[str, list[str]]:
    """ATen overload -> the operators that a PyTorch backend calls for it."""
    table: dict[str, list[str]] = json.loads((Path(__file__).parent / "aten.json").read_text(encoding="utf-8"))
    return table


@functools.cache
def operators() -> tuple[str, ...]:
    return tuple(contract.load_contract().names)


def patterns(text: str, option: str) -> str:
    """The list of regular expressions in which ATen names are replaced by the names of DIOPI operators."""
    chosen: list[str] = []
    for word in filter(None, (w.strip() for w in text.split(","))):
        chosen += _words(word, option)
    if not chosen:
        raise UsageError(f"{option} is {text!r}, expected at least one name")
    return ",".join(dict.fromkeys(chosen))


# What means the same to Python and to the layer, which is C++ (ECMAScript).
_PORTABLE = re.compile(r"(?:[\w.^$|]|\[\^?(?:\w(?:-\w)?)+\]|\((?:\?[:=!])?(?!\?)|\)|[*+?]\??(?![*+?]))*", re.ASCII)


def is_portable(word: str) -> bool:
    """Whether the layer understands a regular expression as Python does. It gets the names for any other."""
    repeats_lookahead = ("(?=" in word or "(?!" in word) and re.search(r"\)[*+?]", word)
    return _PORTABLE.fullmatch(word) is not None and not repeats_lookahead


def _words(word: str, option: str) -> list[str]:
    asked = word.removeprefix(ATEN)
    try:
        pattern = re.compile(asked)
    except re.error as error:
        raise UsageError(f"{option}: {word!r} is no regular expression: {error}") from None
    found = [name for name in operators() if pattern.fullmatch(name)] if asked == word else []
    if found:
        return [word] if is_portable(word) else found if len(found) < len(operators()) else [".*"]
    found = [n for overload, targets in aten().items() if pattern.fullmatch(overload) for n in targets]
    if found:
        return found
    near = difflib.get_close_matches(word, [*operators(), *(ATEN + n for n in aten())], n=3)
    hint = f"; near: {', '.join(near)}" if near else ""
    raise UsageError(f"{option}: {word!r} matches no operator{hint}")


def matching(expressions: str) -> set[str]:
    """The operators that a list of regular expressions selects."""
    compiled = [re.compile(e) for e in expressions.split(",")]
    return {name for name in operators() if any(c.fullmatch(name) for c in compiled)}
