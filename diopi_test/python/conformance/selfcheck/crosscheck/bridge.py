# SPDX-License-Identifier: BSD-3-Clause
"""Converts tensors between NumPy and PyTorch, and calls references."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ... import dtypes
from ...cases.prepared import Expected, Prepared
from ...csr import Csr
from ...handles import Scalar
from ...lists import as_list
from ...oracle import python_name
from .reference import Reference, torch

BEYOND_INT64 = "PyTorch has no arithmetic for uint64 beyond int64"


Convert = Callable[[Any], Any]  # converts an argument of a reference


class Refused(Exception):
    """Raised if PyTorch has the operator, but refuses these arguments."""


def to_torch(value: Any) -> Any:
    """An argument for PyTorch: arrays become tensors of the same dtype."""
    if isinstance(value, list) and any(isinstance(v, np.ndarray) for v in value):
        return [to_torch(v) for v in value]
    if isinstance(value, Scalar):
        return value.value
    if isinstance(value, Csr):
        pointers, columns, values = map(to_torch, value.parts())
        return torch.sparse_csr_tensor(pointers, columns, values, size=value.shape)
    if not isinstance(value, np.ndarray):
        return value
    if dtypes.name_of(value.dtype) == "bfloat16":
        return torch.from_numpy(np.array(value).view(np.int16).reshape(value.shape)).view(torch.bfloat16)
    return torch.from_numpy(np.array(value))


def from_torch(tensor: Any) -> np.ndarray:
    """The values of a tensor in the type in which oracles compute."""
    if isinstance(tensor, (np.ndarray, np.generic, float, int)):
        return np.asarray(tensor)
    if tensor.dtype == torch.bfloat16:
        return tensor.double().numpy()
    return dtypes.widen(tensor.detach().resolve_conj().resolve_neg().contiguous().numpy())


def in_double(value: Any) -> Any:
    """The value, with floating and complex tensors converted to double precision."""
    if isinstance(value, list):
        return [in_double(v) for v in value]
    if not isinstance(value, torch.Tensor):
        return value
    if value.is_complex():
        return value.to(torch.complex128)
    return value.double() if value.is_floating_point() else value


def all_in_double(value: Any) -> Any:
    """The value in double precision. An argument that is a floating dtype becomes float64."""
    return torch.float64 if isinstance(value, torch.dtype) and value.is_floating_point else in_double(value)


def strided(value: Any) -> Any:
    """The value, with tensors copied to memory with gaps between the elements."""
    if isinstance(value, list):
        return [strided(v) for v in value]
    dense = isinstance(value, torch.Tensor) and value.layout == torch.strided
    return torch.stack([value, value], -1)[..., 0] if dense else value


def widest(value: Any, case_dtype: str) -> Any:
    """The value in the widest dtype of its kind in which PyTorch computes: float64, complex128 or int64."""
    if isinstance(value, list):
        return [widest(v, case_dtype) for v in value]
    if isinstance(value, torch.dtype):
        return _wide_dtype(value, case_dtype)
    if not isinstance(value, torch.Tensor):
        return value
    if value.dtype == torch.uint64 and value.numel() and int(value.view(torch.int64).min()) < 0:
        raise Refused(BEYOND_INT64)
    return value.to(_wide_dtype(value.dtype, case_dtype))


def _wide_dtype(dtype: Any, case_dtype: str) -> Any:
    if dtype.is_complex:
        return torch.complex128
    if dtype.is_floating_point:
        return torch.float64
    may_be_mask = dtype == torch.uint8 and case_dtype != "uint8"
    return dtype if dtype == torch.bool or may_be_mask else torch.int64


def outputs(prepared: Prepared) -> list[tuple[str, Any]]:
    """All expected outputs with their names, including each tensor of a list and numbers written through pointers."""
    return [
        (f"{k}[{i}]" if isinstance(v, list) and len(v) > 1 else k, e)
        for k, v in prepared.expected.items()
        for i, e in enumerate(as_list(v))
        if e is not None
    ]


def call_reference(reference: Reference, prepared: Prepared, convert: Convert | None, **options: Any) -> Any:
    """Calls the reference. If `convert` is given, each argument is converted first."""
    if not reference.takes_tensors:
        known: Mapping[str, Any] = {**prepared.inputs, **prepared.oracle_arguments}
        return reference.call(**{n: known.get(n) for n in reference.parameters})
    rename = prepared.oracle.rename
    first = next((e for _, e in outputs(prepared) if isinstance(e, Expected)), None)
    known = {python_name(n): to_torch(v) for k, v in prepared.inputs.items() for n in (k, rename.get(k, k))}
    if first is not None:
        known["dtype"] = getattr(torch, first.compute_dtype or first.dtype)
    if convert is not None:
        known = {k: convert(v) for k, v in known.items()}
    for name in reference.parameters:
        known.setdefault(name, prepared.oracle_arguments.get(name))
    try:
        return reference.call(*(known[n] for n in reference.parameters), **options)
    except (NotImplementedError, RuntimeError, TypeError, IndexError, ValueError) as error:
        raise Refused(f"{type(error).__name__}: {str(error).splitlines()[0]}") from error


def results_by_output(prepared: Prepared, result: Any) -> list[Any]:
    """The reference's results in the order of `outputs`; None for a result that is not compared."""
    found: list[Any] = []
    if isinstance(result, dict):
        for name, expected in prepared.expected.items():
            value = result.get(name)
            many = isinstance(expected, list)
            found += (
                list(value)
                if many and isinstance(value, (list, tuple))
                else [value] * (sum(e is not None for e in expected) if many else 1)
            )
        return found
    return list(result) if isinstance(result, (tuple, list)) else [result]
