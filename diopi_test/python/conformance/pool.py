# SPDX-License-Identifier: BSD-3-Clause
"""Worker processes: a crash or a hang costs one case, and the run goes on."""

from __future__ import annotations

import ctypes
import faulthandler
import multiprocessing
import os
import signal
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from .result import FAIL, Result

Task = Callable[[int], list[Result]]

CHUNK = 16
MOST_JOBS = 1024
IDLE = -1
PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>


class LibraryError(Exception):
    """No worker could load what is to be judged."""


class EndOfRun(Exception):
    """Raised by a task that makes the rest of the run pointless; its message is for the user."""


@dataclass
class _Worker:
    process: multiprocessing.process.BaseProcess
    pipe: Connection
    current: ctypes.c_int64  # shared: the item that the worker is at, and since when
    since: ctypes.c_double
    assigned: deque[int]
    finished: int = 0
    expired: int = IDLE  # the item for which it was killed, because no answer came


def _die_with_parent() -> None:
    """A run that is killed leaves no worker waiting for it, where the system (Linux) can see to that."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _begin(item: int, current, since) -> None:
    """Sets the clock first: a reader that sees a new item with an old clock would count it as a hang."""
    since.value = time.monotonic()
    current.value = item


def _work(make_task: Callable[[], Task], pipe: Connection, current, since) -> None:
    """A worker's life: takes lists of items until an empty one comes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with_parent()
    faulthandler.disable()  # a crash is a verdict here, not a trace
    # Several threads on any machine, an odd number of them. Where a library leaves them asleep to do small work alone,
    # "active" has it divide that too; the others, of GCC and LLVM, keep them from spinning where other workers compute.
    os.environ.setdefault("OMP_NUM_THREADS", "3")
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.update({"OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "1000", "KMP_BLOCKTIME": "0"})
    try:
        task = make_task()
    except Exception as error:  # the library does not load: one clear answer instead of a death per case
        pipe.send(("refused", f"{type(error).__name__}: {error}"))
        return
    while items := pipe.recv():
        for item in items:
            _begin(item, current, since)
            try:
                results = task(item)
            except EndOfRun as error:
                pipe.send(("ended", error))
                return
            except Exception as error:
                place = traceback.extract_tb(error.__traceback__)[-1]
                said = f"the judge failed: {type(error).__name__}: {error} ({place.filename}:{place.lineno})"
                current.value = IDLE
                pipe.send(("failed", item, said))
                continue
            current.value = IDLE
            pipe.send(("done", item, results))
            if any(r.tainted for r in results):
                os._exit(0)  # a fresh process for the cases that follow


class Pool:
    """Runs `task(i)` for every item in `jobs` processes, each made by forking this one."""

    def __init__(self, make_task: Callable[[], Task], name: Callable[[int], str], jobs: int, timeout: float) -> None:
        self.make_task, self.name, self.jobs, self.timeout = make_task, name, max(jobs, 1), timeout
        self.context = multiprocessing.get_context("fork")

    def run(self, items: Sequence[int]) -> Iterator[tuple[int, list[Result]]]:
        """The results as they come, each with its item."""
        queue = deque(items)
        workers = [self._start() for _ in range(min(self.jobs, max(len(queue), 1)))]
        try:
            for worker in workers:
                self._feed(worker, queue)
            while any(w.assigned for w in workers) or queue:
                ready = wait([w.pipe for w in workers], timeout=0.5)
                for position, worker in enumerate(workers):
                    if worker.pipe in ready:
                        yield from self._receive(worker, workers, position, queue)
                    elif worker.assigned:
                        self._look_at_the_clock(worker)
        finally:
            for worker in workers:
                self._stop(worker)

    def _start(self) -> _Worker:
        ours, theirs = self.context.Pipe()
        current, since = self.context.RawValue(ctypes.c_int64, IDLE), self.context.RawValue(ctypes.c_double, 0)
        process = self.context.Process(target=_work, args=(self.make_task, theirs, current, since), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours, current, since, deque())

    def _look_at_the_clock(self, worker: _Worker) -> None:
        item = worker.current.value
        if item != IDLE and time.monotonic() - worker.since.value > self.timeout:
            worker.expired = item
            worker.process.kill()

    def _feed(self, worker: _Worker, queue: deque[int]) -> None:
        size = max(1, min(CHUNK, len(queue) // (2 * self.jobs)))
        chunk = [queue.popleft() for _ in range(min(size, len(queue)))]
        if chunk:
            worker.assigned.extend(chunk)
            try:
                worker.pipe.send(chunk)
            except BrokenPipeError:  # it has died already, which reading from it will show
                pass

    def _receive(
        self, worker: _Worker, workers: list[_Worker], position: int, queue: deque[int]
    ) -> Iterator[tuple[int, list[Result]]]:
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):  # the latter where it died in the middle of an answer
            yield from self._bury(worker, queue)
            workers[position] = self._start()
            self._feed(workers[position], queue)
            return
        if message[0] == "refused":
            raise LibraryError(message[1])
        if message[0] == "ended":
            raise message[1]
        worker.assigned.remove(message[1])
        worker.finished += 1
        failed = message[0] == "failed"
        yield message[1], [Result(self.name(message[1]), FAIL, (message[2],))] if failed else message[2]
        if not worker.assigned:
            self._feed(worker, queue)

    def _bury(self, worker: _Worker, queue: deque[int]) -> Iterator[tuple[int, list[Result]]]:
        """The verdict on the case at which a worker died, if any; its other cases go back to the queue."""
        worker.process.join()
        worker.pipe.close()
        at, code = worker.current.value, worker.process.exitcode or 0
        killed = worker.expired != IDLE and code == -signal.SIGKILL
        # An answer may come while its worker is being killed: then the case that it is at has had no time.
        if (at == IDLE and worker.finished) or (killed and at != worker.expired):
            queue.extendleft(reversed(worker.assigned))
            return
        culprit = at if at in worker.assigned else worker.assigned[0]
        queue.extendleft(reversed([i for i in worker.assigned if i != culprit]))
        if killed:
            why = f"no answer within {self.timeout:g} s"
        elif code < 0:
            why = f"the process died of {signal.Signals(-code).name}"
        else:
            why = f"the process ended with exit code {code}"
        ran = time.monotonic() - worker.since.value
        yield culprit, [Result(self.name(culprit), FAIL, (why,), seconds=ran)]

    @staticmethod
    def _stop(worker: _Worker) -> None:
        try:
            worker.pipe.send([])
        except (BrokenPipeError, OSError):
            pass
        worker.process.join(2 if not worker.assigned else 0)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.pipe.close()


def default_jobs() -> int:
    return len(os.sched_getaffinity(0))
