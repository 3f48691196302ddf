# SPDX-License-Identifier: BSD-3-Clause
"""Makes `diopi` and `adaptor` importable from wherever pytest is started, and loads the library that was built."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT, ROOT / "python"):
    sys.path.insert(0, str(folder))


@pytest.fixture(scope="session")
def lib():
    import diopi

    return diopi.load()


@pytest.fixture(autouse=True)
def nothing_is_left(request):
    """After each test as many tensors are alive in the runtime as before it."""
    import ctypes
    import gc

    from diopi.runtimes import current_runtime

    def alive() -> int:
        counts = (ctypes.c_int64 * 7)()
        current_runtime().do("diopirtGetStatistics", counts)
        return counts[0]

    if "lib" not in request.fixturenames:
        yield
        return
    before = alive()
    yield
    if alive() > before:
        gc.collect()
    assert alive() <= before
