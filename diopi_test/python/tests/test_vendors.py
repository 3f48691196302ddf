"""What a vendor's folder may say, and what the judge makes of it."""

from __future__ import annotations

import pytest

import main
from conformance.oracles import load_oracles
from conformance.execute import FAIL, PASS, SKIPPED
from conformance.vendors import SettingsError, load_profile

from doubles import RightVendor
from helpers import group_of, registry

EXP = "- {names: [diopiExp], dtypes: float32, cases: [{input: [40]}]}\n"


def profile_of(folder, text):
    (folder / "device_configs.py").write_text(text)
    return load_profile(folder, registry())


def judge(tmp_path, profile, harm=None):
    group, oracles = group_of(tmp_path / "cases", "unary", EXP, ("contiguous",)), load_oracles()
    vendor = RightVendor(group, oracles["diopiExp"], harm)
    (result,) = main.judge_one(group, oracles, vendor, profile, None)
    return result


def one_percent_off(arguments):
    arguments["out"].array[...] *= 1.005


def test_a_folder_without_files_says_nothing(tmp_path):
    profile = load_profile(tmp_path, registry())
    assert judge(tmp_path, profile).status == PASS and judge(tmp_path, profile, one_percent_off).status == FAIL


def test_a_skip_has_a_reason_and_is_counted(tmp_path):
    result = judge(tmp_path, profile_of(tmp_path, "SKIPS = {'diopiExp': 'no unit for it'}"))
    assert (result.status, result.messages) == (SKIPPED, ("no unit for it",))
    with pytest.raises(SettingsError, match="must be the reason"):
        profile_of(tmp_path, "SKIPS = {'diopiExp': ''}")
    with pytest.raises(SettingsError, match="no function of the contract"):
        profile_of(tmp_path, "SKIPS = {'diopiExpp': 'no unit for it'}")


def test_a_tolerance_of_the_vendor_comes_first_and_has_a_reason(tmp_path):
    profile = profile_of(tmp_path, "TOLERANCES = {'diopiExp': [dict(rel=0.01, reason='a table of 256 entries')]}")
    assert judge(tmp_path, profile, one_percent_off).status == PASS
    for text in ("[dict(rel=0.01)]", "[dict(relative=0.01, reason='x')]"):
        with pytest.raises(SettingsError):
            profile_of(tmp_path, f"TOLERANCES = {{'diopiExp': {text}}}")
