#!/usr/bin/env python3
"""The command line of the judge.

    python main.py --mode run_test                      judge the library in build/lib
    python main.py --mode run_test --fname add Softmax  only these operators (or families)
    python main.py --mode run_test --case NAME          repeat one case
    python main.py --mode run_test --model_name resnet50 --quick   the operator calls of models, made smaller
    python main.py --get_model_list                     the models, with their operators and cases
    python main.py --mode gen_data --data DIR           write inputs and expected outputs to DIR
    python main.py --mode run_test --data DIR           judge against what gen_data wrote, oracles untouched
    python main.py --mode gen_case                      list the cases, and prove that each can be prepared
    python main.py --mode utest                         the judge's own tests

Exit codes: 0 all passed, 1 something failed, 2 the request makes no sense, 3 a case file or a vendor's
settings are wrong, 4 the library or the runtime cannot be used.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from conformance import pool
from conformance.binding import HostError, Runtime, default_library, default_runtime
from conformance.case_files import load_cases
from conformance.data_store import DataError, DataStore, write_data
from conformance.execute import FAIL, PASS, SKIPPED, Result, Vendor, run_group
from conformance.four_bytes import narrow_indices
from conformance.html_report import write_html
from conformance.invalid.generate import invalid_cases
from conformance.junit import write_junit
from conformance.models.command_line import cases_of_models, model_table
from conformance.oracles import load_oracles
from conformance.prepare import Group, NotApplicable, prepare, untrusted
from conformance.record import RunRecord
from conformance.report import Report
from conformance.resume import open_journal, take_over
from conformance.sharding import Shard
from conformance.suite import Selection, Suite, UsageError, resolve_names, select
from conformance.vendors import SettingsError, VendorProfile, load_profile

from adaptor.codegen.model import Registry, load_registry
from adaptor.codegen.strict_yaml import ConfigError

OK, FAILED, USAGE, BAD_CASES, NO_LIBRARY = range(5)
PRESENT = "PRESENT"  # of an operator, between the process that asks and this one


def parse_arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=("gen_data", "gen_case", "run_test", "utest"))
    parser.add_argument("--fname", nargs="+", default=[], metavar="NAME",
                        help="operators or families: add, Add, diopiAdd, softmax")
    parser.add_argument("--model_name", nargs="+", default=[], metavar="MODEL",
                        help="the operator calls of these models (or all) instead of the case files")
    parser.add_argument("--get_model_list", action="store_true", help="list the models and leave")
    parser.add_argument("--quick", action="store_true", help="calls of models with at most 64 Ki elements")
    parser.add_argument("--nhwc", action="store_true", help="channels-last instead of contiguous 4-d and 5-d tensors")
    parser.add_argument("--four_bytes", action="store_true",
                        help="int32 instead of int64 index tensors, where the contract allows both")
    parser.add_argument("--filter_dtype", nargs="+", default=[], metavar="DTYPE", help="leave these dtypes out")
    parser.add_argument("--case", help="a case by the name that a failure prints; * stands for any text")
    parser.add_argument("--impl_folder", type=Path, help="a vendor's folder: convert_config.yaml, device_configs.py")
    parser.add_argument("--library", type=Path, help="libdiopi_impl.so (default: in the build folder)")
    parser.add_argument("--runtime", type=Path, help="libdiopirt.so (default: in the build folder)")
    parser.add_argument("--data", type=Path, help="folder of gen_data")
    parser.add_argument("--jobs", type=int, default=pool.default_jobs(), help="worker processes (default: one per CPU)")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds that one case may take (default: 120)")
    parser.add_argument("--variants", choices=("some", "all"), default="some",
                        help="every memory layout for every dtype, or (default) for two dtypes and a sample")
    parser.add_argument("--digests", type=argparse.FileType("w"), metavar="FILE",
                        help="write a fingerprint of every output's bits, to compare runs (with `sort` and `diff`)")
    parser.add_argument("--shard", type=shard, metavar="I/N",
                        help="judge (or list, or write) only the part I of N; the N parts together are everything")
    parser.add_argument("--resume", type=Path, metavar="FILE",
                        help="note finished cases in FILE, and do not repeat those that an earlier run noted as passed")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write all verdicts as JUnit XML")
    parser.add_argument("--html_report", type=Path, nargs="?", const=Path("report.html"), metavar="FILE",
                        help="write one page with everything (default: report.html)")
    parser.add_argument("--require_all", action="store_true", help="an operator that the library lacks is a failure")
    parser.add_argument("--max_failures", type=int, default=50, help="failures printed in full (default: 50)")
    arguments = parser.parse_args(argv)
    arguments.given = ["main.py", *(sys.argv[1:] if argv is None else argv)]
    if arguments.jobs < 1:
        parser.error("--jobs must be at least 1")
    if not arguments.mode and not arguments.get_model_list:
        parser.error("one of --mode and --get_model_list is needed")
    return arguments


def shard(text: str) -> Shard:
    try:
        return Shard.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def repeat_command(arguments: argparse.Namespace) -> str:
    parts = ["python", "main.py", "--mode", "run_test"]
    for option in ("impl_folder", "library", "runtime", "data"):
        value = getattr(arguments, option)
        parts += [f"--{option}", shlex.quote(str(value))] if value else []
    parts += [f"--{option}" for option in ("nhwc", "four_bytes") if getattr(arguments, option)]
    if arguments.model_name:
        parts += ["--model_name", *arguments.model_name] + (["--quick"] if arguments.quick else [])
    return " ".join(parts)


def list_cases(suite: Suite) -> int:
    """Prints every case; broken and untrusted ones are failures."""
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
    print(f"{len(suite.functions)} operators, {len(suite.groups)} cases with their dtypes, {count} with layouts, "
          f"{bad} bad")
    return FAILED if bad else OK


def case_problem(group: Group, oracles: dict) -> str | None:
    """What is wrong with a case itself; an empty text where it does not apply to this form."""
    if group.raw.error is None and group.raw.function.name not in oracles:
        return "no oracle"
    try:
        return untrusted(prepare(group, oracles.get(group.raw.function.name)))
    except NotApplicable:
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def operators_of(case: str | None) -> tuple[str, ...]:
    """The operator that the name of a case begins with; none where it may be any."""
    operator = (case or "").partition("/")[0]
    return () if "*" in operator or not operator else (operator,)


def judge(registry: Registry, suite: Suite, arguments: argparse.Namespace, names: tuple[str, ...]) -> int:
    """run_test."""
    runtime, library = arguments.runtime or default_runtime(), arguments.library or default_library()
    for path in (runtime, library):
        if not path.exists():
            raise HostError(f"{path} does not exist: build it first, or say where it is")
    for path in filter(None, (arguments.junit, arguments.html_report)):
        if not path.absolute().parent.is_dir():
            raise UsageError(f"there is no folder for {path}")
    profile, oracles = load_profile(arguments.impl_folder, registry), load_oracles()
    store = DataStore(arguments.data) if arguments.data else None
    elsewhere = arguments.case or arguments.model_name or (arguments.shard and arguments.shard.index > 1)
    texts = [] if elsewhere else text_functions(registry, names)
    present, answers = probe(registry, runtime, library, suite.functions, texts, arguments.timeout)
    absent = [name for name in suite.functions if name not in present]
    groups = [g for g in suite.groups if g.raw.function.name in present]

    def make_task() -> pool.Task:
        vendor = Runtime(registry, runtime, library)
        return lambda i: judge_one(groups[i], oracles, vendor, profile, store)

    record = RunRecord(library.name, repeat_command(arguments), shlex.join(arguments.given), profile=profile,
                       families={f.name: f.family for f in registry.operators}, absent=absent,
                       absent_fails=bool(names or arguments.require_all), jobs=arguments.jobs)
    report = Report(record.command, len(groups) + 1, limit=arguments.max_failures, digests=arguments.digests,
                    record=record)
    settings = {key: getattr(arguments, key) for key in ("model_name", "quick", "data", "nhwc", "four_bytes")}
    journal = open_journal(arguments.resume, [runtime, library], arguments.impl_folder, settings)
    report.add(answers)
    workers = pool.Pool(make_task, lambda i: f"{groups[i].name}/{groups[i].variants[0]}", arguments.jobs,
                        arguments.timeout)
    for position, results in workers.run(take_over(groups, journal, report)):
        report.add(results)
        if journal is not None:
            journal.add(groups[position], results)
    report.finish(absent)
    write_reports(arguments, record)
    return FAILED if report.failures or (absent and record.absent_fails) else OK


def write_reports(arguments: argparse.Namespace, record: RunRecord) -> None:
    if arguments.junit:
        write_junit(record, arguments.junit)
    if arguments.html_report:
        write_html(record, arguments.html_report)


def judge_one(group: Group, oracles: dict, vendor: Vendor, profile: VendorProfile,
              store: DataStore | None) -> list[Result]:
    name = group.raw.function.name
    oracle = oracles.get(name)
    if name in profile.skips:
        return [Result(f"{group.name}/{group.variants[0]}", SKIPPED, (profile.skips[name],))]
    if oracle is None and group.raw.error is None:
        return [Result(f"{group.name}/{group.variants[0]}", FAIL, ("the operator has cases but no oracle",))]
    group = profile.lowered(group)
    # Supplied numbers were drawn for every vendor; one that converts gets numbers that its dtypes can hold.
    supplied = store.load(group, oracle) if store and group.raw.error is None and group.lowering is None else None
    if name in profile.tolerances:
        group = replace(group, raw=replace(group.raw, tolerances=profile.tolerances[name] + group.raw.tolerances))
    return run_group(group, oracle, vendor, profile.reason(group), supplied)


def text_functions(registry: Registry, names: tuple[str, ...]) -> list[str]:
    """The functions that only return a text, as diopiGetVendorName: they have no cases, but must say something."""
    return [f.name for f in registry.operators
            if f.returns == "const char *" and not f.params and (not names or f.name in names)]


def probe(registry: Registry, runtime: Path, library: Path, names: list[str], texts: list[str],
          timeout: float) -> tuple[set[str], list[Result]]:
    """Which of the operators the library has, and the verdicts on its texts; asked in a process of its own."""
    def make_task() -> pool.Task:
        vendor = Runtime(registry, runtime, library)

        def task(item: int) -> list[Result]:
            present = [Result(n, PRESENT) for n in names if vendor.has(n)]
            return present + [text_verdict(n, vendor.text(n)) for n in texts if vendor.has(n)]
        return task

    ((_, answers),) = pool.Pool(make_task, lambda i: "loading the library", 1, timeout).run([0])
    if answers and answers[0].name == "loading the library":
        raise HostError(f"loading {library}: {answers[0].messages[0]}")
    return {r.name for r in answers if r.status == PRESENT}, [r for r in answers if r.status != PRESENT]


def text_verdict(name: str, text: str | None) -> Result:
    """The last error may be empty while there is none."""
    good = text is not None and (text.strip() or name == "diopiGetLastErrorString")
    return Result(f"{name}/text", PASS if good else FAIL, () if good else (f"returned {text!r}",))


def run(arguments: argparse.Namespace) -> int:
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
        raise UsageError(f"unknown dtype '{unknown[0]}'")
    if arguments.four_bytes and arguments.data:
        raise UsageError("--four_bytes changes what --data holds: they do not go together")
    selection = Selection(functions, tuple(arguments.filter_dtype), arguments.case, arguments.variants == "all",
                          arguments.nhwc)
    models = arguments.model_name
    cases = cases_of_models(registry, models, arguments.quick) if models else load_cases(registry)
    if arguments.four_bytes:
        cases, changed = narrow_indices(cases, load_oracles())
        print(f"--four_bytes: {changed} of all cases have int32 instead of int64 indices")
    if not models:
        cases += invalid_cases(registry, cases, functions or operators_of(arguments.case))
    suite = select(cases, selection)
    missing = [name for name in functions if name not in suite.functions]
    if arguments.fname and not suite.groups and not text_functions(registry, functions):
        raise UsageError(f"no cases for {', '.join(missing)}")
    suite = arguments.shard.part(suite) if arguments.shard else suite
    if arguments.mode == "gen_case":
        return list_cases(suite)
    if arguments.mode == "gen_data":
        if arguments.data is None:
            raise UsageError("gen_data needs --data DIR, the folder to write to")
        return write_data(suite, load_oracles(), arguments.data)
    return judge(registry, suite, arguments, functions)


def main(argv: list[str] | None = None) -> int:
    arguments = parse_arguments(argv)
    try:
        return run(arguments)
    except (UsageError, DataError) as error:
        print(f"main.py: {error}", file=sys.stderr)
        return USAGE
    except (ConfigError, SettingsError) as error:
        print(f"main.py: {error}", file=sys.stderr)
        return BAD_CASES
    except (HostError, pool.LibraryError, OSError) as error:
        print(f"main.py: {error}", file=sys.stderr)
        return NO_LIBRARY


if __name__ == "__main__":
    sys.exit(main())
