# SPDX-License-Identifier: BSD-3-Clause
"""Judges errors that a device reports only when the host waits for it: those that depend on data."""

from __future__ import annotations

import re

from ..cases.case import Case
from ..run.binding import Outcome
from ..run.call import Run
from . import message
from .call import untouched


def may_be_late(case: Case) -> bool:
    """Whether all checks that an invalid call violates look at elements of tensors."""
    shown = case.error.shows if case.error is not None else ()
    depends = {check.slug: check.depends_on_data for check in case.function.checks}
    return bool(shown) and all(depends.get(slug, False) for slug in shown)


def judge_deferred(run: Run, outcome: Outcome) -> None:
    """Judges the error of the wait after a call that had to be refused. The outputs may have been written, but nothing
    else. The words before the name of the function are the runtime's."""
    case = run.prepared.group.case
    own = re.search(rf"\b{case.function.name}: .*", outcome.late, re.DOTALL)
    run.complaints += message.complaints(case.error, case.function, own.group() if own else outcome.late)
    untouched(run, inside_outputs=False)
