# SPDX-License-Identifier: BSD-3-Clause
"""Makes `diopi` and `adaptor` importable in any folder in which pytest is started, and loads the built library."""

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
    """Checks that each test leaves as many tensors in the runtime as it found."""
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
