# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the judge finds every fault of conformance/faults, and that operators without a fault pass."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import pytest
from helpers import registry

from conformance.run.binding import default_library, default_runtime
from conformance.selfcheck.faults import __main__ as command
from conformance.selfcheck.faults.judging import HERE, FaultJudge, build
from conformance.selfcheck.faults.table import FAULTS

needs_libraries = pytest.mark.skipif(
    not (default_runtime().exists() and default_library().exists() and shutil.which("cc")),
    reason="libdiopirt.so and libdiopi_impl.so are not built, or there is no cc",
)


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    return FaultJudge(registry(), default_runtime(), default_library(), build(tmp_path_factory.mktemp("faults")))


@needs_libraries
@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
def test_the_fault_is_caught(judge, fault):
    finding = judge.judge(fault)
    assert finding.caught, finding.elsewhere or "every case passed"
    assert finding.case.startswith(f"{fault.operator}/") and re.search(fault.pattern, finding.message)


@needs_libraries
@pytest.mark.parametrize("name", ["depends_on_the_threads", "negative_dim_refused", "index_not_checked"])
def test_an_operator_without_fault_is_not_accused(judge, name):
    fault = next(f for f in FAULTS if f.name == name)
    finding = judge.judge(replace(fault, name="none"))
    assert not finding.caught and not finding.elsewhere


@needs_libraries
def test_a_failure_for_another_reason_is_a_survivor(judge):
    fault = next(f for f in FAULTS if f.name == "index_not_checked")
    finding = judge.judge(replace(fault, pattern="SIGSEGV"))
    assert not finding.caught and "got diopiSuccess" in finding.elsewhere


@needs_libraries
def test_a_survivor_is_the_exit_code(monkeypatch, capsys):
    monkeypatch.setattr(command, "FAULTS", (replace(FAULTS[-1], name="none"), FAULTS[-1]))
    assert command.main([]) == 1
    printed = capsys.readouterr().out
    assert "SURVIVED  none" in printed and f"caught  {FAULTS[-1].name}" in printed and "1 of 2 faults caught" in printed


def test_the_table_lists_what_the_library_can_do_wrong():
    built = set(re.findall(r'FAULT\("(\w+)"\)', "".join(path.read_text() for path in HERE.glob("*.c"))))
    assert built == {f.name for f in FAULTS}
    assert len(FAULTS) == len(built) >= 25
