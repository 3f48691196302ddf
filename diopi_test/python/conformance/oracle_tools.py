# SPDX-License-Identifier: BSD-3-Clause
"""What several oracles need: dimensions, broadcasting, sums in more than double precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from . import dtypes


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the end where it is negative; a 0-d tensor has dimension 0."""
    return dim % max(ndim, 1)


def wrap_dims(dims: Sequence[int] | int | None, ndim: int) -> tuple[int, ...]:
    """The dimensions of a reduction: all of them for none and for an empty list; never one of a 0-d tensor."""
    listed = [dims] if isinstance(dims, int) else list(dims or range(ndim))
    return tuple(sorted(wrap_dim(d, ndim) for d in listed)) if ndim else ()


def keeps_dims(out: tuple[int, ...] | None, ndim: int) -> bool:
    """Whether the asked shape of `out` keeps reduced dimensions; without a shape they are dropped."""
    return out is not None and len(out) == ndim and ndim > 0


def exact_sum(values: np.ndarray, axis: tuple[int, ...] | int | None = None, keepdims: bool = False) -> np.ndarray:
    """A sum whose own error is far below one float64 ULP of |terms|; integers wrap in 64 bits."""
    if np.iscomplexobj(values):
        return values.astype(np.clongdouble).sum(axis, keepdims=keepdims).astype(np.complex128)
    if values.dtype == np.float64:
        return np.asarray(values.astype(np.longdouble).sum(axis, keepdims=keepdims).astype(np.float64))
    return np.asarray(values.astype(np.int64).sum(axis, keepdims=keepdims))


def running_mean(values: np.ndarray, axis: tuple[int, ...] | int, keepdims: bool = False) -> np.ndarray:
    """A mean as the statistics of normalisations have it: 0 of nothing."""
    axes = (axis,) if isinstance(axis, int) else axis
    return exact_sum(values, axes, keepdims) / max(int(np.prod([values.shape[a] for a in axes])), 1)


def as_dtype(values: np.ndarray, dtype: str) -> np.ndarray:
    """The values after conversion to `dtype`, in the wide type."""
    return dtypes.widen(dtypes.narrow(values, dtype))


def index_key(indices: Sequence[np.ndarray | None], dtypes_by_name: Mapping[str, str]) -> tuple:
    """The key for NumPy of a list of index tensors: null is a whole dimension, uint8 a mask like bool."""
    masks = [dtypes_by_name.get(f"indices[{i}]") in ("bool", "uint8") for i in range(len(indices))]
    return tuple(slice(None) if t is None else t != 0 if m else t for t, m in zip(indices, masks))
