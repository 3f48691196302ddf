# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a process with a sanitizer can load the CPU vendor's library, whose dependencies are private copies."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import main
import pytest
from helpers import RUN_TEST
from test_wrong_library import keep_addresses

PRODUCTS = ("--fname", "mm", "--quick", "--shard", "1/20")  # these call oneDNN and OpenBLAS


@pytest.mark.parametrize("name", ["libasan.so", "libtsan.so"])
def test_the_library_loads_beside_a_sanitizer(name):
    found = subprocess.run(["cc", f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout
    if not Path(found.strip()).is_absolute():
        pytest.skip(f"the compiler has no {name}")
    environment = {**os.environ, "LD_PRELOAD": found.strip(), "ASAN_OPTIONS": "detect_leaks=0"}
    run = subprocess.run(
        [*RUN_TEST, *PRODUCTS], env=environment, capture_output=True, text=True, check=False, preexec_fn=keep_addresses
    )
    assert run.returncode == main.OK and " passed, 0 failed" in run.stdout, run.stdout + run.stderr
