# SPDX-License-Identifier: BSD-3-Clause
"""Tests how the judge accepts errors that a device reports when the host waits for it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from doubles import RightVendor, refusal
from helpers import cases_of, group_of, registry

from conformance.cases.case import ExpectedError
from conformance.oracle import load_oracles
from conformance.run.binding import Outcome
from conformance.run.result import FAIL, PASS
from conformance.session import judge_group
from conformance.vendor.device_configs import SettingsError
from conformance.vendor.profile import load_profile
from conformance.verdict.deferred import may_be_late

WAITED = "diopirtSynchronize: the vendor could not wait for a stream (code 1): "
INDEX = (
    "- {names: [diopiIndexSelect], dtypes: float32, cases: [{input: [3, 4], dim: 0, "
    "index: {values: [0, 3], dtype: int64}, "
    "out: [2, 4], error: {code: diopiErrorOccurred, argument: index, values: [3, 1], shows: index-index}}]}\n"
)
SHAPE = (
    "- {names: [diopiIndexSelect], dtypes: float32, cases: [{input: [3, 4], dim: 0, "
    "index: {values: [0, 1], dtype: int64}, "
    "out: [3, 4], error: {code: diopiErrorOccurred, argument: out, values: [[3, 4]], shows: out-shape}}]}\n"
)
VALID = (
    "- {names: [diopiIndexSelect], dtypes: float32, cases: [{input: [3, 4], dim: 0, "
    "index: {values: [0, 1], dtype: int64}, "
    "out: [2, 4]}]}\n"
)


def judge(tmp_path, change=None, lost=False, code="diopiSuccess", says="", case=INDEX, defers=True):
    """The result of a call that returns `code`, and whose error, with the right message or `says`, the wait returns."""
    (tmp_path / "device_configs.py").write_text(f"DEFERRED_ERRORS = {defers}\n")
    group, oracles = group_of(tmp_path / "cases", "index", case, ("contiguous",)), load_oracles()
    right = refusal(group.case.function, group.case.error).message if group.case.error else ""

    def late(arguments):
        if change is not None:
            change(arguments)
        return Outcome(code, late=WAITED + (says or right), lost=lost)

    vendor = RightVendor(group, oracles["diopiIndexSelect"], late)
    (result,) = judge_group(group, oracles, vendor, load_profile(tmp_path, registry()), None)
    return result.status, " ".join(result.messages)


def writes_the_output(arguments):
    arguments["out"].array[...] = 7


def writes_beside_the_output(arguments):
    arguments["out"].bytes[0] ^= 1


def writes_the_input(arguments):
    arguments["input"].array[0, 0] = 7


def test_a_deferring_vendor_may_report_a_bad_index_when_the_judge_waits(tmp_path):
    assert judge(tmp_path) == (PASS, "")
    assert judge(tmp_path, writes_the_output) == (PASS, "")


def test_a_vendor_that_declares_nothing_may_not_defer(tmp_path):
    status, messages = judge(tmp_path, defers=False)
    assert status == FAIL and "returned diopiSuccess, but then the device failed" in messages


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"case": SHAPE}, "but then the device failed"),  # a check that looks at no element
        ({"case": VALID, "says": "diopiIndexSelect: index holds 3"}, "but then the device failed"),
        ({"lost": True}, "the device is unusable after it"),
        ({"code": "diopiErrorOccurred"}, "returned diopiErrorOccurred, but then the device failed"),
        ({"says": "diopiGather: index holds 3 at position 1"}, "does not name the function, diopiIndexSelect"),
        ({"says": "diopiIndexSelect: index is out of range"}, "does not contain the wrong value, 3"),
        ({"says": "diopiIndexSelect: 3 at 1"}, "does not name index"),
        ({"change": writes_beside_the_output}, "wrote outside out"),
        ({"change": writes_the_input}, "input input was modified"),
    ],
)
def test_what_a_deferring_vendor_may_not_do(tmp_path, options, complaint):
    status, messages = judge(tmp_path, **options)
    assert status == FAIL and complaint in messages, messages


def at_once(tmp_path, case, corrupt):
    """The result of a deferring vendor whose wait returns no error."""
    (tmp_path / "device_configs.py").write_text("DEFERRED_ERRORS = True\n")
    group, oracles = group_of(tmp_path / "cases", "index", case, ("contiguous",)), load_oracles()
    vendor = RightVendor(group, oracles["diopiIndexSelect"], corrupt)
    (result,) = judge_group(group, oracles, vendor, load_profile(tmp_path, registry()), None)
    return result.status, " ".join(result.messages)


def test_a_deferring_vendor_that_accepts_a_bad_index_fails(tmp_path):
    status, messages = at_once(tmp_path, INDEX, lambda arguments: Outcome("diopiSuccess"))
    assert status == FAIL and "expected diopiErrorOccurred, got diopiSuccess" in messages


def test_a_deferring_vendor_that_reports_at_once_leaves_the_outputs(tmp_path):
    assert at_once(tmp_path, INDEX, lambda arguments: None) == (PASS, "")
    status, messages = at_once(tmp_path, INDEX, writes_the_output)
    assert status == FAIL and "the call failed but modified out" in messages


def test_only_checks_of_elements_may_be_late(tmp_path):
    (valid,) = cases_of(tmp_path, "index", VALID)

    def case(*shows):
        return replace(valid, error=ExpectedError("diopiErrorOccurred", ("index",), shows=shows))

    assert may_be_late(case("index-index"))
    assert not may_be_late(case()) and not may_be_late(case("out-shape"))
    assert not may_be_late(case("index-index", "out-shape"))


def test_the_setting_must_be_a_truth_value(tmp_path):
    (tmp_path / "device_configs.py").write_text("DEFERRED_ERRORS = 'yes'\n")
    with pytest.raises(SettingsError, match=r"device_configs.py:1: DEFERRED_ERRORS must be True or False, not 'yes'"):
        load_profile(tmp_path, registry())
