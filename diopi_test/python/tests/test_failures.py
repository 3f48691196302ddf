# SPDX-License-Identifier: BSD-3-Clause
"""Tests selfcheck.failures: it must see the runtime calls of an operator, and what the operator does if one fails."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace

import pytest
from helpers import registry

from conformance.cases.suite import Selection
from conformance.run.binding import HostError, Runtime, default_library, default_runtime
from conformance.run.result import PASS, Result
from conformance.run.workers import Pool
from conformance.selfcheck.failures import __main__ as command
from conformance.selfcheck.failures.runtime import FailingRuntime, build, can_fail, source
from conformance.selfcheck.failures.sample import Seen, candidates, choose
from conformance.selfcheck.faults.judging import FaultJudge
from conformance.selfcheck.faults.judging import build as build_wrong
from conformance.selfcheck.faults.table import FAULTS
from conformance.vendor.profile import VendorProfile

RUNTIME_FAULTS = [f for f in FAULTS if f.runtime]
needs_libraries = pytest.mark.skipif(
    not (default_runtime().exists() and default_library().exists() and shutil.which("cc")),
    reason="libdiopirt.so and libdiopi_impl.so are not built, or there is no cc",
)


def test_every_function_of_the_runtime_that_returns_a_code_can_fail() -> None:
    names = {f.name for f in can_fail(registry())}
    assert {"diopiGetTensorData", "diopiRequireBuffer", "diopiGeneratorSetState", "diopiRecordEnd"} <= names
    assert names == set(re.findall(r"^diopiError_t (\w+)\(", source(registry()), re.MULTILINE))


def test_of_calls_that_ask_the_runtime_the_same_the_first_is_judged() -> None:
    add = candidates(registry(), Selection(("diopiAdd",)), VendorProfile())
    float32 = [g for g in add if g.dtype == "float32"][:3]
    other = replace(float32[0], dtype="float64")
    seen = [Seen(g, "contiguous", ("diopiGetTensorData",)) for g in (*float32, other)]
    seen.append(Seen(float32[2], "contiguous", ("diopiGetTensorData", "diopiRequireBuffer")))
    assert choose(seen) == [seen[0], seen[3], seen[4]]


def in_a_worker(task: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
    """The result of the task in another process, because this process must not load a runtime."""
    ((_, (result,)),) = Pool(lambda: lambda i: [Result("", PASS, task())], str, 1, 600).run([0])
    return result.messages


@needs_libraries
def test_only_the_runtime_calls_of_the_operator_are_recorded(tmp_path) -> None:
    failing, add = build(registry(), tmp_path), registry().functions["diopiAdd"]

    def calls() -> tuple[str, ...]:
        vendor = FailingRuntime(registry(), default_runtime(), default_library(), failing)
        return (vendor.call(add, {}).message, *vendor.calls)

    assert in_a_worker(calls) == ("diopiAdd: out is null", "diopiRecordStart", "diopiRecordEnd")


@needs_libraries
def test_a_message_of_another_operator_is_left_before_each_call(tmp_path) -> None:
    failing, functions = build(registry(), tmp_path), registry().functions

    def messages() -> tuple[str, ...]:
        vendor, left = FailingRuntime(registry(), default_runtime(), default_library(), failing), []
        for name in ("diopiAdd", vendor.refused[0].name):
            vendor.leave_message(functions[name])
            left.append(f"{vendor._last_error().decode()} ({name})")
        return tuple(left)

    for message in in_a_worker(messages):
        assert re.fullmatch(r"(\w+): ctx is null \((?!\1\))\w+\)", message), message


@needs_libraries
def test_a_runtime_that_is_loaded_already_is_an_error(tmp_path) -> None:
    failing = build(registry(), tmp_path)

    def answer() -> tuple[str, ...]:
        Runtime(registry(), default_runtime(), default_library())
        try:
            FailingRuntime(registry(), default_runtime(), default_library(), failing)
        except HostError as error:
            return (str(error),)
        return ()

    assert "has already loaded a runtime" in in_a_worker(answer)[0]


@needs_libraries
def test_operators_that_write_in_several_steps_take_their_memory_first(capsys) -> None:
    """Judges a sample of operators; scripts/test.sh judges all."""
    names = "LinearBackward LayerNormBackward Cat FusedAdamW ScatterScalar MaskedSelectBackward Dropout".split()
    assert command.main(["--fname", *names, "--jobs", "2", "--timeout", "900"]) == command.OK
    counts = re.search(r"(\d+) operators, (\d+) calls .* (\d+) passed, 0 failed", capsys.readouterr().out)
    assert int(counts[1]) == len(names) and int(counts[2]) > 1000


@needs_libraries
@pytest.mark.parametrize("fault", RUNTIME_FAULTS, ids=lambda f: f.name)
def test_cases_in_which_nothing_fails_do_not_find_these_faults(fault, tmp_path) -> None:
    judge = FaultJudge(registry(), default_runtime(), default_library(), build_wrong(tmp_path))
    finding = judge.judge(replace(fault, runtime=False))
    assert not finding.caught and not finding.elsewhere


def test_a_missing_library_is_an_error(capsys) -> None:
    assert command.main(["--fname", "diopiNothing"]) == command.USAGE
    assert command.main(["--library", "no/such.so"]) == command.NO_LIBRARY
    assert "no/such.so does not exist" in capsys.readouterr().err
