# SPDX-License-Identifier: BSD-3-Clause
"""diopi.Generator: the state of a random sequence."""

from __future__ import annotations

import ctypes
import operator
from typing import Any, NoReturn

from .errors import ArgumentError, wrong
from .runtimes import current_runtime

_LIMIT = 2**64


class Generator:
    """A seed and a position in its sequence of random numbers. Random operators read and advance the position.

    Two threads must not use one generator at the same time.
    """

    __slots__ = ("_runtime", "_handle", "__weakref__")

    def __init__(self, seed: int = 0, offset: int = 0) -> None:
        seed, offset = _checked("seed", seed), _checked("offset", offset)
        self._runtime = current_runtime()
        self._handle = self._runtime.create_generator(seed)
        if offset:
            self.set_state(seed, offset)

    def __del__(self) -> None:
        try:
            self._runtime.diopirtDestroyGenerator(self._handle)
        except AttributeError:  # the interpreter is shutting down, or __init__ failed
            pass

    def __copy__(self) -> Generator:
        """A generator of its own in the same state."""
        return Generator(*self.state())

    def __deepcopy__(self, memo: dict[int, Any]) -> Generator:
        return self.__copy__()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a diopi.Generator cannot be pickled; state() gives its seed and offset")

    def state(self) -> tuple[int, int]:
        """The seed and the offset."""
        seed, offset = ctypes.c_uint64(), ctypes.c_uint64()
        self._runtime.do("diopiGeneratorGetSeedAndOffset", self._handle, ctypes.byref(seed), ctypes.byref(offset))
        return seed.value, offset.value

    def set_state(self, seed: int, offset: int) -> None:
        seed, offset = _checked("seed", seed), _checked("offset", offset)
        self._runtime.do("diopiGeneratorSetSeedAndOffset", self._handle, seed, offset)

    @property
    def seed(self) -> int:
        return self.state()[0]

    @property
    def offset(self) -> int:
        return self.state()[1]

    def __repr__(self) -> str:
        seed, offset = self.state()
        return f"diopi.Generator(seed={seed}, offset={offset})"


def _checked(name: str, value: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong(ArgumentError, "Generator", name, "an integer", value) from None
    if not 0 <= number < _LIMIT:
        raise wrong(ArgumentError, "Generator", name, "an integer from 0 to 2**64 - 1", value)
    return number
