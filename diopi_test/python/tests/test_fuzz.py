# SPDX-License-Identifier: BSD-3-Clause
"""Tests --fuzz: which arguments change, and the verdicts on a call that is refused, that succeeds, or that is wrong."""

from __future__ import annotations

from dataclasses import replace

import main
import numpy as np
import pytest
from doubles import RightVendor
from helpers import registry

from conformance.cases.fuzzed import expect_results, prepare_fuzzed
from conformance.cases.group import Group
from conformance.cases.mutations import DTYPES, mutated_shape
from conformance.cases.prepare import prepare
from conformance.cases.prepared import Expected, NotApplicable
from conformance.cases.reader import load_case_files
from conformance.generate.random_calls import Draw, random_cases
from conformance.oracle import load_oracles
from conformance.run.binding import Outcome
from conformance.run.result import FAIL, PASS
from conformance.verdict.group import run_group


@pytest.fixture(scope="module")
def files():
    return load_case_files(registry())


def group_of(case):
    return Group(case, case.dtypes[0], ("contiguous",))


def fuzzed(files, name, count=60):
    """Calls of an operator with their groups, those that can be prepared."""
    oracle = load_oracles()[name]
    for case in random_cases(registry(), files, Draw(count, seed=3, fuzzed=True), (name,)):
        try:
            yield group_of(case), prepare_fuzzed(group_of(case), oracle)
        except NotApplicable:
            continue


def spelled(prepared):
    """The arguments of a call, to compare two calls."""

    def one(value):
        if isinstance(value, list):
            return [one(v) for v in value]
        if isinstance(value, np.ndarray):
            return str(value.dtype), value.shape, value.tobytes()
        return (value.dtype, value.shape) if isinstance(value, Expected) else repr(value)

    return {k: one(v) for values in (prepared.inputs, prepared.expected) for k, v in values.items()}


def test_the_same_call_is_changed_in_the_same_way(files):
    first = [spelled(p) for _, p in fuzzed(files, "diopiAdd")]
    assert first == [spelled(p) for _, p in fuzzed(files, "diopiAdd")]


@pytest.mark.parametrize(
    "name", ["diopiAdd", "diopiCat", "diopiConvolution2d", "diopiIndex", "diopiPool2d", "diopiAdamW"]
)
def test_arguments_of_all_kinds_change(files, name):
    oracle, changed = load_oracles()[name], set()
    for group, prepared in fuzzed(files, name, 300):
        before, after = spelled(prepare(group, oracle)), spelled(prepared)
        changed |= {k for k in before if before[k] != after.get(k)}
    function = registry().functions[name]
    pointers = {p.name for p in function.params if p.allocates}
    assert changed == {p.name for p in function.params} - {"ctx"} - pointers


def test_lists_of_one_count_keep_the_same_length(files):
    for _, prepared in fuzzed(files, "diopiForeachmulTensor", 200):
        given = [prepared.inputs["inputs"], prepared.expected["outs"]]
        assert {len(v) for v in given if v is not None} == {prepared.inputs["inputSize"]}


def test_shapes_change():
    rng = np.random.default_rng(1)
    shapes = {mutated_shape(rng, (3, 4, 5)) for _ in range(400)}
    assert {(), (60,), (3, 4), (4, 3, 5), (3, 4, 6), (0, 4, 5), (3, 4, 5, 1)} <= shapes
    assert {(1,), (2,)} <= {mutated_shape(rng, ()) for _ in range(50)}


def verdict(group, **vendor):
    oracle = load_oracles()[group.case.function.name]
    (result,) = run_group(group, oracle, RightVendor(group, oracle, **vendor))
    return result.status, " ".join(result.messages)


@pytest.fixture
def accepted(files):
    """A call that the oracle computes, and whose change changes the result."""

    def differs(group, prepared):
        before = prepare(group, prepared.oracle).expected["out"]
        if prepared.only_memory or expect_results(prepared) is not None:
            return False
        after = prepared.expected["out"]
        return before.shape == after.shape and before.dtype == after.dtype and (before.values != after.values).any()

    return next(g for g, p in fuzzed(files, "diopiAdd", 200) if differs(g, p))


@pytest.fixture
def refused(files):
    """A call that the oracle cannot compute."""
    return next(g for g, p in fuzzed(files, "diopiAdd", 200) if not p.only_memory and expect_results(p) is not None)


REFUSAL = Outcome("diopiErrorOccurred", "diopiAdd: other has shape [3], expected [4]")


def test_a_refusal_is_right_if_it_names_the_function_and_writes_nothing(accepted, refused):
    for group in (accepted, refused):
        assert verdict(group, returns=REFUSAL)[0] == PASS
        assert verdict(group, returns=replace(REFUSAL, message="no"))[0] == FAIL
        assert verdict(group, returns=Outcome("diopiSuccess"), corrupt=None)[0] == FAIL


def test_a_refused_call_must_not_write(accepted):
    def write(arguments):
        arguments["out"].array[...] = 1
        return REFUSAL

    status, why = verdict(accepted, corrupt=write)
    assert status == FAIL and "the call failed but modified out" in why


def test_success_needs_a_result_of_the_oracle(accepted, refused):
    status, why = verdict(accepted)  # this vendor computes the call without the change
    assert status == FAIL and "out" in why
    status, why = verdict(refused, returns=Outcome("diopiSuccess"))
    assert status == FAIL and "succeeded, but the oracle cannot compute this call" in why


def test_a_call_with_a_nan_is_only_judged_by_what_it_writes(files):
    group, prepared = next((g, p) for g, p in fuzzed(files, "diopiExp", 200) if p.only_memory)
    assert verdict(group, returns=Outcome("diopiSuccess"))[0] == PASS
    assert prepared.expected["out"].values is None

    def write(arguments):
        arguments["input"].array[...] = 1
        return Outcome("diopiSuccess")

    status, why = verdict(group, corrupt=write)
    assert status == FAIL and "input input was modified" in why


def test_every_dtype_is_tried(files):
    tried = {
        v.dtype.name
        for _, p in fuzzed(files, "diopiAdd", 400)
        for v in p.inputs.values()
        if hasattr(v, "dtype") and hasattr(v, "shape")
    }
    assert tried == set(DTYPES)


def late(group, defers, lost=False):
    oracle = load_oracles()[group.case.function.name]
    outcome = Outcome("diopiSuccess", late=REFUSAL.message, lost=lost)
    (result,) = run_group(group, oracle, RightVendor(group, oracle, returns=outcome), defers=defers)
    return result


def test_an_error_of_the_device_may_come_late_if_the_vendor_defers_errors(refused):
    assert late(refused, defers=True).status == PASS
    assert late(refused, defers=False).status == FAIL
    unusable = late(refused, defers=True, lost=True)
    assert unusable.status == FAIL and unusable.tainted


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["run_test", "--fuzz", "0"], "--fuzz must be from 1 to"),
        (["run_test", "--fuzz", "5", "--random", "5"], "--random cannot be combined with --fuzz"),
        (["gen_case", "--fuzz", "5"], "--fuzz needs --mode run_test"),
    ],
)
def test_wrong_options(options, problem, capsys):
    assert main.main(["--mode", *options]) == main.USAGE
    assert problem in capsys.readouterr().err
