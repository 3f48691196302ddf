# SPDX-License-Identifier: BSD-3-Clause
"""Calls a vendor's operator with each layout of a group. The verdicts are those of run/result.py."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from adaptor.codegen.model import Function

from ..cases.case import FUZZED, RANDOM
from ..cases.fuzzed import prepare_fuzzed
from ..cases.group import Group
from ..cases.prepare import prepare, untrusted
from ..cases.prepared import CaseError, Expected, NotApplicable, Prepared
from ..handles import Passed, seeds_of
from ..layouts import LAYOUTS, Fold, Layout
from ..lists import as_list
from ..oracle import Oracle
from ..run.binding import Outcome
from ..run.call import Run, build, describe_arguments, tensors_of
from ..run.reserved_buffer import TooLargeForDevice
from ..run.result import FAIL, FALLBACK, NOT_APPLICABLE, PASS, SKIPPED, UNSUPPORTED, UNTRUSTED, Result
from ..run.vector_of_one import with_vectors
from .call import digest, expected_and_got, judge_invalid, judge_offset, judge_outputs, left_alone, untouched
from .deferred import judge_deferred, may_be_late
from .fuzzed import judge_fuzzed
from .support import judge_refusal, judge_support

# (group, oracle, fold) -> the numbers of the group. With a fold, elements of inputs share memory.
Preparing = Callable[[Group, Oracle | None, Fold | None], Prepared]
# (group, parameter, dtype) -> the reason why the vendor declares this dtype as not supported, or None.
Refuses = Callable[[Group, str, str], str | None]


class Vendor(Protocol):
    """The implementation that is judged: a library with the runtime, or an object of a test."""

    def has(self, name: str) -> bool: ...

    def call(self, function: Function, arguments: dict[str, Passed]) -> Outcome: ...


def run_group(
    group: Group,
    oracle: Oracle | None,
    vendor: Vendor,
    unsupported: str | None = None,
    supplied: Prepared | None = None,
    refuses: Refuses | None = None,
    preparing: Preparing = prepare,
    defers: bool = False,
) -> list[Result]:
    """The verdicts on every layout of the group.

    `unsupported` is the vendor's reason for not supporting the group, if there is one. `refuses` returns such a reason
    for an output, whose dtype only the oracle knows. `supplied` holds inputs and expected outputs from a file; where
    there are none, `preparing` makes them. `defers` says whether the vendor may report an error that depends on data
    when the judge waits for the device.
    """
    begun = time.perf_counter()
    preparing = prepare_fuzzed if group.case.hostile == FUZZED else preparing
    try:
        prepared = supplied or preparing(group, oracle, None)
    except NotApplicable:
        return [Result(f"{group.name}/{group.layouts[0]}", NOT_APPLICABLE)]
    except Exception as error:  # an error in a case or an oracle must not end the run
        if group.case.hostile == RANDOM:  # its sizes do not fit each other
            return [Result(f"{group.name}/{group.layouts[0]}", NOT_APPLICABLE)]
        return [Result(f"{group.name}/{group.layouts[0]}", FAIL, (_judge_error(error),))]
    results = []
    distrust, tensors = untrusted(prepared), tensors_of(prepared)
    for layout in (LAYOUTS[name] for name in group.layouts):
        name = f"{group.name}/{layout.name}"
        if not layout.applies(tensors) or (layout.fold is not None and supplied is not None):
            continue
        if distrust:
            results.append(Result(name, UNTRUSTED, (distrust,)))
            break
        try:
            data = preparing(group, oracle, layout.fold) if layout.fold else prepared
            data = with_vectors(data) if layout.as_vectors else data
            refused = unsupported or _refused_output(data, refuses)
            if not refused and group.declared_casts is not None:
                refused = group.declared_casts.misfit(data.inputs)
            result = _run_layout(name, data, layout, vendor, refused, defers)
            now = time.perf_counter()
            results.append(replace(result, seconds=now - begun))
            begun = now
            if result.tainted:
                break  # this process must make no further calls
        except NotApplicable:
            continue
        except TooLargeForDevice as error:
            results.append(Result(name, SKIPPED, (str(error),)))
        except Exception as error:
            results.append(Result(name, FAIL, (_judge_error(error),)))
    return results


def _refused_output(prepared: Prepared, refuses: Refuses | None) -> str | None:
    """The vendor's reason for not supporting the dtype of an output that the caller creates; None if there is none."""
    if refuses is None:
        return None
    for p in prepared.group.case.function.params:
        expected = prepared.expected.get(p.name)
        for one in as_list(expected):
            if isinstance(one, Expected) and not p.allocates:
                reason = refuses(prepared.group, p.name, one.dtype)
                if reason is not None:
                    return reason
    return None


def _judge_error(error: Exception) -> str:
    if isinstance(error, CaseError):
        return f"the case or its oracle is wrong: {error}"
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"the judge failed: {type(error).__name__}: {error} ({place.filename}:{place.lineno})"


def _is_refusal(outcome: Outcome, expected: str | None, reason: str) -> bool:
    """Whether a call got the error of a dtype that the vendor declares. In an invalid call, whose `expected` error may
    have the same code, the message tells which of the two it is."""
    if outcome.code != "diopiDtypeNotSupported":
        return False
    return expected != outcome.code or reason in (outcome.message or "")


def _run_layout(
    name: str, prepared: Prepared, layout: Layout, vendor: Vendor, unsupported: str | None, defers: bool
) -> Result:
    case = prepared.group.case
    run = build(prepared, layout.name)
    begun = time.perf_counter()
    outcome = vendor.call(case.function, run.arguments)
    run.call_seconds = time.perf_counter() - begun
    expected = case.error.code if case.error is not None else None
    if case.hostile == FUZZED:
        judge_fuzzed(run, outcome, defers)
    elif outcome.late and defers and may_be_late(case) and outcome.code == "diopiSuccess" and not outcome.lost:
        judge_deferred(run, outcome)
    elif outcome.late:
        _judge_late(run, outcome, "")
    elif unsupported is not None and _is_refusal(outcome, expected, unsupported):
        untouched(run, inside_outputs=True)
        judge_refusal(run, vendor)
        if not run.complaints:
            return Result(name, UNSUPPORTED, (unsupported,), call_seconds=run.call_seconds)
    elif case.error is not None:
        judge_invalid(run, outcome)
    elif unsupported is not None:
        run.complaints.append(f"declared as not supported ({unsupported}), but returned {outcome.code}")
    elif outcome.code != "diopiSuccess":
        run.complaints.append(f"returned {outcome.code}: {outcome.message or 'no message'}")
        untouched(run, inside_outputs=True)
    else:
        untouched(run, inside_outputs=False)
        left_alone(run)
        judge_outputs(run)
        judge_offset(run, outcome)
        judge_support(run, outcome, vendor)
        if _is_repeated(prepared.group, layout, outcome):
            _repeat(run, vendor, outcome)
    measured: dict[str, Any] = {"call_seconds": run.call_seconds, "errors": tuple(run.errors), "host": outcome.host}
    if case.hostile == RANDOM and outcome.code == "diopiErrorOccurred" and len(run.complaints) == 1 and not run.tainted:
        return Result(name, NOT_APPLICABLE)  # the contract forbids the call, because its sizes do not fit each other
    if not run.complaints:
        right = FALLBACK if outcome.on_host else PASS
        return Result(
            name, right, digest=digest(run) if case.error is None and case.hostile != FUZZED else "", **measured
        )
    return Result(name, FAIL, tuple(run.complaints), describe_arguments(run.arguments), run.tainted, **measured)


def _judge_late(run: Run, outcome: Outcome, which: str) -> None:
    """Complains about an error of the device that came after the call had returned."""
    run.tainted |= outcome.lost
    usable = "; the device is unusable after it" if outcome.lost else ""
    run.complaints.append(f"{which}returned {outcome.code}, but then the device failed: {outcome.late}{usable}")


def _is_repeated(group: Group, layout: Layout, outcome: Outcome) -> bool:
    """Whether to make the call twice: always for random operators, for two dtypes of other operators."""
    chosen = layout.repeated and group.dtype in (group.case.dtypes[0], "float32")
    return chosen or (layout.repeated_if_random and bool(outcome.generator_offsets))


def _repeat(run: Run, vendor: Vendor, outcome: Outcome) -> None:
    """Makes the call again, which must give the same bits. A random operator must advance the generator."""
    again = build(run.prepared, run.layout)
    second = vendor.call(run.prepared.group.case.function, again.arguments)
    if second.late:
        _judge_late(run, second, "the same call again ")
        return
    seeds = seeds_of(run.arguments)
    if second != outcome:
        run.complaints.append(f"the same call again returned {second}, not {outcome}")
    for (name, _, first), (_, _, other) in zip(expected_and_got(run), expected_and_got(again)):
        if first.array is not None and first.array.tobytes() != other.array.tobytes():
            run.complaints.append(f"{name} differs between two calls with equal arguments")
    drew = any(e.values is None and not e.unwritten and 0 not in e.shape for _, e, _ in expected_and_got(run))
    stayed = any(offset <= seed.offset for seed, offset in zip(seeds, outcome.generator_offsets))
    if drew and run.prepared.oracle.draws is None and stayed:
        run.complaints.append("the generator's offset did not advance: the next call would repeat these numbers")
