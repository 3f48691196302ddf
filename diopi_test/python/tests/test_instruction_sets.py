# SPDX-License-Identifier: BSD-3-Clause
"""Judges the CPU vendor with each instruction set of this machine. The tolerances are the same for all.

With DIOPI_QUICK_INSTRUCTION_SETS=1 it leaves out three quarters of the hostile cases. With
DIOPI_INSTRUCTION_SETS_PART=2/2 it takes the second half of the families only. scripts/test.sh sets both.
"""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest
from helpers import JOBS, RUN_TEST, registry
from instruction_sets import OnEachSet, OnOneSet, instruction_sets, judge

from conformance.cases.case import Case
from conformance.cases.group import Group
from conformance.cases.reader import CaseFile, load_case_files
from conformance.cases.shard import Shard
from conformance.cases.suite import Selection, select
from conformance.generate.hostile.generate import hostile_cases
from conformance.generate.invalid.generate import invalid_cases
from conformance.oracle import load_oracles
from conformance.placement import row_major
from conformance.run.binding import Outcome, Runtime, default_library, default_runtime
from conformance.run.buffers import Buffer
from conformance.run.result import NOT_APPLICABLE, PASS, Result
from conformance.run.workers import Pool, Task

FAMILIES = (
    "unary",
    "activation",
    "binary",
    "compare",
    "pow",
    "addc",
    "clamp",
    "where",
    "reduce",
    "reduce_minmax",
    "reduce_arg",
    "softmax",
    "norm_batch",
    "norm_group",
    "norm_layer",
    "optimizer",
    "loss",
    "pool_max",
    "pool_avg",
    "attention",
    "complex",
)
QUICK = os.environ.get("DIOPI_QUICK_INSTRUCTION_SETS") == "1"
PART = Shard.parse(os.environ.get("DIOPI_INSTRUCTION_SETS_PART", "1/1"))
HANGS = 900.0  # seconds after which a case hangs, on a machine that may be slow and busy

pytestmark = pytest.mark.skipif(not default_library().exists(), reason="the CPU vendor is not built")


@cache
def files() -> list[CaseFile]:
    return load_case_files(registry())


def cases_of(family: str) -> list[Case]:
    """All cases, also the invalid calls, of the operators of a family."""
    names = tuple(f.name for f in registry().family(family))
    written = [c for f in files() for c in f.cases if c.function.name in names]
    return [*written, *hostile_cases(registry(), files(), names), *invalid_cases(registry(), written)]


def verdicts(groups: list[Group], names: list[str]) -> list[Result]:
    """On these groups and instruction sets."""

    def make_task() -> Task:
        runtime = Runtime(registry(), default_runtime(), default_library())
        sets = [OnOneSet(runtime, name) for name in names]
        return lambda i: judge(groups[i], load_oracles().get(groups[i].case.function.name), sets)

    run = Pool(make_task, lambda i: groups[i].name, JOBS, HANGS).run(range(len(groups)))
    return [result for _, results in run for result in results]


@pytest.mark.parametrize("family", FAMILIES[PART.index - 1 :: PART.count])
def test_results_are_right_on_each_instruction_set(family: str) -> None:
    results = verdicts(select(cases_of(family), Selection(quick=QUICK)).groups, instruction_sets())
    wrong = [f"{r.name}: {'; '.join(r.messages)}" for r in results if r.status not in (PASS, NOT_APPLICABLE)]
    assert not wrong, "\n".join([f"{len(wrong)} cases:", *wrong[:50]])
    assert sum(r.status == PASS for r in results) > 100


def test_a_set_that_is_chosen_in_the_process_is_the_one_that_it_can_start_with(tmp_path: Path) -> None:
    """Rounding differs between sets that have fused multiplication and sets that lack it."""
    cases = [c for c in cases_of("unary") if c.function.name == "diopiExp"]
    groups = [g for g in select(cases, Selection(case="diopiExp/*/float32/contiguous")).groups if not g.case.error]
    chosen, started = {}, {}
    for name in instruction_sets():
        chosen[name] = {(r.name.removesuffix(f" on {name}"), r.digest) for r in verdicts(groups, [name]) if r.digest}
        file = tmp_path / name
        command = [*RUN_TEST, "--case", "diopiExp/*/float32/contiguous", "--digests", str(file)]
        subprocess.run(command, env={**os.environ, "DIOPI_CPU_ISA": name}, check=True, stdout=subprocess.DEVNULL)
        started[name] = {tuple(line.split()) for line in file.read_text().splitlines()}
    assert chosen == started and all(len(digests) > 20 for digests in chosen.values())
    assert len({frozenset(digests) for digests in chosen.values()}) > 1 or len(chosen) == 1


class Wrong:
    """A set that adds 1, or returns another message, or writes beside the output, as the best one does not."""

    def __init__(self, value: float = 0.0, message: str = "", index: int = 0) -> None:
        self.value, self.message, self.index = value, message, index

    def call(self, function: object, arguments: dict[str, Buffer]) -> Outcome:
        out = arguments["out"]
        out.array[...] = 1.0
        out.bytes.view("float32")[out.offset + self.index] += self.value
        return Outcome("diopiSuccess", self.message)


@pytest.mark.parametrize("wrong", [Wrong(1.0), Wrong(1.0, index=-1), Wrong(message="what")])
def test_a_set_that_differs_is_judged_by_itself(wrong: Wrong) -> None:
    out = Buffer("float32", row_major((4,)))
    out.seal()
    each = OnEachSet([Wrong(), wrong, Wrong()])  # type: ignore[list-item]
    assert each.call(None, {"out": out}) == Outcome("diopiSuccess")  # type: ignore[arg-type]
    assert each.differing == [wrong] and out.array.tolist() == [1.0] * 4


def test_an_unknown_instruction_set_is_refused() -> None:
    environment = {**os.environ, "DIOPI_CPU_ISA": "magic"}
    command = [*RUN_TEST, "--fname", "Add"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 4
    assert "DIOPI_CPU_ISA = magic is none of" in result.stdout + result.stderr
