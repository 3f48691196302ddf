# SPDX-License-Identifier: BSD-3-Clause
"""Converts Python values to C arguments. Each converter belongs to one parameter and names it in its errors."""

from __future__ import annotations

import ctypes
import numbers
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import dtypes
from .binding import PLAIN, ScalarStruct, Size, scalar_of, size_of
from .contract import Contract
from .errors import ArgumentError, DtypeError, Error, wrong
from .generator import Generator
from .signatures import ParamLike, argument_name, kind_of
from .tensors import Call, list_handles, tensor_handle

Converter = Callable[[Call, Any], Any]
INT_BITS = {"int": 32, "int32_t": 32, "int64_t": 64, "uint64_t": 64}
# Common prefixes of enum values, which the caller may omit: "mean" means ReductionMean.
_ENUM_PREFIXES = {"diopiReduction_t": "Reduction", "diopiRoundMode_t": "RoundMode"}


def integer(function: str, name: str, value: object, bits: int = 64, signed: bool = True) -> int:
    """The value as an integer. Raises an error if the C type cannot hold it."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise wrong(ArgumentError, function, name, "an integer", value) from None
    if not low <= number <= high:
        raise wrong(ArgumentError, function, name, f"an integer from {low} to {high}", value)
    return number


def _integer_of(function: str, name: str, kind: str) -> Converter:
    bits, signed = INT_BITS[kind], kind != "uint64_t"
    return lambda call, value: integer(function, name, value, bits, signed)


def _real_of(function: str, name: str) -> Converter:
    def convert(call: Call, value: Any) -> float:
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.floating, np.integer)):
            if not (isinstance(value, np.generic) and dtypes.name_of(value.dtype) == "bfloat16"):
                raise wrong(ArgumentError, function, name, "a real number", value)
        return _double(function, name, value)

    return convert


def _double(function: str, name: str, value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        raise wrong(ArgumentError, function, name, "a number that a double can hold", value) from None


def _flag_of(function: str, name: str) -> Converter:
    def convert(call: Call, value: Any) -> bool:
        if not isinstance(value, (bool, np.bool_)):
            raise wrong(ArgumentError, function, name, "True or False", value)
        return bool(value)

    return convert


def _text_of(function: str, name: str) -> Converter:
    def convert(call: Call, value: Any) -> bytes | None:
        if value is None:
            return None
        if not isinstance(value, str) or "\0" in value:
            raise wrong(ArgumentError, function, name, "a string", value)
        try:
            return value.encode()
        except UnicodeEncodeError:
            raise wrong(ArgumentError, function, name, "a string that UTF-8 can express", value) from None

    return convert


def _enum_of(function: str, name: str, kind: str, members: dict[str, int]) -> Converter:
    prefix = _ENUM_PREFIXES.get(kind, "")
    members = {k: v for k, v in members.items() if not k.endswith("END")}
    plain = {k.removeprefix(prefix).lower(): v for k, v in members.items()}
    expected = f"one of {', '.join(repr(k) for k in plain)}"

    def convert(call: Call, value: Any) -> int:
        if value is None:
            value = "none"
        if isinstance(value, str):
            found = members.get(value, plain.get(value.replace("_", "").lower()))
            if found is not None:
                return found
        elif isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) in members.values():
            return int(value)
        raise wrong(ArgumentError, function, name, expected, value)

    return convert


def _sizes_of(function: str, name: str) -> Callable[[Any], Size]:
    def convert(value: Any) -> Size:
        is_array = isinstance(value, np.ndarray) and value.ndim == 0
        if is_array or (isinstance(value, (int, np.integer)) and not isinstance(value, bool)):
            return size_of([integer(function, name, value)])
        if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, np.ndarray)):
            raise wrong(ArgumentError, function, name, "an integer or a sequence of integers", value)
        return size_of([integer(function, f"{name}[{i}]", v) for i, v in enumerate(value)])

    return convert


def scalar_struct(function: str, name: str, value: Any, numbers_by_dtype: dict[str, int]) -> ScalarStruct:
    """The value as a diopiScalar_t. Python numbers get bool, int64 or float64; NumPy numbers keep their dtype."""
    dtype = scalar_dtype(function, name, value)
    if dtype in dtypes.COMPLEX:
        raise wrong(ArgumentError, function, name, "a real number: a scalar of the contract cannot be complex", value)
    if dtype == "bool" or dtype in dtypes.INTEGRAL:
        value = integer(function, name, int(value))
    else:
        value = _double(function, name, value)
    return scalar_of(value, dtype, numbers_by_dtype)


def scalar_dtype(function: str, name: str, value: Any) -> str:
    """The dtype with which a number takes part in promotion."""
    if isinstance(value, np.generic):
        try:
            return dtypes.name_of(value.dtype)
        except DtypeError:
            pass
    for kind, dtype in ((bool, "bool"), (numbers.Integral, "int64"), (numbers.Real, "float64")):
        if isinstance(value, kind):
            return dtype
    if isinstance(value, numbers.Complex):
        return "complex128"
    raise wrong(ArgumentError, function, name, "a number", value)


def _pointer_of(function: str, name: str, kind: str) -> Converter:
    """A pointer to one value that the operator reads, or null."""
    inner, ctype = _plain(function, name, kind), PLAIN[kind]

    def convert(call: Call, value: Any) -> Any:
        return None if value is None else call.keep(ctype(inner(call, value)))

    return convert


def _plain(function: str, name: str, kind: str) -> Converter:
    if kind in INT_BITS:
        return _integer_of(function, name, kind)
    return _flag_of(function, name) if kind == "bool" else _real_of(function, name)


def _value_of(function: str, param: ParamLike, name: str, contract: Contract) -> Converter:
    """The converter of a parameter that is neither a tensor nor a generator."""
    kind = kind_of(param)
    if kind in PLAIN:
        return _plain(function, name, kind)
    if kind in contract.enums:
        return _enum_of(function, name, kind, contract.enums[kind])
    if kind == "char*":
        return _text_of(function, name)
    sizes = _sizes_of(function, name)
    if kind == "diopiSize_t":
        return lambda call, value: sizes(value)
    if kind == "diopiSize_t*":
        return lambda call, value: None if value is None else call.keep(sizes(value))
    if kind == "diopiScalar_t*":

        def scalar(call: Call, value: Any) -> Any:
            return None if value is None else call.keep(scalar_struct(function, name, value, contract.dtypes))

        return scalar
    if kind == "void*":
        return lambda call, value: None if value is None else integer(function, name, value, 64, False)
    if kind.removesuffix("*") in PLAIN:
        return _pointer_of(function, name, kind.removesuffix("*"))
    raise Error(f"{function}: parameter {name} has type {param.type}, which the package cannot pass")


def _generator_of(function: str, name: str) -> Converter:
    def convert(call: Call, value: Any) -> int | None:
        if value is None:
            return None
        if not isinstance(value, Generator):
            raise wrong(ArgumentError, function, name, "a diopi.Generator", value)
        return value._handle

    return convert


def _generators_of(function: str, name: str) -> Converter:
    def convert(call: Call, value: Any) -> Any:
        if not isinstance(value, (list, tuple)) or not all(isinstance(v, Generator) for v in value):
            raise wrong(ArgumentError, function, name, "a list of diopi.Generator", value)
        return call.keep((ctypes.c_void_p * max(len(value), 1))(*(v._handle for v in value)))

    return convert


def converter(function: str, param: ParamLike, contract: Contract) -> Converter:
    """The function that converts a value to this parameter."""
    name, kind, writing = argument_name(param.name), kind_of(param), param.dir in ("out", "inout")
    if kind == "tensor":
        return lambda call, value: tensor_handle(call, function, name, value, writing)
    if kind == "tensors":
        may_lack = bool(getattr(param, "element_nullable", False))
        return lambda call, value: list_handles(call, function, name, value, writing, may_lack)
    if kind == "generator":
        return _generator_of(function, name)
    if kind == "generators":
        return _generators_of(function, name)
    return _value_of(function, param, name, contract)
