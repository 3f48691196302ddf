# SPDX-License-Identifier: BSD-3-Clause
"""Makes each call of the runtime fail in turn, in every operator, and judges what the operator does.

    python -m conformance.selfcheck.failures                     all operators of the library in build/lib
    python -m conformance.selfcheck.failures --fname conv Sort   only these operators or families
    python -m conformance.selfcheck.failures --case NAME         one case, as a failure prints it; * stands for any text

First, each small valid case is called once, and its calls of the runtime are recorded: accessors of tensors, temporary
tensors, generators, profiling records. Only one case is judged for each operator, dtype and sequence of such calls.
This case is repeated once for each call of the runtime; each time, this call fails.

The operator must then return an error, with a message that names the operator, the function of the runtime and its
error code, and must leave outputs, inputs and generators unchanged. It may also succeed with correct results, if it
does not need the failed call. A call without failures before and after these calls must give the same bits.

Exit codes: 0 all passed, 1 a case failed, 2 wrong arguments, 4 the library or the runtime cannot be used.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from adaptor.codegen.model import Registry, load_registry

from ...cases.suite import Selection, UsageError, resolve_names
from ...oracle import load_oracles
from ...run.binding import HostError, default_library, default_runtime
from ...run.result import FAIL, NOT_APPLICABLE, PASS, Result
from ...run.workers import LibraryError, Pool, Task, default_jobs
from ...vendor.profile import VendorProfile, load_profile
from .judging import judge_failures
from .runtime import FailingRuntime, build
from .sample import Seen, call_once, candidates, choose

OK, FAILED, USAGE, NO_LIBRARY = 0, 1, 2, 4


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.selfcheck.failures",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--fname", nargs="+", default=[], metavar="NAME", help="operators or families")
    parser.add_argument("--case", help="the name of a case, as a failure prints it; * stands for any text")
    parser.add_argument("--impl_folder", type=Path, help="vendor's folder: convert_config.yaml, device_configs.py")
    parser.add_argument("--library", type=Path, default=default_library(), help="libdiopi_impl.so")
    parser.add_argument("--runtime", type=Path, default=default_runtime(), help="libdiopirt.so")
    parser.add_argument("--jobs", type=int, default=default_jobs(), help="worker processes (default: one per CPU)")
    parser.add_argument("--timeout", type=float, default=120.0, help="time limit of one case in seconds (default: 120)")
    parser.add_argument("--max_failures", type=int, default=50, help="failures printed in full (default: 50)")
    arguments = parser.parse_args(argv)
    if arguments.jobs < 1:
        parser.error("--jobs must be at least 1")
    return arguments


class Judge:
    """Judges a library while single calls of the runtime fail."""

    def __init__(self, registry: Registry, arguments: argparse.Namespace, failing: Path) -> None:
        self.registry, self.arguments, self.failing = registry, arguments, failing
        self.oracles = load_oracles()
        self.profile: VendorProfile = load_profile(arguments.impl_folder, registry)
        self.failed: list[Result] = []
        self.shown = 0

    def vendor(self) -> FailingRuntime:
        return FailingRuntime(
            self.registry, self.arguments.runtime.resolve(), self.arguments.library.resolve(), self.failing
        )

    def sample(self, selection: Selection) -> list[Seen]:
        """Calls each candidate once without failures, and chooses the cases. A wrong result counts as a failed case."""
        groups = candidates(self.registry, selection, self.profile)

        def make_task() -> Task:
            vendor = self.vendor()

            def task(i: int) -> list[Result]:
                function = groups[i].case.function.name
                if not vendor.has(function):
                    return [Result(groups[i].name, NOT_APPLICABLE)]
                return call_once(groups[i], self.oracles.get(function), vendor, self.profile)

            return task

        calls: dict[int, tuple[str, ...]] = {}
        for position, results in self._run(make_task, groups):
            for result in results:
                if result.status == PASS:
                    calls[position] = result.messages
                elif result.status == FAIL:
                    self._failure(result)
        return choose([Seen(groups[i], groups[i].layouts[0], calls[i]) for i in sorted(calls)])

    def judge(self, chosen: list[Seen]) -> None:
        def make_task() -> Task:
            vendor = self.vendor()

            def task(i: int) -> list[Result]:
                group = chosen[i].group
                return [judge_failures(group, chosen[i].layout, self.oracles[group.case.function.name], vendor)]

            return task

        for _, results in self._run(make_task, [c.group for c in chosen]):
            for result in results:
                if result.status == FAIL:
                    self._failure(result)

    def _run(self, make_task, groups):
        workers = Pool(
            make_task,
            lambda i: f"{groups[i].name}/{groups[i].layouts[0]}",
            self.arguments.jobs,
            self.arguments.timeout,
        )
        return workers.run(range(len(groups)))

    def _failure(self, result: Result) -> None:
        self.failed.append(result)
        if len(self.failed) <= self.arguments.max_failures:
            print(f"FAIL {result.name}", *(f"    {m}" for m in result.messages), sep="\n", flush=True)
            if result.arguments:
                print(f"    {result.arguments}")


def run(arguments: argparse.Namespace) -> int:
    for path in (arguments.runtime, arguments.library):
        if not path.exists():
            raise HostError(f"{path} does not exist: build it, or give its path with --library or --runtime")
    registry = load_registry()
    selection = Selection(resolve_names(registry, arguments.fname), case=arguments.case)
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(registry, arguments, build(registry, Path(folder)))
        chosen = judge.sample(selection)
        judge.judge(chosen)
    if not chosen and not judge.failed:
        raise UsageError("no case matches these options")
    operators = {c.group.case.function.name for c in chosen}
    print(
        f"{len(operators)} operators, {sum(len(c.calls) for c in chosen)} calls of the runtime made to fail; "
        f"{len(chosen) - len(judge.failed)} passed, {len(judge.failed)} failed"
    )
    return FAILED if judge.failed else OK


def main(argv: list[str] | None = None) -> int:
    arguments = parse_arguments(argv)
    try:
        return run(arguments)
    except UsageError as error:
        print(error, file=sys.stderr)
        return USAGE
    except (HostError, LibraryError, OSError) as error:
        print(error, file=sys.stderr)
        return NO_LIBRARY


if __name__ == "__main__":
    sys.exit(main())
