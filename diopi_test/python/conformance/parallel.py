"""Work on many items in several processes, with the results in order, and a line of progress.

For work that may crash or hang, as a vendor's library may, see `pool`.
"""

from __future__ import annotations

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Callable, Iterator, TextIO

from .report import clock

_work: Callable[[int], Any]


def _call(item: int) -> Any:
    return _work(item)


def map_in_order(work: Callable[[int], Any], count: int, jobs: int, chunk: int = 1,
                 start: Callable[[], None] | None = None) -> Iterator[Any]:
    """`work(0)`, `work(1)`, ...; each process runs `start` first. Processes are forked: `work` need not be picklable."""
    global _work  # what the processes find
    _work = work
    if jobs == 1:
        if start is not None:
            start()
        yield from map(work, range(count))
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), start) as workers:
        yield from workers.map(_call, range(count), chunksize=chunk)


class Progress:
    """A line on a terminal; nothing elsewhere."""

    def __init__(self, total: int, out: TextIO) -> None:
        self.total, self.out, self.done = total, out, 0
        self.started = self.shown = time.monotonic()

    def step(self) -> None:
        self.done += 1
        now = time.monotonic()
        if self.out.isatty() and now - self.shown > 0.2:
            self.shown = now
            left = (now - self.started) * (self.total - self.done) / self.done
            print(f"\r\033[K{100 * self.done // self.total:3d} %  {self.done} of {self.total} cases, "
                  f"{clock(left)} left", end="", file=self.out, flush=True)

    def clear(self) -> None:
        """Makes room for another line."""
        if self.out.isatty():
            print("\r\033[K", end="", file=self.out)
