# SPDX-License-Identifier: BSD-3-Clause
"""Prints a run: its progress, one block of lines for each failure, and the counts at the end."""

from __future__ import annotations

import shlex
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TextIO

from ..run.parallel import clock
from ..run.result import FAIL, FALLBACK, NOT_APPLICABLE, PASS, SKIPPED, UNSUPPORTED, UNTRUSTED, Result
from .record import RunRecord

BAR = 24  # characters of the progress bar


def repeat_line(command: str, name: str) -> str:
    """The line that shows the command to repeat one case."""
    return f"repeat: {command} --case {shlex.quote(name)}"


def skip_reasons(results: list[Result]) -> dict[str, Counter]:
    """For each reason for skips: the number of skipped cases of each operator."""
    found: dict[str, Counter] = {}
    for result in results:
        if result.status == SKIPPED:
            found.setdefault("; ".join(result.messages), Counter())[result.name.split("/")[0]] += 1
    return found


def no_oracle_text(missing: dict[str, int]) -> str:
    """The number and names of operators without oracle, with the numbers of their skipped cases."""
    cases = sum(missing.values())
    names = " ".join(f"{name} ({count})" if count else name for name, count in sorted(missing.items()))
    if len(missing) > 40 and not cases:
        return f"{len(missing)} operators of the contract"
    return f"{len(missing)} operators{f', {cases} cases skipped' if cases else ''}: {names}"


@dataclass
class Report:
    """Collects verdicts and prints them."""

    command: str  # the command that repeats a failure if `--case NAME` is appended
    total: int
    out: TextIO = field(default_factory=lambda: sys.stdout)
    limit: int = 50  # the number of failures printed in full
    digests: TextIO | None = None  # the file for the digests of outputs
    record: RunRecord | None = None  # collects the data for the reports in files
    counts: Counter = field(default_factory=Counter)
    failed: dict[str, int] = field(default_factory=dict)  # operator -> number of failed cases
    judged: dict[str, int] = field(default_factory=dict)  # operator -> number of cases
    done: int = 0  # number of finished groups
    resumed: int = 0  # number of groups among them that an earlier run had finished
    resumed_cases: int = 0
    started: float = field(default_factory=time.monotonic)
    shown: float = 0.0

    def take_over(self, results: list[Result]) -> None:
        """Adds the verdicts on a group that an earlier run finished. They are counted, but not in the rate."""
        self.resumed += 1
        self.resumed_cases += len(results)
        self.add(results)

    def add(self, results: list[Result]) -> None:
        """Adds the verdicts on one group, and prints its failures."""
        self.done += 1
        for result in results:
            self.counts[result.status] += 1
            if self.record is not None:
                self.record.results.append(result)
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
        print(f"    {repeat_line(self.command, result.name)}", file=self.out)
        if self.failures == self.limit:
            print(f"(further failures are only counted; --max_failures shows more than {self.limit})", file=self.out)

    def _rate(self) -> float:
        return (sum(self.counts.values()) - self.resumed_cases) / max(time.monotonic() - self.started, 1e-9)

    def progress_line(self, elapsed: float) -> str:
        """The progress bar with the number of cases, the rate, and the estimated remaining time."""
        share = min(self.done / max(self.total, 1), 1.0)
        bar = "#" * int(BAR * share)
        run = self.done - self.resumed
        left = clock(elapsed * (self.total - self.done) / run) if run > 0 else "?"
        return (
            f"[{bar:<{BAR}}] {100 * share:3.0f} %  {sum(self.counts.values())} cases, {self._rate():.0f} a second, "
            f"{self.failures} failed, {left} left "
        )

    def _progress(self) -> None:
        if not self.out.isatty() or time.monotonic() - self.shown < 0.2:
            return
        self.shown = time.monotonic()
        print(f"\r\033[K{self.progress_line(self.shown - self.started)}", end="", file=self.out, flush=True)

    def _clear(self) -> None:
        if self.out.isatty():
            print("\r\033[K", end="", file=self.out)

    def finish(self, absent: list[str]) -> None:
        """Prints the summary. Scripts read its last line."""
        self._clear()
        if self.failed:
            worst = ", ".join(f"{name} {count}/{self.judged[name]}" for name, count in sorted(self.failed.items()))
            print(f"failing operators: {worst}", file=self.out)
        if absent:
            print(f"absent from the library, {len(absent)} operators with cases: {' '.join(absent)}", file=self.out)
        if self.record is not None and self.record.no_oracle:
            print(f"no oracle yet, {no_oracle_text(self.record.no_oracle)}", file=self.out)
        seconds = time.monotonic() - self.started
        if self.record is not None:
            self.record.seconds, self.record.resumed = seconds, self.resumed_cases
            for reason, operators in skip_reasons(self.record.results).items():
                print(
                    f"skipped, {sum(operators.values())} cases: {reason} "
                    f"({', '.join(f'{name} {count}' for name, count in operators.items())})",
                    file=self.out,
                )
            for stale in self.record.stale:
                print(f"stale entry of the vendor's settings: {stale}", file=self.out)
        if self.resumed:
            print(f"{self.resumed_cases} of the cases below were judged by an earlier run", file=self.out)
        print(
            f"{len(self.judged)} operators judged, {len(absent)} absent; {sum(self.counts.values())} cases in "
            f"{seconds:.1f} s ({self._rate():.0f} a second); {self.counts[UNTRUSTED]} untrusted, "
            f"{self.counts[UNSUPPORTED]} declared as not supported, {self.counts[SKIPPED]} skipped, "
            f"{self.counts[NOT_APPLICABLE]} not applicable",
            file=self.out,
        )
        line = f"{self.counts[PASS]} passed, {self.failures} failed"
        if self.counts[FALLBACK]:
            line = f"{self.counts[PASS]} passed, {self.counts[FALLBACK]} on the host (fallback), {self.failures} failed"
        skipped = self.counts[UNSUPPORTED] + self.counts[SKIPPED]
        print(line + (f", {skipped} skipped" if skipped else ""), file=self.out)
