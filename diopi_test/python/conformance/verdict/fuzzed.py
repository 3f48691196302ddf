# SPDX-License-Identifier: BSD-3-Clause
"""Judges a fuzzed call: it fails and changes nothing, or it succeeds with the results that the oracle computes."""

from __future__ import annotations

from ..cases.fuzzed import expect_results
from ..run.binding import Outcome
from ..run.call import Run
from . import message
from .call import judge_offset, judge_outputs, left_alone, untouched

REFUSALS = ("diopiErrorOccurred", "diopiDtypeNotSupported", "diopiNoImplement")


def judge_fuzzed(run: Run, outcome: Outcome, defers: bool) -> None:
    """Adds what is wrong to `run.complaints`. `defers` says whether the vendor may report an error that depends on data
    when the judge waits for the device; the outputs may have been written then."""
    if outcome.code != "diopiSuccess":
        _judge_refusal(run, outcome)
    elif outcome.late and (outcome.lost or not defers):
        run.tainted |= outcome.lost
        run.complaints.append(f"returned {outcome.code}, but then the device failed: {outcome.late}")
    elif outcome.late:
        untouched(run, inside_outputs=False)
        run.complaints += message.without_function(run.prepared.group.case.function, outcome.late)
    else:
        _judge_success(run, outcome)


def _judge_refusal(run: Run, outcome: Outcome) -> None:
    untouched(run, inside_outputs=True)
    if outcome.code not in REFUSALS:
        run.complaints.append(f"returned {outcome.code}: {outcome.message or 'no message'}")
    elif outcome.has_message:
        run.complaints += message.without_function(run.prepared.group.case.function, outcome.message)


def _judge_success(run: Run, outcome: Outcome) -> None:
    untouched(run, inside_outputs=False)
    if run.prepared.only_memory:
        return  # the cases judge such numbers, within the limits of each operator
    why = expect_results(run.prepared)
    if why is not None:
        run.complaints.append(f"succeeded, but the oracle cannot compute this call: {why}")
        return
    left_alone(run)
    judge_outputs(run)
    judge_offset(run, outcome)
