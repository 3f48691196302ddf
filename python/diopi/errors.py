# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions of the package. Each names the argument, what was expected, and what was given."""

from __future__ import annotations


class Error(Exception):
    """A call failed. If the library refused the call, the text is the library's message.

    code: the name of a diopiError_t such as `diopiErrorOccurred`; empty if no C function failed.
    argument, expected, value: the wrong argument, the expected value, and the given value, if they are known.
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
    """An argument is missing, unknown, or of a kind that the parameter does not accept."""


class DtypeError(Error):
    """A tensor has a dtype that the operator, the library or DIOPI does not support."""


class DeviceError(Error):
    """A tensor is on another device than the library."""


class ReadOnlyError(Error):
    """A read-only tensor was given as an output."""


class LibraryNotFoundError(Error):
    """The vendor's library or the runtime was not found."""


class OperatorNotFoundError(Error, AttributeError):
    """The contract or the library does not have this operator."""


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
    except Exception:  # an error in the __repr__ of the caller's class must not hide the reported error
        text = f"a {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 3] + "..."
