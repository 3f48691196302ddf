# SPDX-License-Identifier: BSD-3-Clause
"""Compares what a library says that it supports with what it does, and with what its vendor declares."""

from __future__ import annotations

from typing import Any

from ..cases.case import TensorSpec
from ..cases.group import Group
from ..lists import as_list
from ..run.binding import Outcome
from ..run.buffers import Buffer
from ..run.call import Run

Answers = dict[tuple[str, str], str]  # (parameter, dtype) -> the answer of diopiSupports()


def is_for_host(group: Group, vendor: Any) -> bool:
    """Whether the library says that it computes the group on the host, because of a tensor that the case names."""
    fallbacks, operator = _fallbacks_of(vendor), group.case.function.name
    specs = ((name, s) for name, value in group.case.arguments.items() for s in as_list(value))
    return fallbacks is not None and any(
        isinstance(spec, TensorSpec)
        and fallbacks.support(operator, name, spec.claims or spec.dtype or group.dtype) == "fallback"
        for name, spec in specs
    )


def judge_support(run: Run, outcome: Outcome, vendor: Any) -> None:
    """Adds a complaint if the answers of diopiSupports() for the tensors of a call that succeeded are wrong.

    A tensor that the library does not support cannot be in such a call. A call is computed on the host if, and only if,
    the answer for one of its tensors is "fallback"; the vendor may also have asked for the host in this one call. A
    tensor of any other call is converted if, and only if, the vendor declares a conversion of its dtype.
    """
    answers, casts = _answers(run, vendor), run.prepared.group.declared_casts
    promised = "fallback" in answers.values()
    for (parameter, dtype), answer in answers.items():
        if answer == "unsupported":
            run.complaints.append(f"the library says that it does not support {dtype} of {parameter}, but it does")
        declared = casts is not None and casts.target(parameter, dtype) != dtype
        if not promised and answer in ("native", "converted") and declared != (answer == "converted"):
            says = "converts" if answer == "converted" else "does not convert"
            run.complaints.append(
                f"the library says that it {says} {dtype} of {parameter}, but the vendor's file does not"
            )
    if promised and not outcome.on_host:
        run.complaints.append("the library says that it computes this call on the host, but it did not")
    if answers and outcome.on_host and not promised and not outcome.asked:
        run.complaints.append("the library says that it computes this call on the device, but it did so on the host")


def judge_refusal(run: Run, vendor: Any) -> None:
    """Adds a complaint if diopiSupports() answers that the library supports all tensors of a call that it refused
    because of their dtypes."""
    answers, casts = _answers(run, vendor), run.prepared.group.declared_casts
    misfit = casts is not None and casts.misfit(run.prepared.inputs)
    if answers and not misfit and "unsupported" not in answers.values():
        run.complaints.append("the library says that it supports the dtypes of this call, but it refused one of them")


def _answers(run: Run, vendor: Any) -> Answers:
    """The answers for the tensors of a call. If the contract allows any dtype for an empty tensor, it is left out."""
    fallbacks = _fallbacks_of(vendor)
    if fallbacks is None:
        return {}
    function = run.prepared.group.case.function
    free = {p.name for p in function.params if p.any_dtype_if_empty}
    return {
        (parameter, dtype): fallbacks.support(function.name, parameter, dtype)
        for parameter, value in run.arguments.items()
        for buffer in as_list(value)
        if isinstance(buffer, Buffer)
        for dtype in (buffer.claims or buffer.dtype,)
        if not (parameter in free and 0 in buffer.placement.shape)
    }


def _fallbacks_of(vendor: Any) -> Any:
    """The vendor's answers; None for a library of an older version, or an object of a test, which has none."""
    fallbacks = getattr(vendor, "fallbacks", None)
    return fallbacks if fallbacks is not None and fallbacks.answers else None
