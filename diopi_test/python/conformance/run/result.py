# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on one layout of one case."""

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
    """The verdict on one layout of one case."""

    name: str
    status: str
    messages: tuple[str, ...] = ()
    arguments: str = ""  # shapes and strides of a failed call
    tainted: bool = False  # the call wrote to memory of others, so its process must not make further calls
    digest: str = ""  # a hash of all bits of the outputs
    seconds: float = 0.0  # time of the whole case; the first layout of a group includes the preparation of the group
    call_seconds: float = 0.0  # time inside the library
    errors: tuple[tuple[str, str, float], ...] = ()  # output, its dtype, largest distance from the oracle in ULP
