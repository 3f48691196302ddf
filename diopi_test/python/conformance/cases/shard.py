# SPDX-License-Identifier: BSD-3-Clause
"""The option --shard: divides the cases of a run among several machines."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from .group import Group
from .suite import Suite


@dataclass(frozen=True)
class Shard:
    """Part number `index` (from 1) of `count` parts."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Parses a text such as `2/5`, the second of five parts."""
        match = re.fullmatch(r"(\d+)/(\d+)", text)
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise ValueError(f"'{text}' is not a shard: four shards are written 1/4, 2/4, 3/4 and 4/4")
        return cls(int(match[1]), int(match[2]))

    def holds(self, group: Group) -> bool:
        """Whether the group belongs to this shard. Only its name decides, so filters cannot move it to another one."""
        hash_number = int.from_bytes(hashlib.sha256(f"shard:{group.name}".encode()).digest()[:8], "little")
        return hash_number % self.count == self.index - 1

    def part(self, suite: Suite) -> Suite:
        return Suite([g for g in suite.groups if self.holds(g)])

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"
