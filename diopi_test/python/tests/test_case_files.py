# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a mistake in a case file is an error with file and line."""

from __future__ import annotations

import pytest
from helpers import cases_of, registry

from conformance.cases.reader import RESERVED, ConfigError
from conformance.command_line import parse_arguments


def entry(cases, head="names: [diopiAdd], dtypes: float32"):
    return f"- {{{head}, cases: [{cases}]}}\n"


GOOD = "{input: [3], other: [3], alpha: 1}"


@pytest.mark.parametrize(
    "text, message",
    [
        (entry(GOOD, "names: [diopiAdde], dtypes: float32"), "'diopiAdde' is not a function"),
        (entry(GOOD, "names: [diopiExp], dtypes: float32"), "belongs to the family 'unary'"),
        (entry(GOOD, "names: [diopiAdd], dtypes: float33"), "unknown dtype or dtype set 'float33'"),
        (entry(GOOD, "names: [diopiAdd]"), "neither the case nor its entry has 'dtypes'"),
        (entry(GOOD, "names: [diopiAdd], dtypes: float32, default: {}"), "unknown field 'default'"),
        (entry("{input: [3], othr: [3], alpha: 1}"), "'othr' is not a parameter"),
        (entry("{input: [3], alpha: 1}"), "lacks 'other'"),
        (entry("{input: [3], other: null, alpha: 1}"), "must not be null"),
        (entry("{input: [3], other: {gen: normal}, alpha: 1}"), "'other' has no shape"),
        (entry("{input: [3], other: [-3], alpha: 1}"), "list of sizes"),
        (entry("{input: [3], other: 3, alpha: 1}"), "is a tensor"),
        (entry("{input: [3], other: {shape: [3], gen: gauss}, alpha: 1}"), "unknown generator 'gauss'"),
        (entry("{input: [3], other: {shape: [3], gen: 'int(1)'}, alpha: 1}"), "wrong number of arguments"),
        (entry("{input: [3], other: {shape: [3], dtype: half}, alpha: 1}"), "unknown dtype 'half'"),
        (entry("{input: [3], other: {shape: [3], values: [1]}, alpha: 1}"), "cannot be combined with"),
        (entry("{input: [3], input: [4], other: [3], alpha: 1}"), "duplicate key"),
        (entry(GOOD + ", " + GOOD), "is already on line 3"),
        (entry(GOOD[:-1] + ", each: {alpha: 2}}"), "list of choices"),
        (entry(GOOD[:-1] + ", layouts: {without: [sliced]}}"), "need a 'reason'"),
        (entry(GOOD[:-1] + ", layouts: {add: [diagonal]}}"), "unknown layout 'diagonal'"),
        (entry(GOOD[:-1] + ", layouts: {add: [offset]}, variants: {add: [offset]}}"), "give one of them"),
        (entry(GOOD[:-1] + ", tolerance: [{ulp: 2}]}"), "missing field 'reason'"),
        (entry(GOOD[:-1] + ", tolerance: [{ulp: much, reason: so}]}"), "'ulp' must be a number"),
        (entry(GOOD[:-1] + ", error: {code: diopiSuccess, argument: out}}"), "not an error of diopiError_t"),
        (entry(GOOD[:-1] + ", error: {code: diopiErrorOccurred, argument: outt}}"), "'outt' is not a parameter"),
        (entry(GOOD[:-1] + ", error: {code: diopiErrorOccurred}}"), "missing field 'argument'"),
        (entry(GOOD[:-1] + ", error: {code: diopiErrorOccurred, argument: out, values: [many]}}"), "not 'many'"),
        (
            entry(GOOD[:-1] + ", error: {code: diopiErrorOccurred, argument: out, shows: moonshine}}"),
            "is 'moonshine'; it has: ",
        ),
    ],
)
def test_a_mistake_is_named_with_file_and_line(tmp_path, text, message):
    with pytest.raises(ConfigError) as error:
        cases_of(tmp_path, "binary", text)
    assert message in str(error.value) and f"{tmp_path}/binary.yaml:3:" in str(error.value)


def test_the_former_word_for_layouts_is_accepted(tmp_path):
    (new,) = cases_of(tmp_path, "binary", entry(GOOD[:-1] + ", layouts: {add: [offset]}}"))
    (former,) = cases_of(tmp_path, "binary", entry(GOOD[:-1] + ", variants: {add: [offset]}}"))
    assert "offset" in new.layouts and former.layouts == new.layouts
    assert parse_arguments(["--mode", "run_test", "--variants", "all"]).layouts == "all"


def test_the_family_is_the_name_of_the_file(tmp_path):
    (tmp_path / "binary.yaml").write_text("family: unary\noperators: []\n")
    with pytest.raises(ConfigError, match="family 'unary' must equal the file's name, 'binary'"):
        from conformance.cases.reader import load_cases

        load_cases(registry(), tmp_path)


def test_no_parameter_is_spelled_like_a_key_of_a_case():
    used = {p.name for f in registry().operators for p in f.params}
    assert not used & set(RESERVED)


def test_each_multiplies(tmp_path):
    cases = cases_of(tmp_path, "binary", entry("{other: [3], each: {input: [[3], [2, 3]], alpha: [1, 2, 3]}}"))
    assert len(cases) == 6 and len({c.id for c in cases}) == 6


def test_a_case_overrides_its_entrys_defaults(tmp_path):
    head = "names: [diopiAdd], dtypes: int32, defaults: {alpha: 1, other: {gen: ones, dtype: int8}}"
    (case,) = cases_of(tmp_path, "binary", entry("{input: [3], other: {shape: [3], gen: zeros}}", head))
    assert case.arguments["alpha"] == 1
    assert (case.arguments["other"].gen, case.arguments["other"].dtype) == ("zeros", "int8")


def test_an_invalid_call_runs_for_one_dtype_in_one_layout(tmp_path):
    head = "names: [diopiAdd], dtypes: [real]"
    text = entry("{input: [3], other: [4], alpha: 1, error: {code: diopiErrorOccurred, argument: other}}", head)
    (case,) = cases_of(tmp_path, "binary", text)
    assert case.dtypes == ("float32",) and case.layouts == ("contiguous",)


def test_tolerances_are_tried_from_the_case_outwards(tmp_path):
    (tmp_path / "binary.yaml").write_text("""family: binary
tolerance: [{ulp: 3, reason: file}]
operators:
- names: [diopiAdd]
  dtypes: float32
  tolerance: [{ulp: 2, reason: operator}]
  cases: [{input: [3], other: [3], alpha: 1, tolerance: [{ulp: 1, reason: case}]}]
""")
    from conformance.cases.reader import load_cases

    (case,) = load_cases(registry(), tmp_path)
    assert [t.reason for t in case.tolerances] == ["case", "operator", "file"]
