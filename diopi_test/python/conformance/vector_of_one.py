# SPDX-License-Identifier: BSD-3-Clause
"""A result without dimensions that the caller takes in a vector of one element, and its gradient given as one.

Frameworks without 0-d tensors call operators so; the contract accepts it for every operator.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .prepared import Expected, Prepared


def applies(prepared: Prepared) -> bool:
    """Whether the call has a result without dimensions, or the gradient of one."""
    outputs, gradients = _numbers(prepared)
    return bool(outputs or gradients)


def with_vectors(prepared: Prepared) -> Prepared:
    """The same call with vectors of one element in place of these numbers."""
    outputs, gradients = _numbers(prepared)
    expected = {**prepared.expected, **{name: _as_vector(prepared.expected[name]) for name in outputs}}
    inputs = {**prepared.inputs, **{name: prepared.inputs[name].reshape(1) for name in gradients}}
    return replace(prepared, expected=expected, inputs=inputs)


def _numbers(prepared: Prepared) -> tuple[list[str], list[str]]:
    """The outputs and the gradients of outputs that have no dimensions."""
    params = [p for p in prepared.group.raw.function.params if p.name not in prepared.aliases]
    outputs = [p.name for p in params if p.dir == "out" and not p.allocates and _is_number(prepared, p.name)]
    gradients = [p.name for p in params if p.dir == "in" and p.name.startswith("grad_out")]
    given = {n: prepared.inputs.get(n) for n in gradients}
    return outputs, [n for n, v in given.items() if isinstance(v, np.ndarray) and v.ndim == 0]


def _is_number(prepared: Prepared, name: str) -> bool:
    expected = prepared.expected.get(name)
    listed = expected if isinstance(expected, list) else [expected]
    return any(isinstance(e, Expected) and e.shape == () for e in listed)


def _as_vector(expected: Any) -> Any:
    if isinstance(expected, list):
        return [_as_vector(e) for e in expected]
    if not isinstance(expected, Expected) or expected.shape != ():
        return expected
    values, magnitude = expected.values, expected.magnitude
    return replace(
        expected,
        shape=(1,),
        values=None if values is None else np.reshape(values, 1),
        magnitude=None if magnitude is None else np.reshape(magnitude, 1),
    )
