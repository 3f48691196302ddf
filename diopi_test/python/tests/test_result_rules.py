# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the registry's rules for results give the same shape and dtype as the oracles, for every case."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from adaptor.codegen.model import Function, load_registry
from conformance import dtypes
from conformance.cases.case import Case, TensorSpec
from conformance.cases.group import Group
from conformance.cases.prepare import prepare
from conformance.cases.prepared import Expected, NotApplicable, Prepared
from conformance.cases.reader import load_cases
from conformance.handles import Scalar
from conformance.oracle import load_oracles
from diopi.results import infer

REGISTRY = load_registry()
RULED = [f for f in REGISTRY.operators if f.result]


@pytest.fixture(scope="module")
def cases() -> dict[str, list[Case]]:
    found = defaultdict(list)
    for case in load_cases(REGISTRY):
        if case.error is None and case.function.result:
            found[case.function.name].append(case)
    return found


def prepared_of(case: Case, dtype: str) -> Prepared | None:
    try:
        return prepare(Group(case, dtype, ("contiguous",)), load_oracles()[case.function.name])
    except NotApplicable:
        return None


def asks_for_itself(case: Case, output: str) -> bool:
    """Whether the case gives this output a dtype."""
    spec = case.arguments.get(output)
    return isinstance(spec, TensorSpec) and (spec.dtype is not None or spec.shape is not None)


def differences(function: Function, case: Case, prepared: Prepared) -> list[str]:
    tensors = {k: (v.shape, dtypes.name_of(v.dtype)) for k, v in prepared.inputs.items() if isinstance(v, np.ndarray)}
    scalars = {k: v.dtype for k, v in prepared.inputs.items() if isinstance(v, Scalar)}
    rounded = prepared.inputs.get("rounding_mode") not in (None, "RoundModeNone")
    found = []
    for output, rule in function.result.items():
        expected = prepared.expected.get(output)
        if not isinstance(expected, Expected) or output in prepared.aliases:
            continue
        shape, dtype = infer(function.name, rule, tensors, scalars, rounded)
        wanted = dtype if asks_for_itself(case, output) else expected.compute_dtype or expected.dtype
        if (tuple(shape), dtype) != (tuple(expected.shape), wanted):
            found.append(f"{prepared.group.name}: {output} is {shape} {dtype}, expected {expected.shape} {wanted}")
    return found


@pytest.mark.parametrize("function", RULED, ids=lambda f: f.name)
def test_rule_gives_what_the_oracle_gives(function: Function, cases: dict[str, list[Case]]) -> None:
    seen = 0
    for case in cases[function.name]:
        for dtype in case.dtypes:
            prepared = prepared_of(case, dtype)
            if prepared is not None:
                assert differences(function, case, prepared) == []
                seen += 1
    assert seen >= 4


def test_a_wrong_rule_is_found(cases: dict[str, list[Case]]) -> None:
    from dataclasses import replace

    function = REGISTRY.functions["diopiEq"]
    wrong = replace(function, result={"out": replace(function.result["out"], dtype="promoted", promoted=("input",))})
    case = cases["diopiEq"][0]
    assert differences(wrong, case, prepared_of(case, "float32"))


def test_most_operators_with_one_output_of_simple_shape_have_a_rule() -> None:
    assert len(RULED) >= 140
