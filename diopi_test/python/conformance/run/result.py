# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on one layout of one case."""

from __future__ import annotations

from dataclasses import dataclass

PASS, FALLBACK, FAIL, UNSUPPORTED, UNTRUSTED, SKIPPED, NOT_APPLICABLE = (
    "PASS",
    "FALLBACK",
    "FAIL",
    "UNSUPPORTED",
    "UNTRUSTED",
    "SKIPPED",
    "NOT_APPLICABLE",
)
STATUSES = (PASS, FALLBACK, FAIL, UNSUPPORTED, UNTRUSTED, SKIPPED, NOT_APPLICABLE)


# The verdicts on a call with the right result. FALLBACK: the library computed it on the host in place of the device.
RIGHT = (PASS, FALLBACK)


@dataclass(frozen=True)
class HostCall:
    """A call that the library computed on the host in place of the device."""

    reason: str  # absent, unsupported, configured or asked
    bytes: int  # copied from and to the device
    seconds: float  # spent in the call


@dataclass(frozen=True)
class Result:
    """The verdict on one layout of one case."""

    name: str
    status: str
    messages: tuple[str, ...] = ()
    arguments: str = ""  # shapes and strides of a failed call
    # The call wrote to memory of others, or the device is unusable after it: its process must make no further calls.
    tainted: bool = False
    digest: str = ""  # a hash of all bits of the outputs
    seconds: float = 0.0  # time of the whole case; the first layout of a group includes the preparation of the group
    call_seconds: float = 0.0  # time inside the library
    errors: tuple[tuple[str, str, float], ...] = ()  # output, its dtype, largest distance from the oracle in ULP
    host: HostCall | None = None  # the first call of the case, if the host computed it
