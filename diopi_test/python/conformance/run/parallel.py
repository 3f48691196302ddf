# SPDX-License-Identifier: BSD-3-Clause
"""Processes many items in several processes, any of which may crash, and shows a line of progress."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO, cast

from .result import Result
from .workers import Pool

TIMEOUT = 1800.0  # seconds after which an item counts as hanging; long, because the machine may be slow and busy


@dataclass(frozen=True)
class Done:
    """The result of an item: its value, or the reason of the failure."""

    value: Any = None
    failure: str = ""
    tainted: bool = False  # the pool reads this attribute; it is always False here


def in_processes(
    work: Callable[[int], Any], count: int, jobs: int, start: Callable[[], None] | None = None
) -> Iterator[tuple[int, Done]]:
    """Calls `work` for 0, 1, ..., count - 1 and yields the results as they come. Each process calls `start` first."""

    def guarded(item: int) -> list[Done]:
        try:
            return [Done(work(item))]
        except Exception:
            return [Done(failure=traceback.format_exc())]

    def make_task() -> Callable[[int], list[Done]]:
        if start is not None:
            start()
        return guarded

    for item, (outcome,) in Pool(cast(Any, make_task), str, jobs, TIMEOUT).run(range(count)):
        yield item, Done(failure=outcome.messages[0]) if isinstance(outcome, Result) else outcome


def clock(seconds: float) -> str:
    """A duration as text: `0:07`, `12:34` or `1:02:03`."""
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class Progress:
    """A line of progress, if the output is a terminal."""

    def __init__(self, total: int, out: TextIO) -> None:
        self.total, self.out, self.done = total, out, 0
        self.started = self.shown = time.monotonic()

    def step(self) -> None:
        self.done += 1
        now = time.monotonic()
        if self.out.isatty() and now - self.shown > 0.2:
            self.shown = now
            left = (now - self.started) * (self.total - self.done) / self.done
            print(
                f"\r\033[K{100 * self.done // self.total:3d} %  {self.done} of {self.total} cases, {clock(left)} left",
                end="",
                file=self.out,
                flush=True,
            )

    def clear(self) -> None:
        """Clears the line of progress, so that another line can be printed."""
        if self.out.isatty():
            print("\r\033[K", end="", file=self.out)
