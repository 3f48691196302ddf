# SPDX-License-Identifier: BSD-3-Clause
"""Makes each allocation of a call fail in turn. The call must return an error and write nothing, or be right."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.run.binding import default_library, default_runtime

HERE = Path(__file__).resolve().parent
CASES = [
    "diopiAdd/input=3x4,other=3x4/float32/contiguous",
    "diopiCat/tensors=[2x4x3+3x4x3+1x4x3],dim=0/float32/contiguous",
    "diopiSort/*/float32/contiguous",
    "diopiMm/*/float32/contiguous",
    "diopiLinearBackward/grad_output=3x5,input=3x4,weight=5x4/float32/contiguous",
    "diopiConvolution2d/input=2x3x8x9,weight=4x3x3x2,bias=4/float32/contiguous",
    "diopiConvolution2dBackward/grad_output=2x4x6x8,input=2x3x8x9,weight=4x3x3x2/float32/contiguous",
    "diopiConvolution3dBackward/grad_output=2x4x5x7x7,input=2x3x5x6x7,weight=4x3x3x2x3/float32/contiguous",
]
# The smallest number of failures in a case that uses oneDNN, which allocates for each program that it builds.
MANY = 20

pytestmark = [
    pytest.mark.skipif(not default_runtime().exists() or not default_library().exists(), reason="nothing is built"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
    pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer brings its own malloc"),
]


@pytest.fixture(scope="module")
def allocator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("allocator") / "failing_malloc.so"
    flags = ["-O1", "-fno-builtin", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *flags, "-o", str(library), str(HERE / "failing_malloc.c")], check=True)
    return library


def starved(allocator: Path, case: str, *options: str) -> int:
    """The number of allocations that failed."""
    libraries = ["--runtime", str(default_runtime()), "--library", str(default_library())]
    result = subprocess.run(
        [sys.executable, str(HERE / "failing_malloc.py"), *libraries, "--case", case, *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LD_PRELOAD": str(allocator), "DIOPI_NUM_THREADS": "1", "DIOPI_CPU_CONV": "onednn"},
    )
    assert result.returncode == 0, result.stdout[-500:] + result.stderr[-500:]
    assert "WRONG" not in result.stdout, result.stdout[-2000:]
    return int(re.search(r"^done (\d+)", result.stdout, re.MULTILINE)[1])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.partition("/")[0])
def test_a_call_survives_each_allocation_that_fails(allocator: Path, case: str) -> None:
    assert starved(allocator, case, "--each") >= (MANY if "Convolution" in case else 0)


@pytest.mark.parametrize("case", CASES[:2], ids=lambda case: case.partition("/")[0])
def test_the_first_call_of_a_thread_survives_a_lack_of_memory(allocator: Path, case: str) -> None:
    limits = [str(n) for n in (0, 64, 256, 512, 1024, 2048, 4096, 8192, 12288)]
    assert starved(allocator, case, "--limits", *limits) == len(limits)
