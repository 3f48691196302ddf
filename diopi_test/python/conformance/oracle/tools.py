# SPDX-License-Identifier: BSD-3-Clause
"""Functions that several oracles use: dimensions, sums in extended precision, conversions, indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .. import dtypes


def wrap_dim(dim: int, ndim: int) -> int:
    """The dimension as a number >= 0; negative dimensions count from the end. A 0-d tensor has dimension 0."""
    return dim % max(ndim, 1)


def wrap_dims(dims: Sequence[int] | int | None, ndim: int) -> tuple[int, ...]:
    """The sorted dimensions of a reduction. None and an empty list mean all dimensions. A 0-d tensor has none."""
    listed = [dims] if isinstance(dims, int) else list(dims or range(ndim))
    return tuple(sorted(wrap_dim(d, ndim) for d in listed)) if ndim else ()


def keeps_dims(out: tuple[int, ...] | None, ndim: int) -> bool:
    """Whether the case gives `out` a shape that keeps the reduced dimensions."""
    return out is not None and len(out) == ndim and ndim > 0


def exact_sum(values: np.ndarray, axis: tuple[int, ...] | int | None = None, keepdims: bool = False) -> np.ndarray:
    """A sum with an error far below one float64 ULP of the sum of |terms|. Integers wrap around in 64 bits."""
    if np.iscomplexobj(values):
        return values.astype(np.clongdouble).sum(axis, keepdims=keepdims).astype(np.complex128)
    if values.dtype == np.float64:
        return np.asarray(values.astype(np.longdouble).sum(axis, keepdims=keepdims).astype(np.float64))
    return np.asarray(values.astype(np.int64).sum(axis, keepdims=keepdims))


def running_mean(values: np.ndarray, axis: tuple[int, ...] | int, keepdims: bool = False) -> np.ndarray:
    """The mean in the statistics of normalisations. The mean of no elements is 0."""
    axes = (axis,) if isinstance(axis, int) else axis
    return exact_sum(values, axes, keepdims) / max(int(np.prod([values.shape[a] for a in axes])), 1)


def as_dtype(values: np.ndarray, dtype: str) -> np.ndarray:
    """The values converted to `dtype`, and then widened again."""
    return dtypes.widen(dtypes.narrow(values, dtype))


def index_key(indices: Sequence[np.ndarray | None], dtypes_by_name: Mapping[str, str]) -> tuple:
    """The NumPy index for a list of index tensors. A null selects a whole dimension; bool and uint8 are masks."""
    masks = [dtypes_by_name.get(f"indices[{i}]") in ("bool", "uint8") for i in range(len(indices))]
    return tuple(slice(None) if t is None else t != 0 if m else t for t, m in zip(indices, masks))
