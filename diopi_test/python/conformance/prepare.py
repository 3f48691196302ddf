"""From a case to numbers: draws the inputs, asks the oracle, settles the dtype of every output."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import dtypes, values
from .binding import Scalar, Seed, bare
from .case_files import RawCase, SavedOutput, TensorSpec
from .hostile import many
from .hostile.numbers import mixed
from .lowering import Lowering
from .oracles import Oracle, Unspecified, Value, load_oracles

from adaptor.codegen.model import Function, Param


DRAWS = 8


class CaseError(Exception):
    """The case or its oracle is wrong, not the operator."""


class NotApplicable(Exception):
    """The case means nothing for this form of the operator, as a broadcast for the form that works in place."""


@dataclass(frozen=True)
class Group:
    """One case with one dtype; its variants share inputs and expected outputs."""

    raw: RawCase
    dtype: str
    variants: tuple[str, ...]
    lowering: Lowering | None = None  # conversions that the vendor declares

    @property
    def name(self) -> str:
        return f"{self.raw.function.name}/{self.raw.id}/{self.dtype}"


@dataclass
class Expected:
    """What one output must hold. `values` are the oracle's, or None where only a check can judge them."""

    dtype: str
    shape: tuple[int, ...]
    values: np.ndarray | None = None
    compute_dtype: str = ""  # of the computation, which may be coarser than the output's
    magnitude: np.ndarray | None = None
    strides: tuple[int, ...] | None = None  # that an allocated output must have


@dataclass
class Prepared:
    """Everything that a variant needs but the memory layout."""

    group: Group
    inputs: dict[str, Any] = field(default_factory=dict)  # tensors as arrays, lists of them, attributes
    expected: dict[str, Any] = field(default_factory=dict)  # parameter -> Expected or list of Expected
    aliases: dict[str, str] = field(default_factory=dict)  # parameter -> parameter whose tensor it shares
    oracle: Oracle | None = None
    oracle_arguments: dict[str, Any] = field(default_factory=dict)


def is_output(p: Param) -> bool:
    return p.dir in ("out", "inout") and (p.is_tensor or p.is_tensor_list or p.allocates)


def is_written(p: Param) -> bool:
    """A number that the operator writes through a pointer."""
    return p.dir == "out" and not is_output(p) and bare(p.type) in ("int64_t*", "double*", "bool*", "float*")


def _rng(group: Group, parameter: str, attempt: int = 0) -> np.random.Generator:
    digest = hashlib.sha256(f"{group.name}:{parameter}:{attempt}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "little"))


def _draw(group: Group, parameter: str, spec: TensorSpec, attempt: int) -> np.ndarray:
    dtype = spec.dtype or group.dtype
    if spec.values is not None:
        array = dtypes.narrow(np.array(spec.values), dtype)
    else:
        generator = spec.gen or values.default_generator(dtype)
        array = values.draw(generator, _rng(group, parameter, attempt), spec.shape, dtype)
        if spec.mix is not None:
            array = mixed(array, spec.mix, _rng(group, f"{parameter}:special", attempt), attempt)
    return group.lowering.lower(parameter, array) if group.lowering else array


def as_scalar(value: object) -> Scalar:
    """A YAML number as a diopiScalar_t: bool, int64 or float64, or what `{value:, dtype:}` says."""
    if isinstance(value, dict):
        return Scalar(value["value"], value["dtype"])
    if isinstance(value, bool):
        return Scalar(value, "bool")
    if isinstance(value, (int, float)):
        return Scalar(value, "int64" if isinstance(value, int) else "float64")
    raise CaseError(f"{value!r} is no scalar")


def _attribute(group: Group, function: Function, p: Param, given: dict[str, Any]) -> Any:
    if p.is_generator and not (p.name in given and given[p.name] is None):
        state = given.get(p.name) or {}
        return Seed(state.get("seed", int(_rng(group, p.name).integers(1, 2**40))), state.get("offset", 0))
    if p.name not in given:
        for other in function.params:
            if other.count == p.name and isinstance(given.get(other.name), list):
                return len(given[other.name])
        return None
    value = given[p.name]
    return as_scalar(value) if bare(p.type) == "diopiScalar_t*" and value is not None else value


def expand(array: np.ndarray) -> np.ndarray:
    """The array with its first dimension of more than one element repeating its first entry."""
    dim = next(i for i, n in enumerate(array.shape) if n > 1)
    first = array[tuple(slice(0, 1) if i == dim else slice(None) for i in range(array.ndim))]
    return np.broadcast_to(first, array.shape)


def overlap(array: np.ndarray) -> np.ndarray:
    """Windows that share elements: the last two dimensions of more than one element both step by one."""
    wide = [i for i, n in enumerate(array.shape) if n > 1]
    if len(wide) < 2:
        return array
    rows, columns = (array.shape[i] for i in wide[-2:])
    outer = array.reshape(-1, rows, columns)
    line = np.ascontiguousarray(np.concatenate((outer[:, 0, :], outer[:, 1:, -1]), axis=1))
    strides, step = [array.itemsize] * array.ndim, line.strides[0]
    for dim in reversed(wide[:-2]):
        strides[dim], step = step, step * array.shape[dim]
    return np.lib.stride_tricks.as_strided(line, array.shape, strides, writeable=False)


# What a variant makes of an input beside laying it out: elements that share memory.
FOLDS = {"expanded": expand, "overlapping": overlap}


def prepare(group: Group, oracle: Oracle | None, fold: str | None = None) -> Prepared:
    """Inputs and expected outputs of a group; of its variant `fold`, in which elements of inputs share memory.

    Numbers by which the operator could not fail are drawn again, a few times.
    """
    if many.LAYOUT in group.variants:
        return _prepare_many(group, oracle)
    for attempt in range(DRAWS):
        prepared = _prepare(group, oracle, fold, attempt)
        if fold or _telling(prepared):
            break
    return prepared


def _prepare_many(group: Group, oracle: Oracle | None) -> Prepared:
    row, reduction, result = many.row_and_result(group.raw, _rng(group, "input"))
    inputs = {**reduction.arguments, "input": np.broadcast_to(row, many.SHAPE)}
    expected = Expected(reduction.result_dtype, result.shape, result, reduction.result_dtype)
    return Prepared(group, inputs, {reduction.output: expected}, oracle=oracle)


def _prepare(group: Group, oracle: Oracle | None, fold: str | None, attempt: int) -> Prepared:
    function, given = group.raw.function, group.raw.arguments
    prepared = Prepared(group, oracle=oracle)
    _draw_inputs(prepared, fold, attempt)
    if group.raw.saved:
        _fill_saved(prepared, attempt)
    for p in function.params:
        spec = given.get(p.name)
        if p.dir == "out" and isinstance(spec, TensorSpec) and spec.same is not None:
            prepared.aliases[p.name] = spec.same
    if group.raw.error is not None:
        _outputs_of_invalid_call(prepared)
    else:
        _ask_oracle(prepared)
    return prepared


def _draw_inputs(prepared: Prepared, fold: str | None, attempt: int) -> None:
    group = prepared.group
    function, given = group.raw.function, group.raw.arguments
    for p in function.params:
        value = given.get(p.name)
        if p.name == "ctx" or p.dir == "out":
            continue
        if isinstance(value, TensorSpec) and value.same is not None:
            prepared.aliases[p.name] = value.same
        elif isinstance(value, TensorSpec) and any(s.parameter == p.name and value.shape is None
                                                   for s in group.raw.saved):
            prepared.inputs[p.name] = value  # waits for the forward call
        elif isinstance(value, TensorSpec):
            array = _draw(group, p.name, value, attempt)
            overwritten = any(isinstance(v, TensorSpec) and v.same == p.name for v in given.values())
            may_fold = fold and p.dir == "in" and not overwritten and array.size > 1
            prepared.inputs[p.name] = FOLDS[fold](array) if may_fold else array
        elif p.is_tensor_list and value is not None:
            prepared.inputs[p.name] = [
                None if v is None else _draw(group, f"{p.name}[{i}]", v, attempt) for i, v in enumerate(value)]
        else:
            prepared.inputs[p.name] = _attribute(group, function, p, given)
    for name, source in prepared.aliases.items():
        prepared.inputs[name] = prepared.inputs[source]


def _fill_saved(prepared: Prepared, attempt: int) -> None:
    """Puts what the forward call saved for this one into its inputs, as the oracle of the forward call computes it."""
    made: dict[int, Prepared] = {}
    for saved in prepared.group.raw.saved:
        forward = made.get(id(saved.forward))
        if forward is None:
            group = Group(saved.forward, prepared.group.dtype, prepared.group.variants, prepared.group.lowering)
            forward = made[id(saved.forward)] = Prepared(group, oracle=load_oracles()[saved.forward.function.name])
            _draw_inputs(forward, None, attempt)
            forward.inputs |= {k: v for k, v in prepared.inputs.items() if k in forward.inputs}
            _ask_oracle(forward)
        expected, drawn = forward.expected[saved.output], prepared.inputs[saved.parameter]
        if isinstance(drawn, TensorSpec):
            prepared.inputs[saved.parameter] = _made_by_forward(prepared.group, saved, drawn, expected, attempt)
            continue
        if expected.shape != drawn.shape:
            raise CaseError(f"'{saved.parameter}' has the shape {drawn.shape}, the forward call makes {expected.shape}")
        prepared.inputs[saved.parameter] = dtypes.narrow(expected.values, _dtype_of(drawn))


def _made_by_forward(group: Group, saved: SavedOutput, spec: TensorSpec, expected: Expected,
                     attempt: int) -> np.ndarray:
    if saved.shape_only:
        return _draw(group, saved.parameter, replace(spec, shape=expected.shape), attempt)
    return dtypes.narrow(expected.values, spec.dtype or group.dtype)


def _outputs_of_invalid_call(prepared: Prepared) -> None:
    """Outputs as the case gives them, otherwise like the first tensor input: they only have to stay untouched."""
    group = prepared.group
    arrays = [v for v in prepared.inputs.values() if isinstance(v, np.ndarray)]
    for p in group.raw.function.params:
        if p.dir != "out" or not is_output(p) or p.allocates or p.name in prepared.aliases:
            continue
        spec = group.raw.arguments.get(p.name)
        if spec is None and p.name in group.raw.arguments:
            continue
        specs = spec if isinstance(spec, list) else [spec or TensorSpec()]
        shape = arrays[0].shape if arrays else ()
        made = [None if s is None else Expected(s.dtype or group.dtype, s.shape if s.shape is not None else shape)
                for s in specs]
        prepared.expected[p.name] = made if p.is_tensor_list else made[0]


def _varies(array: np.ndarray) -> bool:
    flat = np.ascontiguousarray(array).reshape(-1)
    return bool(flat.size > 1 and (flat[1:] != flat[:1]).any())


def untrusted(prepared: Prepared) -> str | None:
    """Why this case could not have failed, if so."""
    if prepared.group.raw.error is not None:
        return None
    expected = [e for v in prepared.expected.values() for e in (v if isinstance(v, list) else [v])
                if isinstance(e, Expected)]
    written = [v for v in prepared.expected.values() if isinstance(v, list) and v and not isinstance(v[0], Expected)]
    if all(e.values is None for e in expected) and prepared.oracle.check is None and not written:
        return "nothing is compared: no output has expected values, and the oracle has no check"
    # Hostile numbers may rightly make a result constant, NaN everywhere for one: who overlooks them still fails.
    if not prepared.group.raw.hostile and not _telling(prepared):
        return "the inputs vary and no expected output does: choose values that make a difference"
    return None


def _has_numbers(array: np.ndarray) -> bool:
    return not np.isnan(array).all()


def _telling(prepared: Prepared) -> bool:
    """Whether an output varies where an input does."""
    if prepared.group.raw.error is not None:
        return True
    expected = [e for v in prepared.expected.values() for e in (v if isinstance(v, list) else [v])
                if isinstance(e, Expected)]
    large = [e for e in expected if e.values is not None and e.values.size >= 4]
    if prepared.group.raw.hostile and large and not any(_has_numbers(e.values) for e in large):
        return False
    tensors = [v for v in prepared.inputs.values() if isinstance(v, np.ndarray)]
    return not large or not any(_varies(t) for t in tensors) or any(_varies(e.values) for e in large)


# --- the oracle ---

def _dtype_of(value: Any) -> str | None:
    if isinstance(value, np.ndarray):
        return dtypes.name_of(value.dtype)
    return value.dtype if isinstance(value, Scalar) else None


def common_dtype(prepared: Prepared, names: tuple[str, ...]) -> str:
    """PyTorch's result_type of these arguments."""
    arguments: list[Any] = []
    for name in names:
        value = prepared.inputs.get(name)
        arguments += value if isinstance(value, list) else [value]
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    return dtypes.result_type(
        [_dtype_of(a) for a in arrays if a.ndim], [_dtype_of(a) for a in arrays if not a.ndim],
        [s.dtype for s in arguments if isinstance(s, Scalar)])


def wide(value: Any, dtype: str | None = None) -> Any:
    """An argument as the oracle sees it, converted to the common dtype first where it takes part in promotion."""
    if isinstance(value, list):
        return [wide(v, dtype) for v in value]
    if isinstance(value, np.ndarray):
        if dtype is not None and _dtype_of(value) != dtype:
            value = dtypes.narrow(dtypes.widen(value), dtype)
        return dtypes.widen(value)
    if isinstance(value, Scalar):
        if dtype is None:
            return value.value
        if dtypes.is_inexact(dtype):
            return dtypes.round_through(np.asarray(value.value, np.float64), dtypes.real_dtype(dtype))[()]
        return bool(value.value) if dtype == "bool" else int(value.value)
    return value


def settle_arguments(prepared: Prepared) -> tuple[str | None, dict[str, str], list[Param]]:
    """Settles what the oracle (and its check) is called with; returns promoted dtype, dtypes, outputs."""
    oracle, function = prepared.oracle, prepared.group.raw.function
    names = {k: _dtype_of(v) for k, v in prepared.inputs.items() if _dtype_of(v)}
    for name, values in prepared.inputs.items():
        if isinstance(values, list):
            names |= {f"{name}[{i}]": _dtype_of(v) for i, v in enumerate(values) if _dtype_of(v)}
    names["case"] = prepared.group.dtype
    promoted = None
    promote = tuple(k for k in prepared.inputs if oracle.rename.get(k, k) in oracle.promote)
    if promote:
        promoted = common_dtype(prepared, promote)
        if oracle.dtype == "float" and not dtypes.is_inexact(promoted):
            promoted = "float32"
        names["promoted"] = promoted
    operand = promoted
    if promoted is not None and not oracle.round_operands and dtypes.is_floating(promoted):
        operand = dtypes.accumulation_dtype(promoted)
    arguments = {k: wide(v, operand if k in promote else None) for k, v in prepared.inputs.items()}
    targets = [p for p in function.params if (is_output(p) or is_written(p)) and not _is_null(prepared, p)]
    for p in targets:  # the shape asked of an output is known to operators that only fill
        spec = prepared.group.raw.arguments.get(p.name)
        if p.dir == "out" and isinstance(spec, TensorSpec):
            if spec.shape is not None:
                arguments[p.name] = spec.shape
            if spec.dtype is not None or spec.shape is not None:
                names[p.name] = spec.dtype or prepared.group.dtype
    prepared.oracle_arguments = oracle.arguments(arguments, names)
    return promoted, names, targets


def _ask_oracle(prepared: Prepared) -> None:
    oracle = prepared.oracle
    promoted, names, targets = settle_arguments(prepared)
    with np.errstate(all="ignore"):
        result = oracle.function(**prepared.oracle_arguments)
    if not isinstance(result, dict):
        if len(targets) != 1:
            raise CaseError(f"the oracle returns one output for {', '.join(p.name for p in targets)}")
        result = {targets[0].name: result}
    for p in targets:
        key = next((k for k in (p.name, oracle.rename.get(p.name, p.name)) if k in result), None)
        if key is None:
            raise CaseError(f"the oracle returns no '{p.name}'")
        expected = _expect(prepared, p, result[key], promoted, names)
        prepared.expected[p.name] = expected


def _is_null(prepared: Prepared, p: Param) -> bool:
    """Whether the case passes a null for this output."""
    if p.dir == "inout":
        return prepared.inputs.get(p.name) is None
    return p.name in prepared.group.raw.arguments and prepared.group.raw.arguments[p.name] is None


def _rule_dtype(prepared: Prepared, p: Param, promoted: str | None, names: dict[str, str]) -> str:
    rule = prepared.oracle.rule(p.name)
    if rule is None:
        first = next((_dtype_of(v) for k, v in prepared.inputs.items() if isinstance(v, np.ndarray)), None)
        return promoted or first or names.get(p.name) or prepared.group.dtype
    if callable(rule):
        return rule(names)
    if rule in dtypes.NUMPY:
        return rule
    if rule in ("promoted", "float"):
        dtype = promoted or next((_dtype_of(v) for v in prepared.inputs.values() if isinstance(v, np.ndarray)),
                                 prepared.group.dtype)
        return "float32" if rule == "float" and not dtypes.is_inexact(dtype) else dtype
    known = {prepared.oracle.rename.get(k, k): v for k, v in names.items()} | names
    if rule not in known:
        raise CaseError(f"the oracle's dtype rule '{rule}' is neither a dtype nor a tensor of the case")
    return known[rule]


def _expect(prepared: Prepared, p: Param, result: Any, promoted: str | None, names: dict[str, str]) -> Any:
    if is_written(p):
        return list(result) if isinstance(result, (list, tuple)) else [result]
    compute = _rule_dtype(prepared, p, promoted, names)
    if isinstance(result, list):
        given = prepared.inputs.get(p.name)
        return [None if r is None else _expect_one(prepared, p, r, compute, given[i] if given else None)
                for i, r in enumerate(result)]
    return _expect_one(prepared, p, result, compute, prepared.inputs.get(p.name))


def _expect_one(prepared: Prepared, p: Param, result: Any, compute: str, own: np.ndarray | None) -> Expected:
    spec = prepared.group.raw.arguments.get(p.name)
    if isinstance(result, Value) and result.dtype is not None:
        compute = result.dtype
    asked = spec if p.dir == "out" and isinstance(spec, TensorSpec) else TensorSpec()
    if p.name in prepared.aliases and p.dir == "out":
        own = prepared.inputs[prepared.aliases[p.name]]
    dtype = asked.dtype or (_dtype_of(own) if own is not None else compute)
    array = result.array if isinstance(result, Value) else result
    shape = tuple(array.shape) if isinstance(array, Unspecified) else np.shape(array)
    if own is not None and (own.shape != shape or not dtypes.can_cast(compute, dtype)):
        raise NotApplicable
    if asked.shape is not None and asked.shape != shape:
        raise CaseError(f"the case gives '{p.name}' the shape {asked.shape}, the oracle {shape}")
    if isinstance(array, Unspecified):
        return Expected(dtype, shape)
    array = np.asarray(array)
    if prepared.group.lowering is not None:
        compute = prepared.group.lowering.computed(p, dtype, compute)
    if compute != dtype:
        array = dtypes.round_through(array, compute)
    magnitude = result.magnitude if isinstance(result, Value) else None
    magnitude = None if magnitude is None else np.broadcast_to(magnitude, shape)
    strides = result.strides if isinstance(result, Value) else None
    return Expected(dtype, shape, array, compute, magnitude, strides)
