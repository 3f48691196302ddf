# SPDX-License-Identifier: BSD-3-Clause
"""Tests that an invalid DIOPI_NUM_THREADS is an error of initLibrary and of every operator."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from helpers import RUN_TEST

from conformance.run.binding import default_library, default_runtime

pytestmark = [
    pytest.mark.skipif(not default_runtime().exists() or not default_library().exists(), reason="nothing is built"),
    pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="with a sanitizer the library uses the pool of the process"),
]

MOST = 1024
# A program that prints the error codes and messages of initLibrary and of an operator.
LOAD = """
import ctypes, sys
ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
library = ctypes.CDLL(sys.argv[2])
library.diopiGetLastErrorString.restype = ctypes.c_char_p
for name, arguments in (("initLibrary", ()), ("diopiRelu", (None, None, None))):
    print(getattr(library, name)(*arguments), library.diopiGetLastErrorString().decode())
"""


def load(value: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LOAD, str(default_runtime()), str(default_library())],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "DIOPI_NUM_THREADS": value, **more},
    )


@pytest.mark.parametrize(
    "value",
    ["1000000000", "40000", str(MOST + 1), "2147483648", "4294967299", "9" * 300, "0", "-1", "+2", "abc", "3.5", "4,2"]
    + [" 2", "2 ", "0x4"],
)
def test_an_invalid_number_of_threads_is_refused(value: str) -> None:
    result = load(value)
    assert result.returncode == 0, result.stderr
    complaint = f"DIOPI_NUM_THREADS = {value[:64]}, expected a whole number from 1 to {MOST}"
    assert result.stdout.splitlines() == [f"1 {complaint}", f"1 diopiRelu: {complaint}"]


@pytest.mark.parametrize(
    ("value", "threads"), [("", "3"), ("1", "1"), ("7", "7"), ("007", "007"), (str(MOST), str(MOST))]
)
def test_a_valid_number_of_threads_is_used_and_an_empty_value_counts_as_unset(value: str, threads: str) -> None:
    result = load(value, OMP_NUM_THREADS="3", OMP_DISPLAY_ENV="true")
    assert result.stdout.splitlines()[0].startswith("0 "), result.stdout
    assert re.search(r"OMP_NUM_THREADS = '(\w+)'", result.stderr)[1] == str(int(threads))


def test_as_many_threads_as_are_allowed_can_be_started() -> None:
    environment = {"DIOPI_NUM_THREADS": str(MOST), "OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}
    case = "diopiExp/on_all_threads*/float32/contiguous"
    result = subprocess.run(
        [*RUN_TEST, "--case", case, "--jobs", "1"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
