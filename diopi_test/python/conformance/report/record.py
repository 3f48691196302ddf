# SPDX-License-Identifier: BSD-3-Clause
"""The data of a run for the reports in files: all verdicts, and the facts about the run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from ..coverage.untested import Untested
from ..run.result import FAIL, UNTRUSTED, Result
from ..vendor.device_configs import Stale
from ..vendor.profile import VendorProfile


@dataclass(frozen=True)
class CaseName:
    """The parts of a result's name."""

    operator: str
    case: str
    dtype: str
    layout: str

    @classmethod
    def of(cls, name: str) -> CaseName:
        """Splits a name such as `diopiAdd/input=3x4/float32/sliced`. A name without dtype has no layout either."""
        operator, _, rest = name.partition("/")
        parts = rest.rsplit("/", 2)
        return cls(operator, *parts) if len(parts) == 3 else cls(operator, rest, "", "")

    @property
    def check(self) -> str:
        """The identifier of the check that a generated call violates; empty for any other case."""
        parts = self.case.partition("!")[0].split(":", 2)
        return f"{self.operator}-{parts[1]}" if parts[0] == "invalid" and len(parts) == 3 and "-" in parts[1] else ""


@dataclass
class RunRecord:
    """The data of all reports."""

    title: str  # the library's name
    command: str  # the command that repeats a failure if `--case NAME` is appended
    options: str = ""  # the command line of the run
    families: dict[str, str] = field(default_factory=dict)  # operator -> family
    profile: VendorProfile = field(default_factory=VendorProfile)
    results: list[Result] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)  # entries of the vendor's settings that have no effect
    no_oracle: dict[str, int] = field(default_factory=dict)  # operator without oracle -> number of skipped cases
    untested: dict[str, list[Untested]] = field(default_factory=dict)  # operator -> what no case tests
    absent_fails: bool = False  # whether absent operators count as failures
    resumed: int = 0  # number of verdicts from an earlier run
    seconds: float = 0.0  # elapsed time
    jobs: int = 1

    @property
    def failures(self) -> list[Result]:
        return [r for r in self.results if r.status in (FAIL, UNTRUSTED)]

    @cached_property
    def counts(self) -> Counter:
        """The number of verdicts of each status. The result is cached, so read it only after the run."""
        return Counter(r.status for r in self.results)
