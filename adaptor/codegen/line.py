# SPDX-License-Identifier: BSD-3-Clause
"""A generated C++ statement that may refuse a call."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A statement, with the identifier of the check that it makes; `check` is empty if it refuses nothing."""

    text: str
    check: str = ""

    def __str__(self) -> str:
        return self.text
