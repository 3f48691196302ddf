# SPDX-License-Identifier: BSD-3-Clause
"""The option --four_bytes: index tensors of int32 instead of int64, for devices without 64-bit integers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from adaptor.codegen.model import Param

from ..handles import Argument
from ..lists import as_list
from ..oracle import Oracle
from .case import Case, TensorSpec

LARGEST = 2**31 - 1


def is_index(p: Param) -> bool:
    """Whether the contract allows only int32 and int64 for the parameter, and possibly masks (bool or uint8)."""
    return p.dtypes is not None and set(p.dtypes) - {"bool", "uint8"} == {"int32", "int64"}


def narrow_indices(cases: list[Case], oracles: dict[str, Oracle]) -> tuple[list[Case], int]:
    """The cases with int32 instead of int64 index tensors, and the number of cases that this changes."""
    result, changed = [], 0
    for case in cases:
        parts = _split(case)
        narrowed = [_narrowed(part, oracles.get(part.function.name)) for part in parts]
        changed += any(new is not old for new, old in zip(narrowed, parts))
        result += narrowed
    return result, changed


def _split(case: Case) -> list[Case]:
    """If an index tensor has the dtype of the case, splits the case into int64 and all other dtypes."""
    follows = [
        p
        for p in case.function.params
        if is_index(p) and any(s.dtype is None and s.same is None for s in _specs(case.arguments.get(p.name)))
    ]
    if not follows or "int64" not in case.dtypes or case.dtypes == ("int64",):
        return [case]
    return [replace(case, dtypes=tuple(d for d in case.dtypes if d != "int64")), replace(case, dtypes=("int64",))]


def _specs(value: Argument) -> list[TensorSpec]:
    return [v for v in as_list(value) if isinstance(v, TensorSpec)]


def _narrowed(case: Case, oracle: Oracle | None) -> Case:
    arguments = dict(case.arguments)
    for p in case.function.params:
        if not is_index(p):
            continue
        value = arguments.get(p.name)
        if isinstance(value, list):
            arguments[p.name] = [_int32(v, case) if isinstance(v, TensorSpec) else v for v in value]
        elif isinstance(value, TensorSpec):
            arguments[p.name] = _int32(value, case)
        made = p.dir == "out" and p.is_tensor and case.error is None
        if (
            made
            and oracle is not None
            and oracle.rule(p.name) == "int64"
            and (p.name not in arguments or arguments[p.name] is not None)
        ):
            spec = arguments.get(p.name) or TensorSpec()
            arguments[p.name] = spec if spec.dtype or spec.same else replace(spec, dtype="int32")
    return case if arguments == case.arguments else replace(case, arguments=arguments)


def _int32(spec: TensorSpec, case: Case) -> TensorSpec:
    dtype = spec.dtype or (case.dtypes[0] if case.dtypes == ("int64",) else None)
    if dtype != "int64" or spec.same is not None or not _fits(spec.values):
        return spec
    return replace(spec, dtype="int32")


def _fits(values: Any) -> bool:
    if isinstance(values, tuple):
        return all(_fits(v) for v in values)
    return values is None or abs(values) <= LARGEST
