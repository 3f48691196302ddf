# SPDX-License-Identifier: BSD-3-Clause
"""The sets of dtypes that checks name, as C++ constants."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..model import Registry


@dataclass
class DtypeSets:
    """Collects the sets that a file needs."""

    registry: Registry
    used: dict[str, int] = field(default_factory=dict)  # name of the constant -> its bits

    def bits(self, names: Iterable[str]) -> int:
        return sum(1 << self.registry.dtypes[n] for n in set(names))

    def name_of(self, names: Iterable[str]) -> str:
        """A set of the registry by its name, any other by its members."""
        listed, bits = list(names), self.bits(names)
        same = (k for k, v in self.registry.dtype_sets.items() if self.bits(v) == bits)
        word = next(same, None) or "_".join(n for n in self.registry.dtypes if n in listed)
        name = "k" + "".join(part.capitalize() for part in word.split("_"))
        self.used[name] = bits
        return name

    def words(self, names: Iterable[str]) -> str:
        """The same for a message."""
        listed, bits = list(names), self.bits(names)
        same = next((k for k, v in self.registry.dtype_sets.items() if self.bits(v) == bits), None)
        if same is not None:
            return {"floating": "floating point", "boolean": "bool", "all": "a dtype of numbers"}.get(
                same, same.replace("_", " ")
            )
        known = [n for n in self.registry.dtypes if n in listed]
        return known[0] if len(known) == 1 else f"{', '.join(known[:-1])} or {known[-1]}"
