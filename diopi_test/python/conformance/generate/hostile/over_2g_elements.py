# SPDX-License-Identifier: BSD-3-Clause
"""Reductions of tensors with more than 2^31 elements. The tensor is one row that is repeated with stride 0.

An oracle would need memory for all elements, so the expected result is computed from the row alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adaptor.codegen.model import Registry

from ...cases.case import RawCase, TensorSpec

SHAPE = (65537, 32768)  # 2^31 + 2^15 elements
LAYOUT = "many"


@dataclass(frozen=True)
class Reduction:
    """A call, and how its result is computed from the row, whose integers are widened to int64."""

    function: str
    output: str
    dtype: str
    arguments: dict[str, Any]
    result: Callable[[np.ndarray], np.ndarray]
    result_dtype: str


def _all(values: np.ndarray) -> np.ndarray:
    return np.asarray(values.all())


REDUCTIONS = {
    "sum": Reduction("diopiSum", "out", "int8", {"dim": []}, lambda row: np.asarray(row.sum() * SHAPE[0]), "int64"),
    "sum_of_columns": Reduction("diopiSum", "out", "int8", {"dim": [0]}, lambda row: row * SHAPE[0], "int64"),
    "max": Reduction("diopiMaxAll", "max", "int8", {}, lambda row: np.asarray(row.max()), "int8"),
    "min": Reduction("diopiMinAll", "min", "int8", {}, lambda row: np.asarray(row.min()), "int8"),
    "all": Reduction("diopiAll", "out", "bool", {"dim": None}, _all, "bool"),
}


def cases_of(function: str, registry: Registry) -> Iterator[RawCase]:
    for name, reduction in REDUCTIONS.items():
        if reduction.function == function:
            arguments = {"input": TensorSpec(SHAPE), **reduction.arguments}
            yield RawCase(
                registry.functions[function],
                f"hostile_far_apart,{name}_of_many",
                arguments,
                (reduction.dtype,),
                (LAYOUT,),
                (),
                None,
                Path(__file__),
                0,
                hostile="far_apart",
            )


def row_and_result(case: RawCase, rng: np.random.Generator) -> tuple[np.ndarray, Reduction, np.ndarray]:
    """The row that is repeated, the reduction, and its expected result."""
    reduction = next(r for n, r in REDUCTIONS.items() if case.id == f"hostile_far_apart,{n}_of_many")
    if reduction.dtype == "bool":
        row = np.ones(SHAPE[1], bool)
        row[-1] = False  # a result of True means that the last element was not read
    else:
        row = rng.integers(-100, 101, SHAPE[1]).astype(np.int8)
    return row, reduction, reduction.result(row.astype(np.int64) if reduction.dtype != "bool" else row)
