# SPDX-License-Identifier: BSD-3-Clause
"""Calls operators while allocations fail; run by test_failing_malloc.py.

With `--each`, each allocation of a call fails in turn. With `--limits`, a call may allocate only so many bytes. Each
call runs in a new thread. With `--limits` it is the first call of this thread. With `--each` the thread has called the
operator with other shapes before, because oneDNN has thread-local variables; the call still builds new programs of
oneDNN. The script prints each call before it is made, and then the mistakes of the call.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[3])]

from adaptor.codegen.model import Function, load_registry  # noqa: E402
from conformance.cases.prepare import prepare  # noqa: E402
from conformance.cases.reader import load_cases  # noqa: E402
from conformance.cases.suite import Selection, select  # noqa: E402
from conformance.oracle import load_oracles  # noqa: E402
from conformance.run.binding import Runtime  # noqa: E402
from conformance.run.call import Run, build  # noqa: E402
from conformance.verdict.call import digest, judge_outputs, untouched  # noqa: E402

MOST = 3000  # the largest number of allocations of a call
PLENTY = 1 << 60  # a limit in bytes that no call reaches


class Starving(Runtime):
    """A runtime in which allocation number `fail_at` of each call fails, and all allocations beyond `limit` bytes."""

    fail_at, limit, failures = 0, 0, 0

    def _entry(self, function: Function) -> Callable[..., int]:
        entry, allocator = super()._entry(function), ctypes.CDLL(None)
        allocator.failing_malloc_arm.argtypes = [ctypes.c_int64, ctypes.c_int64]
        allocator.failing_malloc_disarm.restype = ctypes.c_int64

        def starved(*arguments: Any) -> int:
            allocator.failing_malloc_arm(self.fail_at, self.limit)
            try:
                return entry(*arguments)
            finally:
                self.failures = allocator.failing_malloc_disarm()

        return starved


def in_a_thread(work: Callable[[], Any]) -> Any:
    answer: list[Any] = []
    thread = threading.Thread(target=lambda: answer.append(work()))
    thread.start()
    thread.join()
    return answer[0] if answer else None


def complaints(run: Run, runtime: Starving, function: Function, right: str | None) -> list[str]:
    """The mistakes of this call; `right` is the digest of a call without failures."""
    outcome = runtime.call(function, run.arguments)
    if outcome.code == "diopiSuccess":
        untouched(run, inside_outputs=False)
        judge_outputs(run)
        if not run.complaints and right not in (None, digest(run)):
            run.complaints.append("the outputs differ from those of a call without failures")
    else:
        # oneDNN also allocates while it computes, so outputs may be written before the failure.
        untouched(run, inside_outputs="oneDNN fails" not in outcome.message)
        if not outcome.message.startswith(f"{function.name}: "):
            run.complaints.append("the message does not name the operator")
        run.complaints = [f"{c}: {outcome.message}" for c in run.complaints]
    return run.complaints


class Case:
    """One case. Each call of it runs in a new thread."""

    def __init__(self, runtime: Starving, name: str, warm: bool) -> None:
        self.runtime, self.name = runtime, name
        cases = load_cases(runtime.registry)
        group = select(cases, Selection(case=name)).groups[0]
        self.function, self.layout = group.case.function, group.layouts[0]
        self.prepared = prepare(group, load_oracles()[self.function.name])
        own = select(cases, Selection((self.function.name,))).groups
        other = next(
            (g for g in own if g.dtype == group.dtype and g.case.error is None and g.case is not group.case), group
        )
        self.other = prepare(other, load_oracles()[self.function.name]) if warm else None
        self.right, self.wrong = in_a_thread(self.good)

    def good(self) -> tuple[str, list[str]]:
        self.runtime.fail_at, self.runtime.limit = 0, PLENTY
        run = build(self.prepared, self.layout)
        wrong = complaints(run, self.runtime, self.function, None)
        return digest(run), wrong

    def starve(self, fail_at: int, limit: int) -> bool:
        """Makes a call in which allocations fail, and returns whether one failed."""
        print(f"{self.name}: allocation {fail_at}, {limit} bytes", flush=True)
        run = build(self.prepared, self.layout)

        def starved() -> list[str]:
            if self.other is not None:
                self.runtime.fail_at, self.runtime.limit = 0, PLENTY
                self.runtime.call(self.function, build(self.other, "contiguous").arguments)
            self.runtime.fail_at, self.runtime.limit = fail_at, limit
            return complaints(run, self.runtime, self.function, self.right)

        self.wrong = in_a_thread(starved)
        return self.runtime.failures > 0

    def finish(self, failed: int) -> None:
        for complaint in self.wrong or in_a_thread(self.good)[1]:
            print(f"WRONG {complaint}", flush=True)
        print(f"done {failed} {self.name}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runtime", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--case", required=True)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--limits", type=int, nargs="+", default=[])
    args = parser.parse_args()
    runtime = Starving(load_registry(), args.runtime, args.library)
    case, failed = Case(runtime, args.case, args.each), 0
    while args.each and not case.wrong and failed < MOST and case.starve(failed + 1, 0):
        failed += 1
    for limit in args.limits:
        failed += not case.wrong and case.starve(0, limit)
    case.finish(failed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
