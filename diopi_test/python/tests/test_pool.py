"""A worker's death costs one case."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conformance.execute import FAIL, PASS, Result
from conformance.pool import IDLE, LibraryError, Pool, _begin

ITEMS = 60


def run(harm, jobs=2, timeout=60.0):
    def make_task():
        def task(item):
            harm(item)
            return [Result(f"case {item}", PASS)]
        return task
    pool = Pool(make_task, lambda i: f"case {i}", jobs, timeout)
    results = [r for _, group in pool.run(range(ITEMS)) for r in group]
    assert sorted(r.name for r in results) == sorted(f"case {i}" for i in range(ITEMS))
    return {r.name: r for r in results if r.status == FAIL}


def test_all_items_are_run_once():
    assert run(lambda item: None, jobs=3) == {}


@pytest.mark.parametrize("harm, said", [
    (lambda: os.abort(), "SIGABRT"),
    (lambda: os.kill(os.getpid(), signal.SIGSEGV), "SIGSEGV"),
    (lambda: os._exit(3), "exit code 3"),
])
def test_a_crash_is_one_failed_case(harm, said):
    failed = run(lambda item: harm() if item in (0, 17, 18) else None)
    assert set(failed) == {"case 0", "case 17", "case 18"}
    assert all(said in r.messages[0] for r in failed.values())


def test_a_hang_is_one_failed_case():
    failed = run(lambda item: time.sleep(60) if item == 5 else None, timeout=1.0)
    assert set(failed) == {"case 5"} and "no answer within 1 s" in failed["case 5"].messages[0]


def test_a_worker_never_shows_an_item_beside_an_older_clock():
    class Shared:
        def __init__(self, value):
            super().__setattr__("value", value)

        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            assert current.value == IDLE or since.value > 0

    current, since = Shared(IDLE), Shared(0.0)
    _begin(3, current, since)
    assert current.value == 3


def test_a_crash_that_is_seen_late_is_a_crash():
    def make_task():
        def task(item):
            if item == 1:
                os.abort()
            return [Result(f"case {item}", PASS)]
        return task
    results = {}
    for item, group in Pool(make_task, lambda i: f"case {i}", 1, 0.3).run(range(8)):
        results[item] = group[0]
        time.sleep(1.0 if item == 0 else 0.0)
    assert "SIGABRT" in results[1].messages[0]


def test_a_tainted_process_is_replaced():
    def make_task():
        seen = []

        def task(item):
            seen.append(item)
            return [Result(f"case {item}", FAIL if len(seen) > 1 and seen[-2] == 7 else PASS, tainted=item == 7)]
        return task
    results = [r for _, group in Pool(make_task, str, 2, 60.0).run(range(ITEMS)) for r in group]
    assert len(results) == ITEMS and all(r.status == PASS for r in results)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux ends the children of a killed process")
def test_a_killed_run_leaves_no_workers(tmp_path):
    said = tmp_path / "pid"
    code = f"""
import os, pathlib, sys, time
sys.path.insert(0, {str(Path(__file__).resolve().parents[1])!r})
from conformance.pool import Pool
def task(item):
    pathlib.Path({str(said)!r}).write_text(str(os.getpid()) + chr(10))
    time.sleep(60)
list(Pool(lambda: task, str, 1, 60.0).run([0]))
"""
    run = subprocess.Popen([sys.executable, "-c", code])
    until(lambda: said.exists() and said.read_text().endswith("\n"))
    run.kill()
    run.wait()
    worker = Path("/proc") / said.read_text().strip() / "stat"
    until(lambda: not worker.exists() or worker.read_text().rpartition(") ")[2].startswith("Z"))


def until(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_library_that_does_not_load_is_said_once():
    def make_task():
        raise OSError("no such library")
    with pytest.raises(LibraryError, match="no such library"):
        list(Pool(make_task, str, 2, 60.0).run(range(4)))
