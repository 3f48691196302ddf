# SPDX-License-Identifier: BSD-3-Clause
"""Tests how the judge uses the settings in a vendor's folder."""

from __future__ import annotations

import pytest
from doubles import RightVendor
from helpers import cases_of, group_of, registry

from conformance.cases.suite import Selection, select
from conformance.oracle import load_oracles
from conformance.run.binding import Outcome
from conformance.run.result import FAIL, PASS, SKIPPED, UNSUPPORTED
from conformance.session import judge_group
from conformance.vendor.device_configs import SettingsError, stale_skips
from conformance.vendor.profile import load_profile

EXP = "- {names: [diopiExp], dtypes: float32, cases: [{input: [40]}]}\n"


def profile_of(folder, text):
    (folder / "device_configs.py").write_text(text)
    return load_profile(folder, registry())


def judge(tmp_path, profile, corrupt=None):
    group, oracles = group_of(tmp_path / "cases", "unary", EXP, ("contiguous",)), load_oracles()
    vendor = RightVendor(group, oracles["diopiExp"], corrupt)
    (result,) = judge_group(group, oracles, vendor, profile, None)
    return result


def one_percent_off(arguments):
    arguments["out"].array[...] *= 1.005


def test_a_folder_without_files_declares_nothing(tmp_path):
    profile = load_profile(tmp_path, registry())
    assert judge(tmp_path, profile).status == PASS and judge(tmp_path, profile, one_percent_off).status == FAIL


def test_a_skip_has_a_reason_and_is_counted(tmp_path):
    result = judge(tmp_path, profile_of(tmp_path, "SKIPS = {'diopiExp': 'no unit for it'}"))
    assert (result.status, result.messages) == (SKIPPED, ("no unit for it",))


CONV = "{'diopiConvolution2d': [dict(%s)]}"


@pytest.mark.parametrize(
    "text, message",
    [
        ("SKIPS = {'diopiExp': ''}", "1: SKIPS['diopiExp'] needs a reason of at least two words, not ''"),
        ("SKIPS = {'diopiExp': 'slow'}", "needs a reason of at least two words"),
        (
            "\nSKIPS = {'diopiExpp': 'no unit for it'}",
            "2: SKIPS: 'diopiExpp' is not an operator of the contract; did you mean 'diopiExp'?",
        ),
        ("SKIPS = ['diopiExp']", "must be a dictionary with operators as keys"),
        ("SKIP = {}", "1: unknown name 'SKIP'; did you mean 'SKIPS'?"),
        ("SKIPS = " + CONV % "dtypes=('float64',)", "needs a reason"),
        ("SKIPS = " + CONV % "dtype='float64', reason='no unit for it'", "unknown key 'dtype'; did you mean 'dtypes'?"),
        (
            "SKIPS = " + CONV % "dtypes=('float46',), reason='no unit for it'",
            "unknown dtype 'float46'; did you mean 'float64'?",
        ),
        ("SKIPS = " + CONV % "dtypes='float64', reason='no unit for it'", "must be a list or tuple"),
        (
            "SKIPS = " + CONV % "layouts=('slice',), reason='no unit for it'",
            "unknown layout 'slice'; did you mean 'sliced'?",
        ),
        (
            "SKIPS = " + CONV % "parameters={'group': 2}, reason='no unit for it'",
            "unknown parameter 'group'; did you mean 'groups'?",
        ),
        ("SKIPS = " + CONV % "parameters={'input': 2}, reason='no unit for it'", "'input' is a tensor"),
        ("SKIPS = {'diopiExp': [7]}", "must be a list of dictionaries"),
        ("SKIPS = {'diopiExp': [", "device_configs.py:1: SyntaxError"),
        ("SKIPS = {'diopiExp': reason}", "NameError: name 'reason'"),
        ("TOLERANCES = {'diopiExp': [dict(rel=0.01)]}", "TOLERANCES['diopiExp'] needs a reason"),
        ("TOLERANCES = {'diopiExp': [dict(relative=0.01, reason='a table')]}", "unknown key 'relative'"),
        ("TOLERANCES = {'diopiExp': [dict(rel=-1, reason='a table')]}", "a number that is not negative"),
        ("TOLERANCES = {'diopiExp': [dict(rel=1, outputs=('input',), reason='a table')]}", "unknown output 'input'"),
    ],
)
def test_a_mistake_is_named_with_its_file_and_what_was_meant(tmp_path, text, message):
    with pytest.raises(SettingsError) as error:
        profile_of(tmp_path, text)
    assert message in str(error.value) and str(tmp_path / "device_configs.py") in str(error.value)


GT = "- {names: [diopiGt], dtypes: float32, cases: [{input: [5, 7], other: [5, 7]}]}\n"
REFUSAL = Outcome("diopiDtypeNotSupported", "diopiGt: out has dtype bool")


@pytest.mark.parametrize(
    "declared, returns, status",
    [
        ("[bool]", REFUSAL, UNSUPPORTED),  # the dtype of out, which no case spells out
        ("[bool]", None, FAIL),  # declared, but the call succeeds
        ("[int32]", REFUSAL, FAIL),  # not declared, but the call is refused
        ("[int32]", None, PASS),
    ],
)
def test_what_is_declared_and_what_happens_must_agree(tmp_path, declared, returns, status):
    (tmp_path / "convert_config.yaml").write_text(
        "- unsupported:\n"
        f"    - {{operator: diopiGt, parameter: out, dtypes: {declared}, reason: bytes are no numbers}}\n"
    )
    group, oracles = group_of(tmp_path / "cases", "compare", GT, ("contiguous",)), load_oracles()
    vendor = RightVendor(group, oracles["diopiGt"], returns=returns)
    (result,) = judge_group(group, oracles, vendor, load_profile(tmp_path, registry()), None)
    assert result.status == status, result


POOLS = """
- names: [diopiMaxPool2d]
  dtypes: [float32, float64]
  defaults: {input: [2, 3, 8, 8], padding: [0], dilation: [1], ceil_mode: false, stride: []}
  cases:
    - {id: two, kernel_size: [2]}
    - {id: three, kernel_size: [3, 3]}
    - {id: none, kernel_size: [0], out: [2, 3, 4, 4], error: {code: diopiErrorOccurred, argument: kernel_size}}
"""


def skipped(tmp_path, conditions):
    """The names of the cases to which a skip with these conditions applies."""
    profile = profile_of(tmp_path, f"SKIPS = {{'diopiMaxPool2d': [dict({conditions}, reason='no unit for it')]}}")
    groups = select(cases_of(tmp_path / "cases", "pool_max", POOLS), Selection(all_layouts=True)).groups
    return {f"{g.case.id}/{g.dtype}/{v}" for g in groups for v in profile.skipped(g)}


@pytest.mark.parametrize(
    "conditions, those, others",
    [
        ("dtypes=('float64',)", ["two/float64/contiguous", "three/float64/sliced"], ["two/float32/contiguous"]),
        ("layouts=('sliced', 'mixed')", ["two/float32/sliced", "three/float64/mixed"], ["two/float64/contiguous"]),
        ("parameters={'kernel_size': [3, 3]}", ["three/float32/sliced"], ["two/float32/sliced"]),
        (
            "parameters={'kernel_size': ([2], [0]), 'ceil_mode': False}",
            ["two/float32/sliced", "none!diopiErrorOccurred/float32/contiguous"],
            ["three/float32/sliced"],
        ),
        ("case='t*', layouts=['sliced']", ["two/float32/sliced", "three/float64/sliced"], ["two/float32/mixed"]),
        (
            "case='diopiMaxPool2d/two', dtypes=['float32']",
            ["two/float32/sliced"],
            ["two/float64/sliced", "three/float32/sliced"],
        ),
        ("parameters={'ceil_mode': 0}", [], ["two/float32/contiguous"]),
    ],
)
def test_a_skip_is_as_narrow_as_its_conditions(tmp_path, conditions, those, others):
    found = skipped(tmp_path, conditions)
    assert set(those) <= found and not set(others) & found


def test_the_rest_of_a_case_is_judged(tmp_path):
    profile = profile_of(tmp_path, "SKIPS = {'diopiExp': [dict(layouts=('sliced',), reason='no unit for it')]}")
    group, oracles = group_of(tmp_path / "cases", "unary", EXP, ("contiguous", "sliced", "mixed")), load_oracles()
    results = judge_group(group, oracles, RightVendor(group, oracles["diopiExp"], one_percent_off), profile, None)
    assert [(r.name.rpartition("/")[2], r.status) for r in results] == [
        ("sliced", SKIPPED),
        ("contiguous", FAIL),
        ("mixed", FAIL),
    ]


def test_an_entry_without_effect_is_stale(tmp_path):
    profile = profile_of(
        tmp_path,
        "SKIPS = {'diopiExp': [dict(case='moon', reason='no unit for it'), "
        "dict(dtypes=('float32',), reason='too slow here')], 'diopiLog': 'no unit for it'}",
    )
    cases = cases_of(tmp_path / "cases", "unary", EXP)
    found = [str(s) for s in stale_skips(profile.skips, cases, ["diopiLog"])]
    assert found == [
        "diopiExp (case=moon): no case matches (the entry's reason: no unit for it)",
        "diopiLog: the library does not have this operator (the entry's reason: no unit for it)",
    ]


def test_a_tolerance_of_the_vendor_comes_first_and_has_a_reason(tmp_path):
    profile = profile_of(tmp_path, "TOLERANCES = {'diopiExp': [dict(rel=0.01, reason='a table of 256 entries')]}")
    assert judge(tmp_path, profile, one_percent_off).status == PASS
