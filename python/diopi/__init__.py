# SPDX-License-Identifier: BSD-3-Clause
"""DIOPI in Python: calls operators of a vendor's library with NumPy arrays and tensors of any library, without copies.

>>> import diopi
>>> lib = diopi.load()
>>> y = lib.softmax(x, dim=-1)
"""

from .errors import (
    ArgumentError,
    DeviceError,
    DtypeError,
    Error,
    LibraryNotFoundError,
    OperatorNotFoundError,
    ReadOnlyError,
)
from .generator import Generator
from .library import Library, load
from .tensor import Tensor

__version__ = "1.0.0"

__all__ = [
    "ArgumentError",
    "DeviceError",
    "DtypeError",
    "Error",
    "Generator",
    "Library",
    "LibraryNotFoundError",
    "OperatorNotFoundError",
    "ReadOnlyError",
    "Tensor",
    "load",
]
