# SPDX-License-Identifier: BSD-3-Clause
"""A case on its way to a call: with one dtype, then with its numbers and what they must give."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from adaptor.codegen.model import Param

from .binding import bare
from .case_files import RawCase
from .lowering import Lowering


class CaseError(Exception):
    """The case or its oracle is wrong, not the operator."""


class NotApplicable(Exception):
    """The case means nothing for this form of the operator, as a broadcast for the form that works in place."""


@dataclass(frozen=True)
class Group:
    """One case with one dtype; its variants share inputs and expected outputs."""

    raw: RawCase
    dtype: str
    variants: tuple[str, ...]
    lowering: Lowering | None = None  # conversions that the vendor declares

    @property
    def name(self) -> str:
        return f"{self.raw.function.name}/{self.raw.id}/{self.dtype}"


@dataclass
class Expected:
    """What one output must hold. `values` are the oracle's, or None where only a check can judge them."""

    dtype: str
    shape: tuple[int, ...]
    values: Any = None  # an array or None
    compute_dtype: str = ""  # of the computation, which may be coarser than the output's
    magnitude: Any = None  # an array or None
    strides: tuple[int, ...] | None = None  # that an allocated output must have


@dataclass
class Prepared:
    """Everything that a variant needs but the memory layout."""

    group: Group
    inputs: dict[str, Any] = field(default_factory=dict)  # tensors as arrays, lists of them, attributes
    expected: dict[str, Any] = field(default_factory=dict)  # parameter -> Expected or list of Expected
    aliases: dict[str, str] = field(default_factory=dict)  # parameter -> parameter whose tensor it shares
    oracle: Any = None  # an Oracle; None for an invalid call that needs none
    oracle_arguments: dict[str, Any] = field(default_factory=dict)


def is_output(p: Param) -> bool:
    return p.dir in ("out", "inout") and (p.is_tensor or p.is_tensor_list or p.allocates)


def is_written(p: Param) -> bool:
    """A number that the operator writes through a pointer."""
    return p.dir == "out" and not is_output(p) and bare(p.type) in ("int64_t*", "double*", "bool*", "float*")
