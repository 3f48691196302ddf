# SPDX-License-Identifier: BSD-3-Clause
"""One HTML page of a run, which loads no other file: no script, font or picture."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from typing import Any

from .findings import SHOWN, Process

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1a1a1a }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .8rem .2rem 0; text-align: right; border-bottom: 1px solid #ddd }
th:first-child, td:first-child { text-align: left }
td.text { text-align: left; font-family: ui-monospace, monospace; font-size: 13px; word-break: break-word }
tr.bad td { background: #fdecea } .good { color: #176f2c } .bad { color: #a61b1b }
@media (prefers-color-scheme: dark) {
  body { background: #161616; color: #e4e4e4 } th, td { border-color: #3a3a3a } tr.bad td { background: #4a1f1c }
  .good { color: #6fd08c } .bad { color: #ff9c92 } }
"""
LEFT_OUT = {"operator", "call"}


def page(command: str, status: int | None, processes: Sequence[Process]) -> str:
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>diopi-layer</title>",
        f"<style>{STYLE}</style></head><body><h1>diopi-layer</h1>",
        f"<p>Command: <code>{html.escape(command)}</code>" + _ended(status) + "</p>",
    ]
    for process in processes:
        parts.append(f"<h2>Process {html.escape(process.number)}</h2>")
        parts += (f"<p class='bad'>{html.escape(note)}</p>" for note in process.notes)
        parts += _sections(process)
    return "\n".join([*parts, "</body></html>\n"])


def _ended(status: int | None) -> str:
    if status is None:
        return ""
    kind = "good" if status == 0 else "bad"
    return f"; it ended with <span class='{kind}'>exit status {status}</span>."


def _sections(process: Process) -> Iterable[str]:
    if process.calls:
        yield _table("Calls by operator (trace)", [{"operator": o, "calls": n} for o, n in process.calls.most_common()])
    if process.failures:
        yield _table("Calls that failed (trace)", process.failures)
    for name, summary in process.summaries.items():
        yield from _summary(name, summary)
    for name, lines in process.lists.items():
        if lines:
            more = process.lengths[name] - len(lines)
            yield _table(f"Calls reported by {name}", lines)
            if more:
                yield f"<p>{more} more lines are in {name}.jsonl.</p>"
    if process.captured:
        yield f"<p>{process.captured} calls are captured: <code>diopi-layer replay</code> runs them again.</p>"


def _summary(name: str, summary: Any) -> Iterable[str]:
    """A summary is an object: lists of objects become tables, the rest a table of names and values."""
    rows = summary if isinstance(summary, list) else None
    if rows is None and isinstance(summary, dict):
        plain = {k: v for k, v in summary.items() if not isinstance(v, (list, dict))}
        if plain:
            yield _table(f"Summary of {name}", [{"": key, "value": value} for key, value in plain.items()])
        for key, value in summary.items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                yield _table(f"{name}: {key}", value)
            elif isinstance(value, dict) and value:
                yield _table(f"{name}: {key}", _named(value))
    elif rows:
        yield _table(name, rows)


def _named(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Objects by name as rows with the column `operator`."""
    return [{"operator": k, **(v if isinstance(v, dict) else {"value": v})} for k, v in values.items()]


def _table(title: str, rows: Sequence[dict[str, Any]]) -> str:
    columns = list(dict.fromkeys(key for row in rows[:SHOWN] for key in row))
    head = "".join(f"<th>{html.escape(column.replace('_', ' '))}</th>" for column in columns)
    body = "".join(_row(row, columns) for row in rows[:SHOWN])
    cut = f"<p>{len(rows) - SHOWN} more rows are in the JSON report.</p>" if len(rows) > SHOWN else ""
    return f"<h3>{html.escape(title)}</h3><table><tr>{head}</tr>{body}</table>{cut}"


def _row(row: dict[str, Any], columns: Sequence[str]) -> str:
    bad = any(
        isinstance(row.get(key), int) and row.get(key, 0) > 0 for key in ("different", "wrong", "status", "accepted")
    )
    cells = "".join(_cell(row.get(column)) for column in columns)
    return f"<tr{' class=bad' if bad else ''}>{cells}</tr>"


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, bool):
        return f"<td>{'yes' if value else 'no'}</td>"
    if isinstance(value, int):
        return f"<td>{value:,}</td>"
    if isinstance(value, float):
        return f"<td>{value:.6g}</td>"
    text = value if isinstance(value, str) else json.dumps(value)
    return f"<td class='text'>{html.escape(text)}</td>"
