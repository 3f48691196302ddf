# SPDX-License-Identifier: BSD-3-Clause
"""Divides a suite among several machines."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from .prepared import Group
from .suite import Suite


@dataclass(frozen=True)
class Shard:
    """The part number `index` (from 1) of `count`."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """`2/5` is the second of five."""
        match = re.fullmatch(r"(\d+)/(\d+)", text)
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise ValueError(f"'{text}' is no shard: write 1/4 ... 4/4 for four of them")
        return cls(int(match[1]), int(match[2]))

    def holds(self, group: Group) -> bool:
        """The name alone decides, so that other cases, filters and machines do not move a case to another shard."""
        lot = int.from_bytes(hashlib.sha256(f"shard:{group.name}".encode()).digest()[:8], "little")
        return lot % self.count == self.index - 1

    def part(self, suite: Suite) -> Suite:
        return Suite([g for g in suite.groups if self.holds(g)])

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"
