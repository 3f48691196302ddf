# SPDX-License-Identifier: BSD-3-Clause
"""Tests the parts of reports about untested features and invalid calls, and the report in JSON."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ET

from helpers import registry

from conformance.cases.reader import load_case_files
from conformance.coverage.untested import Untested, untested_of
from conformance.report.html_page import INVALID, matrix, render
from conformance.report.json_file import as_data, write_json
from conformance.report.junit import write_junit
from conformance.report.record import RunRecord
from conformance.report.terminal import Report
from conformance.run.result import FAIL, PASS, Result


def test_calls_that_must_fail_have_a_line_of_their_own():
    names = ("diopiExp/input=3x4/float32/contiguous", "diopiExp/invalid:null:out!diopiErrorOccurred/float32/contiguous")
    record = RunRecord("lib", "main.py", results=[Result(name, PASS) for name in names])
    (row,) = matrix(record)
    assert [layout for layout, _ in row.ordered_layouts] == ["contiguous", INVALID]


def test_operators_without_an_oracle_are_in_every_report(tmp_path):
    record = RunRecord(
        "lib",
        "main.py",
        results=[Result("diopiExp/input=3/float32/contiguous", PASS)],
        no_oracle={"diopiCdist": 10, "diopiRoll": 0},
    )
    out = io.StringIO()
    Report("main.py", 1, out, record=record).finish([])
    assert "no oracle yet, 2 operators, 10 cases skipped: diopiCdist (10) diopiRoll" in out.getvalue()
    assert "diopiCdist (10)" in render(record) and "without an oracle yet" in render(record)
    write_junit(record, tmp_path / "out.xml")
    skipped = ET.parse(tmp_path / "out.xml").getroot().find("testsuite[@name='diopiCdist']/testcase/skipped")
    assert skipped is not None and "10 cases skipped" in skipped.get("message")
    assert as_data(record)["no_oracle"] == {"diopiCdist": 10, "diopiRoll": 0}


def test_json_holds_no_number_that_json_lacks(tmp_path):
    result = Result(
        "diopiExp/input=3/float32/contiguous",
        FAIL,
        ("out[0]: expected 1, got nan",),
        "input=float32[3]",
        errors=(("out", "float32", float("inf")),),
    )
    write_json(RunRecord("lib", "main.py", results=[result]), tmp_path / "out.json")
    (read,) = json.loads((tmp_path / "out.json").read_text())["results"]
    assert read["ulp"] == {"out": "inf"} and read["repeat"].endswith("--case diopiExp/input=3/float32/contiguous")


def test_what_is_not_tried_is_told_with_its_reason(tmp_path):
    (tmp_path / "softmax.yaml").write_text(
        """
family: softmax
hostile:
  - without: {zero_dim: "a number has no rows"}
operators:
  - names: [diopiSoftmax]
    dtypes: [float32, float64]
    cases:
      - {input: [3, 4], dim: 0}
      - {input: [5], dim: 0, layouts: {without: [expanded], reason: "equal terms have equal shares"}}
  - names: [diopiSoftmaxBackward]
    dtypes: float32
    cases: [{grad_output: [3, 4], output: [3, 4], dim: 0}]
""",
        encoding="utf-8",
    )
    untested = untested_of(
        registry(), ["diopiSoftmax", "diopiRelu", "diopiSoftmaxBackward"], load_case_files(registry(), tmp_path)
    )
    assert list(untested) == ["diopiSoftmax", "diopiSoftmaxBackward"]
    assert any(
        g.what.startswith("dtypes: int8") and g.reason == "not in the contract"
        for g in untested["diopiSoftmaxBackward"]
    )
    assert Untested("layouts: expanded, of 1 of 2 cases", "equal terms have equal shares") in untested["diopiSoftmax"]
    assert Untested("hostile cases: zero_dim", "a number has no rows") in untested["diopiSoftmax"]
    reasons = {
        dtype: one.reason
        for one in untested["diopiSoftmax"]
        if one.what.startswith("dtypes: ")
        for dtype in one.what.removeprefix("dtypes: ").split(", ")
    }
    assert "input" in reasons["float16"]
    assert "float32" not in reasons


def test_the_page_and_json_have_what_is_not_tried():
    untested = {"diopiExp": [Untested("dtypes: bool", "not in <the> contract")], "diopiAdd": []}
    record = RunRecord(
        "lib", "main.py", results=[Result("diopiExp/input=3/float32/contiguous", PASS)], untested=untested
    )
    assert "<b>dtypes: bool</b> not tested: not in &lt;the&gt; contract" in render(record)
    assert as_data(record)["not_tried"] == {"diopiExp": [{"what": "dtypes: bool", "reason": "not in <the> contract"}]}
