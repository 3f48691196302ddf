"""What a run leaves behind: its journal, JUnit XML, the progress line."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import shutil
import xml.etree.ElementTree as ET

import pytest

import main
from conformance.binding import default_runtime
from conformance.execute import FAIL, NOT_APPLICABLE, PASS, SKIPPED, UNSUPPORTED, UNTRUSTED, Result
from conformance.junit import write_junit
from conformance.record import CaseName, RunRecord
from conformance.report import Report, clock
from conformance.resume import Journal, fingerprint, key
from conformance.suite import UsageError

from helpers import group_of
from test_wrong_library import build  # noqa: F401  (a fixture)

NEEDS_LIBRARY = [
    pytest.mark.skipif(not default_runtime().exists(), reason="libdiopirt.so is not built"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
]


def group(tmp_path, name, variants=None):
    return group_of(tmp_path / name, "binary", "  - {names: [diopiSub], dtypes: float32, cases: "
                    f"[{{id: {name}, input: [3], other: [3], alpha: 1}}]}}", variants)


def sample():
    return RunRecord("libdiopi_impl.so", "python main.py --mode run_test", absent=["diopiExp"], seconds=1.5, results=[
        Result("diopiAdd/a/float32/contiguous", PASS, seconds=0.25, errors=(("out", "float32", 0.5),)),
        Result("diopiAdd/a/float32/sliced", FAIL, ("out[0]: expected <1> & got \x00\x1b2",), "input=float32[3]"),
        Result("diopiAdd/b 'quoted'/int8/contiguous", UNSUPPORTED, ("no int8",)),
        Result("diopiAdd/c/float32/contiguous", NOT_APPLICABLE),
        Result("diopiSum/a/float32/contiguous", UNTRUSTED, ("constant",)),
        Result("diopiMul/a/float32/contiguous", SKIPPED, ("hangs",)),
        Result("diopiGetVendorName/text", PASS),
    ])


# --- names and numbers ---

def test_the_parts_of_a_name():
    assert CaseName.of("diopiAdd/id/with/slashes/float32/sliced") == CaseName("diopiAdd", "id/with/slashes", "float32",
                                                                              "sliced")
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
    passed = [Result(f"{good.name}/contiguous", PASS, digest="ab", seconds=0.5, call_seconds=0.1,
                     errors=(("out", "float32", 0.25), ("other", "float16", math.inf))),
              Result(f"{good.name}/sliced", UNSUPPORTED, ("why",))]
    journal = Journal(path, "mark")
    journal.add(good, passed)
    journal.add(bad, [passed[0], Result(f"{bad.name}/sliced", FAIL, ("wrong",))])
    journal.close()
    again = Journal(path, "mark")
    assert again.results(good) == passed
    assert again.results(bad) is None and again.results(new) is None
    assert again.results(dataclasses.replace(good, variants=("contiguous",))) is None
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
        with pytest.raises(UsageError, match="no file of --resume"):
            Journal(path, "mark")


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
        "tests": "7", "failures": "2", "errors": "0", "skipped": "3"}
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


# --- a whole run ---

class TestRun:
    """Of a library whose calls succeed where they must not."""

    pytestmark = NEEDS_LIBRARY

    @staticmethod
    def judge(library, *options):
        return main.main(["--mode", "run_test", "--library", str(library), "--case", "diopiSub/*/float32*",
                          "--jobs", "2", *options])

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
        again = [json.loads(line)["group"] for line in journal.read_text().splitlines()[1 + len(records):]]
        assert sorted(again) == sorted(r["group"] for r in records if r not in passed)
        root = ET.parse(xml).getroot()
        ran = int(root.get("tests")) - int(root.get("failures")) - int(root.get("skipped"))
        assert second.splitlines()[-1].startswith(f"{ran} passed, {root.get('failures')} failed")
        assert self.judge(build("kNone"), "--resume", str(journal)) == main.USAGE

    def test_a_folder_that_is_missing_is_said_before_the_run(self, build, tmp_path, capsys):  # noqa: F811
        assert self.judge(build("kNone"), "--junit", str(tmp_path / "none" / "out.xml")) == main.USAGE
        assert "there is no folder" in capsys.readouterr().err
