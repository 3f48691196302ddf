# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what a chip judged: the file, and a run whose judge is replaced."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from adaptor.codegen.model import load_registry
from conformance import REPOSITORY
from conformance.chip import __main__ as program
from conformance.chip import judging, sharing
from conformance.chip.judging import operators_of
from conformance.chip.record import (
    CHECKED_IN,
    Judged,
    RecordError,
    read_record,
    write_record,
)
from conformance.chip.sources import Sources

BENCHED = str(CHECKED_IN.with_name("benched.json"))
GPU = judging.Device("NVIDIA Example", "580.1")
ENTRY = Judged("0123", "2026-01-02", GPU.name, GPU.driver, "quick", 5, 1, 0, 2)


def test_the_checked_in_file_has_families_of_the_vendor_and_no_emulation():
    written = json.loads(CHECKED_IN.read_text(encoding="utf-8"))["families"]
    assert set(written) <= set(Sources().families())
    assert all(entry.device != judging.EMULATION.name for entry in read_record(CHECKED_IN).values())


def test_a_record_is_read_as_it_was_written(tmp_path):
    file = tmp_path / "judged.json"
    assert read_record(file) == {}
    write_record(file, {"one": ENTRY}, ["two", "one"])
    assert read_record(file) == {"one": ENTRY}
    assert json.loads(file.read_text())["families"]["two"] == "never"


def test_a_failed_write_leaves_the_file_and_nothing_else(tmp_path, monkeypatch):
    file = tmp_path / "judged.json"
    write_record(file, {"one": ENTRY}, ["one"])

    def fail(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="the disk is full"):
        write_record(file, {}, ["one"])
    assert read_record(file) == {"one": ENTRY} and list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"families": {"one": {"passed": 3}}}',
        '{"families": {"one": 3}}',
        json.dumps({"families": {"one": {**ENTRY.__dict__, "passed": "many"}}}),
    ],
)
def test_a_wrong_record_is_an_error(tmp_path, text, capsys):
    file = tmp_path / "judged.json"
    file.write_text(text)
    with pytest.raises(RecordError, match="is not a record of judged families"):
        read_record(file)
    assert program.main(["--changed", "--out", str(file)]) == program.BAD_RECORD
    assert str(file) in capsys.readouterr().err


def build_folder(path: Path, emulated: bool) -> Path:
    path.mkdir()
    (path / "CMakeCache.txt").write_text(f"A:BOOL=ON\nDIOPI_CUDA_EMULATED:BOOL={'ON' if emulated else 'OFF'}\n")
    return path


@pytest.fixture
def on_gpu(tmp_path, monkeypatch):
    """Runs the program on a machine that seems to have a GPU, with these answers of the judge for each family."""

    def run(
        answers: dict[str, dict[str, int] | None],
        *options: str,
        together: int = 1,
        sharing: dict[str, dict[str, int]] | None = None,
    ) -> tuple[int, dict[str, Judged], list[str]]:
        judged = []

        def judge(settings: judging.Settings, families: list[str], seconds: float) -> dict[str, dict[str, int]] | None:
            assert 0 < seconds <= 20 * 60
            judged.extend(families)
            if settings.variables:
                return {family: sharing[family] for family in families}
            known = {family: counts for family in families if (counts := answers[family]) is not None}
            return known if len(known) == len(families) else None

        monkeypatch.setattr(program, "find_device", lambda: GPU)
        monkeypatch.setattr(program, "judge_families", judge)
        monkeypatch.setattr(program, "shared_gpu", lambda: nullcontext({"PIPES": "folder"} if sharing else {}))
        monkeypatch.setattr(program, "TOGETHER", together)
        build = tmp_path / "build"
        if not build.exists():
            build_folder(build, emulated=False)
        out = tmp_path / "judged.json"
        code = program.main(["--build", str(build), "--out", str(out), *options])
        return code, read_record(out), judged

    return run


def test_a_run_keeps_the_entries_of_other_families(tmp_path, on_gpu):
    write_record(tmp_path / "judged.json", {"sort": ENTRY, "equal": ENTRY}, Sources().families())
    counts = {"PASS": 7, "FALLBACK": 2, "UNSUPPORTED": 1, "SKIPPED": 1, "NOT_APPLICABLE": 9}
    code, record, _ = on_gpu({"equal": counts}, "--families", "equal")
    assert code == program.OK
    assert record["sort"] == ENTRY
    date = time.strftime("%Y-%m-%d", time.gmtime())
    digest = Sources().digest("equal")
    assert date >= record["equal"].date
    assert replace(record["equal"], date=date) == Judged(digest, date, GPU.name, GPU.driver, "quick", 7, 2, 0, 2)


def test_failed_and_untrusted_cases_are_failures(on_gpu, capsys):
    code, record, _ = on_gpu({"equal": {"PASS": 7, "FAIL": 2, "UNTRUSTED": 1}}, "--families", "equal", "--all-cases")
    assert code == program.FAILED
    assert (record["equal"].failed, record["equal"].cases) == (3, "all")
    assert "3 cases failed" in capsys.readouterr().out


def test_families_without_time_are_named_and_stay_as_they_were(on_gpu, capsys):
    code, record, judged = on_gpu({"binary": {"PASS": 1}, "sort": None}, "--families", "equal", "sort", "binary")
    assert code == program.TIME_OVER
    assert judged == ["binary", "sort"] and list(record) == ["binary"]
    assert "2 families: sort equal" in capsys.readouterr().out


def test_families_are_judged_a_few_at_a_time(on_gpu, capsys):
    answers = {"binary": {"PASS": 1}, "sort": {"PASS": 2}, "equal": {"PASS": 3}, "clamp": None}
    code, record, _ = on_gpu(answers, "--families", *answers, together=2)
    assert code == program.TIME_OVER
    assert {name: entry.passed for name, entry in record.items()} == {"binary": 1, "sort": 2}
    assert "2 families: clamp equal" in capsys.readouterr().out


def test_families_that_fail_while_processes_share_the_gpu_are_judged_again(on_gpu, capsys):
    failed, right = {"PASS": 1, "FAIL": 1}, {"PASS": 2}
    alone, shared = {"sort": right, "equal": failed}, {"binary": right, "sort": failed, "equal": failed}
    code, record, judged = on_gpu(alone, "--families", *shared, together=3, sharing=shared)
    assert code == program.FAILED and judged == ["binary", "sort", "equal", "sort", "equal"]
    assert {name: entry.failed for name, entry in record.items()} == {"binary": 0, "sort": 0, "equal": 1}
    assert "judging again, each process in turn: sort equal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("starts", "used"), [("exit 0", True), ("exit 1", False), (None, False)], ids=["starts", "fails", "absent"]
)
def test_the_service_that_shares_the_gpu(tmp_path, monkeypatch, starts, used):
    log = tmp_path / "log"
    if starts is not None:
        program_file = tmp_path / sharing.CONTROL
        program_file.write_text(f'#!/bin/bash\necho "$* $(cat)" >> {log}; test -d "${sharing.PIPES}" && {starts}\n')
        program_file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin" if starts is not None else str(tmp_path))
    monkeypatch.delenv(sharing.PIPES, raising=False)
    with sharing.shared_gpu() as variables:
        assert set(variables) == ({sharing.PIPES, sharing.LOGS} if used else set())
        assert all(Path(folder).is_dir() for folder in variables.values())
    assert not any(Path(folder).exists() for folder in variables.values())
    lines = log.read_text().split("\n")[:-1] if log.exists() else []
    assert lines == (["-d ", " quit"] if used else ["-d "] if starts is not None else [])


def test_a_service_that_runs_already_stays(monkeypatch):
    monkeypatch.setenv(sharing.PIPES, "/folder")
    with sharing.shared_gpu() as variables:
        assert variables == {}


def test_a_family_is_not_taken_for_the_operator_of_its_name():
    assert {"diopiSort", "diopiTopk"} <= {*operators_of(load_registry(), ["sort"])}


def test_families_that_no_chip_has_judged_as_they_are_come_first(tmp_path, on_gpu):
    known = {name: replace(ENTRY, sources=Sources().digest(name)) for name in ("binary", "equal")}
    write_record(tmp_path / "judged.json", known | {"clamp": ENTRY}, Sources().families())
    names = ("addc", "equal", "binary", "clamp", "softmax")
    _, _, judged = on_gpu({name: {"PASS": 1} for name in names}, "--families", *names)
    assert judged == ["softmax", "addc", "clamp", "binary", "equal"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--emulated"], "--emulated needs --out"),
        (["--emulated", "--out", str(CHECKED_IN)], "--emulated needs --out"),
        (["--emulated", "--out", f"{CHECKED_IN.parent}/../cuda/{CHECKED_IN.name}"], "--emulated needs --out"),
        (["--minutes", "0"], "--minutes must be"),
        (["--minutes", "nan"], "--minutes must be"),
        (["--jobs", "0"], "--jobs must be"),
        (["--families", "matmul"], "has no family matmul"),
    ],
)
def test_wrong_options(options, message, capsys):
    before = CHECKED_IN.read_bytes()
    with pytest.raises(SystemExit) as stop:
        program.main(["--build", "build", *options])
    assert stop.value.code == program.USAGE and message in capsys.readouterr().err
    assert CHECKED_IN.read_bytes() == before


@pytest.mark.parametrize("emulated", [False, True])
def test_a_build_of_the_other_kind_is_refused(tmp_path, emulated, capsys):
    build, out = build_folder(tmp_path / "build", not emulated), tmp_path / "judged.json"
    options = ["--emulated"] if emulated else []
    assert program.main(["--build", str(build), "--out", str(out), *options]) == program.NO_DEVICE
    assert "the emulation of CUDA" in capsys.readouterr().err and not out.exists()


def fake_nvidia_smi(folder: Path, text: str) -> str:
    folder.mkdir()
    (folder / "nvidia-smi").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "nvidia-smi").chmod(0o755)
    return str(folder)


def test_the_device_is_the_first_gpu(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", fake_nvidia_smi(tmp_path / "bin", "echo 'NVIDIA A, B, 580.1'; echo 'NVIDIA C, 580.1'"))
    assert judging.find_device() == judging.Device("NVIDIA A, B", "580.1")


def test_a_machine_without_a_driver_or_a_gpu(tmp_path, monkeypatch, capsys):
    options = ["--build", str(build_folder(tmp_path / "build", False)), "--out", str(tmp_path / "judged.json")]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program.main(options) == program.NO_DEVICE
    assert "no driver of NVIDIA GPUs is installed" in capsys.readouterr().err
    monkeypatch.setenv("PATH", fake_nvidia_smi(tmp_path / "bin", "echo 'No devices were found'; exit 6"))
    assert program.main(options) == program.NO_DEVICE
    assert "nvidia-smi says: No devices were found" in capsys.readouterr().err
    assert not (tmp_path / "judged.json").exists()


def test_the_judge_of_a_family_ends_with_the_time(tmp_path):
    pid = tmp_path / "pid"
    for seconds in (1, 10, 60):  # a busy machine starts the process late
        assert judging._run(["sh", "-c", f"sleep 600 & echo $! > {pid}; wait"], seconds, {}) is None
        if pid.exists() and pid.read_text():
            break
    child = Path(f"/proc/{pid.read_text().strip()}/stat")
    for _ in range(100):  # its new parent must first wait for it
        if not child.exists() or child.read_text().split()[2] == "Z":
            return
        time.sleep(0.1)
    raise AssertionError("the processes of the judge still run")


@pytest.mark.parametrize("script", ["judge_gpu.sh", "nightly.sh"])
def test_the_scripts_have_help(script):
    help_text = subprocess.run(
        [str(REPOSITORY / "scripts" / script), "--help"], capture_output=True, text=True, check=True
    )
    assert help_text.stdout.startswith(f"usage: scripts/{script}")


def test_the_script_ends_without_a_gpu(tmp_path):
    path = f"{fake_nvidia_smi(tmp_path / 'bin', 'exit 9')}:/usr/bin:/bin"
    run = subprocess.run(
        [str(REPOSITORY / "scripts/judge_gpu.sh")],
        capture_output=True,
        text=True,
        env={"PATH": path, "DIOPI_PYTHON": sys.executable},
        check=False,
    )
    assert run.returncode == program.NO_DEVICE and "no driver of NVIDIA GPUs, or no GPU" in run.stderr


def test_the_bench_ends_without_a_pytorch_for_cuda(tmp_path):
    path = f"{fake_nvidia_smi(tmp_path / 'bin', 'echo GPU 0: Example')}:/usr/bin:/bin"
    python = tmp_path / "python"  # has no PyTorch
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    run = subprocess.run(
        [str(REPOSITORY / "scripts/bench.sh"), "--device", "cuda", "--no-install", "--torch", str(python)],
        capture_output=True,
        text=True,
        env={"PATH": path, "DIOPI_PYTHON": sys.executable},
        check=False,
    )
    assert run.returncode == program.NO_DEVICE
    assert run.stderr == f"error: there is no PyTorch with CUDA in {python} (--peer '' measures without it)\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--emulated", "--no-build"], "--emulated needs --out"),
        (["--emulated", "--families", "matmul", "--out", "judged.json"], "has no family matmul"),  # before the build
        (["--jobs", "x"], "--jobs needs a positive number"),
        (["--no-build"], "--no-build needs --emulated"),
        (["--bench-filter"], "--bench-filter needs a value"),
        ([*"--emulated --no-build --out j.json --bench-out b.json --bench-minutes 0".split()], "--minutes must be"),
        (["--emulated", "--no-build", "--out", "j.json", "--bench-out", BENCHED], "is for complete runs on a GPU"),
    ],
)
def test_wrong_options_of_the_script(tmp_path, options, message):
    run = subprocess.run(
        [str(REPOSITORY / "scripts/judge_gpu.sh"), *options],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "DIOPI_PYTHON": sys.executable},
        check=False,
    )
    assert run.returncode == program.USAGE and message in run.stderr
