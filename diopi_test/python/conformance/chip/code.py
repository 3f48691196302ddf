# SPDX-License-Identifier: BSD-3-Clause
"""The code of a source without its comments and layout, so that two texts that differ only in these are equal."""

from __future__ import annotations

import re
from pathlib import PurePath

LANGUAGE = (".cpp", ".hpp", ".cu", ".cuh", ".h")
LINE_JOINED = re.compile(r"\\\n")
DIRECTIVE = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
SPACE = re.compile(r"\s+")
TOKEN = re.compile(
    r"""
      (?P<comment> //[^\n]* | /\*.*?\*/ )
    | (?P<token>
        R"(?P<mark>[^\s()\\]*)\(.*?\)(?P=mark)"     # a raw string
      | "(?:[^"\\\n]|\\.)*" | (?<!\w)'(?:[^'\\\n]|\\.)*'  # a string, a character
        | \d[\w.']* | \w+ | \S
      )
    """,
    re.VERBOSE | re.DOTALL,
)


def code_of(path: str, text: str) -> str:
    """What the compiler, CMake or the reader of a YAML file sees of the text of the file `path`."""
    if PurePath(path).suffix not in LANGUAGE:
        return "\n".join(line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    parts: list[str] = []
    at = 0
    text = LINE_JOINED.sub("", text)
    for line in DIRECTIVE.finditer(text):
        if line.start() < at:  # in a comment or a string that began before
            continue
        at = _tokens(text, at, line.start(), parts)
        if at <= line.start():
            words = [m["token"] or " " for m in re.finditer(TOKEN.pattern + r"|(?P<space>\s+)", line[0], TOKEN.flags)]
            parts.append(SPACE.sub(" ", "".join(words)).strip())
            at = line.end()
    _tokens(text, at, len(text), parts)
    return "\n".join(parts)


def _tokens(text: str, begin: int, end: int, parts: list[str]) -> int:
    """Appends the tokens that begin before `end`. The end of the last one, which can be beyond `end`."""
    for match in TOKEN.finditer(text, begin):
        if match.start() >= end:
            return end
        if match["token"]:
            parts.append(match["token"])
        begin = match.end()
    return max(begin, end)
