# SPDX-License-Identifier: BSD-3-Clause
"""Tests of scripts/minimax, which makes the polynomials of the CPU vendor: the numbers of the sources are those that
it makes, it notices each kind of fault, and it writes what it makes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mpmath", reason="mpmath is an optional package (scripts/install_deps.sh --optional)")

ROOT = Path(__file__).resolve().parents[2]
LOG = "impl/cpu/math/log-inl.h"


def minimax(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts/minimax"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the sources that a test may change."""
    shutil.copytree(ROOT / "impl/cpu", tmp_path / "impl/cpu")
    shutil.copy(ROOT / ".clang-format", tmp_path)
    return tmp_path


def change(tree: Path, before: str, after: str, file: str = LOG) -> None:
    text = (tree / file).read_text(encoding="utf-8")
    assert text.count(before) == 1
    (tree / file).write_text(text.replace(before, after), encoding="utf-8")


def test_numbers_of_the_sources_are_those_that_the_script_makes() -> None:
    run = minimax("--check")
    assert run.returncode == 0, run.stderr


FAULTS = {
    "coefficient": ("0.333333254f", "0.333333284f", "coefficient 1 is 0.333333283662796,"),
    "bound": ("error 2^-58.8", "error 2^-58.9", "the error is 2^-58.82, the comment states 2^-58.9"),
    "no bound": ("error 2^-58.8", "a small error", "no comment inside the array or above it states its `error 2^-N`"),
    "constant": ("kLn2Low = 0x1.3de6af278ece6p-42", "kLn2Low = 0x1.3de6af278ece7p-42", "kLn2Low: log(2) must be"),
    "terms": (", 0.14796293264617544}", "}", "the array has 6 numbers instead of 7"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_check_finds(tree: Path, fault: str) -> None:
    before, after, message = FAULTS[fault]
    change(tree, before, after)
    run = minimax("--check", "--root", str(tree), "--only", "LogConstants")
    assert run.returncode == 1
    assert message in run.stderr


def test_numbers_that_are_in_no_list_are_found() -> None:
    sys.path.insert(0, str(ROOT / "scripts/minimax"))
    try:
        import sources
    finally:
        sys.path.pop(0)
    text = "constexpr double kOne = 1.0, kPi = 3.14159265358979, kHalf = 0x1p-1;  // 2.718281828\n"
    assert sources.long_numbers(text) == [(text.index("3.14"), "3.14159265358979")]


def test_write_restores_what_it_makes(tree: Path) -> None:
    files = [path for path in (tree / "impl/cpu/math").iterdir()]
    change(tree, "0.333333254f", "0.333333284f")
    change(tree, "kLn2Low = 0x1.3de6af278ece6p-42", "kLn2Low = 0x1.3de6af278ece7p-42")
    change(tree, ", 0.14796293264617544}", "}")
    change(tree, "kSlopeError,      0.232013553f", "kSlopeError,      0.232013568f", "impl/cpu/math/erf-inl.h")
    change(tree, "{1.0f, 0.716350794f", "{1.0f, 0.716350854f", "impl/cpu/math/tables-inl.h")
    for only in ("LogConstants", "ErfinvRangesOfFloat kNear", "TanhPieces"):
        assert minimax("--write", "--root", str(tree), "--only", only).returncode == 0
    for path in files:
        assert path.read_text() == (ROOT / path.relative_to(tree)).read_text(), path.name
