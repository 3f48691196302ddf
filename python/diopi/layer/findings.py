# SPDX-License-Identifier: BSD-3-Clause
"""Reads what the layer wrote: one folder for each process of the run."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import UsageError
from .options import whole

SUMMARIES = ("contract", "time", "compare", "memory", "values", "fallback")
LISTS = ("contract", "compare", "values")
SHOWN = 200  # lines of a list that a report shows


@dataclass
class Process:
    """The files of one process."""

    number: str
    summaries: dict[str, Any] = field(default_factory=dict)
    lists: dict[str, list[Any]] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)  # of trace: operator -> calls
    failures: list[Any] = field(default_factory=list)  # calls of trace that failed
    captured: int = 0
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {
            "process": self.number,
            **self.summaries,
            **{f"{name}_calls": lines for name, lines in self.lists.items() if lines},
            "lines": self.lengths,
            "traced_calls": dict(self.calls.most_common()),
            "failed_calls": self.failures,
            "captured_calls": self.captured,
            "notes": self.notes,
        }


def read(folder: Path) -> list[Process]:
    """The processes of a run, the one with the most files first."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder: no process of the run has called an operator")
    numbered = [p for p in folder.iterdir() if p.is_dir() and whole(p.name) is not None]
    if not numbered:
        raise UsageError(f"{folder} has no results: no process of the run has called an operator")
    return [_process(p) for p in sorted(numbered, key=lambda p: int(p.name))]


def _process(folder: Path) -> Process:
    process = Process(folder.name)
    for name in SUMMARIES:
        path = folder / f"{name}.json"
        if path.is_file():
            try:
                process.summaries[name] = _object(path.read_text(encoding="utf-8"))
            except ValueError as error:
                process.notes.append(f"{path.name} is cut off: {error}")
    for name in LISTS:
        lines = lines_of(folder / f"{name}.jsonl", process.notes)
        process.lengths[name] = len(lines)
        process.lists[name] = lines[:SHOWN]
    for call in lines_of(folder / "trace.jsonl", process.notes):
        process.calls[str(call.get("operator"))] += 1
        if call.get("status") and len(process.failures) < SHOWN:
            process.failures.append(call)
    process.captured = sum("call" in line for line in lines_of(folder / "capture" / "index.jsonl", process.notes))
    return process


def _object(text: str) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("this is no object")
    return found


def lines_of(path: Path, notes: list[str]) -> list[Any]:
    """The objects of a file of JSON lines. A line that is cut off ends the list, with a note."""
    found: list[Any] = []
    if not path.is_file():
        return found
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            try:
                found.append(_object(line))
            except ValueError:
                notes.append(f"{path.name}: line {number} is cut off; it and the lines after it are left out")
                break
    return found
