# SPDX-License-Identifier: BSD-3-Clause
"""Tests the reports of a run: the file of --resume, JUnit XML, HTML, the progress line."""

from __future__ import annotations

import argparse
import dataclasses
import io
import json
import math
import re
import shlex
import shutil
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import main
import pytest
from helpers import group_of
from test_wrong_library import build  # noqa: F401  (a fixture)

from conformance.cases.case import Tolerance
from conformance.cases.suite import UsageError
from conformance.report.histogram import histograms
from conformance.report.html_page import matrix, matrix_dtypes, render
from conformance.report.journal import PARTS, Journal, fingerprint, key
from conformance.report.junit import write_junit
from conformance.report.record import CaseName, RunRecord
from conformance.report.terminal import Report
from conformance.run.binding import HostError, default_runtime
from conformance.run.parallel import clock
from conformance.run.result import FAIL, NOT_APPLICABLE, PASS, SKIPPED, UNSUPPORTED, UNTRUSTED, Result
from conformance.session import _write_reports

NEEDS_LIBRARY = [
    pytest.mark.skipif(not default_runtime().exists(), reason="libdiopirt.so is not built"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
]


def group(tmp_path, name, layouts=None):
    return group_of(
        tmp_path / name,
        "binary",
        f"  - {{names: [diopiSub], dtypes: float32, cases: [{{id: {name}, input: [3], other: [3], alpha: 1}}]}}",
        layouts,
    )


def sample():
    return RunRecord(
        "libdiopi_impl.so",
        "python main.py --mode run_test",
        absent=["diopiExp"],
        seconds=1.5,
        results=[
            Result("diopiAdd/a/float32/contiguous", PASS, seconds=0.25, errors=(("out", "float32", 0.5),)),
            Result("diopiAdd/a/float32/sliced", FAIL, ("out[0]: expected <1> & got \x00\x1b2",), "input=float32[3]"),
            Result("diopiAdd/b 'quoted'/int8/contiguous", UNSUPPORTED, ("no int8",)),
            Result("diopiAdd/c/float32/contiguous", NOT_APPLICABLE),
            Result("diopiSum/a/float32/contiguous", UNTRUSTED, ("constant",)),
            Result("diopiMul/a/float32/contiguous", SKIPPED, ("hangs",)),
            Result("diopiGetVendorName/text", PASS),
        ],
    )


# --- names and numbers ---


def test_the_parts_of_a_name():
    assert CaseName.of("diopiAdd/id/with/slashes/float32/sliced") == CaseName(
        "diopiAdd", "id/with/slashes", "float32", "sliced"
    )
    assert CaseName.of("diopiGetVendorName/text") == CaseName("diopiGetVendorName", "text", "", "")


@pytest.mark.parametrize("seconds, text", [(0, "0:00"), (59.6, "1:00"), (754, "12:34"), (3723, "1:02:03")])
def test_clock(seconds, text):
    assert clock(seconds) == text


def test_the_progress_line_says_how_long_the_rest_takes():
    report = Report("repeat", 100, io.StringIO())
    for _ in range(20):
        report.take_over([Result("diopiAdd/a/float32/contiguous", PASS)])
    assert ", ? left" in report.progress_line(0.0)
    for _ in range(20):
        report.add([Result("diopiAdd/a/float32/contiguous", PASS)])
    line = report.progress_line(10.0)
    assert line.startswith("[#########               ]  40 %  40 cases") and "0 failed, 0:30 left" in line


# --- the journal ---


def test_a_journal_gives_back_what_passed_and_not_what_failed(tmp_path):
    path, good, bad, new = tmp_path / "run.jsonl", *(group(tmp_path, n) for n in ("good", "bad", "new"))
    passed = [
        Result(
            f"{good.name}/contiguous",
            PASS,
            digest="ab",
            seconds=0.5,
            call_seconds=0.1,
            errors=(("out", "float32", 0.25), ("other", "float16", math.inf)),
        ),
        Result(f"{good.name}/sliced", UNSUPPORTED, ("why",)),
    ]
    journal = Journal(path, "mark")
    journal.add(good, passed)
    journal.add(bad, [passed[0], Result(f"{bad.name}/sliced", FAIL, ("wrong",))])
    journal.close()
    again = Journal(path, "mark")
    assert again.results(good) == passed
    assert again.results(bad) is None and again.results(new) is None
    assert again.results(dataclasses.replace(good, layouts=("contiguous",))) is None
    again.add(bad, passed)
    again.close()
    assert set(Journal(path, "mark").finished) == {key(good), key(bad)}


def test_a_line_that_was_cut_off_is_dropped(tmp_path):
    path, first, second = tmp_path / "run.jsonl", group(tmp_path, "first"), group(tmp_path, "second")
    journal = Journal(path, "mark")
    for one in (first, second):
        journal.add(one, [Result(f"{one.name}/contiguous", PASS)])
    journal.close()
    path.write_bytes(path.read_bytes()[:-20])
    again = Journal(path, "mark")
    assert again.results(first) is not None and again.results(second) is None
    again.add(second, [Result(f"{second.name}/contiguous", PASS)])
    again.close()
    assert Journal(path, "mark").results(second) is not None


def test_a_journal_of_something_else_is_refused(tmp_path):
    path = tmp_path / "run.jsonl"
    Journal(path, "mark").close()
    with pytest.raises(UsageError, match="another library"):
        Journal(path, "other mark")
    for content in ("no json\n", json.dumps({"format": 99}) + "\n", "[]\n", "half a line"):
        path.write_text(content)
        with pytest.raises(UsageError, match="not a file of --resume"):
            Journal(path, "mark")


def test_the_fingerprint_knows_the_contract_and_the_package_that_makes_the_calls(tmp_path, monkeypatch):
    names = ("session.py", "unary.yaml", "model.py", "binding.py")
    assert all((part / name).exists() for part, name in zip(PARTS, names, strict=True))
    (tmp_path / "add.yaml").write_text("1", encoding="utf-8")
    monkeypatch.setattr("conformance.report.journal.PARTS", (tmp_path,))
    first = fingerprint([], {})
    (tmp_path / "add.yaml").write_text("2", encoding="utf-8")
    assert first != fingerprint([], {})


def test_a_report_that_cannot_be_written_costs_no_other_report(tmp_path):
    arguments = argparse.Namespace(
        junit=tmp_path / "none" / "a.xml", json=tmp_path / "b.json", html_report=tmp_path / "none" / "c.html"
    )
    with pytest.raises(HostError, match=r"a\.xml cannot be written: .*; .*c\.html cannot be written: "):
        _write_reports(arguments, RunRecord("lib.so", "main.py"))
    assert (tmp_path / "b.json").exists()


def test_the_fingerprint_knows_the_library_and_the_options(tmp_path):
    library = tmp_path / "lib.so"
    library.write_bytes(b"one")
    first = fingerprint([library], {"quick": False})
    assert first == fingerprint([library, tmp_path / "none"], {"quick": False})
    assert first != fingerprint([library], {"quick": True})
    library.write_bytes(b"two")
    assert first != fingerprint([library], {"quick": False})


# --- JUnit ---


def test_junit_has_every_verdict_and_its_counts(tmp_path):
    path = tmp_path / "out.xml"
    write_junit(sample(), path)
    root = ET.parse(path).getroot()
    assert {k: root.get(k) for k in ("tests", "failures", "errors", "skipped")} == {
        "tests": "7",
        "failures": "2",
        "errors": "0",
        "skipped": "3",
    }
    for suite in root:
        assert suite.get("tests") == str(len(suite.findall("testcase")))
    add = root.find("testsuite[@name='diopiAdd']")
    assert [c.get("name") for c in add] == ["a/float32/contiguous", "a/float32/sliced", "b 'quoted'/int8/contiguous"]
    failure = add.find("testcase[@name='a/float32/sliced']/failure")
    assert failure.get("message") == "out[0]: expected <1> & got \ufffd\ufffd2"
    assert "repeat: python main.py --mode run_test --case diopiAdd/a/float32/sliced" in failure.text
    assert "called with input=float32[3]" in failure.text
    assert root.find("testsuite[@name='diopiExp']/testcase/skipped") is not None


def test_an_absent_operator_that_was_asked_for_is_a_failure(tmp_path):
    path = tmp_path / "out.xml"
    write_junit(dataclasses.replace(sample(), absent_fails=True), path)
    assert ET.parse(path).getroot().get("failures") == "3"


# --- HTML ---


class Page(HTMLParser):
    """Collects the text of a page and the files that the page would load."""

    VOID = {"meta", "br", "line", "rect", "link", "img", "input", "hr"}

    def __init__(self, text):
        super().__init__()
        self.texts, self.loads, self.open, self.tags = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.loads += [v for k, v in attributes if k in ("src", "href", "xlink:href", "data", "action", "srcset")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open[-1] in ("tr", "td", "th", "p") and self.open[-1] != tag:
            self.open.pop()
        assert self.open and self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data):
        self.texts.append(data)


def page_of(record):
    html = render(record)
    page = Page(html)
    assert not page.open
    return html, page, " ".join(" ".join(page.texts).split())


def test_the_page_loads_no_other_file():
    html, page, _ = page_of(sample())
    assert page.loads and all(v.startswith("#") for v in page.loads)
    assert not {"script", "link", "img", "iframe", "object", "embed"} & set(page.tags)
    assert not re.search(r"https?:|url\(|@import|//[a-z]", html)


def test_the_page_has_each_failure_with_its_repetition():
    _, _, text = page_of(sample())
    for name in ("diopiAdd/a/float32/sliced", "diopiSum/a/float32/contiguous"):
        assert f"repeat: python main.py --mode run_test --case {name}" in text
    assert "out[0]: expected <1> & got" in text and "called with input=float32[3]" in text


def test_the_page_escapes_what_a_library_says():
    record = RunRecord(
        "<b>lib</b>",
        "python main.py",
        results=[Result("diopiAdd/a/float32/sliced", FAIL, ("<script>alert(1)</script>",))],
    )
    html, page, text = page_of(record)
    assert "script" not in page.tags and "<script>alert(1)</script>" in text and "<b>lib" not in html


def test_the_page_counts_by_operator_dtype_and_layout():
    rows = matrix(sample())
    add = next(row for row in rows if row.name == "diopiAdd")
    assert (add.total.text, add.total.kind) == ("✗ 1 ✓ 1 ○ 1", "fail")
    assert (add.dtypes["int8"].text, add.dtypes["int8"].kind) == ("○ 1", "declared")
    assert add.layouts["contiguous"]["float32"].text == "✓ 1" and add.layouts["sliced"]["float32"].text == "✗ 1"
    assert matrix_dtypes(rows) == ["int8", "float32", ""]


def test_the_page_repeats_the_reasons_of_the_vendor():
    record = sample()
    record.profile.tolerances["diopiAdd"] = (Tolerance("table of 64 entries", ulp=8),)
    _, _, text = page_of(record)
    assert "not supported no int8 1 int8 diopiAdd" in text and "skipped hangs 1 float32 diopiMul" in text
    assert "diopiAdd 8 ULP all all table of 64 entries" in text and "diopiExp" in text


def test_the_histogram_has_every_output_once():
    ulps = [0, 0.5, 0.6, 1, 3, 16, 17, 64, 65, 5000, math.inf, math.nan]
    results = [
        Result(f"diopiAdd/{i}/float16/contiguous", PASS, errors=(("out", "float16", u), ("b", "int64", 0.0)))
        for i, u in enumerate(ulps)
    ]
    half, integer = sorted(histograms(results), key=lambda h: h.dtype)
    assert {b.label: b.count for b in half.bars} == {
        "0": 1,
        "≤0.5": 1,
        "≤1": 2,
        "≤2": 0,
        "≤4": 1,
        "≤8": 0,
        "≤16": 1,
        "≤64": 2,
        "≤1024": 1,
        ">1024": 1,
        "no value": 2,
    }
    assert (half.outputs, half.exact, integer.outputs, integer.exact) == (12, 1, 12, 12)
    assert half.inexact and not integer.inexact
    html, _, text = page_of(RunRecord("lib", "repeat", results=results))
    assert html.count("<svg") == 1 and html.count("<rect") == 9 and "int64 12 of 12 equal" in text


def test_an_empty_run_has_a_page():
    assert "None." in page_of(RunRecord("lib", "repeat"))[2]


# --- a whole run ---


class TestRun:
    """Runs the judge on a library that accepts invalid calls."""

    pytestmark = NEEDS_LIBRARY

    @staticmethod
    def judge(library, *options):
        return main.main(
            ["--mode", "run_test", "--library", str(library), "--case", "diopiSub/*/float32*", "--jobs", "2", *options]
        )

    def test_a_resumed_run_repeats_the_failures_only(self, build, tmp_path, capsys):  # noqa: F811
        journal, xml = tmp_path / "run.jsonl", tmp_path / "out.xml"
        assert self.judge(build("kSilentError"), "--resume", str(journal)) == main.FAILED
        first = capsys.readouterr().out
        records = [json.loads(line) for line in journal.read_text().splitlines()[1:]]
        passed = [r for r in records if all(v["status"] not in (FAIL, UNTRUSTED) for v in r["results"])]
        assert passed and len(passed) < len(records)
        assert self.judge(build("kSilentError"), "--resume", str(journal), "--junit", str(xml)) == main.FAILED
        second = capsys.readouterr().out
        taken = sum(len(r["results"]) for r in passed)
        assert f"{taken} of the cases below were judged by an earlier run" in second
        assert first.splitlines()[-1] == second.splitlines()[-1]
        again = [json.loads(line)["group"] for line in journal.read_text().splitlines()[1 + len(records) :]]
        assert sorted(again) == sorted(r["group"] for r in records if r not in passed)
        root = ET.parse(xml).getroot()
        ran = int(root.get("tests")) - int(root.get("failures")) - int(root.get("skipped"))
        assert second.splitlines()[-1].startswith(f"{ran} passed, {root.get('failures')} failed")
        assert self.judge(build("kNone"), "--resume", str(journal)) == main.USAGE

    def test_a_run_measures_its_cases(self, build, tmp_path, capsys):  # noqa: F811
        page, journal = tmp_path / "out.html", tmp_path / "run.jsonl"
        self.judge(build("kWrongValue"), "--html_report", str(page), "--resume", str(journal))
        names = re.findall(r"^FAIL (\S+)", capsys.readouterr().out, re.MULTILINE)
        text = " ".join(" ".join(Page(page.read_text(encoding="utf-8")).texts).split())
        assert names and all(f"--case {shlex.quote(name)}" in text for name in names)
        verdicts = [v for line in journal.read_text().splitlines()[1:] for v in json.loads(line)["results"]]
        valid = [v for v in verdicts if v["errors"]]
        assert valid and all(v["seconds"] > v["call_seconds"] > 0 for v in valid)
        assert any(u > 1 for v in valid for _, _, u in v["errors"])

    def test_a_missing_folder_is_an_error_before_the_run(self, build, tmp_path, capsys):  # noqa: F811
        assert self.judge(build("kNone"), "--junit", str(tmp_path / "none" / "out.xml")) == main.USAGE
        assert "there is no folder" in capsys.readouterr().err
