# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the default vendor's library gives the same bits with one, two and seven threads."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.run.binding import default_library, default_runtime


@pytest.mark.skipif(not default_runtime().exists() or not default_library().exists(), reason="nothing is built")
def test_results_do_not_depend_on_the_number_of_threads() -> None:
    # With the policy "active", threads count as awake and also get small amounts of work.
    environment = {"OMP_NUM_THREADS": "7", "OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "1000"}
    run = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("thread_counts.py"))],
        env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]
    counted = re.fullmatch(r"(\d+) cases, 0 wrong", run.stdout.splitlines()[-1])
    assert counted is not None and int(counted[1]) > 300
