# SPDX-License-Identifier: BSD-3-Clause
"""Prepares a case: creates random inputs and computes the expected outputs with the oracle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import dtypes
from ..csr import Csr
from ..layouts import Fold
from ..lists import as_list
from ..oracle import Oracle, load_oracles
from .case import FUZZED, RepeatedRow, SavedOutput, TensorSpec
from .expected_outputs import add_expected_outputs, dtype_of
from .group import Group
from .inputs import attribute, generator_of, make_input, make_tensor
from .prepared import CaseError, Expected, Prepared, is_output

ATTEMPTS = 8


def prepare(group: Group, oracle: Oracle | None, fold: Fold | None = None) -> Prepared:
    """The inputs and expected outputs of a group. If `fold` is given, the elements of inputs share memory in this way.

    If the outputs do not depend on the inputs, a wrong operator could pass. Then new inputs are created, at most
    ATTEMPTS times.
    """
    if group.case.repeated is not None:
        return _prepare_repeated(group, oracle, group.case.repeated)
    for attempt in range(ATTEMPTS):
        prepared = _prepare(group, oracle, fold, attempt)
        if fold or _outputs_vary(prepared):
            break
    return prepared


def _prepare_repeated(group: Group, oracle: Oracle | None, repeated: RepeatedRow) -> Prepared:
    """The input is one row that is repeated; the expected output is computed from the row alone."""
    shape, dtype = group.case.arguments["input"].shape, group.dtype
    if dtype == "bool":
        row = np.ones(shape[1], bool)
        row[-1] = False  # a result of True means that the last element was not read
    else:
        row = generator_of(group, "input").integers(-100, 101, shape[1]).astype(dtypes.NUMPY[dtype])
    result = repeated.result(row if dtype == "bool" else row.astype(np.int64))
    inputs = {**group.case.arguments, "input": np.broadcast_to(row, shape)}
    expected = Expected(repeated.result_dtype, result.shape, result, repeated.result_dtype)
    return Prepared(group, inputs, {repeated.output: expected}, oracle=oracle)


def _prepare(group: Group, oracle: Oracle | None, fold: Fold | None, attempt: int) -> Prepared:
    function, given = group.case.function, group.case.arguments
    prepared = Prepared(group, oracle=oracle)
    _make_inputs(prepared, fold, attempt)
    if group.case.saved:
        _fill_saved(prepared, attempt)
    for p in function.params:
        spec = given.get(p.name)
        if p.dir == "out" and isinstance(spec, TensorSpec) and spec.same is not None:
            prepared.aliases[p.name] = spec.same
    if group.case.error is not None:
        _outputs_of_invalid_call(prepared)
    else:
        add_expected_outputs(prepared)
    return prepared


def _make_inputs(prepared: Prepared, fold: Fold | None, attempt: int) -> None:
    group = prepared.group
    function, given = group.case.function, group.case.arguments
    for p in function.params:
        value = given.get(p.name)
        if p.name == "ctx" or p.dir == "out":
            continue
        if isinstance(value, TensorSpec) and value.same is not None:
            prepared.aliases[p.name] = value.same
        elif isinstance(value, TensorSpec) and any(
            s.parameter == p.name and value.shape is None for s in group.case.saved
        ):
            prepared.inputs[p.name] = value  # the forward call gives the numbers
        elif isinstance(value, TensorSpec):
            array = make_tensor(group, p.name, value, attempt)
            overwritten = any(isinstance(v, TensorSpec) and v.same == p.name for v in given.values())
            may_fold = p.dir == "in" and not overwritten and isinstance(array, np.ndarray) and array.size > 1
            prepared.inputs[p.name] = fold(array) if fold is not None and may_fold else array
        elif p.is_tensor_list and value is not None:
            prepared.inputs[p.name] = [
                None if v is None else make_input(group, f"{p.name}[{i}]", v, attempt) for i, v in enumerate(value)
            ]
        else:
            prepared.inputs[p.name] = attribute(group, function, p, given)
    for name, source in prepared.aliases.items():
        prepared.inputs[name] = prepared.inputs[source]


def _fill_saved(prepared: Prepared, attempt: int) -> None:
    """Fills the inputs that must hold results of the forward call. The oracle of the forward call computes them."""
    made: dict[int, Prepared] = {}
    for saved in prepared.group.case.saved:
        forward = made.get(id(saved.forward))
        if forward is None:
            group = Group(saved.forward, prepared.group.dtype, prepared.group.layouts, prepared.group.declared_casts)
            forward = made[id(saved.forward)] = Prepared(group, oracle=load_oracles()[saved.forward.function.name])
            _make_inputs(forward, None, attempt)
            forward.inputs |= {k: v for k, v in prepared.inputs.items() if k in forward.inputs}
            add_expected_outputs(forward)
        expected, drawn = forward.expected[saved.output], prepared.inputs[saved.parameter]
        if isinstance(drawn, TensorSpec):
            prepared.inputs[saved.parameter] = _made_by_forward(prepared.group, saved, drawn, expected, attempt)
            continue
        if expected.shape != drawn.shape:
            raise CaseError(f"'{saved.parameter}' has the shape {drawn.shape}, the forward call gives {expected.shape}")
        prepared.inputs[saved.parameter] = dtypes.narrow(expected.values, dtype_of(drawn))


def _made_by_forward(
    group: Group, saved: SavedOutput, spec: TensorSpec, expected: Expected, attempt: int
) -> np.ndarray:
    if saved.shape_only:
        return make_input(group, saved.parameter, replace(spec, shape=expected.shape), attempt)
    return dtypes.narrow(expected.values, spec.dtype or group.dtype)


def _outputs_of_invalid_call(prepared: Prepared) -> None:
    """The outputs of an invalid call, which must stay unchanged: as the case gives them, or like the first input."""
    group = prepared.group
    arrays = [v for v in prepared.inputs.values() if isinstance(v, np.ndarray)]
    for p in group.case.function.params:
        if p.dir != "out" or not is_output(p) or p.allocates or p.name in prepared.aliases:
            continue
        spec = group.case.arguments.get(p.name)
        if spec is None and p.name in group.case.arguments:
            continue
        specs = spec if isinstance(spec, list) else [spec or TensorSpec()]
        shape = arrays[0].shape if arrays else ()
        made = [
            None if s is None else Expected(s.dtype or group.dtype, s.shape if s.shape is not None else shape)
            for s in specs
        ]
        prepared.expected[p.name] = made if p.is_tensor_list else made[0]


def _varies(array: np.ndarray) -> bool:
    flat = np.ascontiguousarray(array).reshape(-1)
    return bool(flat.size > 1 and (flat[1:] != flat[:1]).any())


def untrusted(prepared: Prepared) -> str | None:
    """Why a wrong operator could pass this case; None if it could not."""
    if prepared.group.case.error is not None or prepared.group.case.hostile == FUZZED:
        return None
    if not any(p.dir in ("out", "inout") for p in prepared.group.case.function.params):
        return None  # the call has no result but its code
    expected = [e for v in prepared.expected.values() for e in as_list(v) if isinstance(e, Expected)]
    written = [v for v in prepared.expected.values() if isinstance(v, list) and v and not isinstance(v[0], Expected)]
    if all(e.values is None for e in expected) and prepared.oracle.check is None and not written:
        return "nothing is compared: no output has expected values, and the oracle has no check"
    # A hostile case may have a constant result, such as NaN everywhere. An operator that ignores inputs still fails.
    if not prepared.group.case.hostile and not _outputs_vary(prepared):
        return "the inputs vary, but no expected output varies: choose other values"
    return None


def _has_numbers(array: np.ndarray) -> bool:
    return not np.isnan(array).all()


def _outputs_vary(prepared: Prepared) -> bool:
    """Whether an output varies, if an input varies."""
    if prepared.group.case.error is not None:
        return True
    expected = [e for v in prepared.expected.values() for e in as_list(v) if isinstance(e, Expected)]
    large = [e for e in expected if e.values is not None and e.values.size >= 4]
    if prepared.group.case.hostile and large and not any(_has_numbers(e.values) for e in large):
        return False
    inputs = (v.values if isinstance(v, Csr) else v for v in prepared.inputs.values())
    tensors = [v for v in inputs if isinstance(v, np.ndarray)]
    return not large or not any(_varies(t) for t in tensors) or any(_varies(e.values) for e in large)
