# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the message of a failed call contains the names and values that the contract requires, in any words."""

from __future__ import annotations

import re

from adaptor.codegen.model import Function

from ..cases.case import ExpectedError

# A number that is not part of a name such as int32. The letter x may stand before it, as in 3x4.
_NUMBER = re.compile(r"(?<![A-WYZa-wyz_\d.])-?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|inf|nan)(?![A-WYZa-wyz_\d])")

# English phrases in which `out` is not the name of a parameter.
_IDIOM = re.compile(r"\bout(?: |-)of(?: |-)(?:range|bounds|memory)\b", re.IGNORECASE)


def _word(name: str) -> str:
    return rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])"


def _same(want: float, got: float) -> bool:
    return want == got or abs(want - got) <= 1e-5 * abs(want) or (want != want and got != got)


def _contains(numbers: list[float], wanted: tuple[float, ...]) -> bool:
    """Whether `numbers` contains the numbers of `wanted` as a contiguous sequence."""
    starts = range(len(numbers) - len(wanted) + 1)
    return any(all(_same(w, g) for w, g in zip(wanted, numbers[i:])) for i in starts)


def without_function(function: Function, message: str) -> list[str]:
    """A complaint if the message lacks the function's name."""
    if re.search(_word(function.name), message):
        return []
    return [f"the message '{message}' does not name the function, {function.name}"]


def complaints(error: ExpectedError, function: Function, message: str) -> list[str]:
    """What the message lacks: the function's name, the name of one of the arguments, or a wrong value."""
    missing = without_function(function, message)
    rest = re.sub(_word(function.name), " ", message)
    names = [p.name for p in function.params if p.name in error.arguments]
    spoken = _IDIOM.sub(" ", rest)
    if not any(re.search(_word(name), spoken) for name in names):
        missing.append(f"the message '{message}' does not name {' or '.join(names)}")
    numbers = [float(n) for n in _NUMBER.findall(rest)]
    for value in error.values:
        if not _contains(numbers, value if isinstance(value, tuple) else (value,)):
            shown = list(value) if isinstance(value, tuple) else value
            missing.append(f"the message '{message}' does not contain the wrong value, {shown}")
    return missing
