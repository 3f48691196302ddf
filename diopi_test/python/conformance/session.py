# SPDX-License-Identifier: BSD-3-Clause
"""One run of the judge (mode run_test): loads the library, judges the groups of cases, and writes the reports."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from adaptor.codegen.model import Registry

from .cases.case import Case
from .cases.group import Group
from .cases.reader import CaseFile
from .cases.suite import Suite, UsageError
from .command_line import has_own_cases, repeat_command
from .coverage.untested import untested_of
from .oracle import Oracle, load_oracles
from .report.html_page import write_html
from .report.journal import open_journal, take_over
from .report.json_file import write_json
from .report.junit import write_junit
from .report.record import RunRecord
from .report.terminal import Report
from .run.binding import HostError, Runtime, default_library, default_runtime
from .run.data_store import DataStore
from .run.result import FAIL, PASS, SKIPPED, Result
from .run.workers import Pool, Task
from .vendor.device_configs import Stale, stale_skips, stale_tolerances
from .vendor.profile import VendorProfile, load_profile
from .verdict.group import Vendor, run_group
from .verdict.processes import Judging, Processes
from .verdict.support import is_for_host

LOADING = 300.0  # the smallest time limit for loading the library, in seconds; --timeout may be shorter
PRESENT = "PRESENT"  # the status with which a worker reports that the library has an operator
LAST_ERROR = "diopiGetLastErrorString"
SILENT = "the library lacks this function, so no error has a message, and the messages of invalid calls are not judged"
# Options that change verdicts.
SETTINGS = ("model_name", "captured", "random", "fuzz", "seed", "quick", "data", "nhwc", "four_bytes")


@dataclass(frozen=True)
class Chosen:
    """What a run judges, as the command line chooses it."""

    suite: Suite  # selected from `cases`
    names: tuple[str, ...]  # the operators that --fname names
    cases: list[Case]
    without: dict[str, int]  # operator without oracle -> number of its cases
    files: list[CaseFile]  # those that were read; none for models and captured calls


@dataclass(frozen=True)
class Libraries:
    """The two libraries of a run."""

    registry: Registry
    runtime: Path
    library: Path

    def load(self) -> Runtime:
        return Runtime(self.registry, self.runtime, self.library)


def judge(registry: Registry, chosen: Chosen, arguments: argparse.Namespace) -> bool:
    """Judges the library, prints the verdicts and writes the reports. True if nothing failed."""
    libraries = Libraries(registry, arguments.runtime or default_runtime(), arguments.library or default_library())
    _check_paths(libraries, arguments)
    profile, oracles = load_profile(arguments.impl_folder, registry), load_oracles()
    store = DataStore(arguments.data) if arguments.data else None
    texts = [] if is_part(arguments) else text_functions(registry, chosen.names)
    functions = chosen.suite.functions
    requested = list(dict.fromkeys([*functions, *(s.operator for s in profile.skips), *profile.tolerances]))
    present, answers = probe(libraries, requested, texts, arguments.timeout)
    groups = [g for g in chosen.suite.groups if g.case.function.name in present]

    def start() -> Judging:
        vendor = libraries.load()
        return lambda group: judge_group(group, oracles, vendor, profile, store)

    record = _record(registry, chosen, arguments, profile, [n for n in requested if n not in present])
    report = Report(
        record.command, len(groups) + 1, limit=arguments.max_failures, digests=arguments.digests, record=record
    )
    settings = {key: getattr(arguments, key) for key in SETTINGS}
    journal = open_journal(arguments.resume, [libraries.runtime, libraries.library], arguments.impl_folder, settings)
    report.add(answers)
    workers = Processes(start, arguments.jobs, arguments.timeout)
    for position, results in workers.judge(groups, take_over(groups, journal, report)):
        report.add(results)
        if journal is not None:
            journal.add(groups[position], results)
    report.finish(record.absent)
    _write_reports(arguments, record)
    if arguments.digests:
        arguments.digests.close()  # raises an error if the disk is full, so that the exit code shows it
    return not (report.failures or (record.absent and record.absent_fails))


def is_part(arguments: argparse.Namespace) -> bool:
    """Whether the run judges only chosen cases, models, or a shard that is not the first one."""
    return bool(arguments.case or has_own_cases(arguments) or (arguments.shard and arguments.shard.index > 1))


def _check_paths(libraries: Libraries, arguments: argparse.Namespace) -> None:
    """Raises an error if a library or the folder of a report does not exist."""
    for path in (libraries.runtime, libraries.library):
        if not path.exists():
            raise HostError(f"{path} does not exist: build it, or give its path with --library or --runtime")
    for path in filter(None, (arguments.junit, arguments.html_report, arguments.json)):
        if not path.absolute().parent.is_dir():
            raise UsageError(f"there is no folder for {path}")
        if path.is_dir():
            raise UsageError(f"{path} is a folder, not a file for a report")


def _record(
    registry: Registry, chosen: Chosen, arguments: argparse.Namespace, profile: VendorProfile, absent: list[str]
) -> RunRecord:
    """The facts about the run. `absent` has all requested operators that the library lacks."""
    functions = chosen.suite.functions
    return RunRecord(
        (arguments.library or default_library()).name,
        repeat_command(arguments),
        shlex.join(arguments.given),
        profile=profile,
        families={f.name: f.family for f in registry.operators},
        absent=[name for name in functions if name in absent],
        untested=untested_of(registry, functions, chosen.files),
        absent_fails=bool(chosen.names or arguments.require_all),
        jobs=arguments.jobs,
        no_oracle=chosen.without if has_own_cases(arguments) or not is_part(arguments) else {},
        stale=_stale_entries(profile, arguments, chosen, absent),
    )


def _stale_entries(
    profile: VendorProfile, arguments: argparse.Namespace, chosen: Chosen, absent: list[str]
) -> list[Stale]:
    """The entries of the vendor's settings that have no effect. Skips are only checked if all their cases are known."""
    whole, names = not has_own_cases(arguments) and not arguments.case, chosen.names
    told = [s for s in profile.skips if s.operator in absent or (whole and (not names or s.operator in names))]
    return stale_skips(told, chosen.cases, absent) + stale_tolerances(profile.tolerances, absent)


def _write_reports(arguments: argparse.Namespace, record: RunRecord) -> None:
    """Writes all reports. Raises an error at the end if one of them could not be written."""
    problems = []
    for path, write in (
        (arguments.junit, write_junit),
        (arguments.json, write_json),
        (arguments.html_report, write_html),
    ):
        if path:
            try:
                write(record, path)
            except OSError as error:
                problems.append(f"{path} cannot be written: {error.strerror or error}")
    if problems:
        raise HostError("; ".join(problems))


def judge_group(
    group: Group, oracles: Mapping[str, Oracle], vendor: Vendor, profile: VendorProfile, store: DataStore | None
) -> list[Result]:
    """The verdicts on a group: `SKIPPED` for what the vendor skips; the others by calls of the library."""
    skipped = profile.skipped(group)
    results = [Result(f"{group.name}/{layout}", SKIPPED, (why,)) for layout, why in skipped.items()]
    group = replace(group, layouts=tuple(v for v in group.layouts if v not in skipped))
    oracle = oracles.get(group.case.function.name)
    return results + (_judge_layouts(group, oracle, vendor, profile, store) if group.layouts else [])


def _judge_layouts(
    group: Group, oracle: Oracle | None, vendor: Vendor, profile: VendorProfile, store: DataStore | None
) -> list[Result]:
    name = group.case.function.name
    if oracle is None and group.case.error is None:
        return [Result(f"{group.name}/{group.layouts[0]}", FAIL, ("the operator has cases but no oracle",))]
    on_host = is_for_host(group, vendor)
    group = group if on_host else profile.with_declared_casts(group)
    # A file of gen_data has numbers for all vendors. A vendor that converts dtypes needs numbers that fit its dtypes.
    supplied = (
        store.load(group, oracle) if store and group.case.error is None and group.declared_casts is None else None
    )
    if name in profile.tolerances:
        group = replace(group, case=replace(group.case, tolerances=profile.tolerances[name] + group.case.tolerances))
    reason = None if on_host else profile.reason(group)
    return run_group(group, oracle, vendor, reason, supplied, profile.refuses, defers=profile.defers)


def text_functions(registry: Registry, names: tuple[str, ...]) -> list[str]:
    """The functions that return a text, such as diopiGetVendorName. They have no cases, but must not return nothing."""
    return [
        f.name
        for f in registry.operators
        if f.returns == "const char *" and not f.params and (not names or f.name in names)
    ]


def probe(libraries: Libraries, names: list[str], texts: list[str], timeout: float) -> tuple[set[str], list[Result]]:
    """The operators that the library has, and the verdicts on its texts. A separate process loads the library."""

    def make_task() -> Task:
        vendor = libraries.load()
        if problems := vendor.problems():
            raise HostError(f"{libraries.library} cannot be judged: {'; '.join(problems)}")

        def task(item: int) -> list[Result]:
            present = [Result(n, PRESENT) for n in names if vendor.has(n)]
            found = [_text_verdict(n, vendor.text(n)) for n in texts if vendor.has(n)]
            return present + found + ([] if vendor.has(LAST_ERROR) else [Result(f"{LAST_ERROR}/text", FAIL, (SILENT,))])

        return task

    ((_, answers),) = Pool(make_task, lambda i: "loading the library", 1, max(timeout, LOADING)).run([0])
    if answers and answers[0].name == "loading the library":
        raise HostError(f"loading {libraries.library}: {answers[0].messages[0]}")
    return {r.name for r in answers if r.status == PRESENT}, [r for r in answers if r.status != PRESENT]


def _text_verdict(name: str, text: str | None) -> Result:
    """The verdict on a text that a function returned. Only the text of the last error may be empty."""
    good = text is not None and (text.strip() or name == LAST_ERROR)
    return Result(f"{name}/text", PASS if good else FAIL, () if good else (f"returned {text!r}",))
