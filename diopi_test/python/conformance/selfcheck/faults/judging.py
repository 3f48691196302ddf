# SPDX-License-Identifier: BSD-3-Clause
"""Builds the library with faults, and judges each fault with all cases of its operator."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from adaptor.codegen.model import Registry

from ... import REPOSITORY
from ...cases.case import Case
from ...cases.group import Group
from ...cases.reader import load_case_files
from ...cases.suite import Selection, select
from ...generate.hostile.generate import hostile_cases
from ...generate.invalid.generate import invalid_cases
from ...oracle import load_oracles
from ...run.binding import Runtime
from ...run.result import FAIL, PASS, Result
from ...run.workers import Pool
from ...vendor.profile import VendorProfile
from ...verdict.group import run_group
from ..failures.judging import judge_failures
from ..failures.runtime import FailingRuntime
from ..failures.runtime import build as build_failing
from ..failures.sample import candidates
from .table import Fault

HERE = Path(__file__).resolve().parent
# The time limit of one case in seconds. A case takes a fraction of a second, but the machine may be busy. So only
# faults that hang have the short limit, and a case that exceeds it counts only if it passes without the fault.
SHORT, LONG = 3.0, 600.0
MOST_WITH_FAILURES = 4  # the largest number of cases in which functions of the runtime are made to fail


@dataclass(frozen=True)
class Finding:
    """The outcome of one fault: the case that caught it, or none."""

    fault: Fault
    case: str = ""
    message: str = ""
    elsewhere: str = ""  # a failure with another message than the expected one

    @property
    def caught(self) -> bool:
        return bool(self.case)


def build(folder: Path) -> Path:
    """Compiles the library with faults. The environment variable DIOPI_FAULT chooses the fault when it is loaded."""
    library = folder / "libwrong.so"
    sources = sorted(str(path) for path in HERE.glob("*.c"))
    subprocess.run(
        [
            "cc",
            "-std=gnu99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-O1",
            "-shared",
            "-fPIC",
            f"-I{REPOSITORY / 'proto' / 'include'}",
            *sources,
            "-ldl",
            "-o",
            str(library),
        ],
        check=True,
    )
    return library


class FaultJudge:
    """Judges the faults of a wrong library, which passes all other calls on to a correct library."""

    def __init__(self, registry: Registry, runtime: Path, right: Path, wrong: Path) -> None:
        self.registry, self.runtime, self.right, self.wrong = registry, runtime, right, wrong
        self.files, self.oracles = load_case_files(registry), load_oracles()

    def judge(self, fault: Fault) -> Finding:
        """Finds the first case that fails with the expected message and passes without the fault."""
        groups = select(self._cases(fault.operator), Selection()).groups
        if fault.threads:
            return self._compare_threads(fault, groups)
        if fault.runtime:
            return self._fail_the_runtime(fault)
        elsewhere = ""
        for position, result in self._run(groups, fault.name, timeout=SHORT if fault.kind == "hang" else LONG):
            message = next((m for m in result.messages if re.search(fault.pattern, m)), None)
            if result.status == FAIL and message is not None:
                if self._passes_without(groups[position]):
                    return Finding(fault, result.name, message)
                message = f"{result.name} also fails without the fault"
            if result.status == FAIL:
                elsewhere = elsewhere or message or f"{result.name}: {'; '.join(result.messages)}"
        return Finding(fault, elsewhere=elsewhere)

    def _cases(self, operator: str) -> list[Case]:
        """The operator's cases of the case file, its invalid calls, and its hostile cases except the slow ones."""
        written = [c for f in self.files for c in f.cases if c.function.name == operator]
        hostile = hostile_cases(self.registry, self.files, (operator,))
        return [*written, *invalid_cases(self.registry, written), *(c for c in hostile if c.hostile != "wide_stride")]

    def _compare_threads(self, fault: Fault, groups: list[Group]) -> Finding:
        digests = [
            {r.name: r.digest for _, r in self._run(groups, fault.name, threads) if r.digest} for threads in ("1", "3")
        ]
        name = next((n for n, digest in digests[0].items() if digests[1].get(n, digest) != digest), "")
        return Finding(fault, name, "the digests of runs with one and with three threads differ" if name else "")

    def _fail_the_runtime(self, fault: Fault) -> Finding:
        small = candidates(self.registry, Selection((fault.operator,)), VendorProfile())[:MOST_WITH_FAILURES]
        elsewhere = ""
        for faulty, right in zip(self._run_failing(small, fault.name), self._run_failing(small, "")):
            message = next((m for m in faulty.messages if re.search(fault.pattern, m)), None)
            if faulty.status == FAIL and right.status == PASS and message is not None:
                return Finding(fault, faulty.name, message)
            if faulty.status == FAIL:
                elsewhere = elsewhere or f"{faulty.name}: {'; '.join(faulty.messages)}"
        return Finding(fault, elsewhere=elsewhere)

    def _run_failing(self, groups: list[Group], fault: str) -> list[Result]:
        """The verdicts on these cases when each function of the runtime fails in turn."""
        failing = build_failing(self.registry, self.wrong.parent)

        def make_task():
            vendor = FailingRuntime(self.registry, self.runtime, self.wrong, failing)
            oracle = self.oracles[groups[0].case.function.name]
            return lambda i: [judge_failures(groups[i], groups[i].layouts[0], oracle, vendor)]

        with _environment({"DIOPI_FAULT": fault, "DIOPI_RIGHT_LIBRARY": str(self.right)}):
            workers = Pool(make_task, lambda i: groups[i].name, 1, LONG)
            found = dict(workers.run(range(len(groups))))
        return [result for i in sorted(found) for result in found[i]]

    def _passes_without(self, group: Group) -> bool:
        results = [result for _, result in self._run([group], "")]
        return bool(results) and all(r.status == PASS for r in results)

    def _run(
        self, groups: list[Group], fault: str, threads: str = "3", timeout: float = LONG
    ) -> Iterator[tuple[int, Result]]:
        def make_task():
            vendor = Runtime(self.registry, self.runtime, self.wrong)
            return lambda i: run_group(groups[i], self.oracles.get(groups[i].case.function.name), vendor)

        settings = {"DIOPI_FAULT": fault, "DIOPI_RIGHT_LIBRARY": str(self.right), "OMP_NUM_THREADS": threads}
        with _environment(settings):
            workers = Pool(make_task, lambda i: f"{groups[i].name}/{groups[i].layouts[0]}", 1, timeout)
            for position, results in workers.run(range(len(groups))):
                yield from ((position, result) for result in results)


@contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    """Sets environment variables for the processes that are started inside the `with` block."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
