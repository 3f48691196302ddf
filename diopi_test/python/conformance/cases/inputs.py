# SPDX-License-Identifier: BSD-3-Clause
"""Creates the inputs of a case: random tensors, attributes, and tensors whose elements share memory."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np

from adaptor.codegen.model import Function, Param
from diopi.layer import elements
from diopi.signatures import bare

from .. import dtypes
from ..csr import Csr
from ..handles import Argument, Input, Scalar, Seed
from . import values
from .case import Stored, TensorSpec
from .group import Group
from .prepared import CaseError
from .special_numbers import mixed


def generator_of(group: Group, parameter: str, attempt: int = 0) -> np.random.Generator:
    digest = hashlib.sha256(f"{group.name}:{parameter}:{attempt}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "little"))


def make_input(group: Group, parameter: str, spec: TensorSpec, attempt: int) -> np.ndarray:
    dtype = spec.dtype or group.dtype
    if spec.stored is not None:
        array = stored_elements(spec.stored, spec, dtype)
    elif spec.values is not None:
        array = dtypes.narrow(np.array(spec.values), dtype)
    else:
        generator = spec.gen or values.default_generator(dtype)
        shape: Any = spec.shape
        array = values.draw(generator, generator_of(group, parameter, attempt), shape, dtype)
        if spec.mix is not None:
            array = mixed(array, spec.mix, generator_of(group, f"{parameter}:special", attempt), attempt)
    return group.declared_casts.rounded(parameter, array) if group.declared_casts else array


def stored_elements(place: Stored, spec: TensorSpec, dtype: str) -> np.ndarray:
    """The elements of a captured tensor, contiguous."""
    with place.path.open("rb") as file:
        file.seek(place.position)
        memory = file.read(place.bytes)
    if len(memory) < place.bytes:
        raise CaseError(f"{place.path} is cut off: {place.position + place.bytes} bytes are expected")
    shape: Any = spec.shape
    return elements.of(memory, place.offset, shape, place.stride, dtype).view(dtypes.NUMPY[dtype])


def make_tensor(group: Group, parameter: str, spec: TensorSpec, attempt: int) -> Input:
    """The array of a dense tensor, or a sparse tensor."""
    if spec.csr is None:
        return make_input(group, parameter, spec, attempt)
    shape: Any = spec.shape
    pointers, columns = spec.csr.indices(shape, generator_of(group, f"{parameter}:entries", attempt))
    entries = replace(spec, shape=(len(columns), *shape[2:]), csr=None)
    return Csr(shape, pointers, columns, make_input(group, parameter, entries, attempt))


def as_scalar(value: object) -> Scalar:
    """A YAML value as a diopiScalar_t. Its dtype is bool, int64 or float64, unless `{value:, dtype:}` gives it."""
    if isinstance(value, dict):
        return Scalar(value["value"], value["dtype"])
    if isinstance(value, bool):
        return Scalar(value, "bool")
    if isinstance(value, (int, float)):
        return Scalar(value, "int64" if isinstance(value, int) else "float64")
    raise CaseError(f"{value!r} is not a scalar")


def _seed(group: Group, name: str, state: Any) -> Seed:
    return Seed(state.get("seed", int(generator_of(group, name).integers(1, 2**40))), state.get("offset", 0))


def _seeds(group: Group, p: Param, given: dict[str, Argument]) -> list[Seed]:
    """The generators of a list. The case gives the state of none or of each."""
    states = given.get(p.name) or [{}] * max(int(given[str(p.count)]), 0)
    return [_seed(group, f"{p.name}[{i}]", state or {}) for i, state in enumerate(states)]


def attribute(group: Group, function: Function, p: Param, given: dict[str, Argument]) -> Input:
    if p.is_generator and not (p.name in given and given[p.name] is None):
        return _seeds(group, p, given) if p.count else _seed(group, p.name, given.get(p.name) or {})
    if p.name not in given:
        for other in function.params:
            if other.count == p.name and isinstance(given.get(other.name), list):
                return len(given[other.name])
        return None
    value = given[p.name]
    return as_scalar(value) if bare(p.type) == "diopiScalar_t*" and value is not None else value
