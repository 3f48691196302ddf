# SPDX-License-Identifier: BSD-3-Clause
"""Tests the arguments with which operators are called under --nhwc and --four_bytes."""

from __future__ import annotations

import main
import numpy as np
import pytest
from doubles import RightVendor
from helpers import registry

from conformance.cases.case import TensorSpec
from conformance.cases.narrow_indices import is_index, narrow_indices
from conformance.cases.reader import load_cases
from conformance.cases.suite import Selection, select
from conformance.command_line import parse_arguments, repeat_command
from conformance.lists import as_list
from conformance.oracle import load_oracles
from conformance.run.buffers import Buffer
from conformance.run.result import PASS
from conformance.vendor.profile import operators_with_layouts
from conformance.verdict.group import run_group


def buffers(arguments):
    for value in arguments.values():
        yield from (v for v in as_list(value) if isinstance(v, Buffer))


def called(group):
    """The arguments of every call that the judge makes for the group."""
    calls, oracle = [], load_oracles()[group.case.function.name]
    results = run_group(group, oracle, RightVendor(group, oracle, lambda arguments: calls.append(dict(arguments))))
    assert results and all(r.status == PASS for r in results), results
    return calls


def specs(case):
    return [s for v in case.arguments.values() for s in as_list(v) if isinstance(s, TensorSpec)]


# --- channels-last ---


def chosen(name, **options):
    return select(load_cases(registry()), Selection(functions=(name,), **options)).groups


def test_an_operator_whose_layout_the_vendor_declares_is_judged_in_channels_last(tmp_path):
    (tmp_path / "convert_config.yaml").write_text("- diopiSoftmax:\n    layout: NCHW, NHWC\n", encoding="utf-8")
    declared = operators_with_layouts(tmp_path, registry())
    assert declared == {"diopiSoftmax"} and operators_with_layouts(None, registry()) == frozenset()
    added = [g for g in chosen("diopiSoftmax", layouts_of=declared) if "channels_last" in g.layouts]
    assert added and not any("channels_last" in g.layouts for g in chosen("diopiSoftmax"))
    for group in added:
        assert group.case.error is None and not group.case.hostile
        assert any(s.shape and len(s.shape) in (4, 5) for s in specs(group.case))
    (repeated,) = chosen("diopiSoftmax", layouts_of=declared, case=f"{added[0].name}/channels_last")
    assert repeated.layouts == ("channels_last",)


@pytest.mark.parametrize("name, rank", [("diopiMaxPool2d", 4), ("diopiBatchNorm", 4), ("diopiBatchNorm", 5)])
def test_tensors_of_4_and_5_dimensions_are_channels_last(name, rank):
    groups = [
        g
        for g in chosen(name, nhwc=True)
        if g.dtype == "float32"
        and g.case.error is None
        and any(s.shape and len(s.shape) == rank and 0 not in s.shape for s in specs(g.case))
    ]
    assert groups
    strange = 0
    for group in groups[:6]:
        assert group.layouts[0] == "channels_last" and "contiguous" not in group.layouts
        first = called(group)[0]
        of_rank = [b for b in buffers(first) if len(b.placement.shape) == rank]
        assert of_rank
        for buffer in of_rank:
            n, c, *sizes = buffer.placement.shape
            steps = [c]
            for size in reversed(sizes[1:]):
                steps.insert(0, steps[0] * size)
            assert buffer.placement.strides == (steps[0] * sizes[0], 1, *steps)
            assert [s // buffer.array.itemsize for s in buffer.array.strides] == list(buffer.placement.strides)
            strange += c > 1 and max(sizes) > 1
    assert strange


def test_cases_without_such_tensors_stay_contiguous():
    cases = load_cases(registry())
    plain, nhwc = (select(cases, Selection(nhwc=flag)).groups for flag in (False, True))
    assert [g.name for g in plain] == [g.name for g in nhwc]
    changed = [(p, n) for p, n in zip(plain, nhwc) if p.layouts != n.layouts]
    assert changed and all(n.case.error is None for _, n in changed)
    for p, n in changed:
        assert any(s.shape is not None and len(s.shape) in (4, 5) for s in specs(n.case))
        assert set(n.layouts) == set(p.layouts) - {"contiguous"} | {"channels_last"}


def test_a_failing_case_is_repeated_with_the_options_of_the_run():
    arguments = parse_arguments(["--mode", "run_test", "--nhwc", "--four_bytes"])
    assert repeat_command(arguments) == "python main.py --mode run_test --nhwc --four_bytes"
    (group,) = chosen("diopiMaxPool2d", nhwc=True, case=chosen("diopiMaxPool2d", nhwc=True)[0].name + "/channels_last")
    assert group.layouts == ("channels_last",)


# --- int32 indices ---


def narrowed(name):
    cases, changed = narrow_indices([c for c in load_cases(registry()) if c.function.name == name], load_oracles())
    groups = select(cases, Selection()).groups
    return [g for g in groups if g.case.error is None and g.dtype in ("float32", "int64")], changed


@pytest.mark.parametrize(
    "name, parameter",
    [
        ("diopiGather", "index"),
        ("diopiIndexSelect", "index"),
        ("diopiIndex", "indices"),
        ("diopiEmbedding", "indices"),
        ("diopiSort", "indices"),
        ("diopiOneHot", "input"),
    ],
)
def test_index_tensors_are_of_int32(name, parameter):
    groups, changed = narrowed(name)
    passed = [
        b.dtype for g in groups[:8] for arguments in called(g) for b in buffers({parameter: arguments[parameter]})
    ]
    assert changed and passed and set(passed) <= {"int32", "bool", "uint8"} and "int32" in passed
    before = [g for g in chosen(name) if g.case.error is None and g.dtype in ("float32", "int64")]
    assert any(b.dtype == "int64" for g in before[:8] for a in called(g) for b in buffers({parameter: a[parameter]}))


def fits_int32(values):
    return values is None or bool(np.all(np.abs(np.asarray(values, dtype=np.float64)) < 2**31))


def test_only_index_tensors_change_and_all_of_them():
    cases, oracles = load_cases(registry()), load_oracles()
    result, changed = narrow_indices(cases, oracles)
    assert changed > 100
    assert {(c.function.name, c.id, d) for c in cases for d in c.dtypes} == {
        (c.function.name, c.id, d) for c in result for d in c.dtypes
    }
    left = set()
    for case in result:
        for p in (p for p in case.function.params if is_index(p)):
            value = case.arguments.get(p.name)
            found = [s for s in as_list(value) if isinstance(s, TensorSpec)]
            left |= {(case.function.name, case.id) for s in found if s.dtype == "int64" and fits_int32(s.values)}
    assert not left
    before = {(c.function.name, c.id, d): c for c in cases for d in c.dtypes}
    for case in result:
        old = before[case.function.name, case.id, case.dtypes[0]]
        for p in case.function.params:
            assert is_index(p) or case.arguments.get(p.name) is old.arguments.get(p.name)


def test_numbers_that_int32_cannot_hold_stay():
    (case,) = [c for c in load_cases(registry()) if c.function.name == "diopiIndexSelect" and c.error is None][:1]
    arguments = {**case.arguments, "index": TensorSpec(values=(0, 2**31), dtype="int64")}
    changed = type(case)(**{**case.__dict__, "arguments": arguments})
    assert narrow_indices([changed], load_oracles()) == ([changed], 0)


def test_four_bytes_does_not_go_with_stored_data(tmp_path, capsys):
    assert main.main(["--mode", "gen_data", "--data", str(tmp_path), "--four_bytes", "--fname", "gather"]) == main.USAGE
    assert "cannot be combined with --data" in capsys.readouterr().err
