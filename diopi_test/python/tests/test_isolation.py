# SPDX-License-Identifier: BSD-3-Clause
"""Tests that PyTorch and our library in one process each use their own oneDNN, BLAS and OpenMP, in any loading
order."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from two_libraries import CALLERS

from conformance.run.binding import default_library, default_runtime

SCRIPT = Path(__file__).resolve().parent / "two_libraries.py"
COPIES = default_library().parent / "diopi"
POOL = 4  # the number of threads of our pool
MAX_OWN_TEAMS = 4  # PoolClaim::kMaxTeams
_BINDING = re.compile(r"binding file (?P<user>\S+) \[0\] to (?P<provider>\S+) \[0\]: \S+ symbol `(?P<symbol>[^']+)'")
# The symbols that all C++ programs share, and the framework's functions, which the runtime provides.
_SHARED = re.compile(
    r"/(ld-linux[^/]*|lib(c|m|dl|pthread|rt|stdc\+\+|gcc_s)\.so[^/]*|libdiopirt\.so[^/]*|python[^/]*)$"
)

pytestmark = pytest.mark.skipif(not COPIES.exists(), reason="the library is not built with private dependencies")
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")


@dataclass(frozen=True)
class Report:
    """The output of a process with both libraries, and its symbol bindings as (user, provider, symbol)."""

    data: dict
    bindings: set[tuple[str, str, str]]


def is_ours(file: str) -> bool:
    return file == str(default_library()) or Path(file).parent == COPIES


@pytest.fixture(scope="module", params=["ours", "theirs"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("bindings")
    result = subprocess.run(
        [
            sys.executable,
            str(SCRIPT),
            "--first",
            request.param,
            "--runtime",
            str(default_runtime()),
            "--library",
            str(default_library()),
        ],
        check=True,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "DIOPI_NUM_THREADS": str(POOL),
            "OMP_NUM_THREADS": "2",
            "LD_DEBUG": "bindings",
            "LD_DEBUG_OUTPUT": str(folder / "log"),
        },
    )
    bindings = set()
    for file in folder.iterdir():
        with file.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                match = _BINDING.search(line)
                if match and is_ours(match["user"]) != is_ours(match["provider"]):
                    bindings.add((match["user"], match["provider"], match["symbol"]))
    return Report(json.loads(result.stdout), bindings)


@needs_torch
def test_both_compute_right_results_in_turn_and_at_once(report: Report) -> None:
    assert report.data["problems"] == []


@needs_torch
def test_our_library_uses_nothing_of_others_but_what_all_share(report: Report) -> None:
    assert report.bindings, "the loader reported no bindings"
    foreign = {b for b in report.bindings if is_ours(b[0]) and not _SHARED.search(b[1])}
    assert not foreign


@needs_torch
def test_others_use_nothing_of_ours_but_operators(report: Report) -> None:
    lent = {b for b in report.bindings if not is_ours(b[0]) and not b[2].startswith("diopi")}
    assert not lent


@needs_torch
def test_each_has_its_own_openmp(report: Report) -> None:
    names = [Path(file).name for file in report.data["maps"]]
    assert len([n for n in names if n.startswith("libgomp-diopi-")]) == 1
    assert len([n for n in names if re.match(r"libgomp[-.](?!diopi)", n)]) == 1
    assert not [n for n in names if re.match(r"lib(dnnl|openblas|hwy|hwy_contrib)\.so", n)]


@needs_torch
def test_our_pool_has_its_size_and_no_more_threads_come(report: Report) -> None:
    data = report.data
    assert data["of_both"] == data["of_theirs"] + POOL - 1
    assert data["settled"] == data["of_both"]


@needs_torch
def test_many_callers_do_not_multiply_threads(report: Report) -> None:
    """Without a limit, each calling thread would start POOL - 1 threads."""
    added = report.data["crowded"] - report.data["settled"] - CALLERS
    assert added <= (MAX_OWN_TEAMS - 1) * (POOL - 1) + 1 + (POOL - 1)


def test_what_our_library_is_linked_with_is_what_all_share() -> None:
    text = subprocess.run(["readelf", "-d", str(default_library())], check=True, capture_output=True, text=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
    assert needed
    assert [n for n in needed if not _SHARED.search("/" + n)] == []


def test_the_size_of_our_pool_is_set_without_touching_the_environment() -> None:
    program = """
import ctypes, sys
ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
ctypes.CDLL(sys.argv[2])
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
print("seen", getenv(b"OMP_NUM_THREADS"), getenv(b"GOMP_SPINCOUNT"))
"""
    result = subprocess.run(
        [sys.executable, "-c", program, str(default_runtime()), str(default_library())],
        check=True,
        capture_output=True,
        text=True,
        env={
            "DIOPI_NUM_THREADS": "7",
            "OMP_NUM_THREADS": "3",
            "OMP_DISPLAY_ENV": "verbose",
            "PATH": os.environ["PATH"],
        },
    )
    shown = dict(re.findall(r"(\w+) = '(.*)'", result.stderr))
    assert shown["OMP_NUM_THREADS"] == "7"
    assert 100 < int(shown["GOMP_SPINCOUNT"]) < 1_000_000
    assert result.stdout == "seen b'3' None\n"
