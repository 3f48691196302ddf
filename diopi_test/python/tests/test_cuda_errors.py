# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the vendor cuda and the emulation know which errors of CUDA are final, as CUDA's header says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance import REPOSITORY

HEADER = "driver_types.h"
FOLDERS = (
    Path("/usr/local/cuda/include"),
    *REPOSITORY.glob(".venv/lib/python3*/site-packages/nvidia/cu13/include"),
)
COMMENTED = re.compile(r"/\*\*((?:(?!\*/).)*)\*/\s*(cudaError\w+)\s*=\s*(\d+)", re.DOTALL)
SOURCES = ("impl/cuda/engine/stream.cpp", "diopi_test/emulation/cuda/api.cpp")


def header() -> str:
    found = next((folder / HEADER for folder in FOLDERS if (folder / HEADER).is_file()), None)
    if found is None:
        pytest.skip(f"there is no {HEADER} of CUDA 13; scripts/install_deps.sh --cuda installs it")
    return found.read_text(encoding="utf-8")


@pytest.mark.parametrize("source", SOURCES)
def test_final_errors_are_those_of_cudas_header(source):
    final = {
        name
        for text, name, _ in COMMENTED.findall(header())
        if re.search(r"terminated\s+(?:\*\s+)?and\s+relaunched", text)
    }
    ours = set(re.findall(r"case (cudaError\w+):", (REPOSITORY / source).read_text(encoding="utf-8")))
    # The header does not say so of errors of the memory, but all later calls fail.
    assert final and ours == final | {"cudaErrorECCUncorrectable"}


def test_the_emulation_has_the_codes_of_cudas_header():
    codes = dict(re.findall(r"\b(cuda(?:Success|Error\w+))\s*=\s*(\d+)", header()))
    table = (REPOSITORY / "diopi_test/emulation/cuda/include/diopi_emulation/errors.def").read_text(encoding="utf-8")
    ours = dict(re.findall(r"DIOPI_EMULATION_ERROR\((\w+), (\d+),", table))
    assert ours and ours == {name: codes.get(name) for name in ours}
