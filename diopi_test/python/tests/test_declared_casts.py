# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a vendor with declared conversions gets numbers that fit its dtypes, and is judged in their precision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from doubles import RightVendor
from helpers import group_of, registry

from conformance.cases.group import Group
from conformance.oracle import load_oracles
from conformance.run.binding import Outcome
from conformance.run.result import FAIL, PASS, UNSUPPORTED
from conformance.vendor.profile import load_profile
from conformance.verdict.group import run_group


def converted(tmp_path: Path, text: str, config: str) -> Group:
    folder = tmp_path / "vendor"
    folder.mkdir(parents=True)
    (folder / "convert_config.yaml").write_text(config, encoding="utf-8")
    group = group_of(tmp_path / "cases", "binary", text, ("contiguous",))
    return load_profile(folder, registry()).with_declared_casts(group)


ADD = "  - names: [diopiAdd]\n    dtypes: [{dtype}]\n    cases:\n      - {{input: {input}, other: [], alpha: 1}}\n"


def statuses(group: Group, **vendor: Any) -> list[str]:
    oracle = load_oracles()["diopiAdd"]
    return [r.status for r in run_group(group, oracle, RightVendor(group, oracle, **vendor))]


def coarse(arguments: dict[str, Any]) -> None:
    """Rounds the result to float32."""
    out = arguments["out"].array
    out[...] = arguments["input"].array.astype(np.float32) + arguments["other"].array.astype(np.float32)


def test_float64_in_float32_passes_only_where_it_is_declared(tmp_path: Path) -> None:
    text = ADD.format(dtype="float64", input="[64]")
    assert statuses(converted(tmp_path, text, "- common_config: {dtype: (float64)->float32}\n"), corrupt=coarse) == [
        PASS
    ]
    assert statuses(converted(tmp_path / "undeclared", text, "# nothing\n"), corrupt=coarse) == [FAIL]


TIGHT = "    tolerance:\n      - {ulp: 0.5, acc_ulp: 1, reason: a product and a sum}\n"


def coarse_with_alpha(arguments: dict[str, Any]) -> None:
    """Computes in float32, in which alpha is rounded, too."""
    scaled = np.float32(arguments["alpha"].value) * arguments["other"].array.astype(np.float32)
    arguments["out"].array[...] = arguments["input"].array.astype(np.float32) + scaled


def test_alpha_is_rounded_to_the_declared_dtype(tmp_path: Path) -> None:
    text = ADD.format(dtype="float64", input="[192, 200]").replace("other: []", "other: [192, 200]")
    text = text.replace("alpha: 1", "alpha: -0.064").replace("    cases:", f"{TIGHT}    cases:")
    group = converted(tmp_path, text, "- common_config: {dtype: (float64)->float32}\n")
    assert statuses(group, corrupt=coarse_with_alpha) == [PASS]


def test_integers_are_not_rounded_to_the_dtype_that_the_vendor_replaces(tmp_path: Path) -> None:
    """In float16, 2049 would be 2048."""
    text = ADD.format(dtype="float16", input="{values: [0, 1, 2, 3]}")
    text = text.replace("other: []", "other: {values: [2049, 257, 2051, 3], dtype: int64}, out: {dtype: float32}")
    text = text.replace("    cases:", "    tolerance:\n      - {abs: 0.1, reason: exact sums}\n    cases:")
    config = "- common_config: {dtype: '(float16, bfloat16)->float32'}\n"
    assert statuses(converted(tmp_path, text, config), corrupt=coarse) == [PASS]
    assert statuses(converted(tmp_path / "undeclared", text, "# nothing\n"), corrupt=coarse) == [FAIL]


@pytest.mark.parametrize(
    ("returns", "expected"), [(Outcome("diopiDtypeNotSupported", "input[0] does not fit"), UNSUPPORTED), (None, FAIL)]
)
def test_integers_that_do_not_fit_must_be_refused(tmp_path: Path, returns: Outcome | None, expected: str) -> None:
    text = ADD.format(dtype="int64", input="{values: [1, 4294967296, 3, 4]}")
    group = converted(tmp_path, text, "- common_config: {dtype: (int64)->int32}\n")
    assert statuses(group, returns=returns) == [expected]


def test_integers_that_fit_must_not_be_refused(tmp_path: Path) -> None:
    text = ADD.format(dtype="int64", input="{values: [1, 2147483647, 3, 4]}")
    group = converted(
        tmp_path, text.replace("other: []", "other: {values: [0]}"), "- common_config: {dtype: (int64)->int32}\n"
    )
    assert statuses(group, returns=Outcome("diopiDtypeNotSupported", "no")) == [FAIL]
    assert statuses(group) == [PASS]


INVALID = """\
  - names: [diopiAdd]
    dtypes: [float32]
    cases:
      - {input: [4], other: [4], alpha: 1, out: {dtype: int64}, error: {code: diopiDtypeNotSupported, argument: out}}
"""


@pytest.mark.parametrize(("rule", "expected"), [("(int64)->float32", []), ("(int16)->int32", [FAIL])])
def test_a_conversion_may_make_a_call_valid(tmp_path: Path, rule: str, expected: list[str]) -> None:
    group = converted(tmp_path, INVALID, f"- common_config: {{dtype: {rule}}}\n")
    assert statuses(group, returns=Outcome("diopiSuccess")) == expected
