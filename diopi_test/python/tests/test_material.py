# SPDX-License-Identifier: BSD-3-Clause
"""Tests that every case can be prepared, has an oracle, and fails with a wrong operator; and that every oracle has
cases."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import registry

from conformance.cases import values
from conformance.cases.case import TensorSpec
from conformance.cases.prepare import prepare, untrusted
from conformance.cases.prepared import NotApplicable
from conformance.cases.reader import CASES_DIR, load_cases
from conformance.cases.suite import Selection, select
from conformance.dtypes import NUMPY
from conformance.lists import as_list
from conformance.oracle import load_oracles
from diopi.signatures import bare

FAMILIES = sorted(path.stem for path in CASES_DIR.glob("*.yaml"))


@pytest.fixture(scope="module")
def cases():
    return load_cases(registry())


@pytest.mark.parametrize("family", FAMILIES)
def test_every_case_can_be_prepared_and_could_fail(cases, family):
    oracles, problems, applied = load_oracles(), [], set()
    for group in select([c for c in cases if c.function.family == family], Selection()).groups:
        try:
            problem = untrusted(prepare(group, oracles.get(group.case.function.name)))
            applied.add(group.case.function.name)
        except NotApplicable:
            continue
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        if problem:
            problems.append(f"{group.case.path.name}:{group.case.line} {group.name}: {problem}")
    assert not problems, "\n".join(problems)
    assert applied == {c.function.name for c in cases if c.function.family == family}


def test_oracles_and_cases_belong_together(cases):
    with_cases = {c.function.name for c in cases}
    assert set(load_oracles()) == with_cases
    assert set(load_oracles()) <= set(registry().functions)


def test_every_dtype_of_the_contract_is_tried(cases):
    """Each dtype that a tensor parameter accepts occurs in a case of the operator. Valid cases have no other dtypes.

    Where the registry says so, a tensor without elements may have any dtype.
    """
    used, outside = {}, []
    for case in cases:
        for p in case.function.params:
            value = case.arguments.get(p.name)
            for spec in as_list(value):
                if p.dir not in ("in", "inout") or not isinstance(spec, TensorSpec) or spec.same or not p.dtypes:
                    continue
                dtypes = {spec.dtype} if spec.dtype else set(case.dtypes)
                used.setdefault((case.function.name, p.name), set()).update(dtypes)
                is_free = p.any_dtype_if_empty and spec.shape is not None and 0 in spec.shape
                if case.error is None and not is_free and not dtypes <= set(p.dtypes):
                    outside.append(f"{case.path.name}:{case.line} {p.name}: {sorted(dtypes - set(p.dtypes))}")
    missing = [
        f"{name} {parameter}: {sorted(lacking)}"
        for (name, parameter), dtypes in used.items()
        if (lacking := set(registry().functions[name].param(parameter).dtypes) & set(NUMPY) - dtypes)
    ]
    assert not outside, "not in the contract:\n" + "\n".join(outside)
    assert not missing, "never tried:\n" + "\n".join(missing)


@pytest.mark.parametrize("dtype", NUMPY)
@pytest.mark.parametrize("generator", values.GENERATORS)
def test_a_generator_gives_the_dtype_and_the_same_numbers_each_time(generator, dtype):
    arguments = {
        "int": "(0, 5)",
        "indices": "(5)",
        "signed_indices": "(5)",
        "full": "(3)",
        "mask": "(4)",
        "few_subnormal": "(4)",
        "few_nan": "(4)",
        "around": "(2.5)",
        "boxes": "(-2, 13)",
        "rois": "(2, -2, 13)",
        "rotated_rois": "(2, -2, 13)",
    }.get(generator, "")
    first, second = (values.draw(generator + arguments, np.random.default_rng(7), (3, 5), dtype) for _ in range(2))
    assert first.dtype == NUMPY[dtype] and first.shape == (3, 5) and first.tobytes() == second.tobytes()


def test_every_value_of_an_attribute_is_tried(cases):
    """Valid cases have both values of each bool, every enumerator, and null in the place of what may be null."""
    given = {}
    for case in (c for c in cases if c.error is None):
        for p in case.function.params:
            made = p.dir == "out" or p.is_generator  # the judge makes it unless the case says null
            value = case.arguments.get(p.name, p if made else None)
            given.setdefault((case.function.name, p.name), set()).add(_kind(p, value))
    missing = [
        f"{name} {parameter}: {sorted(lacking)}"
        for (name, parameter), values in given.items()
        if (lacking := _kinds(registry().functions[name].param(parameter)) - values)
    ]
    assert not missing, "never tried:\n" + "\n".join(missing)


def _kind(p, value):
    if p.type in registry().enums:
        return value
    return str(bool(value)) if bare(p.type) == "bool" else "null" if value is None else "given"


def _kinds(p):
    """What the valid cases of a parameter must have."""
    if p.type in registry().enums:
        return {name for name, _ in registry().enums[p.type] if not name.endswith("END")}
    if bare(p.type) == "bool":
        return {"True", "False"}
    return {"null", "given"} if p.nullable else set()
