# SPDX-License-Identifier: BSD-3-Clause
"""Sorts the verdicts of invalid calls: which calls were refused, and why others were accepted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# A size at the ends of 64 bits in the name of a case, see conformance/generate/invalid/sizes.py.
_WRAPPING = re.compile(r"invalid:\w+=(-?2\^6[23](-1)?|-?\d+\+2\^(32|61|62))!")
DATA, HAND_WRITTEN, SIZES = "need the elements of tensors", "are written by hand", "concern sizes beyond 64 bits"


@dataclass
class Outcomes:
    """The numbers of calls, and the results that show a mistake."""

    refused: int = 0
    accepted: Counter[str] = field(default_factory=Counter)  # by the reason
    failed: list[Mapping[str, Any]] = field(default_factory=list)

    def add(self, result: Mapping[str, Any], left: Mapping[str, bool]) -> None:
        """A result of the judge's JSON report; `left`: the checks that the layer does not make, and whether these
        depend on data."""
        if result["status"] == "PASS":
            self.refused += 1
            return
        reason = self._reason(result, left)
        if reason is None:
            self.failed.append(result)
        else:
            self.accepted[reason] += 1

    @staticmethod
    def _reason(result: Mapping[str, Any], left: Mapping[str, bool]) -> str | None:
        """Why the layer may accept the call; None if it must refuse it, or has refused it wrongly."""
        messages, check = result["messages"], result.get("check", "")
        if len(messages) != 1 or "got diopiSuccess" not in messages[0]:
            return None
        if check:
            return {True: DATA, False: HAND_WRITTEN}[left[check]] if check in left else None
        return SIZES if _WRAPPING.match(result["case"]) else None

    def __str__(self) -> str:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(self.accepted.items()))
        accepted = f"{self.accepted.total()} accepted, because the checks that they violate are not made ({reasons})"
        return f"{self.refused} refused, {len(self.failed)} failed; {accepted}"
