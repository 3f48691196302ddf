# SPDX-License-Identifier: BSD-3-Clause
"""Prints the table at the end of a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from .run import Row

HEAD = ("operator", "kind", "against", "cases", "widened", "unanswered", "largest", "explained", "unexplained")
LEFT = 3  # the number of left-aligned columns


def _cells(row: Row) -> tuple[str, ...]:
    kind, against = ("", "nothing") if row.reference is None else (row.reference.kind, row.reference.against)
    return (
        row.name,
        kind,
        against,
        str(row.cases),
        str(row.widened or ""),
        str(row.unanswered or ""),
        f"{row.largest:.3g}",
        str(row.explained or ""),
        str(row.disagreeing or ""),
    )


def print_table(rows: Iterable[Row], out: TextIO) -> None:
    """Prints one line for each operator, followed by its tests of distributions and its explanations."""
    rows = list(rows)
    lines = [HEAD, *map(_cells, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    for line, row in zip(lines, [None, *rows]):
        cells = [c.ljust(w) if i < LEFT else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip(), file=out)
        if row is not None and row.statistics:
            print(f"    distribution: {'; '.join(map(str, row.statistics))}", file=out)
        for reason, count in row.reasons.items() if row is not None else ():
            print(f"    {count} {'case' if count == 1 else 'cases'}: {reason}", file=out)
