# SPDX-License-Identifier: BSD-3-Clause
"""Reads the arguments of a case: tensors as shapes or mappings, lists of tensors, and values of attributes."""

from __future__ import annotations

from typing import Any

from adaptor.codegen.model import Function, Param
from adaptor.codegen.strict_yaml import Mapping

from ..csr import ORDERS, CsrSpec
from ..dtypes import NUMPY
from ..handles import Argument
from . import values
from .case import TensorSpec


def read_argument(p: Param, value: object, at: Mapping) -> Argument:
    if value is None:
        return None
    if p.is_tensor or p.allocates:
        return _tensor(p, value, at)
    if p.is_tensor_list:
        if isinstance(value, Mapping):
            return _tensor(p, value, at)  # a default for each tensor of the list
        if not isinstance(value, list):
            raise at.error(f"'{p.name}' must be a list of tensors", p.name)
        return [None if v is None else _tensor(p, v, at) for v in value]
    return value


def _tensor(p: Param, value: object, at: Mapping) -> TensorSpec:
    if isinstance(value, list):
        return TensorSpec(shape=_shape(p, value, at))
    if not isinstance(value, Mapping):
        raise at.error(f"'{p.name}' is a tensor: give a shape, or a mapping with shape, dtype, gen, ...", p.name)
    value.check_keys((), ("shape", "dtype", "gen", "values", "same", "csr"))
    gen, dtype = value.take("gen", str), value.take("dtype", str)
    if gen is not None:
        try:
            values.parse(gen)
        except ValueError as error:
            raise value.error(str(error), "gen") from None
    if dtype is not None and dtype not in NUMPY:
        raise value.error(f"unknown dtype '{dtype}'", "dtype")
    literal = value.get("values")
    if "values" in value and ("gen" in value or "shape" in value):
        raise value.error("'values' cannot be combined with 'shape' or 'gen'", "values")
    shape = _shape(p, value["shape"], value) if "shape" in value else None
    csr = _csr(value.take("csr", Mapping)) if "csr" in value else None
    if csr is not None and (shape is None or len(shape) < 2):
        raise value.error("'csr' needs a 'shape' of two or more dimensions", "csr")
    return TensorSpec(shape, dtype, gen, frozen(literal), value.take("same", str), csr=csr)


def _csr(raw: Mapping) -> CsrSpec:
    raw.check_keys((), ("density", "dtype", "order", "row_pointers", "columns"))
    if raw.get("dtype", "int32") not in ("int32", "int64"):
        raise raw.error("the indices of a sparse tensor have dtype int32 or int64", "dtype")
    if raw.get("order", ORDERS[0]) not in ORDERS:
        raise raw.error(f"the order of column indices is one of {', '.join(ORDERS)}", "order")
    if ("row_pointers" in raw) != ("columns" in raw):
        raise raw.error("'row_pointers' and 'columns' belong together")
    return CsrSpec(**{k: frozen(v) for k, v in raw.items()})


def _shape(p: Param, value: object, at: Mapping) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(type(v) is int and v >= 0 for v in value):
        raise at.error(f"the shape of '{p.name}' must be a list of sizes, not {value!r}")
    return tuple(value)


def read_arguments(function: Function, raw: Mapping) -> dict[str, Argument]:
    """The arguments that a mapping gives of a function."""
    parameters = {p.name: p for p in function.params}
    return {name: read_argument(parameters[name], value, raw) for name, value in raw.items() if name in parameters}


def frozen(value: object) -> Any:
    """A value with tuples in the place of lists."""
    return tuple(frozen(v) for v in value) if isinstance(value, list) else value
