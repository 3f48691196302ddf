# SPDX-License-Identifier: BSD-3-Clause
"""Tests --random: the same seed gives the same calls, their sizes differ, and nearly all of them are valid."""

from __future__ import annotations

from dataclasses import replace

import main
import numpy as np
import pytest
from doubles import RightVendor
from helpers import registry

from conformance.cases.case import RANDOM
from conformance.cases.group import Group
from conformance.cases.prepare import prepare
from conformance.cases.prepared import NotApplicable
from conformance.cases.reader import load_case_files
from conformance.cases.suite import matches
from conformance.generate.hostile.rules import rules_for
from conformance.generate.hostile.templates import specs
from conformance.generate.random_calls import LARGEST, Draw, random_cases
from conformance.layouts import LAYOUTS
from conformance.oracle import load_oracles
from conformance.run.binding import Outcome
from conformance.run.result import FAIL, NOT_APPLICABLE, PASS
from conformance.verdict.group import run_group


@pytest.fixture(scope="module")
def files():
    return load_case_files(registry())


@pytest.fixture(scope="module")
def drawn(files):
    return random_cases(registry(), files, Draw(3, seed=7))


def group_of(case):
    return Group(case, case.dtypes[0], case.layouts)


def test_a_seed_chooses_the_calls(files, drawn):
    names = ("diopiAdd", "diopiSoftmax")
    again = random_cases(registry(), files, Draw(5, seed=7), names)
    own = [c for c in drawn if c.function.name in names]
    assert [c for c in again if not c.id.endswith((".3", ".4"))] == own
    assert {c.id for c in random_cases(registry(), files, Draw(3, seed=8), names)}.isdisjoint(c.id for c in own)


def test_every_operator_with_a_valid_case_has_random_calls(files, drawn):
    with_cases = {c.function.name for f in files for c in f.cases if c.error is None}
    without = with_cases - {c.function.name for c in drawn}
    undrawn = {n for n in without if any(c.error is None and list(specs(c)) for c in cases_of(files, n))}
    assert undrawn == {"diopiTriangularSolve", "diopiTriangularSolveBackward"}


def cases_of(files, name):
    return [c for f in files for c in f.cases if c.function.name == name]


def test_sizes_dtypes_and_layouts_vary(drawn, files):
    known = {s.shape for c in cases_of(files, "diopiAdd") for _, s in specs(c)}
    many = [c for c in random_cases(registry(), files, Draw(60), ("diopiAdd",))]
    shapes = {s.shape for c in many for _, s in specs(c)}
    assert len(shapes - known) > 30
    assert len({c.dtypes for c in many}) > 5 and len({c.layouts for c in many}) > 3
    assert any(s.mix for c in many for _, s in specs(c))
    assert all(np.prod(s.shape or ()) <= LARGEST for c in drawn for _, s in specs(c))


def test_layouts_whose_elements_share_memory_are_left_out(drawn):
    assert not [c for c in drawn if LAYOUTS[c.layouts[0]].fold]


def test_nearly_all_calls_are_valid(drawn):
    oracles, wrong = load_oracles(), 0
    for case in drawn:
        try:
            prepare(group_of(case), oracles.get(case.function.name))
        except NotApplicable:
            pass
        except Exception:
            wrong += 1
    assert wrong < len(drawn) / 20


def test_rules_keep_sizes_and_leave_cases_out(files):
    stems = {f.path.stem: f for f in files}
    rules = rules_for(registry().functions["diopiConvolution2d"], stems)
    found = random_cases(registry(), files, Draw(200), ("diopiConvolution2d", "diopiTriangularSolve"))
    assert not [c for c in found if c.function.name == "diopiTriangularSolve"]
    assert rules.not_drawn
    assert not [c for c in found if any(matches(c.id, pattern) for pattern in rules.not_drawn)]


def verdict(case, **vendor):
    oracle = load_oracles()[case.function.name]
    (result,) = run_group(group_of(case), oracle, RightVendor(group_of(case), oracle, **vendor))
    return result.status


def spoil(arguments):
    arguments["out"].array[...] += 1


def test_a_refused_call_is_not_applicable_and_a_wrong_result_fails(files):
    case = random_cases(registry(), files, Draw(1), ("diopiExp",))[0]
    case = replace(case, layouts=("contiguous",), dtypes=("float32",))
    assert verdict(case) == PASS
    assert verdict(case, corrupt=spoil) == FAIL
    refused = Outcome("diopiErrorOccurred", "diopiExp: input has shape [1], expected [2]")
    assert verdict(case, returns=refused) == NOT_APPLICABLE
    assert verdict(replace(case, hostile=""), returns=refused) == FAIL
    assert verdict(case, returns=Outcome("diopiDtypeNotSupported", "diopiExp: input has dtype float32")) == FAIL


def test_sizes_that_do_not_fit_are_not_applicable(files):
    case = random_cases(registry(), files, Draw(1), ("diopiMm",))[0]
    first = next(p.name for p, _ in specs(case) if p.dir == "in")
    bad = replace(case, arguments={**case.arguments, first: replace(case.arguments[first], shape=(3, 98765))})
    assert bad.hostile == RANDOM
    assert verdict(bad) == NOT_APPLICABLE
    assert verdict(replace(bad, hostile="")) == FAIL


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--random", "0"], "--random must be from 1 to"),
        (["--seed", "3"], "--seed needs --random"),
        (["--random", "5", "--model_name", "all"], "--model_name cannot be combined with --random"),
        (["--random", "5", "--captured", "."], "--captured cannot be combined with --random"),
    ],
)
def test_wrong_options(options, problem, capsys):
    assert main.main(["--mode", "gen_case", *options]) == main.USAGE
    assert problem in capsys.readouterr().err


def test_a_random_call_is_repeated_by_its_name(capsys):
    options = ["--mode", "gen_case", "--fname", "add", "--random", "3", "--seed", "5"]
    assert main.main(options) == main.OK
    name = capsys.readouterr().out.splitlines()[0]
    assert ",random=5." in name
    assert main.main(["--mode", "gen_case", "--random", "3", "--seed", "5", "--case", name]) == main.OK
    assert capsys.readouterr().out.splitlines()[0] == name
