# SPDX-License-Identifier: BSD-3-Clause
"""Judges large cases with several numbers of threads in one process. Prints the cases whose bits differ, and a count.

The environment of the process chooses how threads wait (OMP_WAIT_POLICY), which OpenMP reads once.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Any

from helpers import registry
from instruction_sets import OnEachSet

from adaptor.codegen.model import Function
from conformance.cases.reader import load_case_files
from conformance.cases.suite import Selection, select
from conformance.oracle import load_oracles
from conformance.run.binding import Outcome, Runtime, default_library, default_runtime
from conformance.run.result import PASS
from conformance.verdict.group import run_group

LARGE = "*/on_all_threads*/*float*/contiguous"
COUNTS = (1, 2, 7)


class OnThreads:
    """The library with a number of threads."""

    def __init__(self, runtime: Runtime, count: int) -> None:
        self.runtime, self.count = runtime, count
        mapped = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
        (openmp,) = {line.split()[-1] for line in mapped if "/libgomp" in line}  # the library's, private or not
        self._openmp = ctypes.CDLL(openmp)

    def has(self, name: str) -> bool:
        return self.runtime.has(name)

    def call(self, function: Function, arguments: dict[str, Any]) -> Outcome:
        self._openmp.omp_set_num_threads(self.count)
        assert self._openmp.omp_get_max_threads() == self.count
        return self.runtime.call(function, arguments)


def main() -> int:
    runtime = Runtime(registry(), default_runtime(), default_library())
    each = OnEachSet([OnThreads(runtime, count) for count in COUNTS])
    cases = [case for file in load_case_files(registry()) for case in file.cases]
    groups, wrong = select(cases, Selection(case=LARGE)).groups, 0
    for group in groups:
        each.differing = []
        results = run_group(group, load_oracles().get(group.case.function.name), each)
        differing = ", ".join(dict.fromkeys(str(one.count) for one in each.differing))
        if differing or any(r.status != PASS for r in results):
            wrong += 1
            print(group.name, f"differs with {differing} threads" if differing else results)
    print(f"{len(groups)} cases, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
