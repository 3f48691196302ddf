# SPDX-License-Identifier: BSD-3-Clause
"""Reads and replaces the numbers of constants in C++ sources."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from mpmath import mpf

ROOT = Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"[-+]?(?:0x[0-9a-fA-F.]+(?:p[-+]?\d+)?|(?:\d+\.\d*|\d+)(?:e[-+]?\d+)?)f?")
ARRAY = re.compile(r"\w\[[^=;]*\] = \{")
BOUND = re.compile(r"error 2\^-(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Place:
    """Where a constant is: in `file` (below impl/cpu), after the first `name` after the text `scope`."""

    file: str
    scope: str
    name: str

    def __str__(self) -> str:
        scope = self.scope.removeprefix("struct ").rstrip(" (")
        return f"{self.file} {scope} {self.name}"

    def text(self) -> str:
        return (ROOT / "impl/cpu" / self.file).read_text(encoding="utf-8")


def end_of_braces(text: str, opening: int) -> int:
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, opening):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    raise ValueError("an opening brace has no closing brace")


def span(text: str, place: Place) -> tuple[int, int]:
    """Begin and end of the value: an initialiser in braces, or one number."""
    begin = text.find(place.scope)
    assigned = r"(?:\[[^=;]*\])? = " if place.name.isidentifier() else ""
    pattern = re.compile(rf"(?<!\w){re.escape(place.name)}{assigned}")
    name = pattern.search(text, begin + len(place.scope)) if begin >= 0 else None
    if name is None:
        raise ValueError(f"{place}: the file has no such constant")
    if text[name.end()] == "{":
        return name.end(), end_of_braces(text, name.end())
    number = NUMBER.match(text, name.end())
    if number is None:
        raise ValueError(f"{place}: no number follows")
    return number.span()


def value_of(literal: str) -> float:
    digits = literal if "p" not in literal and literal.startswith("0x") else literal.removesuffix("f")
    if digits.startswith("0x") and "p" not in digits:
        return float(int(digits, 16))
    value = float.fromhex(digits) if "0x" in digits else float(digits)
    return float(np.float32(value)) if literal.endswith("f") else value


def numbers(text: str, names: dict[str, float]) -> list[float]:
    """The numbers of an initialiser in their order. `names` has the values of the constants that it mentions."""
    text = re.sub(r"//[^\n]*", "", text)
    for name, value in names.items():
        text = text.replace(name, repr(value))
    return [value_of(literal) for literal in NUMBER.findall(text)]


def long_numbers(text: str) -> list[tuple[int, str]]:
    """Position and text of the floating-point numbers that need more than 20 bits."""
    found = []
    for match in NUMBER.finditer(re.sub(r"//[^\n]*", lambda comment: " " * len(comment[0]), text)):
        literal = match[0].lstrip("+-")
        fraction = ("." in literal or "p" in literal) and not text[match.start() - 1 : match.start()].isalnum()
        if fraction and len(re.sub(r"^0x|[ep][-+]?\d+|[.f]", "", literal).strip("0")) > 7:
            value = value_of(literal)
            if value % 1 and np.frexp(value)[0] * 2**20 % 1:
                found.append((match.start(), match[0]))
    return found


def read(place: Place, names: dict[str, float] | None = None) -> list[float]:
    text = place.text()
    begin, end = span(text, place)
    return numbers(text[begin:end], names or {})


def stated_bound(place: Place) -> float:
    """The n of `error 2^-n` in a comment inside the array, or else in the comment above it. A comment above several
    arrays states one bound for each, in their order."""
    text = place.text()
    begin, end = span(text, place)
    inside = BOUND.findall(text[begin : text.find("\n", end)])
    if inside:
        return float(inside[0])
    lines = text[:begin].split("\n")
    last = len(lines) - 1
    while last and not lines[last].lstrip().startswith("//"):
        last -= 1
    first = last
    while lines[first - 1].lstrip().startswith("//"):
        first -= 1
    comment = " ".join(line.strip().removeprefix("//").strip() for line in lines[first : last + 1])
    stated = BOUND.findall(comment)
    position = len(ARRAY.findall("\n".join(lines[last + 1 : -1])))
    if position >= len(stated):
        raise ValueError(f"{place}: no comment inside the array or above it states its `error 2^-N`")
    return float(stated[position])


def literal_of(value: float, bits: int, hexadecimal: bool) -> str:
    if hexadecimal:
        mantissa, exponent = value.hex().split("p")
        digits = (mantissa.rstrip("0") if "." in mantissa else mantissa).rstrip(".") + "p" + exponent
    else:
        digits = repr(value) if bits == 53 else f"{value:.9g}"
        digits = digits if re.search(r"[.e]", digits) else digits + ".0"
    return digits + ("f" if bits == 24 else "")


def initialiser(before: str, values: Sequence[float], bits: int, columns: int, names: dict[str, float]) -> str:
    """The initialiser with other numbers. If their count is the same, layout, comments and names stay."""
    hexadecimal = "0x" in before
    token = re.compile("|".join(["//[^\n]*", *map(re.escape, names), NUMBER.pattern]))
    found = [match for match in token.finditer(before) if not match[0].startswith("//")]
    if len(found) != len(values):
        literals = [literal_of(value, bits, hexadecimal) for value in values]
        width = columns or len(literals)
        rows = [", ".join(literals[i : i + width]) for i in range(0, len(literals), width)]
        comments = "".join(f"{comment}\n" for comment in re.findall("//[^\n]*", before))
        return "{" + comments + ("".join(f"{{{row}}},\n" for row in rows) if columns else rows[0]) + "}"
    for match, value in reversed(list(zip(found, values))):
        old = names[match[0]] if match[0] in names else value_of(match[0])
        if old != value:
            before = before[: match.start()] + literal_of(value, bits, hexadecimal) + before[match.end() :]
    return before


def write(
    place: Place, values: Sequence[float], bits: int, columns: int = 0, names: dict[str, float] | None = None
) -> None:
    """Replaces the numbers of the constant and formats the file."""
    path = ROOT / "impl/cpu" / place.file
    text = place.text()
    begin, end = span(text, place)
    changed = initialiser(text[begin:end], values, bits, columns, names or {})
    path.write_text(text[:begin] + changed + text[end:], encoding="utf-8")
    subprocess.run(["clang-format", "-i", str(path)], check=True)


def rounded(value: mpf, bits: int) -> float:
    """The nearest number of the format: 24 bits for float, 53 for double."""
    return float(value) if bits == 53 else float(np.float32(float(value)))
