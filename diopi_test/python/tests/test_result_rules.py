# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the registry's rules for results give the same shape and dtype as the oracles, for every case."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from adaptor.codegen.model import Function, load_registry
from conformance import dtypes
from conformance.cases.case import RawCase, TensorSpec
from conformance.cases.reader import load_cases
from conformance.oracle import load_oracles
from conformance.run.binding import Scalar
from conformance.run.prepare import prepare
from conformance.run.prepared import Expected, Group, NotApplicable, Prepared
from diopi.results import infer

REGISTRY = load_registry()
RULED = [f for f in REGISTRY.operators if f.result]


@pytest.fixture(scope="module")
def cases() -> dict[str, list[RawCase]]:
    found = defaultdict(list)
    for raw in load_cases(REGISTRY):
        if raw.error is None and raw.function.result:
            found[raw.function.name].append(raw)
    return found


def prepared_of(raw: RawCase, dtype: str) -> Prepared | None:
    try:
        return prepare(Group(raw, dtype, ("contiguous",)), load_oracles()[raw.function.name])
    except NotApplicable:
        return None


def asks_for_itself(raw: RawCase, output: str) -> bool:
    """Whether the case gives this output a dtype."""
    spec = raw.arguments.get(output)
    return isinstance(spec, TensorSpec) and (spec.dtype is not None or spec.shape is not None)


def differences(function: Function, raw: RawCase, prepared: Prepared) -> list[str]:
    tensors = {k: (v.shape, dtypes.name_of(v.dtype)) for k, v in prepared.inputs.items() if isinstance(v, np.ndarray)}
    scalars = {k: v.dtype for k, v in prepared.inputs.items() if isinstance(v, Scalar)}
    rounded = prepared.inputs.get("rounding_mode") not in (None, "RoundModeNone")
    found = []
    for output, rule in function.result.items():
        expected = prepared.expected.get(output)
        if not isinstance(expected, Expected) or output in prepared.aliases:
            continue
        shape, dtype = infer(function.name, rule, tensors, scalars, rounded)
        wanted = dtype if asks_for_itself(raw, output) else expected.compute_dtype or expected.dtype
        if (tuple(shape), dtype) != (tuple(expected.shape), wanted):
            found.append(f"{prepared.group.name}: {output} is {shape} {dtype}, expected {expected.shape} {wanted}")
    return found


@pytest.mark.parametrize("function", RULED, ids=lambda f: f.name)
def test_rule_gives_what_the_oracle_gives(function: Function, cases: dict[str, list[RawCase]]) -> None:
    seen = 0
    for raw in cases[function.name]:
        for dtype in raw.dtypes:
            prepared = prepared_of(raw, dtype)
            if prepared is not None:
                assert differences(function, raw, prepared) == []
                seen += 1
    assert seen >= 4


def test_a_wrong_rule_is_found(cases: dict[str, list[RawCase]]) -> None:
    from dataclasses import replace

    function = REGISTRY.functions["diopiEq"]
    wrong = replace(function, result={"out": replace(function.result["out"], dtype="promoted", promoted=("input",))})
    raw = cases["diopiEq"][0]
    assert differences(wrong, raw, prepared_of(raw, "float32"))


def test_most_operators_with_one_output_of_simple_shape_have_a_rule() -> None:
    assert len(RULED) >= 140
