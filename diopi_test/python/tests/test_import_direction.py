# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the rooms of the judge import in one direction: from data to cases, calls, verdicts and reports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import conformance

ROOT = Path(conformance.__file__).resolve().parent

# The rooms and modules, lowest first. A module imports only from its own line and from the lines above it.
LEVELS = (
    ("dtypes", "lists", "placement", "handles"),
    ("layouts", "scalars", "csr"),
    ("oracle",),
    ("cases",),
    ("generate",),
    ("vendor",),
    ("run",),
    ("verdict",),
    ("coverage",),
    ("report",),
    ("command_line",),
    ("session",),
    ("modes",),
    ("chip",),
    ("selfcheck",),
)
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}


def modules() -> Iterator[tuple[tuple[str, ...], Path]]:
    """Each module below `conformance` as the parts of its name, with its file."""
    for path in sorted(ROOT.rglob("*.py")):
        yield path.relative_to(ROOT).with_suffix("").parts, path


def imported_rooms(parts: tuple[str, ...], source: str) -> set[str]:
    """The rooms of `conformance` that a module imports from, as relative or absolute imports."""
    rooms: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            rooms |= {a.name.split(".")[1] for a in node.names if a.name.startswith("conformance.")}
        if not isinstance(node, ast.ImportFrom):
            continue
        target = tuple((node.module or "").split(".")) if node.module else ()
        if node.level == 0 and target[:1] != ("conformance",):
            continue
        full = (*parts[: len(parts) - node.level], *target) if node.level else target[1:]
        rooms |= {full[0]} if full else {a.name for a in node.names if a.name in LEVEL}
    return rooms


def test_every_module_has_a_level():
    assert {parts[0] for parts, _ in modules()} - {"__init__"} == set(LEVEL)


def test_low_modules_do_not_import_high_ones():
    wrong = [
        f"{'.'.join(parts)} imports from {room}"
        for parts, path in modules()
        for room in sorted(imported_rooms(parts, path.read_text(encoding="utf-8")))
        if parts != ("__init__",) and LEVEL[room] > LEVEL[parts[0]]
    ]
    assert wrong == []


def test_the_search_sees_relative_and_absolute_imports():
    assert imported_rooms(("cases", "suite"), "from ..report.record import RunRecord\nfrom .case import Case") == {
        "report",
        "cases",
    }
    assert imported_rooms(("oracle", "__init__"), "from .. import dtypes, DATA_DIR") == {"dtypes"}
    assert imported_rooms(("modes",), "from .session import judge\nimport conformance.run.call") == {"session", "run"}
    assert imported_rooms(("run", "call"), "from conformance.verdict import group\nimport numpy") == {"verdict"}
