# SPDX-License-Identifier: BSD-3-Clause
"""Tests scripts/judge_gpu.sh and scripts/bench.sh from end to end, with the emulated vendor cuda of this tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from conformance import REPOSITORY
from conformance.chip.record import CHECKED_IN, read_record
from conformance.chip.sources import Sources

BENCHED = CHECKED_IN.with_name("benched.json")
pytestmark = pytest.mark.skipif(
    "DIOPI_EMULATED_CUDA" not in os.environ,
    reason="build/cuda-emulated may be missing or old; scripts/test.sh sets DIOPI_EMULATED_CUDA after it has built it",
)


def run_script(name: str, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [f"scripts/{name}", "--emulated", "--no-build", *options],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        env={**os.environ, "DIOPI_PYTHON": sys.executable, **variables},
        check=False,
    )


def test_judging_and_measuring_under_the_emulation(tmp_path):
    judged, benched, before = tmp_path / "judged.json", tmp_path / "benched.json", CHECKED_IN.read_bytes()
    measured_before = BENCHED.read_bytes()
    cases = "^(overhead/Add/float32/1|reduce/Sum/float32/256x512,dims=1|matmul/Mm/float32/m=64,k=64,n=64)$"
    options = ["--families", "equal", "--jobs", "1", "--out", str(judged)]
    run = run_script("judge_gpu.sh", *options, "--bench-out", str(benched), "--bench-filter", cases)
    assert run.returncode == 0, run.stdout + run.stderr
    record = read_record(judged)
    assert list(record) == ["equal"]
    entry = record["equal"]
    assert (entry.device, entry.driver, entry.cases, entry.failed) == ("emulation", "none", "quick", 0)
    assert entry.passed > 0 and entry.sources == Sources().digest("equal")
    assert "emulated: no figures of a GPU" in run.stdout
    figures = json.loads(benched.read_text(encoding="utf-8"))["bench"]
    assert (figures["device"], figures["driver"], figures["failed"]) == ("emulation", "none", [])
    assert len({*figures["cases"], *figures["on_host"]}) == 3 and figures["not_measured"] == []
    assert figures["cases"]["overhead/Add/float32/1"]["seconds"] > 0
    assert figures["cases"]["reduce/Sum/float32/256x512,dims=1"]["share"] > 0 and figures["copy_bandwidth"] > 0
    assert [*figures["sort"]["widths"]] == ["8", "16", "32", "64"] and figures["sort"]["wrong"] == []
    assert CHECKED_IN.read_bytes() == before and BENCHED.read_bytes() == measured_before


def test_a_machine_without_a_device_cannot_be_measured():
    run = run_script("bench.sh", "--device", "cuda", "--filter", "^overhead/Add/float32/1$", DIOPI_CUDA_DEVICES="0")
    assert run.returncode == 4, run.stdout + run.stderr
    assert "there is no NVIDIA GPU that this process may use" in run.stderr and "Traceback" not in run.stderr
