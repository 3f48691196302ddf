# SPDX-License-Identifier: BSD-3-Clause
"""A group with its numbers: `Prepared` adds inputs and expected outputs to a `Group`; `Run` adds memory to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adaptor.codegen.model import Param
from diopi.signatures import bare

from ..handles import Input, Output
from .group import Group


class CaseError(Exception):
    """Raised if the case or its oracle is wrong."""


class NotApplicable(Exception):
    """Raised if the case does not apply to this form of the operator, such as a broadcast to an in-place form."""


@dataclass
class Expected:
    """What one output must hold. `values` is the oracle's array, or None if only a check can judge the output."""

    dtype: str
    shape: tuple[int, ...]
    values: np.ndarray | Any = None  # None: only a check can judge the output
    compute_dtype: str = ""  # the dtype of the computation, which may be less precise than the output's dtype
    magnitude: np.ndarray | Any = None  # an array or None
    strides: tuple[int, ...] | str | None = None  # the required strides of an allocated output, see oracle.Value
    unwritten: bool = False  # the call must leave the output as it is
    terms: np.ndarray | Any = None  # the sum of the sizes of terms with a rounded factor, or None


@dataclass
class Prepared:
    """A group with numbers: everything that a call needs except the places of its tensors in memory."""

    group: Group
    inputs: dict[str, Input] = field(default_factory=dict)  # by parameter
    expected: dict[str, Output] = field(default_factory=dict)  # by parameter
    aliases: dict[str, str] = field(default_factory=dict)  # parameter -> parameter whose tensor it shares
    oracle: Any = None  # an Oracle; may be None for an invalid call
    oracle_arguments: dict[str, Any] = field(default_factory=dict)
    only_memory: bool = False  # of a fuzzed call: whether only the memory is judged, not the results


def is_output(p: Param) -> bool:
    return p.dir in ("out", "inout") and (p.is_tensor or p.is_tensor_list or p.allocates)


def is_written(p: Param) -> bool:
    """Whether the operator writes numbers through this pointer. The oracle returns None for a number that the vendor
    chooses; it must not be negative."""
    return p.dir in ("out", "inout") and not is_output(p) and bare(p.type) in ("int64_t*", "double*", "bool*", "float*")
