# SPDX-License-Identifier: BSD-3-Clause
"""Computes the expected outputs of a case: the oracle's arguments, its results, and the dtype of every output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adaptor.codegen.model import Param
from adaptor.codegen.rules.conditions import NumelIs

from .. import dtypes, scalars
from ..csr import Csr
from ..handles import Input, Output, Scalar
from ..lists import as_list
from ..oracle import Unspecified, Unwritten, Value
from .case import TensorSpec
from .group import Group
from .prepared import CaseError, Expected, NotApplicable, Prepared, is_output, is_written


def dtype_of(value: Input) -> Any:
    """The dtype of a tensor or of a scalar; None for anything else."""
    if isinstance(value, (np.ndarray, Csr)):
        return dtypes.name_of(value.dtype)
    return value.dtype if isinstance(value, Scalar) else None


def common_dtype(prepared: Prepared, names: tuple[str, ...]) -> str:
    """The torch.result_type of these arguments."""
    arguments: list[Input] = []
    for name in names:
        value = prepared.inputs.get(name)
        arguments += as_list(value)
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    return dtypes.result_type(
        [dtype_of(a) for a in arrays if a.ndim],
        [dtype_of(a) for a in arrays if not a.ndim],
        [s.dtype for s in arguments if isinstance(s, Scalar)],
    )


def wide(value: Input, dtype: str | None = None) -> Any:
    """An argument in the type in which the oracle computes. If `dtype` is given, it is converted to `dtype` first.

    Integers wrap around in this conversion, also those of scalars.
    """
    if isinstance(value, list):
        return [wide(v, dtype) for v in value]
    if isinstance(value, np.ndarray):
        if dtype is not None and dtype_of(value) != dtype:
            value = dtypes.narrow(dtypes.widen(value), dtype)
        return dtypes.widen(value)
    if isinstance(value, Csr):
        return value.widened()
    if isinstance(value, Scalar):
        if dtype is None:
            return value.value
        if dtypes.is_inexact(dtype):
            return dtypes.round_through(np.asarray(value.value, np.float64), dtypes.real_dtype(dtype))[()]
        return bool(value.value) if dtype == "bool" else scalars.wrapped(int(value.value), dtype)
    return value


def _operand_dtype(prepared: Prepared, name: str, value: Input, promoted: str | None) -> str | None:
    """The dtype to which a promoted operand is rounded before the computation; None if it is not rounded."""
    oracle, casts = prepared.oracle, prepared.group.declared_casts
    if isinstance(value, Scalar) and not oracle.converts_scalars:
        return None
    if promoted is None or not dtypes.is_floating(promoted):
        return promoted
    of_integers = isinstance(value, np.ndarray) and not dtypes.is_inexact(dtypes.name_of(value.dtype))
    if of_integers and not (name in oracle.exact_number and value.size == 1):
        return promoted if casts is None else casts.target(name, promoted)
    return promoted if oracle.round_operands else dtypes.accumulation_dtype(promoted)


def settle_values(prepared: Prepared, names: dict[str, str]) -> dict[str, Any]:
    """Converts the scalars that are values to their dtype. A value that does not fit makes the call invalid."""
    settled: dict[str, Any] = {}
    empty = any(isinstance(v, np.ndarray) and v.size == 0 for v in prepared.inputs.values())
    for name, rule in scalars.value_parameters(prepared.group.case.function).items():
        value, dtype = prepared.inputs.get(name), scalars.value_dtype(rule, names)
        number = value.value if isinstance(value, Scalar) else value
        if isinstance(number, float) and number.is_integer() and (isinstance(value, float) or name == "alpha"):
            number = int(number)  # a parameter of type double, or alpha, may hold an integer
        if not isinstance(number, (bool, int, float)) or dtype is None:
            continue
        if rule.accepts(number, dtype):
            if dtypes.is_integral(dtype):
                settled[name] = scalars.held(number, dtype)
        elif rule.always and not empty and not _acts_as_infinite(prepared, name, dtype):
            raise CaseError(
                f"{name} = {number} does not fit {dtype}: the call is invalid, and the case needs an 'error'"
            )
    return settled


def _acts_as_infinite(prepared: Prepared, name: str, dtype: str) -> bool:
    return name == "exponent" and dtype in ("float32", "complex64")


@dataclass(frozen=True)
class OracleCall:
    """How the oracle of a case is called."""

    arguments: dict[str, Any]  # the arguments of the oracle's function
    outputs: list[Param]  # the outputs that it must return
    promoted: str | None  # the common dtype of the operands, if the oracle promotes them
    # The dtypes of tensors and scalars, by the name of their parameter; `indices[0]` is the first tensor of a list.
    # `case` is the dtype of the case. `promoted` is the common dtype, or the dtype that the vendor declares for it.
    dtypes: dict[str, str]


def oracle_call(prepared: Prepared) -> OracleCall:
    """The call of the oracle for these inputs."""
    oracle, case = prepared.oracle, prepared.group.case
    names = _dtypes_of_inputs(prepared)
    promote = tuple(k for k in prepared.inputs if oracle.rename.get(k, k) in oracle.promote)
    promoted = _promoted(prepared, promote) if promote else None
    if promoted is not None:
        names["promoted"] = _computing_dtype(prepared, promote, promoted)
    arguments = {
        k: wide(v, _operand_dtype(prepared, k, v, promoted) if k in promote else None)
        for k, v in prepared.inputs.items()
    }
    outputs = [p for p in case.function.params if (is_output(p) or is_written(p)) and not _is_null(prepared, p)]
    for p in outputs:  # an oracle without tensor inputs needs the output's shape
        spec = case.arguments.get(p.name)
        if p.dir == "out" and isinstance(spec, TensorSpec):
            if spec.shape is not None:
                arguments[p.name] = spec.shape
            if spec.dtype is not None or spec.shape is not None:
                names[p.name] = _requested_dtype(prepared.group, p.name, spec)
    arguments |= settle_values(prepared, names)
    return OracleCall(oracle.arguments(arguments, names), outputs, promoted, names)


def _dtypes_of_inputs(prepared: Prepared) -> dict[str, str]:
    names = {k: dtype_of(v) for k, v in prepared.inputs.items() if dtype_of(v)}
    for name, values in prepared.inputs.items():
        if isinstance(values, list):
            names |= {f"{name}[{i}]": dtype_of(v) for i, v in enumerate(values) if dtype_of(v)}
    return {**names, "case": prepared.group.dtype}


def _promoted(prepared: Prepared, promote: tuple[str, ...]) -> str:
    """The common dtype of these inputs; float32 in place of integers if the result of the oracle is real."""
    promoted = common_dtype(prepared, promote)
    return "float32" if prepared.oracle.dtype == "float" and not dtypes.is_inexact(promoted) else promoted


def _computing_dtype(prepared: Prepared, promote: tuple[str, ...], promoted: str) -> str:
    """The dtype in which the operands meet: the promoted dtype, or the one that the vendor declares in its place."""
    casts = prepared.group.declared_casts
    operand = next((k for k in promote if isinstance(prepared.inputs.get(k), np.ndarray)), None)
    if casts is None or operand is None or not dtypes.is_inexact(promoted):
        return promoted
    return casts.target(operand, promoted)


def _requested_dtype(group: Group, output: str, spec: TensorSpec) -> str:
    """The dtype that the case gives to an output, or that the vendor declares in its place."""
    dtype = spec.dtype or group.dtype
    return dtype if group.declared_casts is None else group.declared_casts.target(output, dtype)


def add_expected_outputs(prepared: Prepared) -> None:
    """Calls the oracle, and adds what it returns to `prepared`."""
    call = oracle_call(prepared)
    prepared.oracle_arguments = call.arguments
    with np.errstate(all="ignore"):
        result = prepared.oracle.function(**call.arguments)
    if not isinstance(result, dict):
        if len(call.outputs) != 1:
            names = ", ".join(p.name for p in call.outputs)
            raise CaseError(f"the oracle returns a single value for the outputs {names}")
        result = {call.outputs[0].name: result}
    for p in call.outputs:
        key = next((k for k in (p.name, prepared.oracle.rename.get(p.name, p.name)) if k in result), None)
        if key is None:
            raise CaseError(f"the oracle does not return '{p.name}'")
        if p.allocates and result[key] is None:
            continue  # the operator stores null
        _check_unwritten(prepared, p, result[key])
        prepared.expected[p.name] = _expected_output(prepared, p, result[key], call)


def _check_unwritten(prepared: Prepared, p: Param, result: Any) -> None:
    """Raises an error unless the oracle and the registry agree on whether the call writes this output."""
    written = all(_holds(condition, prepared) for condition in p.written_when)
    if isinstance(result, Unwritten) == written:
        says = "writes" if written else "does not write"
        raise CaseError(f"the contract says that this call {says} '{p.name}', the oracle says the opposite")


def _holds(condition: Any, prepared: Prepared) -> bool:
    if isinstance(condition, NumelIs):
        return condition.holds(np.size(prepared.inputs[condition.numel]))
    return bool(condition.holds(prepared.inputs.get(condition.param)))


def _is_null(prepared: Prepared, p: Param) -> bool:
    """Whether the case passes a null for this output."""
    if p.dir == "inout":
        return prepared.inputs.get(p.name) is None
    return p.name in prepared.group.case.arguments and prepared.group.case.arguments[p.name] is None


def _rule_dtype(prepared: Prepared, p: Param, call: OracleCall) -> str:
    promoted, names = call.promoted, call.dtypes
    rule = prepared.oracle.rule(p.name)
    if rule is None:
        first = next((dtype_of(v) for k, v in prepared.inputs.items() if isinstance(v, np.ndarray)), None)
        return promoted or first or names.get(p.name) or prepared.group.dtype
    if callable(rule):
        return rule(names)
    if rule in dtypes.NUMPY:
        return rule
    if rule in ("promoted", "float"):
        dtype = promoted or next(
            (dtype_of(v) for v in prepared.inputs.values() if isinstance(v, np.ndarray)), prepared.group.dtype
        )
        return "float32" if rule == "float" and not dtypes.is_inexact(dtype) else dtype
    known = {prepared.oracle.rename.get(k, k): v for k, v in names.items()} | names
    if rule not in known:
        raise CaseError(f"the oracle's dtype rule '{rule}' is neither a dtype nor a tensor of the case")
    return known[rule]


def _expected_output(prepared: Prepared, p: Param, result: Any, call: OracleCall) -> Output:
    if is_written(p):
        return list(result) if isinstance(result, (list, tuple)) else [result]
    compute = _rule_dtype(prepared, p, call)
    if isinstance(result, list):
        given = prepared.inputs.get(p.name)
        return [
            None if r is None else _expected_tensor(prepared, p, r, compute, given[i] if given else None)
            for i, r in enumerate(result)
        ]
    return _expected_tensor(prepared, p, result, compute, prepared.inputs.get(p.name))


def _expected_tensor(prepared: Prepared, p: Param, result: Any, compute: str, own: np.ndarray | None) -> Expected:
    spec = prepared.group.case.arguments.get(p.name)
    if isinstance(result, Value) and result.dtype is not None:
        compute = result.dtype
    requested = spec if p.dir == "out" and isinstance(spec, TensorSpec) else TensorSpec()
    if p.name in prepared.aliases and p.dir == "out":
        own = prepared.inputs[prepared.aliases[p.name]]
    dtype = requested.dtype or (dtype_of(own) if own is not None else compute)
    if prepared.group.case.hostile == "out_dtypes" and not dtypes.can_cast(compute, dtype):
        raise NotApplicable
    array = result.array if isinstance(result, Value) else result
    shape = tuple(array.shape) if isinstance(array, (Unspecified, Unwritten)) else np.shape(array)
    if own is not None and (own.shape != shape or not dtypes.can_cast(compute, dtype)):
        raise NotApplicable
    vector = requested.shape == (1,) and shape == ()  # the contract allows shape [1] for a 0-d result
    if vector:
        shape = (1,)
        array = type(array)(shape) if isinstance(array, (Unspecified, Unwritten)) else np.reshape(array, 1)
    if requested.shape is not None and isinstance(array, Unwritten):
        shape = requested.shape  # such an output may have any shape
    if requested.shape is not None and requested.shape != shape:
        raise CaseError(f"the case gives '{p.name}' the shape {requested.shape}, the oracle gives it the shape {shape}")
    if isinstance(array, (Unspecified, Unwritten)):
        return Expected(dtype, shape, unwritten=isinstance(array, Unwritten))
    array = np.asarray(array)
    if prepared.group.declared_casts is not None:
        compute = prepared.group.declared_casts.computed(p, dtype, compute)
    if compute != dtype:
        array = dtypes.round_through(array, compute)
    facts = result if isinstance(result, Value) else Value(array)
    magnitude, terms = (None if x is None else np.broadcast_to(x, shape) for x in (facts.magnitude, facts.terms))
    return Expected(dtype, shape, array, compute, magnitude, facts.strides, terms=terms)
