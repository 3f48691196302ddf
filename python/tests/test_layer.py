# SPDX-License-Identifier: BSD-3-Clause
"""Tests the command `diopi-layer`: its options, reports and bisection, without a program where possible."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from diopi.layer import __main__ as command
from diopi.layer import bisect, findings, names, options, page, report
from diopi.layer.errors import UsageError


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--trace"], "there is no command"),
        (["--ops", "diopiNothing", "--", "true"], "'diopiNothing' matches no operator"),
        (["--ops", "diopi(", "--", "true"], "is no regular expression"),
        (["--ops", ",", "--", "true"], "expected at least one name"),
        (["--every", "0", "--", "true"], "--every is '0'"),
        (["--every", "²", "--", "true"], "--every is '²', expected a whole number from 1"),
        (["--every", "99999999999999999999", "--", "true"], "--every is '99999999999999999999', expected a whole"),
        (["--level", "9", "--", "true"], "--level is '9', expected a whole number from 1 to 3"),
        (["--memory-limit", "99999999999T", "--", "true"], "--memory-limit is '99999999999T', expected a number with"),
        (["--memory-limit", "9" * 5000, "--", "true"], "expected a number with"),
        (["--compare", "--reference", __file__, "--", "true"], "test_layer.py', which is no library"),
        (["--trace", "--out", "/proc/x", "--", "true"], "--out: /proc/x cannot be a folder of results: No such file"),
        (["--trace", "--out", __file__, "--", "true"], "test_layer.py cannot be a folder of results: File exists"),
        (["bisect", "--timeout", "0", "--", "true"], "--timeout is 0.0, expected a number of seconds above 0"),
        (["bisect", "--timeout", "nan", "--", "true"], "--timeout is nan, expected"),
        (["bisect", "--reference", __file__, "--", "true"], "test_layer.py', which is no library"),
        (["replay", "/nowhere", "--json", "/nowhere/x"], "--json is '/nowhere/x', expected a file in a folder that"),
        (["--trace", "--refuse", "--", "true"], "--refuse needs --contract"),
        (["--disk-limit", "many", "--", "true"], "--disk-limit is 'many'"),
        (["--vendor", "/nowhere.so", "--", "true"], "--vendor is '/nowhere.so', which is no file"),
        (["--", "/nowhere/program"], "'/nowhere/program' is no program"),
        (["report", "/nowhere"], "/nowhere is no folder"),
        (["bisect"], "there is no command"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_status_2(arguments, message, capsys):
    assert command.main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and error.startswith("diopi-layer: ")


def test_a_program_that_the_system_cannot_start(tmp_path, capsys, monkeypatch):
    program = tmp_path / "program"
    program.write_text("echo\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("DIOPI_LAYER_LIBRARY", a_library(tmp_path))
    for arguments in (["--trace", "--out", str(tmp_path / "out")], ["bisect"]):
        assert command.main([*arguments, "--", str(program)]) == 2
        assert capsys.readouterr().err == f"diopi-layer: '{program}' cannot be started: Exec format error\n"
    assert not (tmp_path / "out").exists()


def test_options_become_variables(tmp_path):
    arguments = ["--trace", "--compare", "--fallback", "diopiAdd", "--every", "3", "--memory-limit", "2M", "--text"]
    run = options.read([*arguments, "--out", str(tmp_path), "--", "echo", "--trace"])
    assert run.command == ["echo", "--trace"]
    assert run.variables == {
        "DIOPI_LAYER": "trace,compare,fallback",
        "DIOPI_LAYER_FALLBACK_OPS": "diopiAdd",
        "DIOPI_LAYER_EVERY": "3",
        "DIOPI_LAYER_MEMORY": str(2 << 20),
        "DIOPI_LAYER_TRACE_FORMAT": "text",
        "DIOPI_LAYER_OUT": str(tmp_path),
    }
    inherited = {"LD_PRELOAD": "other.so", "DIOPI_LAYER_OPS": "old", "HOME": "/"}
    found = options.environment(run, Path("/layer.so"), inherited)
    assert found["LD_PRELOAD"] == "/layer.so other.so" and "DIOPI_LAYER_OPS" not in found and found["HOME"] == "/"


def test_refuse_is_an_option_of_contract():
    run = options.read(["--contract", "--refuse", "--", "true"])
    assert (run.variables["DIOPI_LAYER"], run.variables["DIOPI_LAYER_REFUSE"]) == ("contract", "1")


def test_a_report_counts_the_calls_that_violate_a_check(tmp_path):
    process = tmp_path / "17"
    process.mkdir()
    row = {"operator": "diopiSoftmax", "check": "diopiSoftmax-dim-in-range", "calls": 2000, "accepted": 3}
    summary = {"checked": 2001, "violating": 2000, "checks": [row], "operators": []}
    (process / "contract.json").write_text(json.dumps(summary), encoding="utf-8")
    line = {"call": 4, "operator": "diopiSoftmax", "check": row["check"], "status": 1, "message": "dim = 9"}
    (process / "contract.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    lines = report.write(tmp_path, ["program"], 0)
    assert lines[0] == "process 17: contract: 2000 calls violate a check, the first in diopiSoftmax, call 4"
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.count("diopiSoftmax-dim-in-range") == 2 and text.count("<tr class=bad>") == 2


@pytest.mark.parametrize(
    ("compared", "text"),
    [(2, "nothing found"), (0, "0 of 2 calls compared"), (1, "1 of 2 calls compared, nothing found")],
)
def test_a_comparison_of_few_calls_says_so(tmp_path, compared, text):
    process = tmp_path / "17"
    process.mkdir()
    row = {"operator": "diopiAdd", "calls": 2, "compared": compared, "different": 0}
    (process / "compare.json").write_text(json.dumps({"operators": [row], "not_compared": []}), encoding="utf-8")
    assert report.write(tmp_path, ["program"], 0)[0] == f"process 17: compare: {text}"


def test_aten_names_become_operators():
    assert names.patterns("aten::add_.Tensor", "--ops") == "diopiAddInp,diopiAddInpScalar"
    assert "diopiMul" in names.patterns("aten::mul.*, diopiAdd", "--ops").split(",")
    assert names.patterns("diopiAdd.*", "--ops") == "diopiAdd.*"
    with pytest.raises(UsageError, match="near: diopiSoftmax"):
        names.patterns("diopiSoftmx", "--ops")


def test_the_layer_gets_names_for_what_only_python_understands():
    assert names.patterns("(?i)diopiadd,diopi(?P<x>Sub)", "--ops") == "diopiAdd,diopiSub"
    assert names.patterns("(?i)diopi.*", "--ops") == ".*"
    for same in ("diopi[A-C].*?", "diopi(?:Add|Sub)", "diopi(?!Sub).*", "^diopiAdd$"):
        assert names.patterns(same, "--ops") == same
    for other in ("diopiAdd(?<!x)", "diopiAd[]d]", r"\AdiopiAdd", "diopiA++dd", "diopi(?=A)?Add"):
        assert names.patterns(other, "--ops").startswith("diopiA") and not names.is_portable(other), other


def test_every_operator_of_the_table_is_in_the_contract():
    assert {n for targets in names.aten().values() for n in targets} <= set(names.operators())


@pytest.mark.parametrize("wanted", [["c"], ["a", "h"], ["b", "c", "g"], list("abcdefgh")])
def test_bisection_finds_the_smallest_set(wanted):
    runs = []

    def succeeds(operators):
        runs.append(operators)
        return set(wanted) <= set(operators)

    assert sorted(bisect.smallest(list("abcdefgh"), succeeds)) == wanted
    assert len(runs) <= 60


def a_run(folder: Path) -> Path:
    process = folder / "17"
    process.mkdir()
    lines = [{"call": 1, "operator": "diopiAdd", "status": 0}, {"call": 2, "operator": "diopi<Mul>", "status": 1}]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (process / "trace.jsonl").write_text(text + '{"call": 3, "oper', encoding="utf-8")
    (process / "time.json").write_text('{"operators": [{"operator": "diopiAdd", "calls": 1}]}', encoding="utf-8")
    (process / "compare.json").write_text('{"operators": [', encoding="utf-8")
    return folder


def test_a_report_shows_files_that_are_cut_off(tmp_path):
    lines = report.write(a_run(tmp_path), ["program", "a b"], 3)
    assert lines[0] == "process 17: 2 calls of 2 operators, 1 failed"
    assert any("trace.jsonl: line 3 is cut off" in line for line in lines)
    assert any("compare.json is cut off" in line for line in lines)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "diopi&lt;Mul&gt;" in text and "diopi<Mul>" not in text and "exit status 3" in text
    assert json.loads((tmp_path / "report.json").read_text())["processes"][0]["traced_calls"]["diopiAdd"] == 1


def test_lines_that_are_no_objects_are_left_out(tmp_path):
    process = tmp_path / "17"
    process.mkdir()
    (process / "trace.jsonl").write_text('{"status": 0}\n[]\n', encoding="utf-8")
    (process / "time.json").write_text("[1]", encoding="utf-8")
    lines = report.write(tmp_path, ["program"], 0)
    assert lines[0] == "process 17: 1 calls of 1 operators, 0 failed"
    assert any("trace.jsonl: line 2 is cut off" in line for line in lines)
    assert any("time.json is cut off: this is no object" in line for line in lines)


def test_a_page_loads_no_other_file(tmp_path):
    text = page.page("program", 0, findings.read(a_run(tmp_path)))
    assert "src=" not in text and "http" not in text and "<script" not in text


def test_a_run_gives_the_status_and_the_output_of_the_program(tmp_path):
    environment = {
        **os.environ,
        "DIOPI_LAYER_LIBRARY": a_library(tmp_path),
        "PYTHONPATH": str(Path(names.__file__).parents[2]),
    }
    program = [sys.executable, "-c", "import sys; print('result'); sys.exit(7)"]
    layer = [sys.executable, "-m", "diopi.layer", "--trace", "--out", str(tmp_path / "out"), "--", *program]
    done = subprocess.run(layer, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 7 and done.stdout == "result\n"
    assert "no process of the run has called an operator" in done.stderr


def a_library(folder: Path) -> str:
    """A library that does nothing."""
    source, library = folder / "empty.c", folder / "empty.so"
    source.write_text("int empty;\n", encoding="utf-8")
    subprocess.run(["cc", "-shared", "-o", library, source], check=True)
    return str(library)
