# SPDX-License-Identifier: BSD-3-Clause
"""The layout `vector_of_one`: 0-d results and their gradients are passed as tensors of shape [1].

Frameworks without 0-d tensors call operators in this way. The contract allows it for every operator.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..cases.prepared import Expected, Prepared
from ..handles import Output
from ..lists import as_list


def has_numbers(prepared: Prepared) -> bool:
    """Whether the call has a 0-d result, or the gradient of a 0-d result."""
    outputs, gradients = _numbers(prepared)
    return bool(outputs or gradients)


def with_vectors(prepared: Prepared) -> Prepared:
    """The call with tensors of shape [1] in place of 0-d results and their gradients."""
    outputs, gradients = _numbers(prepared)
    expected = {**prepared.expected, **{name: _as_vector(prepared.expected[name]) for name in outputs}}
    inputs = {**prepared.inputs, **{name: prepared.inputs[name].reshape(1) for name in gradients}}
    return replace(prepared, expected=expected, inputs=inputs)


def _numbers(prepared: Prepared) -> tuple[list[str], list[str]]:
    """The names of the 0-d outputs, and of the 0-d gradients of outputs."""
    params = [p for p in prepared.group.case.function.params if p.name not in prepared.aliases]
    outputs = [p.name for p in params if p.dir == "out" and not p.allocates and _is_number(prepared, p.name)]
    gradients = [p.name for p in params if p.dir == "in" and p.name.startswith("grad_out")]
    given = {n: prepared.inputs.get(n) for n in gradients}
    return outputs, [n for n, v in given.items() if isinstance(v, np.ndarray) and v.ndim == 0]


def _is_number(prepared: Prepared, name: str) -> bool:
    expected = prepared.expected.get(name)
    listed = as_list(expected)
    return any(isinstance(e, Expected) and e.shape == () for e in listed)


def _as_vector(expected: Output) -> Output:
    if isinstance(expected, list):
        return [_as_vector(e) for e in expected]
    if not isinstance(expected, Expected) or expected.shape != ():
        return expected
    arrays = (expected.values, expected.magnitude, expected.terms)
    values, magnitude, terms = (None if a is None else np.reshape(a, 1) for a in arrays)
    return replace(expected, shape=(1,), values=values, magnitude=magnitude, terms=terms)
