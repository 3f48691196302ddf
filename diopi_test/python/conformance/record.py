# SPDX-License-Identifier: BSD-3-Clause
"""What a run leaves behind for those who were not there: every verdict, with what it was about."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from .device_configs import Stale
from .gaps import Gap
from .result import FAIL, UNTRUSTED, Result
from .vendors import VendorProfile


@dataclass(frozen=True)
class CaseName:
    """The parts of a result's name."""

    operator: str
    case: str
    dtype: str
    layout: str

    @classmethod
    def of(cls, name: str) -> CaseName:
        """`diopiAdd/input=3x4/float32/sliced`; what has no dtype, as the text of a function, has neither layout."""
        operator, _, rest = name.partition("/")
        parts = rest.rsplit("/", 2)
        return cls(operator, *parts) if len(parts) == 3 else cls(operator, rest, "", "")


@dataclass
class RunRecord:
    """Everything that the machine-readable reports tell."""

    title: str  # the library's name
    command: str  # repeats a failure, with `--case` and its name
    options: str = ""  # the run's own command line
    families: dict[str, str] = field(default_factory=dict)  # operator -> family
    profile: VendorProfile = field(default_factory=VendorProfile)
    results: list[Result] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)  # entries of the vendor's settings that do nothing
    no_oracle: dict[str, int] = field(default_factory=dict)  # operators that nothing judges yet -> cases left out
    gaps: dict[str, list[Gap]] = field(default_factory=dict)  # operator -> what is not tried of it
    absent_fails: bool = False  # whether the run asked for the absent operators
    resumed: int = 0  # verdicts taken over from an earlier run
    seconds: float = 0.0  # by the clock
    jobs: int = 1

    @property
    def failures(self) -> list[Result]:
        return [r for r in self.results if r.status in (FAIL, UNTRUSTED)]

    @cached_property
    def counts(self) -> Counter:
        """How many verdicts of each kind; to be asked when the run is over."""
        return Counter(r.status for r in self.results)
