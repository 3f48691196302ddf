# SPDX-License-Identifier: BSD-3-Clause
"""Tests the generated invalid calls: each precondition is violated by a call, and each required argument is null
once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from doubles import RightVendor
from helpers import cases_of, registry

from adaptor.codegen.rules import Check
from adaptor.codegen.rules.data import Written
from adaptor.codegen.strict_yaml import load
from conformance.cases.case import TensorSpec
from conformance.cases.group import Group
from conformance.cases.reader import load_cases
from conformance.coverage import checks as command
from conformance.coverage.checks import not_shown, shown
from conformance.dtypes import NUMPY
from conformance.generate.invalid.generate import invalid_cases
from conformance.generate.invalid.sizes import FREE
from conformance.generate.invalid.violations import VIOLATIONS
from conformance.handles import NULL_CONTEXT, NullSize
from conformance.oracle import load_oracles
from conformance.run.binding import Outcome
from conformance.run.result import FAIL, PASS, UNSUPPORTED
from conformance.verdict.group import run_group
from diopi.signatures import bare

WRITTEN = load_cases(registry())
GENERATED = invalid_cases(registry(), WRITTEN)
FUNCTIONS = {c.function.name: c.function for c in WRITTEN}


def made(name):
    return {c.id: c for c in GENERATED if c.function.name == name}


def test_every_check_is_violated_by_a_call():
    assert [check.identifier for check in not_shown([*WRITTEN, *GENERATED])] == []


def test_what_a_call_violates_is_not_called_untested():
    known = shown([*WRITTEN, *GENERATED])
    assert [c.identifier for f in FUNCTIONS.values() for c in f.checks if c.untested and c.identifier in known] == []


def test_a_check_that_nothing_violates_is_listed(monkeypatch, capsys):
    without = [c for c in GENERATED if not (c.function.name == "diopiSoftmax" and "dim-in-range" in c.error.shows)]
    missing = not_shown([*(c for c in WRITTEN if c.function.name == "diopiSoftmax" and not c.error), *without])
    assert "diopiSoftmax-dim-in-range" in [check.identifier for check in missing]
    monkeypatch.setattr(command, "not_shown", lambda *_: missing[:1])
    assert command.main(["--fname", "softmax"]) == 1
    printed = capsys.readouterr().out
    assert "NOT SHOWN  " in printed and "1 missing" in printed
    assert "invalid:out-same-shape:out=3x5!diopiErrorOccurred" in printed


def test_names_are_not_given_twice():
    names = [(c.function.name, c.id) for c in (*WRITTEN, *GENERATED)]
    generated = [n for n in names if n[1].startswith("invalid:")]
    assert len(generated) == len(set(generated)) == len(GENERATED)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_whatever_may_not_be_null_is_null_once(name):
    ids, function = made(name), FUNCTIONS[name]
    wanted = {p.name for p in function.params if p.is_pointer and not p.nullable and not p.is_tensor_list}
    assert {f"invalid:null:{n}!diopiErrorOccurred" for n in wanted} <= set(ids)
    sizes = {p.name for p in function.params if p.type.removeprefix("const ") == "diopiSize_t"}
    assert {f"invalid:null_data:{n}!diopiErrorOccurred" for n in sizes} <= set(ids)


def test_each_dtype_outside_a_set_is_tried():
    ids, function = made("diopiSoftmax"), FUNCTIONS["diopiSoftmax"]
    for p in (p for p in function.params if p.dtypes):
        for dtype in set(NUMPY) - set(p.dtypes):
            assert f"invalid:dtype:{p.name}={dtype}!diopiDtypeNotSupported" in ids


def test_what_a_call_violates_is_all_that_is_wrong_with_it():
    case = made("diopiSoftmax")["invalid:dim-in-range:dim=2!diopiErrorOccurred"]
    assert case.error.arguments == ("dim",) and case.error.values == (2,) and case.arguments["dim"] == 2
    assert case.arguments["out"].shape == case.arguments["input"].shape == (3, 4)
    case = made("diopiAdd")["invalid:null:other!diopiErrorOccurred"]
    assert case.arguments["other"] is None and isinstance(case.arguments["input"], TensorSpec)
    assert made("diopiAdd")["invalid:null:ctx!diopiErrorOccurred"].arguments["ctx"] is NULL_CONTEXT
    assert made("diopiSum")["invalid:null_data:dim!diopiErrorOccurred"].arguments["dim"] == NullSize(2)


def test_only_the_operators_asked_for(tmp_path):
    assert {c.function.name for c in invalid_cases(registry(), WRITTEN, ("diopiExp",))} == {"diopiExp"}


def check_of(rule, **fields):
    """A check that diopiExp does not have."""
    return Check(rule, function="diopiExp", **fields)


def test_a_new_check_is_missing_until_a_call_shows_it(tmp_path, monkeypatch):
    entry = "- {names: [diopiExp], dtypes: float32, cases: [{input: [3, 4]}%s]}\n"
    exp = FUNCTIONS["diopiExp"]
    moon = check_of(Written("out", "The moon must be full.", "No rule knows the moon."), id="full-moon")
    changed = replace(exp, checks=(*exp.checks, moon))
    monkeypatch.setitem(registry().functions, "diopiExp", changed)
    cases = cases_of(tmp_path / "a", "unary", entry % "")
    assert "full-moon" in [c.slug for c in not_shown([*cases, *invalid_cases(registry(), cases)])]
    shows = ", {input: [5], out: [6], error: {code: diopiErrorOccurred, argument: out, shows: full-moon}}"
    cases = cases_of(tmp_path / "b", "unary", entry % shows)
    assert "full-moon" not in [c.slug for c in not_shown([*cases, *invalid_cases(registry(), cases)])]


def test_a_written_check_may_have_a_call(tmp_path, monkeypatch):
    exp = FUNCTIONS["diopiExp"]
    (tmp_path / "call").write_text("{input: [9]}")
    call = load(tmp_path / "call")
    moon = check_of(Written("out", "The moon must be full.", "No rule knows the moon.", call=call), id="full-moon")
    monkeypatch.setitem(registry().functions, "diopiExp", replace(exp, checks=(*exp.checks, moon)))
    cases = cases_of(tmp_path, "unary", "- {names: [diopiExp], dtypes: float32, cases: [{input: [3, 4]}]}\n")
    (case,) = [c for c in invalid_cases(registry(), cases) if "full-moon" in c.error.shows]
    assert case.id == "invalid:full-moon:example!diopiErrorOccurred"
    assert case.arguments["input"].shape == (9,) and case.arguments["out"].shape == (3, 4)


def test_every_rule_that_calls_can_break_has_violations():
    used = {type(c.rule) for f in FUNCTIONS.values() for c in f.checks if not c.untested}
    assert [rule.name for rule in used if rule not in VIOLATIONS] == []


def test_a_condition_is_made_to_hold():
    case = made("diopiDropout")["invalid:mask-given:mask=null!diopiErrorOccurred"]
    assert case.arguments["mask"] is None and case.arguments["train"] is True


# --- judging such calls ---


def null_output():
    case = made("diopiNonzero")["invalid:null:input!diopiErrorOccurred"]
    return Group(case, case.dtypes[0], case.layouts)


def judge(group, corrupt=None, returns=None, unsupported=None):
    oracle = load_oracles()[group.case.function.name]
    (result,) = run_group(group, oracle, RightVendor(group, oracle, corrupt, returns), unsupported)
    return result


def test_a_failing_call_may_not_hand_out_a_tensor():
    assert judge(null_output()).status == PASS

    def hands_out(arguments):
        arguments["out"].touched = True

    result = judge(null_output(), hands_out)
    assert result.status == FAIL and "the call failed but wrote to out" in result.messages


def test_an_undeclared_dtype_is_no_excuse_in_an_invalid_call():
    case = made("diopiSoftmax")["invalid:dim-in-range:dim=2!diopiErrorOccurred"]
    group, refusal = Group(case, "float32", case.layouts), Outcome("diopiDtypeNotSupported", "diopiSoftmax: no")
    assert judge(group, returns=refusal).status == FAIL
    assert judge(group, returns=refusal, unsupported="no float32 unit").status == UNSUPPORTED
    assert judge(group, returns=Outcome("diopiSuccess"), unsupported="no float32 unit").status == FAIL


def test_every_integer_attribute_meets_the_ends_of_64_bits():
    kinds = ("int64_t", "int64_t*", "diopiSize_t", "diopiSize_t*")
    lacking = []
    for name, function in FUNCTIONS.items():
        valid = [c.arguments for c in WRITTEN if c.function.name == name and c.error is None]
        counts, ids = {p.count for p in function.params}, made(name)
        for p in (p for p in function.params if p.dir == "attr" and bare(p.type) in kinds):
            ends = (f"invalid:{p.name}={end}!diopiErrorOccurred" for end in ("2^63-1", "-2^63"))
            given = any(a.get(p.name) not in (None, []) for a in valid)
            needed = given and p.name not in counts and not {p.name, f"{name}.{p.name}"} & FREE.keys()
            lacking += [f"{name}: {end}" for end in ends if needed and end not in ids]
    assert lacking == []


def test_sizes_that_wrap_are_those_of_the_valid_call():
    """The difference is a multiple of 2^32, 2^61 or 2^62, so that the low 32 bits, or the product with 8 or 4, are
    equal."""
    old, new = (
        made("diopiSoftmax")[f"invalid:{d}!diopiErrorOccurred"].arguments["dim"]
        for d in ("dim-in-range:dim=-3", "dim=0+2^32")
    )
    assert old == -3 and new == 2**32
    repeats = [c.arguments["repeats_size"][-1] for i, c in made("diopiRepeat").items() if "+2^62" in i]
    assert repeats and all(n > 2**62 for n in repeats)


def test_what_any_number_means_something_for_is_a_parameter():
    assert set(FREE) <= {n for f in FUNCTIONS.values() for p in f.params for n in (p.name, f"{f.name}.{p.name}")}


def test_every_tensor_of_a_call_claims_a_dtype_that_none_can_have():
    for name in ("diopiRelu", "diopiIndexPutInp", "diopiCat"):
        claims = {i.split("=")[0].removeprefix("invalid:dtype:").split("[")[0] for i in made(name) if "=tfloat32" in i}
        assert claims == {p.name for p in FUNCTIONS[name].params if p.is_tensor or p.is_tensor_list}
