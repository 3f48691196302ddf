"""What a run says: progress with its rate, one block for each failure, the counts at the end."""

from __future__ import annotations

import shlex
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TextIO

from .execute import FAIL, NOT_APPLICABLE, PASS, Result, SKIPPED, UNSUPPORTED, UNTRUSTED


@dataclass
class Report:
    """Collects verdicts and prints them."""

    command: str  # repeats a run; a case's name is appended
    total: int
    out: TextIO = field(default_factory=lambda: sys.stdout)
    limit: int = 50  # failures printed in full
    digests: TextIO | None = None  # where the fingerprints of the outputs are written
    counts: Counter = field(default_factory=Counter)
    failed: dict[str, int] = field(default_factory=dict)  # operator -> failed cases
    judged: dict[str, int] = field(default_factory=dict)  # operator -> cases
    done: int = 0
    started: float = field(default_factory=time.monotonic)
    shown: float = 0.0

    def add(self, results: list[Result]) -> None:
        """The verdicts on one group."""
        self.done += 1
        for result in results:
            self.counts[result.status] += 1
            if self.digests is not None and result.digest:
                print(result.name, result.digest, file=self.digests)
            operator = result.name.split("/")[0]
            if result.status != NOT_APPLICABLE:
                self.judged[operator] = self.judged.get(operator, 0) + 1
            if result.status in (FAIL, UNTRUSTED):
                self.failed[operator] = self.failed.get(operator, 0) + 1
                self._print_failure(result)
        self._progress()

    @property
    def failures(self) -> int:
        return self.counts[FAIL] + self.counts[UNTRUSTED]

    def _print_failure(self, result: Result) -> None:
        if self.failures > self.limit:
            return
        self._clear()
        print(f"{result.status} {result.name}", file=self.out)
        for message in result.messages:
            print(f"    {message}", file=self.out)
        if result.arguments:
            print(f"    called with {result.arguments}", file=self.out)
        print(f"    repeat: {self.command} --case {shlex.quote(result.name)}", file=self.out)
        if self.failures == self.limit:
            print(f"(further failures are only counted; --max_failures shows more than {self.limit})", file=self.out)

    def _rate(self) -> float:
        return sum(self.counts.values()) / max(time.monotonic() - self.started, 1e-9)

    def _progress(self) -> None:
        if not self.out.isatty() or time.monotonic() - self.shown < 0.2:
            return
        self.shown = time.monotonic()
        print(f"\r{100 * self.done // max(self.total, 1):3d} %  {sum(self.counts.values())} cases, "
              f"{self._rate():.0f} a second, {self.failures} failed ", end="", file=self.out, flush=True)

    def _clear(self) -> None:
        if self.out.isatty():
            print("\r\033[K", end="", file=self.out)

    def finish(self, absent: list[str]) -> None:
        """The summary; its last line is the one that scripts read."""
        self._clear()
        if self.failed:
            worst = ", ".join(f"{name} {count}/{self.judged[name]}" for name, count in sorted(self.failed.items()))
            print(f"failing operators: {worst}", file=self.out)
        if absent:
            print(f"absent from the library, {len(absent)} operators with cases: {' '.join(absent)}", file=self.out)
        seconds = time.monotonic() - self.started
        print(f"{len(self.judged)} operators judged, {len(absent)} absent; {sum(self.counts.values())} cases in "
              f"{seconds:.1f} s ({self._rate():.0f} a second); {self.counts[UNTRUSTED]} untrusted, "
              f"{self.counts[UNSUPPORTED]} declared as not supported, {self.counts[SKIPPED]} skipped by the vendor, "
              f"{self.counts[NOT_APPLICABLE]} not applicable to the in-place form", file=self.out)
        line = f"{self.counts[PASS]} passed, {self.failures} failed"
        skipped = self.counts[UNSUPPORTED] + self.counts[SKIPPED]
        print(line + (f", {skipped} skipped" if skipped else ""), file=self.out)
