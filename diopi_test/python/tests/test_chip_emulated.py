# SPDX-License-Identifier: BSD-3-Clause
"""Tests scripts/judge_gpu.sh from end to end, with the emulated vendor cuda of this tree."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from conformance import REPOSITORY
from conformance.chip.record import CHECKED_IN, read_record
from conformance.chip.sources import Sources


@pytest.mark.skipif(
    "DIOPI_EMULATED_CUDA" not in os.environ,
    reason="build/cuda-emulated may be missing or old; scripts/test.sh sets DIOPI_EMULATED_CUDA after it has built it",
)
def test_judging_one_family_under_the_emulation(tmp_path):
    out, before = tmp_path / "judged.json", CHECKED_IN.read_bytes()
    options = ["--emulated", "--no-build", "--families", "equal", "--jobs", "1", "--out", str(out)]
    run = subprocess.run(
        ["scripts/judge_gpu.sh", *options],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        env={**os.environ, "DIOPI_PYTHON": sys.executable},
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    record = read_record(out)
    assert list(record) == ["equal"]
    entry = record["equal"]
    assert (entry.device, entry.driver, entry.cases, entry.failed) == ("emulation", "none", "quick", 0)
    assert entry.passed > 0 and entry.sources == Sources().digest("equal")
    assert CHECKED_IN.read_bytes() == before
