# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a full disk costs one line: the program's results and its exit status stay as they are."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from layer_runs import Run

MODES = ("trace", "capture", "compare", "time", "memory", "values", "fallback", "contract")
RESULT = "11 13 15 17\n11 13 15 17\n11 13 15 17 19 21 23 25 27 29 31 33\n"
BYTES = 40  # less than any file that a mode writes


def limit_file_sizes(action: signal.Handlers) -> Callable[[], None]:
    """Like `ulimit -f`: a write beyond the limit sends SIGXFSZ, and fails if the signal does not end the process."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, action)
        resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES, BYTES))

    return limit


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("action", [signal.SIG_IGN, signal.SIG_DFL])
def test_files_cannot_grow(tmp_path: Path, mode: str, action: signal.Handlers) -> None:
    run = Run(tmp_path, "shapes", mode, prepare=limit_file_sizes(action))
    assert (run.status, run.output) == (0, RESULT)
    assert run.notes.startswith("diopi-layer: ") and run.notes.endswith(" cannot be written: File too large\n")
    assert run.notes.count("\n") == 1
    assert all(p.stat().st_size <= BYTES for f in run.folders for p in f.rglob("*") if p.is_file())


def test_the_signal_stays_with_the_program(tmp_path: Path) -> None:
    """The program's own write beyond the limit ends it, under the layer as without it."""
    prepare = limit_file_sizes(signal.SIG_DFL)
    assert Run(tmp_path / "none", "write", None, prepare=prepare).status == -signal.SIGXFSZ
    assert Run(tmp_path / "trace", "write", "trace", prepare=prepare).status == -signal.SIGXFSZ


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("a file system can be mounted only by root, outside of restricted containers")
    try:
        (folder / "filler").write_bytes(bytes(64 << 10))
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("mode", MODES)
def test_no_space_is_left(full_disk: Path, mode: str) -> None:
    run = Run(full_disk, "shapes", mode)
    assert (run.status, run.output) == (0, RESULT)
    assert run.notes.endswith(": No space left on device\n") and run.notes.count("\n") == 1
