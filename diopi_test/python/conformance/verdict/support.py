# SPDX-License-Identifier: BSD-3-Clause
"""Compares what a library says that it supports with what it does."""

from __future__ import annotations

from typing import Any

from ..lists import as_list
from ..run.binding import Outcome
from ..run.buffers import Buffer
from ..run.call import Run


def judge_support(run: Run, outcome: Outcome, vendor: Any) -> None:
    """Adds a complaint if the answers of diopiSupports() for the tensors of a call that succeeded are wrong.

    A tensor that the library does not support cannot be in such a call, except one without elements where the contract
    allows any dtype for it. A call is computed on the host if, and only if,
    the answer for one of its tensors is "fallback"; the vendor may also have asked for the host in this one call.
    """
    fallbacks = getattr(vendor, "fallbacks", None)
    if fallbacks is None or not fallbacks.known:
        return
    function = run.prepared.group.case.function
    free = {p.name for p in function.params if p.any_dtype_if_empty}
    answers = {
        (parameter, buffer.dtype): fallbacks.support(function.name, parameter, buffer.dtype)
        for parameter, value in run.arguments.items()
        for buffer in as_list(value)
        if isinstance(buffer, Buffer) and not (parameter in free and 0 in buffer.placement.shape)
    }
    for (parameter, dtype), answer in answers.items():
        if answer == "unsupported":
            run.complaints.append(f"the library says that it does not support {dtype} of {parameter}, but it does")
    promised = "fallback" in answers.values()
    if promised and not outcome.on_host:
        run.complaints.append("the library says that it computes this call on the host, but it did not")
    if answers and outcome.on_host and not promised and not outcome.asked:
        run.complaints.append("the library says that it computes this call on the device, but it did so on the host")
