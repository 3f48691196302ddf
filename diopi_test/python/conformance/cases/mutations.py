# SPDX-License-Identifier: BSD-3-Clause
"""Random changes of single arguments: shapes, dtypes and elements of tensors, numbers, lists and nulls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from adaptor.codegen.model import Param
from diopi.signatures import bare

from .. import dtypes
from ..csr import Csr
from ..handles import Input, Output, Scalar, Seed
from .prepared import Expected

LARGEST_INTEGER = 1 << 39  # sums and products of larger ones do not fit 64 bits
LARGEST = 1 << 16  # elements of a tensor whose shape is changed
DTYPES = tuple(dtypes.NUMPY)
# Sizes, positions and steps: ordinary ones, those around zero, and those that no 32 or 64 bits hold together with
# others. Numbers between them could make a right call compute for hours.
INTEGERS = (-(2**63), -(2**31) - 1, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 2**40, 2**40 + 1, 2**62, 2**63 - 1)
OF_INT32 = (-(2**31), -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 2**31 - 1)
NUMBERS = (0.0, -0.0, 0.5, 1.0, -1.0, 2.5, 1e-300, 1e300, np.inf, -np.inf, np.nan)
ENUMERATORS = (-1, 0, 1, 2, 3, 99)
TEXTS = ("", "none", "zeros", "nearest", "tanh", "nonsense")
EXTREMES = (np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-40, -1.0, 0.0, 1e9)


def _one(rng: np.random.Generator, values: tuple | list) -> Any:
    return values[int(rng.integers(len(values)))]


def _ends(array: np.ndarray) -> list:
    return [array.min(), array.max()] if array.size else []


def is_special(value: Input) -> bool:
    """Whether an argument has a NaN, an infinity, or a number of unusual size."""
    if isinstance(value, list):
        return any(map(is_special, value))
    number = value.value if isinstance(value, Scalar) else value
    if isinstance(number, np.ndarray):
        number = dtypes.widen(number)
        if not np.issubdtype(number.dtype, np.inexact):
            return number.dtype != np.bool_ and any(abs(int(n)) > LARGEST_INTEGER for n in _ends(number))
    elif isinstance(number, int):
        return abs(number) > LARGEST_INTEGER
    elif not isinstance(number, float):
        return False
    sizes = np.abs(number)
    return bool(np.any(~(sizes < 1e9)) or np.any((sizes > 0) & (sizes < 1e-30)))


def mutated_shape(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Another shape: one dimension more or less, another size, another order, or no dimension at all."""
    kind, n = _one(rng, ("size", "size", "size", "more", "fewer", "order", "scalar", "flat")), len(shape)
    if kind == "more" or n == 0:
        at = int(rng.integers(n + 1))
        return (*shape[:at], int(_one(rng, (0, 1, 1, 2, 3))), *shape[at:])
    if kind == "fewer":
        at = int(rng.integers(n))
        return (*shape[:at], *shape[at + 1 :])
    if kind == "order":
        return tuple(shape[int(i)] for i in rng.permutation(n))
    if kind == "scalar":
        return ()
    if kind == "flat":
        return (int(np.prod(shape)),)
    at = int(rng.integers(n))
    size = max(0, int(_one(rng, (0, 1, shape[at] - 1, shape[at] + 1, 2 * shape[at], 3))))
    return (*shape[:at], size, *shape[at + 1 :])


def _filled(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers of an array in another shape, as often as they fit."""
    count = int(np.prod(shape))
    return np.resize(array.reshape(-1), count).reshape(shape) if array.size else np.zeros(shape, array.dtype)


def _mutated_array(rng: np.random.Generator, array: np.ndarray) -> np.ndarray | None:
    kind = _one(rng, ("shape", "shape", "dtype", "element", "element", "null"))
    if kind == "null":
        return None
    if kind == "shape":
        shape = mutated_shape(rng, array.shape)
        return _filled(array, shape) if np.prod(shape) <= LARGEST else array
    if kind == "dtype":
        return _with_dtype(array, _one(rng, DTYPES))
    if array.size == 0:
        return array
    changed, name = array.copy(), dtypes.name_of(array.dtype)
    at = int(rng.integers(array.size))
    if name == "bool":
        changed.reshape(-1)[at] = not changed.reshape(-1)[at]
    elif dtypes.is_integral(name):
        limits = np.iinfo(array.dtype)
        near = [int(array.max()) + 1, int(array.min()) - 1, -1, 0, *array.shape, limits.min, limits.max]
        changed.reshape(-1)[at] = min(max(_one(rng, near), limits.min), limits.max)
    else:
        changed.reshape(-1)[at : at + 1] = dtypes.narrow(np.array([_one(rng, EXTREMES)]), name)
    return changed


def _with_dtype(array: np.ndarray, dtype: str) -> np.ndarray:
    wide = dtypes.widen(array)
    if np.iscomplexobj(wide) and not dtypes.is_complex(dtype):
        wide = wide.real
    with np.errstate(all="ignore"):
        return dtypes.narrow(wide, dtype)


def _mutated_integers(rng: np.random.Generator, values: list) -> list:
    """A list of integers with one change."""
    kind = _one(rng, ("number", "number", "number", "more", "fewer", "none"))
    if kind == "none" or (kind != "more" and not values):
        return []
    at = int(rng.integers(len(values) + (kind == "more")))
    if kind == "more":
        return [*values[:at], int(_one(rng, INTEGERS)), *values[at:]]
    if kind == "fewer":
        return [*values[:at], *values[at + 1 :]]
    return [*values[:at], _near(rng, values[at], INTEGERS), *values[at + 1 :]]


def _near(rng: np.random.Generator, value: Any, numbers: tuple[int, ...]) -> int:
    near = (value - 1, value + 1, 2 * value) if isinstance(value, int) and abs(value) < 1000 else ()
    return int(_one(rng, (*numbers, *near)))


def _mutated_list(rng: np.random.Generator, values: list, may_shrink: bool) -> list:
    """A list of tensors with one tensor changed, removed or given twice."""
    at = int(rng.integers(len(values)))
    kind = _one(rng, ("change", "change", "remove", "twice") if may_shrink else ("change",))
    if kind == "remove":
        return [*values[:at], *values[at + 1 :]]
    if kind == "twice":
        return [*values, values[at]]
    one = values[at]
    changed = _mutated_array(rng, one) if isinstance(one, np.ndarray) else None
    return [*values[:at], changed, *values[at + 1 :]]


def mutated_input(
    rng: np.random.Generator, p: Param, value: Input, enums: Mapping[str, tuple[tuple[str, int], ...]]
) -> Input:
    """Another value of an argument that is no output."""
    kind = bare(p.type)
    if isinstance(value, np.ndarray):
        return _mutated_array(rng, value)
    if isinstance(value, Csr):
        return None
    if p.is_tensor_list and value:
        return _mutated_list(rng, value, may_shrink=p.count is not None)
    if isinstance(value, Scalar):
        number = _one(rng, (*INTEGERS, *NUMBERS))
        inexact = dtypes.is_floating(value.dtype)
        finite = int(number) if np.isfinite(number) and abs(number) < 2**63 else 0
        return _one(rng, (None, replace(value, value=float(number) if inexact else finite), Scalar(1, "complex64")))
    if isinstance(value, Seed):
        return _one(rng, (None, replace(value, offset=2**64 - 1), replace(value, seed=2**64 - 1)))
    if kind in enums:
        number = int(_one(rng, ENUMERATORS))
        return next((name for name, known in enums[kind] if known == number and not name.endswith("END")), number)
    if kind.startswith("diopiSize_t"):
        flat = not value or not isinstance(value[0], list)
        if kind == "diopiSize_t":
            return _mutated_integers(rng, list(value or []))
        return value if flat else [_mutated_integers(rng, list(value[0])), *value[1:]]
    return _mutated_number(rng, kind, value)


def _mutated_number(rng: np.random.Generator, kind: str, value: Input) -> Input:
    if kind == "char*":
        return _one(rng, (*TEXTS, None))
    if kind == "bool":
        return not value
    if kind in ("float", "double"):
        return float(_one(rng, NUMBERS))
    if kind in ("int", "int32_t"):
        return min(max(_near(rng, value, OF_INT32), -(2**31)), 2**31 - 1)
    if kind in ("int64_t", "uint64_t", "size_t"):
        return _near(rng, value, INTEGERS)
    if kind in ("int64_t*", "double*", "float*", "bool*") and not isinstance(value, (list, tuple)):
        return _one(rng, (None, _mutated_number(rng, kind[:-1], value)))
    return value


def mutated_output(rng: np.random.Generator, value: Output) -> Output:
    """Another shape or dtype of an output, or null."""
    if isinstance(value, list):
        at = int(rng.integers(len(value)))
        return [*value[:at], mutated_output(rng, value[at]), *value[at + 1 :]]
    if not isinstance(value, Expected):
        return None
    kind = _one(rng, ("shape", "shape", "dtype", "null"))
    if kind == "null":
        return None
    if kind == "dtype":
        return Expected(_one(rng, DTYPES), value.shape)
    shape = mutated_shape(rng, value.shape)
    return Expected(value.dtype, shape) if np.prod(shape) <= LARGEST else value
