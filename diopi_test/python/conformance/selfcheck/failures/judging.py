# SPDX-License-Identifier: BSD-3-Clause
"""Makes each call of the runtime fail in turn, and judges how the operator behaves."""

from __future__ import annotations

import re

from adaptor.codegen.model import Function

from ...cases.group import Group
from ...cases.prepare import prepare
from ...handles import seeds_of
from ...layouts import LAYOUTS
from ...oracle import Oracle
from ...run.binding import Outcome, Written
from ...run.call import Run, build, describe_arguments
from ...run.result import FAIL, PASS, Result
from ...verdict.call import digest, judge_offset, judge_outputs, untouched
from .runtime import CODE, FailingRuntime

MAX_COMPLAINTS = 8


def bits(run: Run) -> list[object]:
    """All results of a call, in a form that can be compared with the results of another call."""
    written = [v.values for v in run.outputs.values() if isinstance(v, Written)]
    return [digest(run), *written]


class _Series:
    """The calls of one case: one without failures, one for each call of the runtime that fails, and one without
    failures again."""

    def __init__(self, group: Group, layout: str, oracle: Oracle, vendor: FailingRuntime) -> None:
        self.layout, self.vendor = layout, vendor
        self.prepared = prepare(group, oracle, LAYOUTS[layout].fold)
        self.function: Function = group.case.function
        self.complaints: list[str] = []
        self.tainted = False

    def good_call(self, place: str) -> list[object] | None:
        """The results of a call in which no call of the runtime fails; None if they are wrong."""
        run = build(self.prepared, self.layout)
        outcome = self._call(run, 0)
        self._judge_success(run, outcome, place)
        return None if run.complaints else bits(run)

    def failing_calls(self, names: list[str], right: list[object]) -> None:
        run = build(self.prepared, self.layout)
        for number, name in enumerate(names, 1):
            place = f"{name}, call {number} of {len(names)}, failed"
            outcome = self._call(run, number)
            before = len(self.complaints)
            if outcome.code == "diopiSuccess":
                self._judge_success(run, outcome, place)
                if not run.complaints and bits(run) != right:
                    self.complaints.append(f"{place}: the call succeeded, but with other outputs")
            else:
                self._judge_failure(run, outcome, name, place)
            if outcome.code == "diopiSuccess" or len(self.complaints) > before:
                run = build(self.prepared, self.layout)

    def _call(self, run: Run, fail_at: int) -> Outcome:
        self.vendor.leave_message(self.function)
        self.vendor.fail_at = fail_at
        return self.vendor.call(self.function, run.arguments)

    def _judge_success(self, run: Run, outcome: Outcome, place: str) -> None:
        if outcome.code != "diopiSuccess":
            run.complaints.append(f"returned {outcome.code}: {outcome.message or 'no message'}")
        else:
            untouched(run, inside_outputs=False)
            judge_outputs(run)
            judge_offset(run, outcome)
        self._take_over(run, place)

    def _judge_failure(self, run: Run, outcome: Outcome, name: str, place: str) -> None:
        untouched(run, inside_outputs=True)
        for seed, offset in zip(seeds_of(run.arguments), outcome.generator_offsets):
            if offset != seed.offset:
                run.complaints.append(
                    f"the call failed, but it advanced the generator's offset from {seed.offset} to {offset}"
                )
        if outcome.code == "diopiDtypeNotSupported":
            run.complaints.append("the call returned diopiDtypeNotSupported, but the dtypes are supported")
        run.complaints += self._message_complaints(outcome.message, name)
        self._take_over(run, place)

    def _take_over(self, run: Run, place: str) -> None:
        self.complaints += [f"{place}: {c}" for c in run.complaints]
        self.tainted |= run.tainted

    def _message_complaints(self, message: str, name: str) -> list[str]:
        code = self.vendor.enums["diopiError_t"][CODE]
        wanted = {"the operator": self.function.name, "the function of the runtime": name, "its code": str(code)}
        missing = [
            f"{what} ({word})"
            for what, word in wanted.items()
            if not re.search(rf"(?<![A-Za-z0-9_]){word}(?![A-Za-z0-9_])", message)
        ]
        return [f"the message '{message}' does not name {', '.join(missing)}"] if missing else []


def judge_failures(group: Group, layout: str, oracle: Oracle, vendor: FailingRuntime) -> Result:
    """The verdict on one layout of one case."""
    name = f"{group.name}/{layout}"
    series = _Series(group, layout, oracle, vendor)
    right = series.good_call("nothing failed")
    names = list(vendor.calls)
    if right is not None:
        series.failing_calls(names, right)
        again = series.good_call("the call without failures after the others")
        if again is not None and again != right:
            series.complaints.append("the outputs without failures differ before and after the failing calls")
    if not series.complaints:
        return Result(name, PASS)
    arguments = describe_arguments(build(series.prepared, layout).arguments)
    shown = tuple(series.complaints[:MAX_COMPLAINTS])
    left_out = len(series.complaints) - len(shown)
    return Result(name, FAIL, shown + ((f"and {left_out} more",) if left_out else ()), arguments, series.tainted)
