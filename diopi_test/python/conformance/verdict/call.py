# SPDX-License-Identifier: BSD-3-Clause
"""Judges one call: its error code and message, its outputs, and the memory that it must not change."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np

from .. import dtypes, scalars
from ..cases.declared_casts import DeclaredCasts
from ..cases.prepared import Expected, NotApplicable
from ..handles import Passed, Scalar, seeds_of
from ..lists import as_list
from ..oracle import philox
from ..placement import Placement, row_major
from ..run.binding import Allocated, Outcome, Written
from ..run.buffers import Buffer
from ..run.call import Run
from . import message
from .compare import choose_tolerance, compare


def untouched(run: Run, inside_outputs: bool) -> None:
    """Complains if the call changed an input or memory outside the elements of outputs. With `inside_outputs`, it must
    not have changed the elements of outputs either."""
    for name, buffer in run.inputs:
        change = buffer.first_change(inside=True)
        if change:
            run.tainted = True
            run.complaints.append(f"input {name} was modified, first {change}")
    for name, value in run.outputs.items():
        for buffer in as_list(value):
            if inside_outputs and getattr(buffer, "touched", False):
                run.complaints.append(f"the call failed but wrote to {name}")
            change = buffer.first_change(inside=inside_outputs) if isinstance(buffer, Buffer) else None
            if change and inside_outputs:
                run.complaints.append(f"the call failed but modified {name}, first {change}")
            elif change:
                run.tainted = True
                run.complaints.append(f"wrote outside {name}, first {change}")


def left_alone(run: Run) -> None:
    """Complains if the call changed an output that it must leave as it is."""
    for name, expected, value in expected_and_got(run):
        change = value.first_change(inside=True) if expected.unwritten else None
        if change:
            run.complaints.append(f"the call changed {name}, which this call must leave as it is, first {change}")


def _fits_after_conversion(run: Run, casts: DeclaredCasts) -> bool:
    """Whether a scalar does not fit the dtype of the case, but fits the dtype in which the vendor computes."""
    dtype = run.prepared.group.dtype
    rules = scalars.value_parameters(run.prepared.group.case.function)
    misfits = [
        (rule, run.arguments[name].value)
        for name, rule in rules.items()
        if isinstance(run.arguments.get(name), Scalar) and not rule.accepts(run.arguments[name].value, dtype)
    ]
    targets = {casts.target(p.name, dtype) for p in run.prepared.group.case.function.params if p.is_tensor}
    return bool(misfits) and all(rule.accepts(value, target) for rule, value in misfits for target in targets)


def judge_invalid(run: Run, outcome: Outcome) -> None:
    error, casts = run.prepared.group.case.error, run.prepared.group.declared_casts
    assert error is not None  # this function is only called for invalid calls
    if outcome.code == "diopiSuccess" and error.code == "diopiDtypeNotSupported":
        if casts is not None and casts.hides_dtypes(run.arguments):
            raise NotApplicable  # the conversion that the vendor declares makes this call valid
    if outcome.code == "diopiSuccess" and casts is not None and _fits_after_conversion(run, casts):
        raise NotApplicable
    if outcome.code != error.code:
        run.complaints.append(f"expected {error.code}, got {outcome.code} ({outcome.message or 'no message'})")
    if outcome.code != "diopiSuccess":
        if outcome.has_message:
            run.complaints += message.complaints(error, run.prepared.group.case.function, outcome.message)
        untouched(run, inside_outputs=True)


def expected_and_got(run: Run) -> list[tuple[str, Expected, Passed]]:
    """Every output: its name, what it must hold, and what the call wrote."""
    pairs = []
    for name, expected in run.prepared.expected.items():
        value = run.outputs.get(name)
        if isinstance(expected, list) and isinstance(value, list):
            pairs += [(f"{name}[{i}]", e, v) for i, (e, v) in enumerate(zip(expected, value)) if e is not None]
        elif isinstance(expected, Expected):
            pairs.append((name, expected, value))
    return pairs


def judge_outputs(run: Run) -> None:
    case, oracle = run.prepared.group.case, run.prepared.oracle
    got: dict[str, Any] = {}
    for name, expected, value in expected_and_got(run):
        if expected.unwritten:
            continue
        array = value.array
        if array is None:
            run.complaints.append(f"{name} was not allocated")
            continue
        dtype = dtypes.name_of(array.dtype)
        if array.shape != expected.shape or dtype != expected.dtype:
            run.complaints.append(
                f"{name}: expected {expected.dtype}{list(expected.shape)}, got {dtype}{list(array.shape)}"
            )
            continue
        if expected.strides is not None and isinstance(value, Allocated):
            strides = _required_strides(run, expected)
            pairs = zip(strides, value.strides, expected.shape)
            if 0 not in expected.shape and any(want != have for want, have, size in pairs if size > 1):
                run.complaints.append(f"{name}: expected strides {list(strides)}, got {list(value.strides)}")
        got[name] = dtypes.widen(array)
        if expected.values is not None:
            tolerance = choose_tolerance(case.tolerances, name.split("[")[0], expected)
            mismatch, max_ulp = compare(name, expected, array, tolerance, oracle.signed_zero)
            run.errors.append((name, dtype, max_ulp))
            if mismatch is not None:
                run.complaints.append(str(mismatch))
    for name, value in run.outputs.items():
        if isinstance(value, Allocated) and name not in run.prepared.expected and value.array is not None:
            run.complaints.append(f"{name} was allocated, expected null")
        if isinstance(value, Written) and not _right_numbers(run, name, value.values):
            run.complaints.append(f"{name}: expected {run.prepared.expected[name]}, got {value.values}")
    if oracle.check is not None and not run.complaints:
        arguments = dict(run.prepared.oracle_arguments)
        with np.errstate(all="ignore"):
            complaint = oracle.check(**arguments, got=got)
        if complaint:
            run.complaints.append(complaint)


def _required_strides(run: Run, expected: Expected) -> tuple[int, ...]:
    """The strides that an allocated output must have."""
    if isinstance(expected.strides, str):
        given: Placement = run.arguments[expected.strides].placement
        dense = given.span == math.prod(given.shape) and not any(
            s == 0 for s, n in zip(given.strides, given.shape) if n > 1
        )
        return given.strides if dense else row_major(given.shape).strides
    assert expected.strides is not None  # the caller has checked this
    return expected.strides


def _right_numbers(run: Run, name: str, got: list) -> bool:
    """Whether numbers written through a pointer are right: integers exactly, others within a float64 tolerance."""
    if any(n is None and g < 0 for n, g in zip(run.prepared.expected[name], got)):
        return False  # a number that the vendor chooses is not negative
    numbers = [g if n is None else n for n, g in zip(run.prepared.expected[name], got)]
    if len(got) != len(numbers) or not all(isinstance(n, float) for n in numbers):
        return list(got) == numbers
    expected = Expected("float64", (len(numbers),), np.array(numbers), "float64")
    tolerance = choose_tolerance(run.prepared.group.case.tolerances, name, expected)
    return compare(name, expected, np.array(got), tolerance)[0] is None


def judge_offset(run: Run, outcome: Outcome) -> None:
    """Complains unless the call advanced the generator's offset by the number of words that the contract says."""
    seeds = seeds_of(run.arguments)
    if run.prepared.oracle.draws is None or not seeds:
        return
    words = as_list(run.prepared.oracle.draws(**run.prepared.oracle_arguments))
    for seed, count, offset in zip(seeds, words, outcome.generator_offsets):
        expected = philox.offset_after(seed, count)
        if offset != expected:
            run.complaints.append(f"the generator's offset went from {seed.offset} to {offset}, expected {expected}")


def digest(run: Run) -> str:
    """A hash of all bits of the outputs, to compare two runs."""
    state = hashlib.sha256()
    for _, _, value in expected_and_got(run):
        state.update(np.ascontiguousarray(value.array).tobytes())
    return state.hexdigest()[:16]
