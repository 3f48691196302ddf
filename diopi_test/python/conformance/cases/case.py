# SPDX-License-Identifier: BSD-3-Clause
"""The classes of a case before its dtype and memory layout are chosen: the case, its tensors, tolerances and error."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adaptor.codegen.model import Function

from ..csr import CsrSpec
from ..handles import Argument
from .special_numbers import Mix

RANDOM = "random"  # the class of random calls; sizes that do not fit each other can make them invalid
FUZZED = "fuzzed"  # the class of random calls with changed arguments; nobody knows beforehand whether they are valid


@dataclass(frozen=True)
class Tolerance:
    """The allowed difference between an output and the oracle: the sum of the five parts."""

    reason: str
    dtypes: tuple[str, ...] = ()  # the dtypes of outputs to which it applies; empty: all
    outputs: tuple[str, ...] = ()  # the outputs to which it applies; empty: all
    ulp: float = 0.0  # in ULPs of the output's dtype at the expected value
    acc_ulp: float = 0.0  # in ULPs of the accumulation dtype at the oracle's magnitude
    term_eps: float = 0.0  # in epsilons of the output's dtype, relative to the oracle's sum of rounded terms
    abs: float = 0.0
    rel: float = 0.0


TOLERANCE_PARTS = ("ulp", "acc_ulp", "term_eps", "abs", "rel")


@dataclass(frozen=True)
class ExpectedError:
    """What an invalid call must return: an error code, and a message that contains certain names and values."""

    code: str
    arguments: tuple[str, ...]  # the message must name one of these parameters
    values: tuple[float | tuple[float, ...], ...] = ()  # numbers and shapes that the message must contain
    shows: tuple[str, ...] = ()  # the violated checks: their identifiers without the function's name
    changed: tuple[str, ...] = ()  # in a generated call, the arguments that differ from those of a valid call


@dataclass(frozen=True)
class Stored:
    """The place of a tensor's elements in a file of captured calls."""

    path: Path
    position: int  # of the storage in the file
    bytes: int  # of the storage
    offset: int  # of the first element in the storage, in bytes
    stride: tuple[int, ...]  # in elements


@dataclass(frozen=True)
class TensorSpec:
    """A tensor of a case before the dtype of the case is chosen."""

    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    gen: str | None = None
    values: tuple | float | int | bool | None = None
    same: str | None = None  # the name of another parameter that is the same tensor
    mix: Mix | None = None  # special numbers that are put among the random numbers
    csr: CsrSpec | None = None  # the entries of a sparse tensor; None: the tensor is dense
    claims: str | None = None  # the dtype of the handle in an invalid call, if it differs from that of the elements
    stored: Stored | None = None  # elements of a captured call

    def slug(self) -> str:
        shape = "scalar" if self.shape == () else "x".join(map(str, self.shape)) if self.shape is not None else ""
        parts = [shape, self.dtype or "", f"same_{self.same}" if self.same else ""]
        if self.csr:
            parts.append(self.csr.slug())
        if self.gen:
            parts.append(self.gen.replace(" ", ""))
        if self.mix:
            parts.append(self.mix.slug())
        if self.values is not None:
            parts.append(plain(self.values))
        return "~".join(p for p in parts if p)


@dataclass(frozen=True)
class Case:
    """One case of one operator, before a dtype and a layout are chosen."""

    function: Function
    id: str
    arguments: dict[str, Argument]  # by parameter
    dtypes: tuple[str, ...]
    layouts: tuple[str, ...]
    tolerances: tuple[Tolerance, ...]
    error: Any  # an ExpectedError; None for a valid call
    path: Path
    line: int
    saved: tuple[SavedOutput, ...] = ()
    hostile: str = ""  # the class of a generated hostile case; empty for other cases
    left_out: tuple[str, ...] = ()  # the default layouts that the case lacks
    why_left_out: str = ""  # the reason why it lacks them
    repeated: RepeatedRow | None = None  # the input, if it is one row that is repeated more often than memory allows


@dataclass(frozen=True)
class RepeatedRow:
    """An input of one row that is repeated with stride 0. Its expected output is computed from the row alone."""

    output: str
    result: Callable[[np.ndarray], np.ndarray]  # computes the output from the row, whose integers are widened to int64
    result_dtype: str


@dataclass(frozen=True)
class SavedOutput:
    """A parameter that holds the `output` of the call `forward`, which has the same tensors."""

    parameter: str
    output: str
    forward: Case
    shape_only: bool = False  # the parameter has only the shape of the output, such as a gradient


def plain(value: object) -> str:
    """A value as text for the name of a case: short, without spaces, slashes or quotes."""
    if isinstance(value, TensorSpec):
        return value.slug()
    if isinstance(value, dict):
        return ":".join(plain(v) for v in value.values())
    if isinstance(value, (list, tuple)):
        return "[" + "+".join(plain(v) for v in value) + "]"
    return "null" if value is None else re.sub(r"[\s/'\"]+", "_", str(value)) or "empty"
