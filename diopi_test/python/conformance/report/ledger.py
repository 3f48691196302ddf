# SPDX-License-Identifier: BSD-3-Clause
"""The ledger of a run: what the library computed on the host in place of its device, by operator."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ..run.result import Result


@dataclass
class LedgerRow:
    """The calls of one operator that the host computed."""

    operator: str
    reasons: Counter = field(default_factory=Counter)  # reason -> calls
    bytes: int = 0  # copied from and to the device
    seconds: float = 0.0  # spent in these calls

    @property
    def calls(self) -> int:
        return sum(self.reasons.values())

    @property
    def reason(self) -> str:
        """The reasons; with their numbers of calls if there are several."""
        if len(self.reasons) == 1:
            return str(next(iter(self.reasons)))
        return ", ".join(f"{reason} {count}" for reason, count in sorted(self.reasons.items()))

    def as_data(self) -> dict[str, Any]:
        return {
            "operator": self.operator,
            "calls": dict(sorted(self.reasons.items())),
            "bytes": self.bytes,
            "seconds": round(self.seconds, 6),
        }


def ledger(results: list[Result]) -> list[LedgerRow]:
    """The rows, the operator with the longest time first."""
    rows: dict[str, LedgerRow] = {}
    for result in results:
        if result.host is not None:
            operator = result.name.split("/")[0]
            row = rows.setdefault(operator, LedgerRow(operator))
            row.reasons[result.host.reason] += 1
            row.bytes += result.host.bytes
            row.seconds += result.host.seconds
    return sorted(rows.values(), key=lambda row: (-row.seconds, row.operator))
