# SPDX-License-Identifier: BSD-3-Clause
"""What a vendor's library supports, and what it computes on the host in place of its device: diopi_fallback.h."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from .binding import Runtime

# The answers of diopiSupports().
SUPPORT = ("unsupported", "native", "converted", "fallback")
# Why the host computes a call: columns of the ledger.
REASONS = ("absent", "unsupported", "configured", "asked")


@dataclass(frozen=True)
class Fallback:
    """The calls of one operator that were computed on the host since the library was loaded."""

    operator: str
    absent: int  # calls, because the vendor does not have the operator
    unsupported: int  # calls, because the vendor does not support a dtype of theirs
    configured: int  # calls, because the vendor's configuration says so
    asked: int  # calls, because the vendor's function asked for the host
    bytes: int  # copied from and to the device
    seconds: float  # spent in these calls

    @property
    def calls(self) -> int:
        return self.absent + self.unsupported + self.configured + self.asked


class _Row(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("absent", ctypes.c_int64),
        ("unsupported", ctypes.c_int64),
        ("configured", ctypes.c_int64),
        ("asked", ctypes.c_int64),
        ("bytes", ctypes.c_int64),
        ("nanoseconds", ctypes.c_int64),
    )


class Fallbacks:
    """The ledger of a library, and its answers about what it supports. Without fallback, the ledger is empty."""

    def __init__(self, runtime: Runtime, library: int) -> None:
        rows, support = (runtime.symbol(library, name) for name in ("diopiGetFallbacks", "diopiSupports"))
        self.answers = support is not None  # libraries of an older version do not
        self._dtypes = runtime.contract.dtypes
        self._rows = rows and ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.POINTER(_Row), ctypes.c_int64)(rows)
        if support is not None:
            self._support = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int)(support)

    def rows(self) -> list[Fallback]:
        """One row for each operator of which a call was computed on the host, by name."""
        return sorted((_fallback(row) for row in self._read()), key=lambda row: row.operator)

    def row(self, operator: str) -> Fallback:
        """The row of one operator, named as in C; all its numbers are 0 if no call was computed on the host."""
        name = operator.encode()
        found = (_fallback(row) for row in self._read() if row.name == name)
        return next(found, Fallback(operator, 0, 0, 0, 0, 0, 0.0))

    def support(self, operator: str, parameter: str | None, dtype: str) -> str:
        """How the library computes an operator: one of SUPPORT."""
        named = None if parameter is None else parameter.encode()
        return SUPPORT[self._support(operator.encode(), named, self._dtypes[dtype])]

    def _read(self) -> list[_Row]:
        if not self._rows:
            return []
        count = self._rows(None, 0)
        memory = (_Row * max(count, 1))()
        return list(memory[: min(count, self._rows(memory, count))])


def _fallback(row: _Row) -> Fallback:
    return Fallback(
        row.name.decode(),
        row.absent,
        row.unsupported,
        row.configured,
        row.asked,
        row.bytes,
        row.nanoseconds / 1e9,
    )
