# SPDX-License-Identifier: BSD-3-Clause
"""Reductions of tensors with more than 2^31 elements. The tensor is one row that is repeated with stride 0.

An oracle would need memory for all elements, so the expected result is computed from the row alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from adaptor.codegen.model import Registry

from ...cases.case import Case, RepeatedRow, TensorSpec
from ...handles import Argument

SHAPE = (65537, 32768)  # 2^31 + 2^15 elements


@dataclass(frozen=True)
class Reduction:
    """A call, and how its result is computed from the row."""

    function: str
    dtype: str
    arguments: dict[str, Argument]
    row: RepeatedRow


def _all(values: np.ndarray) -> np.ndarray:
    return np.asarray(values.all())


REDUCTIONS = {
    "sum": Reduction(
        "diopiSum", "int8", {"dim": []}, RepeatedRow("out", lambda row: np.asarray(row.sum() * SHAPE[0]), "int64")
    ),
    "sum_of_columns": Reduction(
        "diopiSum", "int8", {"dim": [0]}, RepeatedRow("out", lambda row: row * SHAPE[0], "int64")
    ),
    "max": Reduction("diopiMaxAll", "int8", {}, RepeatedRow("max", lambda row: np.asarray(row.max()), "int8")),
    "min": Reduction("diopiMinAll", "int8", {}, RepeatedRow("min", lambda row: np.asarray(row.min()), "int8")),
    "all": Reduction("diopiAll", "bool", {"dim": None}, RepeatedRow("out", _all, "bool")),
}


def cases_of(function: str, registry: Registry) -> Iterator[Case]:
    for name, reduction in REDUCTIONS.items():
        if reduction.function == function:
            yield Case(
                registry.functions[function],
                f"hostile_wide_stride,{name}_over_2g_elements",
                {"input": TensorSpec(SHAPE), **reduction.arguments},
                (reduction.dtype,),
                ("over_2g_elements",),
                (),
                None,
                Path(__file__),
                0,
                hostile="wide_stride",
                repeated=reduction.row,
            )
