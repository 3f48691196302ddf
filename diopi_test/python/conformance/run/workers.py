# SPDX-License-Identifier: BSD-3-Clause
"""Worker processes that judge cases. If a case crashes or hangs, this case fails and the run continues."""

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
PR_SET_PDEATHSIG = 1  # the value in <sys/prctl.h>


class LibraryError(Exception):
    """Raised if the workers cannot load the library."""


class EndOfRun(Exception):
    """Raised by a task to end the whole run. The message is shown to the user."""


@dataclass
class _Worker:
    process: multiprocessing.process.BaseProcess
    pipe: Connection
    current: ctypes.c_int64  # in shared memory: the item that the worker is processing
    since: ctypes.c_double  # in shared memory: the time at which it started this item
    assigned: deque[int]
    finished: int = 0
    expired: int = IDLE  # the item at which the worker was killed because of its time limit


def _die_with_parent() -> None:
    """Asks Linux to kill this worker when its parent process ends, so that a killed run leaves no workers behind."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _begin(item: int, current, since) -> None:
    """Stores the time before the item. In the other order, a reader could see a new item with an old time and count it
    as a hang."""
    since.value = time.monotonic()
    current.value = item


def _work(make_task: Callable[[], Task], pipe: Connection, current, since, apart: bool) -> None:
    """The main function of a worker. It receives lists of items and ends when it receives an empty list. If `apart`, it
    ends after one item."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with_parent()
    faulthandler.disable()  # a crash gives a verdict; a stack trace is not wanted
    # Three threads test the division of work on every machine. A library may run small calls on one thread while its
    # threads sleep; the policy "active" makes it divide these calls, too. The other two variables (of GCC's and LLVM's
    # OpenMP) limit how long idle threads spin, because other workers need the CPU.
    os.environ.setdefault("OMP_NUM_THREADS", "3")
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.update({"OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "1000", "KMP_BLOCKTIME": "0"})
    try:
        task = make_task()
    except Exception as error:  # the library cannot be loaded: one clear message instead of a crash for each case
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
                message = f"the judge failed: {type(error).__name__}: {error} ({place.filename}:{place.lineno})"
                current.value = IDLE
                pipe.send(("failed", item, message))
                continue
            current.value = IDLE
            pipe.send(("done", item, results))
            if apart or any(r.tainted for r in results):
                os._exit(0)  # a call may have corrupted memory, so a new process takes the next cases


class Pool:
    """Runs `task(i)` for every item in `jobs` worker processes, which are forks of this process. With `apart`, each
    item has a process of its own."""

    def __init__(
        self, make_task: Callable[[], Task], name: Callable[[int], str], jobs: int, timeout: float, apart: bool = False
    ) -> None:
        self.make_task, self.name, self.jobs, self.timeout = make_task, name, max(jobs, 1), timeout
        self.apart = apart
        self.died: set[int] = set()  # the items at which a worker died
        self.context = multiprocessing.get_context("fork")

    def run(self, items: Sequence[int]) -> Iterator[tuple[int, list[Result]]]:
        """Yields each item with its results, as they come."""
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
                        self._check_time_limit(worker)
        finally:
            for worker in workers:
                self._stop(worker)

    def _start(self) -> _Worker:
        ours, theirs = self.context.Pipe()
        current, since = self.context.RawValue(ctypes.c_int64, IDLE), self.context.RawValue(ctypes.c_double, 0)
        arguments = (self.make_task, theirs, current, since, self.apart)
        process = self.context.Process(target=_work, args=arguments, daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours, current, since, deque())

    def _check_time_limit(self, worker: _Worker) -> None:
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
            except BrokenPipeError:  # the worker has died; `_receive` handles this
                pass

    def _receive(
        self, worker: _Worker, workers: list[_Worker], position: int, queue: deque[int]
    ) -> Iterator[tuple[int, list[Result]]]:
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):  # the worker died; an OSError means in the middle of an answer
            yield from self._verdict_of_dead(worker, queue)
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

    def _verdict_of_dead(self, worker: _Worker, queue: deque[int]) -> Iterator[tuple[int, list[Result]]]:
        """The verdict on the case at which a worker died, if there is one. Its other cases go back to the queue."""
        worker.process.join()
        worker.pipe.close()
        at, code = worker.current.value, worker.process.exitcode or 0
        killed = worker.expired != IDLE and code == -signal.SIGKILL
        # A worker may answer while it is being killed. Then it is at another case, whose time limit has not passed.
        if (at == IDLE and worker.finished) or (killed and at != worker.expired):
            queue.extendleft(reversed(worker.assigned))
            return
        culprit = at if at in worker.assigned else worker.assigned[0]
        self.died.add(culprit)
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
