# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of compressed sparse rows: how a case gives them, and their three arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import dtypes

# The order of the column indices in a row: ascending, any, or any with equal ones.
ORDERS = ("ascending", "shuffled", "repeated")


@dataclass(frozen=True)
class CsrSpec:
    """The entries of a sparse tensor of a case: random ones, or row pointers and column indices. The generator of the
    tensor makes their values."""

    density: float = 0.3
    dtype: str = "int32"  # of row pointers and column indices
    order: str = "ascending"
    row_pointers: tuple[int, ...] | None = None
    columns: tuple[int, ...] | None = None

    def slug(self) -> str:
        given = "" if self.row_pointers is None else f"~{len(self.columns or ())}of{self.row_pointers[-1]}"
        order = "" if self.order == "ascending" else f"~{self.order}"
        return f"csr{self.density}{given}{order}" + ("" if self.dtype == "int32" else f"~{self.dtype}")

    def indices(self, shape: tuple[int, ...], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Row pointers and column indices for a matrix of this shape."""
        rows, columns = shape[:2]
        if self.row_pointers is not None:
            return self._index(self.row_pointers), self._index(self.columns or ())
        taken = rng.random((rows, columns)) < self.density
        pointers = np.concatenate(([0], taken.sum(1).cumsum()))
        found = np.nonzero(taken)[1]
        if self.order == "repeated":
            found = rng.integers(0, max(columns, 1), found.size)
        elif self.order == "shuffled":
            found = np.concatenate([rng.permutation(found[a:b]) for a, b in zip(pointers, pointers[1:])] or [found])
        return self._index(pointers), self._index(found)

    def _index(self, numbers: Any) -> np.ndarray:
        return np.asarray(numbers, np.int64).astype(self.dtype)


@dataclass(frozen=True)
class Csr:
    """A sparse tensor. Dimensions after the first two are dense: those of the values after the first one."""

    shape: tuple[int, ...]
    row_pointers: np.ndarray
    columns: np.ndarray
    values: np.ndarray

    @property
    def dtype(self) -> np.dtype:
        return self.values.dtype

    def widened(self) -> Csr:
        """With values in the type in which oracles compute."""
        return replace(self, values=dtypes.widen(self.values))

    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.row_pointers, self.columns, self.values

    def rows(self) -> np.ndarray:
        """The row of each entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.row_pointers).astype(np.int64))
