# SPDX-License-Identifier: BSD-3-Clause
"""What the options of the command line ask for: a mode or a table, and the cases that it concerns."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from adaptor.codegen.model import Registry, load_registry

from .cases.group import Group
from .cases.narrow_indices import narrow_indices
from .cases.prepare import prepare, untrusted
from .cases.prepared import NotApplicable
from .cases.reader import CaseFile
from .cases.suite import Selection, Suite, UsageError, double_names, resolve_names, select, suggestion
from .command_line import contradiction, has_own_cases
from .coverage.counts import count_cases, count_table
from .dtypes import NUMPY
from .generate.captured import cases_of_captured
from .generate.hostile.generate import hostile_cases, load_files_of
from .generate.invalid.generate import invalid_cases
from .generate.models.command_line import cases_of_models, model_table
from .generate.random_calls import Draw, random_cases
from .oracle import Oracle, load_oracles
from .report.terminal import no_oracle_text
from .run.data_store import write_data
from .session import Chosen, judge, text_functions
from .vendor.profile import operators_with_layouts

TESTS = Path(__file__).resolve().parents[1] / "tests"


def run(arguments: argparse.Namespace) -> bool:
    """Does what the options ask for. True if nothing failed."""
    problem = contradiction(arguments)
    if problem:
        raise UsageError(problem)
    if arguments.mode == "utest":
        return subprocess.call([sys.executable, "-m", "pytest", "-q", str(TESTS)]) == 0
    registry = load_registry()
    if arguments.get_model_list:
        print(model_table(registry, arguments.quick))
        return True
    selection = _selection(registry, arguments)
    if arguments.get_case_counts:
        counts = count_cases(registry, selection)
        print(count_table(counts))
        return not any(c.too_few for c in counts)
    chosen = _choose(registry, arguments, selection)
    if arguments.mode == "run_test":
        return judge(registry, chosen, arguments)
    if sum(chosen.without.values()):
        print(f"no oracle yet, {no_oracle_text(chosen.without)}")
    if arguments.mode == "gen_case":
        return list_cases(chosen.suite)
    return write_data(chosen.suite, load_oracles(), arguments.data)


def _selection(registry: Registry, arguments: argparse.Namespace) -> Selection:
    functions = resolve_names(registry, arguments.fname)
    for note in double_names(registry, arguments.fname):
        print(f"note: {note}")
    unknown = [d for d in arguments.filter_dtype if d not in registry.dtypes]
    if unknown:
        raise UsageError(f"unknown dtype '{unknown[0]}'{suggestion(unknown[0], NUMPY)}")
    return Selection(
        functions,
        tuple(arguments.filter_dtype),
        arguments.case,
        arguments.layouts == "all",
        arguments.quick,
        operators_with_layouts(arguments.impl_folder, registry),
        arguments.nhwc,
    )


def _choose(registry: Registry, arguments: argparse.Namespace, selection: Selection) -> Chosen:
    """The cases that the options choose. Raises an error if none is left."""
    functions, models = selection.functions, arguments.model_name
    named = functions or _operators_of(arguments.case)
    files: list[CaseFile] = []
    without: dict[str, int]
    if arguments.captured:
        cases, without = cases_of_captured(registry, arguments.captured)
    elif models:
        cases, without = cases_of_models(registry, models, arguments.quick)
    elif arguments.random or arguments.fuzz:
        drawn = Draw(arguments.random or arguments.fuzz, arguments.seed, fuzzed=bool(arguments.fuzz))
        cases, without = random_cases(registry, load_files_of(registry, named), drawn, named), {}
    else:
        files, without = load_files_of(registry, named), _not_judged(registry, functions)
        cases = [case for case_file in files for case in case_file.cases] + hostile_cases(registry, files, named)
    if arguments.four_bytes:
        cases, changed = narrow_indices(cases, load_oracles())
        print(f"--four_bytes: {changed} cases have int32 instead of int64 indices")
    if not has_own_cases(arguments):
        cases += invalid_cases(registry, cases, named)
    suite = select(cases, selection)
    missing = [name for name in functions if name in without]
    if functions and len(missing) == len(functions):
        raise UsageError(f"{', '.join(missing)} cannot be judged yet: there is no oracle and no case")
    if not suite.groups and not (arguments.fname and text_functions(registry, functions)):
        source = "captured calls" if arguments.captured else "models" if models else "case files"
        why = "--filter_dtype skips every dtype" if cases and arguments.filter_dtype else f"the {source} have none"
        raise UsageError(f"no case is left to judge: {why}")
    suite = arguments.shard.part(suite) if arguments.shard else suite
    if not suite.groups:
        print("note: no case belongs to this --shard")
    return Chosen(suite, functions, cases, without, files)


def _operators_of(case: str | None) -> tuple[str, ...]:
    """The operator in the name of a case, as a tuple; an empty tuple if the name allows any operator."""
    operator = (case or "").partition("/")[0]
    return () if "*" in operator or not operator else (operator,)


def _not_judged(registry: Registry, names: tuple[str, ...]) -> dict[str, int]:
    """The operators (of `names`, or all) that have no oracle yet, each with 0 as the number of its cases."""
    oracles = load_oracles()
    return {
        f.name: 0
        for f in registry.operators
        if f.name not in oracles and f.returns == "diopiError_t" and (not names or f.name in names)
    }


def list_cases(suite: Suite) -> bool:
    """Prints every case (mode gen_case). Cases that cannot be prepared or trusted are failures."""
    oracles, bad, count = load_oracles(), 0, 0
    for group in suite.groups:
        problem = _problem(group, oracles)
        if problem == "":
            continue
        count += len(group.layouts)
        for layout in group.layouts:
            print(f"{group.name}/{layout}")
        if problem:
            bad += 1
            print(f"    BAD ({group.case.path}:{group.case.line}): {problem}")
    print(
        f"{len(suite.functions)} operators, {len(suite.groups)} cases with dtypes, {count} with dtypes and layouts, "
        f"{bad} bad"
    )
    return not bad


def _problem(group: Group, oracles: Mapping[str, Oracle]) -> str | None:
    """What is wrong with a case; None if nothing is wrong; an empty text if it does not apply to this operator."""
    if group.case.error is None and group.case.function.name not in oracles:
        return "no oracle"
    try:
        return untrusted(prepare(group, oracles.get(group.case.function.name)))
    except NotApplicable:
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
