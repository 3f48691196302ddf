# SPDX-License-Identifier: BSD-3-Clause
"""Writes the verdicts of a run as one HTML page, which loads no other file: no script, font or picture."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import jinja2

from .. import dtypes
from ..coverage.untested import Untested
from ..layouts import LAYOUTS
from ..run.parallel import clock
from ..run.result import FAIL, FALLBACK, NOT_APPLICABLE, PASS, SKIPPED, UNSUPPORTED, UNTRUSTED, Result
from ..verdict.compare import describe
from . import histogram
from .ledger import ledger
from .record import CaseName, RunRecord
from .terminal import repeat_line

SLOWEST = 20
INVALID = "invalid calls"  # the row of invalid calls among the rows of memory layouts
COLUMNS = (*(d for d in dtypes.NUMPY if dtypes.is_integral(d)), "bool", *dtypes.FLOATING, *dtypes.COMPLEX)
TEMPLATES = Path(__file__).resolve().parent


@dataclass
class Cell:
    """The number of verdicts on one operator with one dtype, in one layout or in all layouts."""

    counts: Counter = field(default_factory=Counter)

    @property
    def failed(self) -> int:
        return self.counts[FAIL] + self.counts[UNTRUSTED]

    @property
    def declared(self) -> int:
        return self.counts[UNSUPPORTED] + self.counts[SKIPPED]

    @property
    def kind(self) -> str:
        if self.failed:
            return "fail"
        kinds = (("pass", self.counts[PASS]), ("fallback", self.counts[FALLBACK]), ("declared", self.declared))
        return next((kind for kind, count in kinds if count), "none")

    @property
    def text(self) -> str:
        parts = [
            f"{sign} {count}"
            for sign, count in (
                ("✗", self.failed),
                ("✓", self.counts[PASS]),
                ("⌂", self.counts[FALLBACK]),
                ("○", self.declared),
            )
            if count
        ]
        return " ".join(parts)

    @property
    def title(self) -> str:
        return (
            f"{self.counts[PASS]} passed, {self.counts[FALLBACK]} computed on the host (fallback), "
            f"{self.failed} failed, {self.declared} not supported or skipped"
        )


@dataclass
class OperatorRow:
    """An operator's row of the matrix. It opens to a row for each layout and to a list of what is not tested."""

    name: str
    family: str
    total: Cell = field(default_factory=Cell)
    dtypes: dict[str, Cell] = field(default_factory=dict)
    layouts: dict[str, dict[str, Cell]] = field(default_factory=dict)  # layout -> dtype -> cell
    untested: list[Untested] = field(default_factory=list)

    def add(self, name: CaseName, status: str) -> None:
        layout = self.layouts.setdefault(INVALID if "!" in name.case else name.layout, {})
        for cell in (self.total, self.dtypes.setdefault(name.dtype, Cell()), layout.setdefault(name.dtype, Cell())):
            cell.counts[status] += 1

    @property
    def ordered_layouts(self) -> list[tuple[str, dict[str, Cell]]]:
        order = {name: i for i, name in enumerate(LAYOUTS)}
        return sorted(self.layouts.items(), key=lambda item: order.get(item[0], len(order)))


@dataclass
class Declaration:
    """One reason that the vendor declares, and the operators, dtypes and cases to which it applies."""

    reason: str
    status: str
    operators: set[str] = field(default_factory=set)
    dtypes: set[str] = field(default_factory=set)
    cases: int = 0


def matrix(record: RunRecord) -> list[OperatorRow]:
    """The rows, sorted by family and name. Cases that do not apply to a form of an operator are not counted."""
    rows: dict[str, OperatorRow] = {}
    for result in record.results:
        name = CaseName.of(result.name)
        if result.status != NOT_APPLICABLE:
            row = rows.setdefault(
                name.operator,
                OperatorRow(
                    name.operator,
                    record.families.get(name.operator, ""),
                    untested=record.untested.get(name.operator, []),
                ),
            )
            row.add(name, result.status)
    return sorted(rows.values(), key=lambda row: (row.family, row.name))


def matrix_dtypes(rows: list[OperatorRow]) -> list[str]:
    """The columns: integers, bool, floating dtypes from narrow to wide, complex dtypes, then results without dtype."""
    used = {dtype for row in rows for dtype in row.dtypes}
    return [d for d in COLUMNS if d in used] + sorted(used - set(COLUMNS))


def declarations(results: list[Result]) -> list[Declaration]:
    found: dict[tuple[str, str], Declaration] = {}
    for result in results:
        if result.status in (UNSUPPORTED, SKIPPED):
            reason, name = "; ".join(result.messages), CaseName.of(result.name)
            entry = found.setdefault((result.status, reason), Declaration(reason, result.status))
            entry.operators.add(name.operator)
            entry.dtypes.add(name.dtype)
            entry.cases += 1
    return sorted(found.values(), key=lambda d: (d.status, -d.cases, d.reason))


def changed_tolerances(record: RunRecord) -> list[dict[str, str]]:
    return [
        {
            "operator": name,
            "allowed": describe(t),
            "dtypes": ", ".join(t.dtypes) or "all",
            "outputs": ", ".join(t.outputs) or "all",
            "reason": t.reason,
        }
        for name, tolerances in sorted(record.profile.tolerances.items())
        for t in tolerances
    ]


def slowest(results: list[Result]) -> list[Result]:
    return sorted((r for r in results if r.seconds), key=lambda r: -r.seconds)[:SLOWEST]


def size(count: int) -> str:
    """A number of bytes: `48 bytes`, `1.5 KiB`, `2 MiB`."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count} bytes"


def duration(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


def render(record: RunRecord) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"duration": duration, "size": size}
    rows, pictures = matrix(record), histogram.histograms(record.results)
    counts = record.counts
    judged = sum(counts.values()) - record.resumed
    return environment.get_template("report.html.j2").render(
        record=record,
        counts=counts,
        rows=rows,
        columns=matrix_dtypes(rows),
        empty=Cell(),
        histogram=histogram,
        pictures=[p for p in pictures if p.inexact],
        exact=[p for p in pictures if not p.inexact],
        slowest=slowest(record.results),
        ledger=ledger(record.results),
        failures=[(r, repeat_line(record.command, r.name)) for r in record.failures],
        declarations=declarations(record.results),
        tolerances=changed_tolerances(record),
        status={
            "unsupported": UNSUPPORTED,
            "skipped": SKIPPED,
            "pass": PASS,
            "fallback": FALLBACK,
            "untrusted": UNTRUSTED,
            "fail": FAIL,
            "not_applicable": NOT_APPLICABLE,
        },
        time=clock(record.seconds),
        rate=f"{judged / max(record.seconds, 1e-9):,.0f}",
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    )


def write_html(record: RunRecord, path: Path) -> None:
    path.write_text(render(record), encoding="utf-8")
