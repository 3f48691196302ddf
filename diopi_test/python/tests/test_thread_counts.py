# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the default vendor's library gives the same bits with one, two and seven threads."""

from __future__ import annotations

import os
import subprocess

import pytest
from helpers import RUN_TEST

from conformance.run.binding import default_library, default_runtime

LARGE = "*/on_all_threads*/*float*/contiguous"


@pytest.mark.skipif(not default_runtime().exists() or not default_library().exists(), reason="nothing is built")
def test_results_do_not_depend_on_the_number_of_threads(tmp_path):
    digests = []
    for threads in (1, 2, 7):
        file = tmp_path / f"{threads}.txt"
        # With the policy "active", threads count as awake and also get small amounts of work.
        environment = {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "1000"}
        subprocess.run(
            [*RUN_TEST, "--case", LARGE, "--digests", str(file)],
            env={**os.environ, **environment},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        digests.append(sorted(file.read_text().splitlines()))
    assert len(digests[0]) > 300
    for other in digests[1:]:
        assert digests[0] == other
