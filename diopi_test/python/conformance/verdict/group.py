# SPDX-License-Identifier: BSD-3-Clause
"""Calls a vendor's operator with each variant of a group. The verdicts are PASS, FAIL, UNSUPPORTED or UNTRUSTED."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from adaptor.codegen.model import Function

from ..cases.case import VECTOR_OF_ONE
from ..oracle import Oracle
from ..run.binding import Outcome, Seed
from ..run.call import Run, applicable, build, describe_arguments
from ..run.inputs import FOLDS
from ..run.prepare import prepare, untrusted
from ..run.prepared import CaseError, Expected, Group, NotApplicable, Prepared
from ..run.result import FAIL, NOT_APPLICABLE, PASS, UNSUPPORTED, UNTRUSTED, Result
from ..run.vector_of_one import with_vectors
from .call import digest, expected_and_got, judge_invalid, judge_offset, judge_outputs, untouched

# (group, oracle, fold) -> the numbers of the group, or of its variant in which elements share memory.
Preparing = Callable[[Group, Oracle | None, str | None], Prepared]
# (group, parameter, dtype) -> the reason why the vendor declares this dtype as not supported, or None.
Refuses = Callable[[Group, str, str], str | None]


class Vendor(Protocol):
    """The implementation that is judged: a library with the runtime, or an object of a test."""

    def has(self, name: str) -> bool: ...

    def call(self, function: Function, arguments: dict[str, Any]) -> Outcome: ...


def run_group(
    group: Group,
    oracle: Oracle | None,
    vendor: Vendor,
    unsupported: str | None = None,
    supplied: Prepared | None = None,
    refuses: Refuses | None = None,
    preparing: Preparing = prepare,
) -> list[Result]:
    """The verdicts on every variant of the group.

    `unsupported` is the vendor's reason for not supporting the group, if there is one. `refuses` returns such a reason
    for an output, whose dtype only the oracle knows. `supplied` holds inputs and expected outputs from a file; where
    there are none, `preparing` makes them.
    """
    begun = time.perf_counter()
    try:
        prepared = supplied or preparing(group, oracle, None)
    except NotApplicable:
        return [Result(f"{group.name}/{group.variants[0]}", NOT_APPLICABLE)]
    except Exception as error:  # an error in a case or an oracle must not end the run
        return [Result(f"{group.name}/{group.variants[0]}", FAIL, (_judge_error(error),))]
    results = []
    distrust = untrusted(prepared)
    for variant in group.variants:
        name = f"{group.name}/{variant}"
        if not applicable(variant, prepared) or (variant in FOLDS and supplied is not None):
            continue
        if distrust:
            results.append(Result(name, UNTRUSTED, (distrust,)))
            break
        try:
            data = preparing(group, oracle, variant) if variant in FOLDS else prepared
            if variant == VECTOR_OF_ONE:
                data = with_vectors(prepared)
            refused = unsupported or _refused_output(data, refuses)
            if not refused and group.lowering is not None:
                refused = group.lowering.misfit(data.inputs)
            result = _run_variant(name, data, variant, vendor, refused)
            now = time.perf_counter()
            results.append(replace(result, seconds=now - begun))
            begun = now
        except NotApplicable:
            continue
        except Exception as error:
            results.append(Result(name, FAIL, (_judge_error(error),)))
    return results


def _refused_output(prepared: Prepared, refuses: Refuses | None) -> str | None:
    """The vendor's reason for not supporting the dtype of an output that the caller creates; None if there is none."""
    if refuses is None:
        return None
    for p in prepared.group.raw.function.params:
        expected = prepared.expected.get(p.name)
        for one in expected if isinstance(expected, list) else [expected]:
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


def _is_refusal(outcome: Outcome, expected: str, reason: str) -> bool:
    """Whether an invalid call got the error of a dtype that the vendor declares, before the error of the call."""
    if outcome.code != "diopiDtypeNotSupported":
        return False
    return expected != outcome.code or reason in (outcome.message or "")


def _run_variant(name: str, prepared: Prepared, variant: str, vendor: Vendor, unsupported: str | None) -> Result:
    raw = prepared.group.raw
    run = build(prepared, variant)
    begun = time.perf_counter()
    outcome = vendor.call(raw.function, run.arguments)
    run.call_seconds = time.perf_counter() - begun
    if raw.error is not None and unsupported is not None and _is_refusal(outcome, raw.error.code, unsupported):
        untouched(run, inside_outputs=True)
        if not run.complaints:
            return Result(name, UNSUPPORTED, (unsupported,), call_seconds=run.call_seconds)
    elif raw.error is not None:
        judge_invalid(run, outcome)
    elif unsupported is not None:
        if outcome.code == "diopiDtypeNotSupported":
            untouched(run, inside_outputs=True)
            if not run.complaints:
                return Result(name, UNSUPPORTED, (unsupported,), call_seconds=run.call_seconds)
        else:
            run.complaints.append(f"declared as not supported ({unsupported}), but returned {outcome.code}")
    elif outcome.code != "diopiSuccess":
        run.complaints.append(f"returned {outcome.code}: {outcome.message or 'no message'}")
        untouched(run, inside_outputs=True)
    else:
        untouched(run, inside_outputs=False)
        judge_outputs(run)
        judge_offset(run, outcome)
        if variant in ("contiguous", "channels_last") and _is_repeated(prepared, variant, outcome):
            _repeat(run, vendor, outcome)
    measured: dict[str, Any] = {"call_seconds": run.call_seconds, "errors": tuple(run.errors)}
    if not run.complaints:
        return Result(name, PASS, digest=digest(run) if raw.error is None else "", **measured)
    return Result(name, FAIL, tuple(run.complaints), describe_arguments(run.arguments), run.tainted, **measured)


def _is_repeated(prepared: Prepared, variant: str, outcome: Outcome) -> bool:
    """Whether to make the call twice: always for random operators, for two dtypes of other operators."""
    group = prepared.group
    chosen = variant == "contiguous" and group.dtype in (group.raw.dtypes[0], "float32")
    return chosen or outcome.generator_offset is not None


def _repeat(run: Run, vendor: Vendor, outcome: Outcome) -> None:
    """Makes the call again, which must give the same bits. A random operator must advance the generator."""
    again = build(run.prepared, run.variant)
    second = vendor.call(run.prepared.group.raw.function, again.arguments)
    seeds = [v for v in run.arguments.values() if isinstance(v, Seed)]
    if second != outcome:
        run.complaints.append(f"the same call again returned {second}, not {outcome}")
    for (name, _, first), (_, _, other) in zip(expected_and_got(run), expected_and_got(again)):
        if first.array is not None and first.array.tobytes() != other.array.tobytes():
            run.complaints.append(f"{name} differs between two calls with equal arguments")
    drew = any(e.values is None and 0 not in e.shape for _, e, _ in expected_and_got(run))
    if drew and seeds and (outcome.generator_offset or 0) <= seeds[0].offset:
        run.complaints.append("the generator's offset did not advance: the next call would repeat these numbers")
