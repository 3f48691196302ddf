# SPDX-License-Identifier: BSD-3-Clause
"""The reports of a run: report.html and report.json in the folder of the run, and a few lines for the terminal."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from . import findings, page
from .findings import Process

NOTHING = "nothing found"


def write(folder: Path, command: Sequence[str], status: int | None) -> list[str]:
    """Writes both reports and returns the lines for the terminal."""
    processes = findings.read(folder)
    text = shlex.join(command)
    report = {"command": text, "exit_status": status, "processes": [p.as_json() for p in processes]}
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    (folder / "report.html").write_text(page.page(text, status, processes), encoding="utf-8")
    return [*(line for p in processes for line in _lines(p)), f"{folder / 'report.html'}"]


def _compared(process: Process) -> str:
    """What is said if no call differs."""
    rows = process.summaries["compare"].get("operators", ())
    calls, compared = (sum(row.get(key, 0) for row in rows) for key in ("calls", "compared"))
    if compared == calls > 0:
        return NOTHING
    return f"{compared} of {calls} calls compared" + (f", {NOTHING}" if compared else "")


def _lines(process: Process) -> Iterable[str]:
    """What a user wants to see first."""
    name = f"process {process.number}"
    if process.calls:
        yield f"{name}: {process.calls.total()} calls of {len(process.calls)} operators, {len(process.failures)} failed"
    for kind in findings.LISTS:
        if process.lengths.get(kind):
            first = process.lists[kind][0]
            what = {"contract": "calls violate a check", "compare": "calls differ", "values": "findings"}[kind]
            where = f"{first.get('operator', '')}, call {first.get('call', '')}"
            count = process.summaries.get(kind, {}).get("violating", process.lengths[kind])
            yield f"{name}: {kind}: {count} {what}, the first in {where}"
        elif kind in process.summaries:
            yield f"{name}: {kind}: {_compared(process) if kind == 'compare' else NOTHING}"
    for leak in process.summaries.get("memory", {}).get("heap_leaks", ()):
        what = f"{leak['calls_that_kept']} of {leak['calls']} calls of {leak['operator']}"
        yield f"{name}: memory: {what} never free {leak['bytes']} bytes of the heap"
    if process.captured:
        yield f"{name}: {process.captured} calls captured"
    yield from (f"{name}: {note}" for note in process.notes)
