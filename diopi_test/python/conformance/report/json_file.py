# SPDX-License-Identifier: BSD-3-Clause
"""Writes the verdicts of a run as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..run.result import FAIL, NOT_APPLICABLE, UNTRUSTED, Result
from .ledger import ledger
from .record import CaseName, RunRecord
from .terminal import repeat_line


def as_data(record: RunRecord) -> dict[str, Any]:
    """The data of the report: the options, the counts, absent operators, the vendor's settings, and each verdict."""
    return {
        "library": record.title,
        "options": record.options,
        "seconds": round(record.seconds, 3),
        "jobs": record.jobs,
        "counts": dict(sorted(record.counts.items())),
        "absent": list(record.absent),
        "no_oracle": dict(sorted(record.no_oracle.items())),
        "not_tried": {name: [asdict(one) for one in own] for name, own in sorted(record.untested.items()) if own},
        "absent_is_failure": record.absent_fails,
        "stale": [asdict(entry) for entry in record.stale],
        "skips": [{"entry": str(skip), "reason": skip.reason} for skip in record.profile.skips],
        "tolerances": {name: [asdict(t) for t in own] for name, own in sorted(record.profile.tolerances.items())},
        "fallbacks": [row.as_data() for row in ledger(record.results)],
        "results": [_result(r, record) for r in record.results if r.status != NOT_APPLICABLE],
    }


def _result(result: Result, record: RunRecord) -> dict[str, Any]:
    name = CaseName.of(result.name)
    data: dict[str, Any] = {
        "name": result.name,
        "operator": name.operator,
        "family": record.families.get(name.operator, ""),
        "case": name.case,
        "dtype": name.dtype,
        "layout": name.layout,
        "status": result.status,
        "messages": list(result.messages),
        "seconds": round(result.seconds, 6),
        "ulp": {output: ulp if ulp < float("inf") else "inf" for output, _, ulp in result.errors},
    }
    if name.check:
        data["check"] = name.check
    if result.status in (FAIL, UNTRUSTED):
        data |= {"arguments": result.arguments, "repeat": repeat_line(record.command, result.name)}
    return data


def write_json(record: RunRecord, path: Path) -> None:
    path.write_text(json.dumps(as_data(record), indent=1, allow_nan=False) + "\n", encoding="utf-8")
