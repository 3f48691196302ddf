#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The judge's main program. conformance/command_line.py defines the options; `--help` lists them."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import conformance  # noqa: F401  (it makes `adaptor` importable)
from adaptor.codegen.model import Registry, load_registry
from adaptor.codegen.strict_yaml import ConfigError
from conformance.cases.case import RawCase
from conformance.cases.narrow_indices import narrow_indices
from conformance.cases.suite import Selection, Suite, UsageError, resolve_names, select, suggestion
from conformance.command_line import contradiction, parse_arguments, repeat_command
from conformance.coverage.counts import count_cases, count_table
from conformance.coverage.untested import gaps_of
from conformance.dtypes import NUMPY
from conformance.generate.hostile.generate import load_all_cases
from conformance.generate.invalid.generate import invalid_cases
from conformance.generate.models.command_line import cases_of_models, model_table
from conformance.oracle import Oracle, load_oracles
from conformance.report.html_page import write_html
from conformance.report.journal import open_journal, take_over
from conformance.report.json_file import write_json
from conformance.report.junit import write_junit
from conformance.report.record import RunRecord
from conformance.report.terminal import Report, no_oracle_text
from conformance.run import workers
from conformance.run.binding import HostError, Runtime, default_library, default_runtime
from conformance.run.data_store import DataStore, write_data
from conformance.run.prepare import prepare, untrusted
from conformance.run.prepared import Group, NotApplicable
from conformance.run.result import FAIL, PASS, SKIPPED, Result
from conformance.vendor.device_configs import Stale, stale_skips, stale_tolerances
from conformance.vendor.profile import SettingsError, VendorProfile, load_profile
from conformance.verdict.group import Vendor, run_group

OK, FAILED, USAGE, BAD_CASES, NO_LIBRARY = range(5)
LOADING = 300.0  # the smallest time limit for loading the library, in seconds; --timeout may be shorter
PRESENT = "PRESENT"  # the status with which a worker reports that the library has an operator


def list_cases(suite: Suite) -> int:
    """Prints every case (mode gen_case). Cases that cannot be prepared or trusted are failures."""
    oracles, bad, count = load_oracles(), 0, 0
    for group in suite.groups:
        problem = case_problem(group, oracles)
        if problem == "":
            continue
        count += len(group.variants)
        for variant in group.variants:
            print(f"{group.name}/{variant}")
        if problem:
            bad += 1
            print(f"    BAD ({group.raw.path}:{group.raw.line}): {problem}")
    print(
        f"{len(suite.functions)} operators, {len(suite.groups)} cases with dtypes, {count} with dtypes and layouts, "
        f"{bad} bad"
    )
    return FAILED if bad else OK


def case_problem(group: Group, oracles: dict) -> str | None:
    """What is wrong with a case; None if nothing is wrong; an empty text if it does not apply to this operator."""
    if group.raw.error is None and group.raw.function.name not in oracles:
        return "no oracle"
    try:
        return untrusted(prepare(group, oracles.get(group.raw.function.name)))
    except NotApplicable:
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def operators_of(case: str | None) -> tuple[str, ...]:
    """The operator in the name of a case, as a tuple; an empty tuple if the name allows any operator."""
    operator = (case or "").partition("/")[0]
    return () if "*" in operator or not operator else (operator,)


def judge(
    registry: Registry,
    suite: Suite,
    arguments: argparse.Namespace,
    names: tuple[str, ...],
    cases: list[RawCase],
    without: dict[str, int],
) -> int:
    """Judges the library (mode run_test). `suite` was selected from `cases`; `without` has operators without oracle."""
    runtime, library = arguments.runtime or default_runtime(), arguments.library or default_library()
    for path in (runtime, library):
        if not path.exists():
            raise HostError(f"{path} does not exist: build it, or give its path with --library or --runtime")
    for path in filter(None, (arguments.junit, arguments.html_report, arguments.json)):
        if not path.absolute().parent.is_dir():
            raise UsageError(f"there is no folder for {path}")
    profile, oracles = load_profile(arguments.impl_folder, registry), load_oracles()
    store = DataStore(arguments.data) if arguments.data else None
    elsewhere = arguments.case or arguments.model_name or (arguments.shard and arguments.shard.index > 1)
    texts = [] if elsewhere else text_functions(registry, names)
    requested = list(dict.fromkeys([*suite.functions, *(s.operator for s in profile.skips), *profile.tolerances]))
    present, answers = probe(registry, runtime, library, requested, texts, arguments.timeout)
    absent = [name for name in suite.functions if name not in present]
    groups = [g for g in suite.groups if g.raw.function.name in present]

    def make_task() -> workers.Task:
        vendor = Runtime(registry, runtime, library)
        return lambda i: judge_one(groups[i], oracles, vendor, profile, store)

    record = RunRecord(
        library.name,
        repeat_command(arguments),
        shlex.join(arguments.given),
        profile=profile,
        families={f.name: f.family for f in registry.operators},
        absent=absent,
        gaps={} if arguments.model_name else gaps_of(registry, suite.functions),
        absent_fails=bool(names or arguments.require_all),
        jobs=arguments.jobs,
        no_oracle=without if not elsewhere or arguments.model_name else {},
        stale=stale_entries(profile, arguments, cases, names, [n for n in requested if n not in present]),
    )
    report = Report(
        record.command, len(groups) + 1, limit=arguments.max_failures, digests=arguments.digests, record=record
    )
    settings = {key: getattr(arguments, key) for key in ("model_name", "quick", "data", "nhwc", "four_bytes")}
    journal = open_journal(arguments.resume, [runtime, library], arguments.impl_folder, settings)
    report.add(answers)
    judging = workers.Pool(
        make_task, lambda i: f"{groups[i].name}/{groups[i].variants[0]}", arguments.jobs, arguments.timeout
    )
    for position, results in judging.run(take_over(groups, journal, report)):
        report.add(results)
        if journal is not None:
            journal.add(groups[position], results)
    report.finish(absent)
    if arguments.digests:
        arguments.digests.close()  # raises an error if the disk is full, so that the exit code shows it
    write_reports(arguments, record)
    return FAILED if report.failures or (absent and record.absent_fails) else OK


def not_judged(registry: Registry, names: tuple[str, ...]) -> dict[str, int]:
    """The operators (of `names`, or all) that have no oracle yet, each with 0 as the number of its cases."""
    oracles = load_oracles()
    return {
        f.name: 0
        for f in registry.operators
        if f.name not in oracles and f.returns == "diopiError_t" and (not names or f.name in names)
    }


def stale_entries(
    profile: VendorProfile,
    arguments: argparse.Namespace,
    cases: list[RawCase],
    names: tuple[str, ...],
    absent: list[str],
) -> list[Stale]:
    """The entries of the vendor's settings that have no effect. Skips are only checked if all their cases are known."""
    whole = not arguments.model_name and not arguments.case
    told = [s for s in profile.skips if s.operator in absent or (whole and (not names or s.operator in names))]
    return stale_skips(told, cases, absent) + stale_tolerances(profile.tolerances, absent)


def write_reports(arguments: argparse.Namespace, record: RunRecord) -> None:
    if arguments.junit:
        write_junit(record, arguments.junit)
    if arguments.json:
        write_json(record, arguments.json)
    if arguments.html_report:
        write_html(record, arguments.html_report)


def judge_one(
    group: Group, oracles: dict, vendor: Vendor, profile: VendorProfile, store: DataStore | None
) -> list[Result]:
    oracle = oracles.get(group.raw.function.name)
    skipped = profile.skipped(group)
    results = [Result(f"{group.name}/{variant}", SKIPPED, (why,)) for variant, why in skipped.items()]
    group = replace(group, variants=tuple(v for v in group.variants if v not in skipped))
    return results + (judge_variants(group, oracle, vendor, profile, store) if group.variants else [])


def judge_variants(
    group: Group, oracle: Oracle | None, vendor: Vendor, profile: VendorProfile, store: DataStore | None
) -> list[Result]:
    name = group.raw.function.name
    if oracle is None and group.raw.error is None:
        return [Result(f"{group.name}/{group.variants[0]}", FAIL, ("the operator has cases but no oracle",))]
    group = profile.lowered(group)
    # A file of gen_data has numbers for all vendors. A vendor that converts dtypes needs numbers that fit its dtypes.
    supplied = store.load(group, oracle) if store and group.raw.error is None and group.lowering is None else None
    if name in profile.tolerances:
        group = replace(group, raw=replace(group.raw, tolerances=profile.tolerances[name] + group.raw.tolerances))
    return run_group(group, oracle, vendor, profile.reason(group), supplied, profile.refuses)


def text_functions(registry: Registry, names: tuple[str, ...]) -> list[str]:
    """The functions that return a text, such as diopiGetVendorName. They have no cases, but must not return nothing."""
    return [
        f.name
        for f in registry.operators
        if f.returns == "const char *" and not f.params and (not names or f.name in names)
    ]


def probe(
    registry: Registry, runtime: Path, library: Path, names: list[str], texts: list[str], timeout: float
) -> tuple[set[str], list[Result]]:
    """The operators that the library has, and the verdicts on its texts. A separate process loads the library."""

    def make_task() -> workers.Task:
        vendor = Runtime(registry, runtime, library)

        def task(item: int) -> list[Result]:
            present = [Result(n, PRESENT) for n in names if vendor.has(n)]
            return present + [text_verdict(n, vendor.text(n)) for n in texts if vendor.has(n)]

        return task

    ((_, answers),) = workers.Pool(make_task, lambda i: "loading the library", 1, max(timeout, LOADING)).run([0])
    if answers and answers[0].name == "loading the library":
        raise HostError(f"loading {library}: {answers[0].messages[0]}")
    return {r.name for r in answers if r.status == PRESENT}, [r for r in answers if r.status != PRESENT]


def text_verdict(name: str, text: str | None) -> Result:
    """The verdict on a text that a function returned. Only the text of the last error may be empty."""
    good = text is not None and (text.strip() or name == "diopiGetLastErrorString")
    return Result(f"{name}/text", PASS if good else FAIL, () if good else (f"returned {text!r}",))


def run(arguments: argparse.Namespace) -> int:
    problem = contradiction(arguments)
    if problem:
        raise UsageError(problem)
    if arguments.mode == "utest":
        tests = Path(__file__).resolve().parent / "tests"
        return OK if subprocess.call([sys.executable, "-m", "pytest", "-q", str(tests)]) == 0 else FAILED
    registry = load_registry()
    if arguments.get_model_list:
        print(model_table(registry, arguments.quick))
        return OK
    functions = resolve_names(registry, arguments.fname)
    unknown = [d for d in arguments.filter_dtype if d not in registry.dtypes]
    if unknown:
        raise UsageError(f"unknown dtype '{unknown[0]}'{suggestion(unknown[0], NUMPY)}")
    selection = Selection(
        functions,
        tuple(arguments.filter_dtype),
        arguments.case,
        arguments.variants == "all",
        arguments.quick,
        arguments.nhwc,
    )
    if arguments.get_case_counts:
        counts = count_cases(registry, selection)
        print(count_table(counts))
        return FAILED if any(c.too_few for c in counts) else OK
    models, named = arguments.model_name, functions or operators_of(arguments.case)
    without: dict[str, int]
    if models:
        cases, without = cases_of_models(registry, models, arguments.quick)
    else:
        cases, without = load_all_cases(registry, named), not_judged(registry, functions)
    if arguments.four_bytes:
        cases, changed = narrow_indices(cases, load_oracles())
        print(f"--four_bytes: {changed} cases have int32 instead of int64 indices")
    if not models:
        cases += invalid_cases(registry, cases, named)
    suite = select(cases, selection)
    missing = [name for name in functions if name in without]
    texts = text_functions(registry, functions) if arguments.fname else []
    if functions and len(missing) == len(functions):
        raise UsageError(f"{', '.join(missing)} cannot be judged yet: there is no oracle and no case")
    if not suite.groups and not texts:
        raise UsageError("no case is left to judge: --filter_dtype skips every dtype")
    suite = arguments.shard.part(suite) if arguments.shard else suite
    if arguments.mode != "run_test" and sum(without.values()):
        print(f"no oracle yet, {no_oracle_text(without)}")
    if arguments.mode == "gen_case":
        return list_cases(suite)
    if arguments.mode == "gen_data":
        return write_data(suite, load_oracles(), arguments.data)
    return judge(registry, suite, arguments, functions, cases, without)


def main(argv: list[str] | None = None) -> int:
    arguments = parse_arguments(argv)
    try:
        return run(arguments)
    except UsageError as error:
        print(f"main.py: {error}", file=sys.stderr)
        return USAGE
    except (ConfigError, SettingsError) as error:
        print(f"main.py: {error}", file=sys.stderr)
        return BAD_CASES
    except (HostError, workers.LibraryError, workers.EndOfRun, OSError) as error:
        print(f"main.py: {error}", file=sys.stderr)
        return NO_LIBRARY


if __name__ == "__main__":
    sys.exit(main())
