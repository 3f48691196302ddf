# SPDX-License-Identifier: BSD-3-Clause
"""Prepares a fuzzed call: a random call of which one or two arguments are changed.

Nobody knows whether such a call is valid. So the oracle computes the results only after the call succeeded: it may not
be able to, or it could compute for hours, if an argument has no meaning.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from adaptor.codegen.model import load_registry
from adaptor.codegen.rules.shapes import Numel, ResultShape

from .. import dtypes
from ..handles import Input, Output
from ..layouts import Fold
from ..lists import as_list
from ..oracle import Oracle
from .case import Case, TensorSpec
from .expected_outputs import add_expected_outputs
from .group import Group
from .inputs import generator_of
from .mutations import is_special, mutated_input, mutated_output
from .prepare import prepare
from .prepared import Expected, NotApplicable, Prepared, is_output

# Numbers that a sensible call has between 0 and 1: those that are added below a root, and shares of a mean.
SHARES = ("eps", "beta1", "beta2", "rho", "alpha", "momentum")
TWO_CHANGES = 0.3  # the share of calls in which two arguments are changed


@cache
def _enums() -> dict[str, tuple[tuple[str, int], ...]]:
    return load_registry().enums


def prepare_fuzzed(group: Group, oracle: Oracle | None, fold: Fold | None = None) -> Prepared:
    """The inputs of a fuzzed call, and its outputs without values."""
    try:
        base = prepare(group, oracle, fold)
    except Exception as error:  # sizes that do not fit each other
        raise NotApplicable from error
    rng = generator_of(group, "mutations")
    made = replace(base, inputs=dict(base.inputs), expected=dict(base.expected))
    made.only_memory = group.declared_casts is not None  # conversions of the changed argument have their own results
    for _ in range(1 + (rng.random() < TWO_CHANGES)):
        _change(made, rng)
    made.group = replace(group, case=_with_outputs(made), dtype=_case_dtype(made))
    outputs = {p.name for p in group.case.function.params if p.dir == "out" and p.name not in made.aliases}
    made.expected = {k: _without_values(v) for k, v in made.expected.items() if k in outputs}
    return made


def expect_results(made: Prepared) -> str | None:
    """Adds what the oracle computes for a call that succeeded. If it cannot, the reason."""
    given = made.expected
    made.expected = {}
    try:
        add_expected_outputs(made)
    except Exception as error:
        if not _is_right(error, made):
            return f"{type(error).__name__}: {error}"
        made.expected = given
        return None
    for name in _free_shapes(made.group.case) & given.keys() & made.expected.keys():
        made.expected[name] = _reshaped(made.expected[name], given[name])
    wide = any(isinstance(v, np.ndarray) and v.dtype == np.float64 for v in made.inputs.values())
    for value in made.expected.values():
        _round_as_vendors(value, wide)
    own = [p.name for p in made.group.case.function.params if not p.allocates and p.name in given]
    return next((why for name in own if (why := _misfit(name, given[name], made.expected.get(name)))), None)


def _change(made: Prepared, rng: np.random.Generator) -> None:
    """Changes one argument."""
    function = made.group.case.function
    counts = {p.count for p in function.params}
    known = [p for p in function.params if p.name != "ctx" and p.name not in counts]
    p = known[int(rng.integers(len(known)))]
    if p.dir == "out" and p.name not in made.aliases:
        if is_output(p) and not p.allocates and made.expected.get(p.name) not in (None, []):
            old = made.expected[p.name]
            made.expected[p.name] = mutated_output(rng, old)
            made.only_memory |= _is_number_with_dim(old, made.expected[p.name])
            _drop_check(made, old, made.expected[p.name])
        return
    source = made.aliases.get(p.name, p.name)
    old = made.inputs.get(source)
    value = mutated_input(rng, p, old, _enums())
    made.only_memory |= is_special(value) or _has_another_element(old, value) or _is_number_with_dim(old, value)
    _drop_check(made, old, value)
    made.only_memory |= isinstance(value, float) and p.name in SHARES and not 0 < value < 1  # terms cancel
    for name in (source, *(n for n, other in made.aliases.items() if other == source)):
        made.inputs[name] = value
    if p.count and isinstance(value, list):
        _set_count(made, str(p.count), len(value))


def _drop_check(made: Prepared, old: Input | Output, new: Input | Output) -> None:
    """Forgets the oracle's check if a dtype changed: a check compares elements of outputs with those of inputs."""
    if getattr(old, "dtype", None) != getattr(new, "dtype", None):
        made.oracle = replace(made.oracle, check=None)


def _is_number_with_dim(old: Input | Output, new: Input | Output) -> bool:
    """Whether one is a tensor of no dimensions and the other has shape [1]. The contract lets one stand for the other
    in some places, but the oracles do not."""
    shapes = (
        {getattr(one, "shape", None), getattr(other, "shape", None)} for one, other in zip(as_list(old), as_list(new))
    )
    return any(pair == {(), (1,)} for pair in shapes)


def _has_another_element(old: Input, new: Input) -> bool:
    """Whether an element of a floating-point tensor was changed, which may be one by which the call divides."""
    if not isinstance(old, np.ndarray) or not isinstance(new, np.ndarray):
        return False
    same = (old.shape, old.dtype) == (new.shape, new.dtype)
    return same and dtypes.is_inexact(dtypes.name_of(new.dtype)) and old.tobytes() != new.tobytes()


def _case_dtype(made: Prepared) -> str:
    """The dtype of the case, which is that of its tensor if the function has only one."""
    tensors = [p.name for p in made.group.case.function.params if p.is_tensor_like]
    value = made.inputs.get(tensors[0], made.expected.get(tensors[0])) if len(tensors) == 1 else None
    if isinstance(value, np.ndarray):
        return dtypes.name_of(value.dtype)
    return value.dtype if isinstance(value, Expected) else made.group.dtype


def _set_count(made: Prepared, count: str, length: int) -> None:
    """Gives all lists of this count the same length."""
    made.inputs[count] = length
    for q in made.group.case.function.params:
        holder = made.expected if q.dir == "out" else made.inputs
        values = holder.get(q.name)
        if q.count == count and isinstance(values, list) and values:
            holder[q.name] = [values[i % len(values)] for i in range(length)]


def _with_outputs(made: Prepared) -> Case:
    """The case with the outputs as they are given now."""
    arguments = dict(made.group.case.arguments)
    for p in made.group.case.function.params:
        if p.dir != "out" or not is_output(p) or p.allocates or p.name in made.aliases:
            continue
        value = made.expected.get(p.name)
        if isinstance(value, Expected):
            free = p.name in _free_shapes(made.group.case)
            arguments[p.name] = TensorSpec(None if free else value.shape, value.dtype)
        elif value is None:
            arguments[p.name] = None
    return replace(made.group.case, arguments=arguments)


def _free_shapes(case: Case) -> set[str]:
    """The outputs of which the contract gives the number of elements, but not the shape, or two shapes."""
    rules = [check.rule for check in case.function.checks]
    free = [r.of for r in rules if isinstance(r, Numel) or (isinstance(r, ResultShape) and r.keepdim)]
    return {name for of in free for name in as_list(of)}


def _reshaped(expected: Output, given: Output) -> Output:
    """What the oracle computes in the shape of the output that is given, if it has as many elements."""
    if not isinstance(expected, Expected) or not isinstance(given, Expected):
        return expected
    shape = given.shape
    if int(np.prod(expected.shape)) != int(np.prod(shape)):
        return expected  # the verdict names the wrong shape
    values, magnitude = (None if a is None else np.reshape(a, shape) for a in (expected.values, expected.magnitude))
    return replace(expected, shape=shape, values=values, magnitude=magnitude)


def _is_right(error: Exception, made: Prepared) -> bool:
    """Whether a call may succeed that the oracle does not compute: the matrix is singular, the numbers need more memory
    than there is, or the contract lets shape [1] stand for no dimensions, but the oracle does not."""
    if isinstance(error, NotApplicable):
        inputs = (v for values in made.inputs.values() for v in as_list(values))
        return all(v.size <= 1 for v in inputs if isinstance(v, np.ndarray))
    return isinstance(error, (np.linalg.LinAlgError, MemoryError))


def _round_as_vendors(expected: Output, wide: bool) -> None:
    """Rounds results of float64 inputs (`wide`) to float32 before they are rounded to 16 bits, as PyTorch does. Forgets
    other results of a dtype of 16 bits and an output of another one: a vendor need not round to 16 bits in between."""
    for one in as_list(expected):
        if not isinstance(one, Expected) or not isinstance(one.values, np.ndarray):
            continue
        if wide and one.dtype in ("float16", "bfloat16"):
            one.values = dtypes.round_through(one.values, "float32")
        elif one.compute_dtype != one.dtype and "float16" in (one.compute_dtype, one.dtype):
            one.values = None


def _misfit(name: str, given: Output, expected: Output) -> str | None:
    """Why the tensors of a list of outputs do not fit what the oracle computes; None if they do."""
    if not isinstance(given, list) or not isinstance(expected, list) or not any(isinstance(g, Expected) for g in given):
        return None
    if len(given) != len(expected):
        return f"{name} has {len(given)} tensors, expected {len(expected)}"
    for i, (have, want) in enumerate(zip(as_list(given), as_list(expected))):
        if (have is None) != (want is None):
            return f"{name}[{i}] is {'null' if have is None else 'a tensor'}, expected the opposite"
        if have is not None and have.shape != want.shape:
            return f"{name}[{i}] has the shape {have.shape}, expected {want.shape}"
        if have is not None and have.dtype != want.dtype:
            if not dtypes.can_cast(want.compute_dtype, have.dtype):
                return f"{name}[{i}] has the dtype {have.dtype}, expected {want.dtype}"
            want.values = dtypes.round_through(want.values, want.compute_dtype)
            want.dtype = have.dtype
    return None


def _without_values(value: Output) -> Output:
    if isinstance(value, list):
        return [_without_values(v) for v in value]
    return Expected(value.dtype, value.shape) if isinstance(value, Expected) else value
