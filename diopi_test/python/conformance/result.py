# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on one variant of one case."""

from __future__ import annotations

from dataclasses import dataclass

PASS, FAIL, UNSUPPORTED, UNTRUSTED, SKIPPED, NOT_APPLICABLE = (
    "PASS",
    "FAIL",
    "UNSUPPORTED",
    "UNTRUSTED",
    "SKIPPED",
    "NOT_APPLICABLE",
)
STATUSES = (PASS, FAIL, UNSUPPORTED, UNTRUSTED, SKIPPED, NOT_APPLICABLE)


@dataclass(frozen=True)
class Result:
    """The verdict on one variant of one case."""

    name: str
    status: str
    messages: tuple[str, ...] = ()
    arguments: str = ""  # shapes and strides, for a failure
    tainted: bool = False  # the call wrote to foreign memory: the process that made it is not to be trusted further
    digest: str = ""  # of every bit of the outputs
    seconds: float = 0.0  # for the whole case; the first layout of a group has the preparation of all of them
    call_seconds: float = 0.0  # inside the library
    errors: tuple[tuple[str, str, float], ...] = ()  # output, its dtype, largest distance from the oracle in ULP
