# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the bench's files can be read, and give the right cases."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from adaptor.codegen.model import load_registry
from adaptor.codegen.strict_yaml import load
from bench.cases import Case, expand, load_cases, load_groups, resolve
from bench.expressions import line_bytes, reduced, windows
from bench.layouts import make_layout
from bench.operators import BenchError, load_operators

BENCHMARK = Path(__file__).resolve().parents[1]
OPERATORS = load_operators(BENCHMARK / "operators")
GROUPS = load_groups(BENCHMARK / "groups.yaml")
CASES = load_cases(BENCHMARK / "cases", OPERATORS, GROUPS)


def find(name: str) -> Case:
    return next(case for case in CASES if case.name == name)


def tensor(case: Case, name: str) -> dict:
    return next(tensor for tensor in case.tensors if tensor["name"] == name)


def test_every_group_has_cases_and_there_are_enough() -> None:
    groups = {case.group for case in CASES}
    assert {group.name for group in GROUPS} | {"limit", "first_call"} == groups | {"models", "sweep"}
    assert len(CASES) >= 150
    assert {"float32", "float16", "bfloat16", "int64"} <= {case.dtype for case in CASES}


def test_operators_name_functions_of_the_contract() -> None:
    declared = {function.name: len(function.params) for function in load_registry().functions.values()}
    for operator in OPERATORS:
        assert operator.diopi_function in declared
        depth, arguments = 0, 1
        inside = operator.diopi[operator.diopi.index("(") + 1 : operator.diopi.rindex(")")]
        for letter in inside:
            depth += letter in "(<{"
            depth -= letter in ")>}"
            arguments += letter == "," and depth == 0
        assert arguments == declared[operator.diopi_function], operator.name


def test_tensors_stay_inside_their_storage() -> None:
    for case in CASES:
        for one in case.tensors:
            last = one["offset"] + sum((size - 1) * stride for size, stride in zip(one["shape"], one["strides"]))
            assert math.prod(one["shape"]) == 0 or last < one["storage_elements"], (case.name, one["name"])


def test_bytes_count_what_is_read_and_written() -> None:
    assert find("memory/Add/float32/32x577x768/vit").bytes == 3 * 4 * 32 * 577 * 768
    assert find("memory/AddInp/float32/33554432").bytes == 3 * 4 * 33554432
    assert find("pointwise/Add/float32/256x256/other:expanded").bytes == 4 * (2 * 65536 + 256)


def test_flops_of_a_convolution() -> None:
    case = find("conv/Convolution2d/float32/8x128x28x28-3x3-128/resnet50")
    assert case.flops == 2 * 8 * 128 * 28 * 28 * 128 * 9
    assert tensor(case, "out")["shape"] == [8, 128, 28, 28]


def test_depthwise_weights_have_one_channel() -> None:
    case = find("conv/Convolution2d/float32/15x192x28x28-dw3x3s2/mobilenet_v2")
    assert tensor(case, "weight")["shape"] == [192, 1, 3, 3]
    assert tensor(case, "out")["shape"] == [15, 192, 14, 14]


def test_random_results_are_compared_by_moments() -> None:
    assert find("random/UniformInp/float32/65536").verifies_moments
    assert not find("growth/Add/float32/65536").verifies_moments


def test_results_in_lists_are_compared() -> None:
    case = find("lists/ForeachaddScalar/float32/small")
    assert len(case.verified) == 120 and case.verified[:2] == ["outs.0", "outs.1"]
    operators = {operator.name: operator for operator in OPERATORS}
    assert operators["ForeachaddScalar"].stored_lists == ["outs"]  # libtorch allocates it
    assert operators["ForeachmulInpScalar"].stored_lists == []  # libtorch computes in place


@pytest.mark.parametrize(
    "kind, strides, offset, storage",
    [
        ("contiguous", [3, 1], 0, 6),
        ("transposed", [1, 2], 0, 6),
        ("sliced", [6, 1], 3, 12),
        ("strided", [6, 2], 0, 12),
        ("expanded", [0, 1], 0, 3),
    ],
)
def test_layouts(kind: str, strides: list[int], offset: int, storage: int) -> None:
    layout = make_layout([2, 3], kind)
    assert (layout.strides, layout.offset, layout.storage_elements) == (strides, offset, storage)


def test_channels_last() -> None:
    assert make_layout([2, 3, 4, 5], "channels_last").strides == [60, 1, 15, 3]


def test_shapes_of_results() -> None:
    assert reduced([2, 3, 4], []) == []
    assert reduced([2, 3, 4], [-1, 0]) == [3]
    assert windows([7, 8], [3, 3], [2, 2], [1, 1]) == [4, 4]


def test_each_makes_every_combination() -> None:
    entries = expand({"op": "Add", "each": {"dtype": ["float32", "int64"], "variant": [{"m": 1}, {"m": 2, "k": 3}]}})
    assert len(entries) == 4
    assert {"op": "Add", "dtype": "int64", "m": 2, "k": 3} in entries


def test_random_elements_touch_whole_lines() -> None:
    assert line_bytes(1, 32000, 4) == 64
    assert line_bytes(10**6, 32000, 4) == 32000 * 4  # every line
    assert 0.85 * 512 * 64 < line_bytes(512, 32000, 4) < 512 * 64  # some elements share a line


def test_a_case_of_an_unknown_operator_is_refused() -> None:
    with pytest.raises(BenchError, match="there is no operator Nothing"):
        resolve("pointwise", {"op": "Nothing", "shape": [1]}, {})


def test_a_case_without_an_attribute_is_refused() -> None:
    operators = {operator.name: operator for operator in OPERATORS}
    with pytest.raises(BenchError, match="dims"):
        resolve("reduce", {"op": "Sum", "shape": [4, 4]}, operators)


def test_unknown_keys_of_operators_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("operators:\n  Add: {diopi: 'diopiAdd(ctx)', speed: fast}\n")
    with pytest.raises(BenchError, match="unknown key speed"):
        load_operators(tmp_path)


def test_layers_that_replace_their_input_get_it_back() -> None:
    restored = {case.name: case.restored for case in CASES}
    assert restored["matmul/FusedSiluFfnInp/bfloat16/k=4096,n=11008,m=128/llama"]
    assert not restored["matmul/Mm/float32/m=64,k=64,n=64"]


def test_model_names_are_plain_words() -> None:
    assert all(re.fullmatch(r"[a-z0-9_]*", case.model) for case in CASES)


def test_each_file_of_operators_is_a_family_of_the_contract() -> None:
    registry = load_registry()
    for path in sorted((BENCHMARK / "operators").glob("*.yaml")):
        calls = [entry["diopi"].partition("(")[0] for entry in load(path)["operators"].values()]
        assert {registry.functions[call].family for call in calls} == {path.stem}


def test_columns_have_ranges_of_their_own() -> None:
    boxes = tensor(find("mmcv/NmsMmcv/float32/boxes=2000"), "dets")
    assert boxes["fill"] == "columns"
    assert boxes["columns"] == [[0, 1000, -1], [0, 1000, -1], [8, 200, 0], [8, 200, 1]]
