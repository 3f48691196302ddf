# SPDX-License-Identifier: BSD-3-Clause
"""What can go wrong, each with the argument, what was expected, and what came."""

from __future__ import annotations


class Error(Exception):
    """A call failed. The text is the library's own message where the library refused the call.

    code: the name of a diopiError_t, as `diopiErrorOccurred`; empty where no function of C was involved.
    argument, expected, value: which argument was wrong, what it should have been, and what it was, where that is known.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        argument: str | None = None,
        expected: str | None = None,
        value: object = None,
    ) -> None:
        super().__init__(message)
        self.code, self.argument, self.expected, self.value = code, argument, expected, value


class ArgumentError(Error, TypeError):
    """An argument is missing, unknown, or of a kind that the parameter does not take."""


class DtypeError(Error):
    """A tensor has a dtype that the operator, the library or DIOPI does not have."""


class DeviceError(Error):
    """A tensor lies on another device than the library's."""


class ReadOnlyError(Error):
    """A tensor that must not be written to was given as an output."""


class LibraryNotFoundError(Error):
    """There is no vendor's library, or no runtime, where one was looked for."""


class OperatorNotFoundError(Error, AttributeError):
    """The contract has no such operator, or the library lacks it."""


def wrong(
    kind: type[Error], function: str, argument: str, expected: str, value: object, shown: str | None = None
) -> Error:
    """The error `<function>: <argument> is <value>, expected <expected>`."""
    text = shown if shown is not None else short_repr(value)
    return kind(
        f"{function}: {argument} is {text}, expected {expected}", argument=argument, expected=expected, value=value
    )


def short_repr(value: object, limit: int = 100) -> str:
    """repr(value), cut at `limit` characters."""
    try:
        text = repr(value)
    except Exception:  # of the caller's class: it must not hide the error that is being told
        text = f"a {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 3] + "..."
