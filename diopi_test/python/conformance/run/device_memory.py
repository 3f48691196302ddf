# SPDX-License-Identifier: BSD-3-Clause
"""Finds out whether this process can read memory of a vendor's device."""

from __future__ import annotations

import ctypes
import os


def is_readable(address: ctypes.c_void_p) -> bool:
    """Whether the byte at this address can be read: the kernel copies it to a pipe, or returns an error."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.write.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
    libc.write.restype = ctypes.c_ssize_t
    reading, writing = os.pipe()
    try:
        return libc.write(writing, address, 1) == 1
    finally:
        os.close(reading)
        os.close(writing)
