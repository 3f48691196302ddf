# SPDX-License-Identifier: BSD-3-Clause
"""Whether the message of a failed call says what the contract asks of it, in whatever words its vendor chooses."""

from __future__ import annotations

import re

from adaptor.codegen.model import Function

from .case_files import ExpectedError

# A number that is no part of a name, as in int32; an x may stand before it, as in 3x4.
_NUMBER = re.compile(r"(?<![A-WYZa-wyz_\d.])-?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|inf|nan)(?![A-WYZa-wyz_\d])")

# English that is no name of a parameter.
_IDIOM = re.compile(r"\bout(?: |-)of(?: |-)(?:range|bounds|memory)\b", re.IGNORECASE)


def _word(name: str) -> str:
    return rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])"


def _same(want: float, got: float) -> bool:
    return want == got or abs(want - got) <= 1e-5 * abs(want) or (want != want and got != got)


def _contains(numbers: list[float], wanted: tuple[float, ...]) -> bool:
    """Whether the numbers follow one another somewhere."""
    starts = range(len(numbers) - len(wanted) + 1)
    return any(all(_same(w, g) for w, g in zip(wanted, numbers[i:])) for i in starts)


def complaints(error: ExpectedError, function: Function, message: str) -> list[str]:
    """What is missing: the function, one of the arguments, the values that were wrong."""
    missing = []
    if not re.search(_word(function.name), message):
        missing.append(f"the message '{message}' does not name the function, {function.name}")
    rest = re.sub(_word(function.name), " ", message)
    names = [p.name for p in function.params if p.name in error.arguments]
    spoken = _IDIOM.sub(" ", rest)
    if not any(re.search(_word(name), spoken) for name in names):
        missing.append(f"the message '{message}' does not name {' or '.join(names)}")
    numbers = [float(n) for n in _NUMBER.findall(rest)]
    for value in error.values:
        if not _contains(numbers, value if isinstance(value, tuple) else (value,)):
            said = list(value) if isinstance(value, tuple) else value
            missing.append(f"the message '{message}' does not say the value of it, {said}")
    return missing
