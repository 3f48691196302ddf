# SPDX-License-Identifier: BSD-3-Clause
"""Tests that one case fails if a worker process dies."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers import group_of

from conformance.run.result import FAIL, PASS, UNSUPPORTED, Result
from conformance.run.workers import IDLE, LibraryError, Pool, _begin
from conformance.verdict.processes import Processes

ITEMS = 60
LONG = 600.0  # a time limit in seconds that no test reaches on any machine


def make_task_of(action):
    def make_task():
        def task(item):
            action(item)
            return [Result(f"case {item}", PASS)]

        return task

    return make_task


def run(action, jobs=2):
    pool = Pool(make_task_of(action), lambda i: f"case {i}", jobs, LONG)
    results = [r for _, group in pool.run(range(ITEMS)) for r in group]
    assert sorted(r.name for r in results) == sorted(f"case {i}" for i in range(ITEMS))
    return {r.name: r for r in results if r.status == FAIL}


def test_all_items_are_run_once():
    assert run(lambda item: None, jobs=3) == {}


@pytest.mark.parametrize(
    "action, reason",
    [
        (lambda: os.abort(), "SIGABRT"),
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), "SIGSEGV"),
        (lambda: os._exit(3), "exit code 3"),
    ],
)
def test_a_crash_is_one_failed_case(action, reason):
    failed = run(lambda item: action() if item in (0, 17, 18) else None)
    assert set(failed) == {"case 0", "case 17", "case 18"}
    assert all(reason in r.messages[0] for r in failed.values())


@pytest.fixture
def group(tmp_path):
    return group_of(
        tmp_path,
        "addc",
        """
  - names: [diopiAddcmul]
    dtypes: float32
    cases:
      - {input: [3, 4], tensor1: [3, 4], tensor2: [3, 4], value: 1}
""",
        ("contiguous", "transposed", "sliced", "expanded"),
    )


def judged(group, fatal):
    """The status and message of each verdict. `fatal` says at which layouts of a group the process dies."""

    def judging(one):
        results = []
        for layout in one.layouts:
            if fatal(one, layout):
                os.abort()
            results.append(Result(f"{one.name}/{layout}", UNSUPPORTED if layout == "sliced" else PASS))
        return results

    ((position, results),) = Processes(lambda: judging, 2, LONG).judge([group], [0])
    assert position == 0
    return {r.name.removeprefix(group.name): (r.status, *r.messages) for r in results}


def test_a_crash_is_the_verdict_on_its_layout_and_the_others_have_their_own(group):
    crash = (FAIL, "the process died of SIGABRT")
    assert judged(group, lambda one, layout: layout in ("transposed", "expanded")) == {
        "/contiguous": (PASS,),
        "/transposed": crash,
        "/sliced": (UNSUPPORTED,),
        "/expanded": crash,
    }


def test_a_crash_that_no_layout_repeats_is_the_verdict_on_the_whole_group(group):
    found = judged(group, lambda one, layout: len(one.layouts) > 1 and layout == "sliced")
    assert found.pop("") == (
        FAIL,
        "the process died of SIGABRT when it judged all layouts of the case; "
        "each layout in a process of its own passes",
    )
    assert len(found) == 4


def test_items_apart_have_a_process_each():
    def make_task():
        return lambda item: [Result(str(os.getpid()), PASS)]

    pool = Pool(make_task, str, 2, LONG, apart=True)
    assert len({r.name for _, (r,) in pool.run(range(8))}) == 8


def test_a_hang_is_one_failed_case():
    """The short time limit applies only to the hanging item."""
    pool, failed, done = Pool(make_task_of(lambda item: time.sleep(600) if item == 5 else None), str, 1, LONG), {}, []
    for item, group in pool.run(range(ITEMS)):
        pool.timeout = 0.1 if item == 4 else LONG
        done.append(item)
        failed.update((item, r.messages[0]) for r in group if r.status == FAIL)
    assert sorted(done) == list(range(ITEMS)) and failed == {5: "no answer within 0.1 s"}


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
            return [Result(f"case {item}", PASS, digest=str(os.getpid()))]

        return task

    results, pool = {}, Pool(make_task, lambda i: f"case {i}", 1, LONG)
    for item, group in pool.run(range(8)):
        results[item] = group[0]
        if item == 0:
            os.waitid(os.P_PID, int(group[0].digest), os.WEXITED | os.WNOWAIT)
        pool.timeout = 0.0 if item == 0 else LONG
    assert len(results) == 8 and "SIGABRT" in results[1].messages[0]


def test_a_case_that_follows_a_late_answer_is_no_hang(tmp_path):
    """The worker is killed because of item 0, but answers before it dies, and has started item 1 by then."""

    class LatePool(Pool):
        def _check_time_limit(self, worker):
            if worker.current.value == 1 and begun.exists() and worker.expired == IDLE:
                worker.expired = 0
                worker.process.kill()

    def action(item):
        if item == 1 and not begun.exists():
            begun.touch()
            time.sleep(600)

    begun = tmp_path / "begun"
    results = dict(LatePool(make_task_of(action), str, 1, LONG).run(range(4)))
    assert [results[item][0].status for item in range(4)] == [PASS] * 4


def test_a_death_in_the_middle_of_an_answer_loses_nothing():
    def make_task():
        return lambda item: [Result(str(os.getpid()), PASS, digest="x" * (10_000_000 if item == 1 else 0))]

    done = []
    for item, (result,) in Pool(make_task, str, 1, LONG).run(range(4)):
        done.append(item)
        if item == 0:
            time.sleep(0.5)  # the next answer fills the pipe, because no process reads it
            os.kill(int(result.name), signal.SIGKILL)
    assert sorted(done) == list(range(4))


def test_a_tainted_process_is_replaced():
    def make_task():
        seen = []

        def task(item):
            seen.append(item)
            return [Result(f"case {item}", FAIL if len(seen) > 1 and seen[-2] == 7 else PASS, tainted=item == 7)]

        return task

    results = [r for _, group in Pool(make_task, str, 2, LONG).run(range(ITEMS)) for r in group]
    assert len(results) == ITEMS and all(r.status == PASS for r in results)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux ends the children of a killed process")
def test_a_killed_run_leaves_no_workers():
    """Every living worker holds the pipe open, so the pipe closes only after all workers have ended."""
    read, write = os.pipe()
    code = f"""
import os, sys, time
sys.path.insert(0, {str(Path(__file__).resolve().parents[1])!r})
from conformance.run.workers import Pool
def task(item):
    os.write({write}, b"begun")
    time.sleep(600)
list(Pool(lambda: task, str, 1, 600.0).run([0]))
"""
    run = subprocess.Popen([sys.executable, "-c", code], pass_fds=[write])
    os.close(write)
    assert os.read(read, 100) == b"begun"
    run.kill()
    run.wait()
    assert select.select([read], [], [], 300)[0] and os.read(read, 100) == b""
    os.close(read)


def test_a_library_that_does_not_load_is_reported_once():
    def make_task():
        raise OSError("no such library")

    with pytest.raises(LibraryError, match="no such library"):
        list(Pool(make_task, str, 2, LONG).run(range(4)))
