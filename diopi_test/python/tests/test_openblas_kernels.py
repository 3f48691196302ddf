# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the private copy of OpenBLAS uses kernels for this processor, also if the processor is newer than it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.run.binding import default_library

COPIES = list((default_library().parent / "diopi").glob("libopenblas-diopi-*"))
CPU = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
PRINT_CORE = """
import ctypes, sys
core = ctypes.CDLL(sys.argv[1]).openblas_get_corename
core.restype = ctypes.c_char_p
print(core().decode())
"""


def core_name(**variables: str) -> str:
    environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"} | variables
    run = [sys.executable, "-c", PRINT_CORE, str(COPIES[0])]
    return subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.skipif(not COPIES, reason="there is no private copy of OpenBLAS")
@pytest.mark.skipif("GenuineIntel" not in CPU or "avx512vl" not in CPU, reason="not an Intel processor with AVX-512")
def test_an_intel_processor_with_avx512_gets_its_kernels_unless_the_user_chooses():
    assert core_name() == "SkylakeX"
    assert core_name(OPENBLAS_CORETYPE="Haswell") == "Haswell"
