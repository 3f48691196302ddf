# SPDX-License-Identifier: BSD-3-Clause
"""Tests the generated hostile cases: every operator has cases of each class, or a reason why the class does not
apply."""

from __future__ import annotations

import hashlib
from collections import defaultdict

import numpy as np
import pytest
from helpers import registry

from adaptor.codegen.strict_yaml import ConfigError
from conformance import dtypes
from conformance.cases.group import Group
from conformance.cases.prepare import prepare
from conformance.cases.prepared import NotApplicable
from conformance.cases.reader import load_case_files
from conformance.cases.special_numbers import KINDS, Mix, kinds_of, largest, mixed, special_numbers
from conformance.cases.suite import Selection, select
from conformance.coverage.counts import LEAST, count_cases
from conformance.generate.hostile.generate import CLASS_TABLE, hostile_cases, left_out, load_all_cases
from conformance.generate.hostile.lengths import LENGTHS
from conformance.generate.hostile.over_2g_elements import REDUCTIONS, SHAPE
from conformance.generate.hostile.rules import CLASSES, Range, check_rules, rules_for
from conformance.generate.hostile.templates import specs
from conformance.layouts import overlap
from conformance.oracle import load_oracles
from conformance.placement import WIDE, odd_strides, wide_stride
from conformance.run.call import build
from conformance.run.reserved_buffer import ReservedBuffer, make_buffer


@pytest.fixture(scope="module")
def files():
    return load_case_files(registry())


@pytest.fixture(scope="module")
def hostile(files):
    return hostile_cases(registry(), files)


@pytest.fixture(scope="module")
def by_class(hostile):
    found = defaultdict(list)
    for case in hostile:
        found[case.function.name, case.hostile].append(case)
    return found


def functions_of(case_file):
    return {c.function.name: c.function for c in case_file.cases}.values()


def test_every_operator_has_every_class_or_says_why_not(files, by_class):
    stems = {f.path.stem: f for f in files}
    neither, both = [], []
    for function in (function for f in files for function in functions_of(f)):
        without = left_out(function, rules_for(function, stems))
        for name in CLASSES:
            generated = bool(by_class[function.name, name])
            if generated == (name in without):
                (both if generated else neither).append(f"{function.name}: {name}")
    assert not neither, "neither cases nor a reason:\n" + "\n".join(neither)
    assert not both


def test_every_operator_has_enough_of_them():
    counts = count_cases(registry(), Selection())
    assert [c.function.name for c in counts if c.too_few] == []
    assert LEAST == 60 and sum(c.generated for c in counts) >= 12_000


def test_a_rule_that_names_a_case_means_one(files):
    stems, wrong = {f.path.stem: f for f in files}, []
    for f in files:
        for function in functions_of(f):
            name = rules_for(function, stems).case
            ids = [c.id for c in f.cases if c.function == function and c.error is None]
            if name is not None and not any(i.startswith(name) for i in ids):
                wrong.append(f"{function.name}: '{name}' is the beginning of none of {ids}")
    assert not wrong, "\n".join(wrong)


def test_names_are_unique(files, hostile):
    names = [
        f"{c.function.name}/{c.id}/{d}" for c in [*hostile, *(c for f in files for c in f.cases)] for d in c.dtypes
    ]
    assert len(names) == len(set(names))


def has_length(case) -> bool:
    """Whether a tensor has a dimension whose size can be changed."""
    shapes = [s.shape for _, s in specs(case) if s.shape]
    return any(max(s) > 1 and 0 not in s for s in shapes)


def test_every_dtype_of_the_valid_cases_is_there(files, by_class):
    """The class `lengths`, if the operator has it, has every dtype that occurs in the operator's valid cases."""
    missing = []
    stems = {f.path.stem: f for f in files}
    for f in files:
        for function in functions_of(f):
            if "lengths" in left_out(function, rules_for(function, stems)):
                continue
            valid = {
                d for c in f.cases if c.function == function and c.error is None and has_length(c) for d in c.dtypes
            }
            lacking = valid - {d for c in by_class[function.name, "lengths"] for d in c.dtypes}
            missing += [f"{function.name}: {', '.join(sorted(lacking))}"] if lacking else []
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("name", CLASSES)
def test_a_sample_of_each_class_can_be_prepared(by_class, name):
    oracles, problems = load_oracles(), []
    for (function, kind), cases in by_class.items():
        applied = kind != name
        sample = cases if kind == "out_dtypes" else [*cases[:1], *cases[-1:]]  # few dtypes can hold a given result
        for case in sample if kind == name else ():
            for dtype in {case.dtypes[0], case.dtypes[-1]}:
                try:
                    prepare(Group(case, dtype, case.layouts), oracles[function])
                    applied = True
                except NotApplicable:
                    continue
                except Exception as error:
                    problems.append(f"{function}/{case.id}/{dtype}: {type(error).__name__}: {error}")
        if cases and not applied:
            problems.append(f"{function}: no case of {kind} applies")
    assert not problems, "\n".join(problems)


def test_data_is_the_same_on_every_machine():
    cases = [
        c
        for c in load_all_cases(registry())
        if c.function.name == "diopiSoftmax" and c.id.startswith("hostile_special,inf,input=3x4,dim=0")
    ]
    (case,) = cases
    prepared = prepare(Group(case, "float32", case.layouts), load_oracles()["diopiSoftmax"])
    assert hashlib.sha256(prepared.inputs["input"].tobytes()).hexdigest()[:16] == "e8e94ce45809f4f0"


def test_lengths_stand_on_both_sides_of_vector_widths(by_class):
    assert set(LENGTHS) == {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65}
    shapes = {c.arguments["input"].shape for c in by_class["diopiSoftmax", "lengths"]}
    assert {(3, n) for n in LENGTHS} <= shapes and {(n, 4) for n in LENGTHS} <= shapes  # dimension 0 is reduced


def test_a_gradient_has_the_shape_of_the_forward_result(by_class):
    case = next(c for c in by_class["diopiConvolution2dBackward", "lengths"] if ",-1=17," in c.id)
    prepared = prepare(Group(case, "float32", case.layouts), load_oracles()[case.function.name])
    assert prepared.inputs["input"].shape[-1] == 17
    assert prepared.inputs["grad_output"].shape[-1] == 17 - prepared.inputs["weight"].shape[-1] + 1


def test_quick_takes_a_quarter_of_the_cases_and_none_wide_stride(hostile):
    everything, some = select(hostile, Selection()).groups, select(hostile, Selection(quick=True)).groups
    assert 0.2 < len(some) / len(everything) < 0.3
    assert not any(g.case.hostile == "wide_stride" for g in some)
    assert {g.case.function.name for g in some} == {g.case.function.name for g in everything}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_special_numbers_of_floating_point(dtype):
    numbers = {kind: special_numbers(Mix((kind,)), dtype) for kind in KINDS}
    narrow = {kind: dtypes.round_through(n, dtype) for kind, n in numbers.items()}
    assert all(np.array_equal(narrow[k], numbers[k], equal_nan=True) for k in ("nan", "inf", "zero", "denormal"))
    assert np.isnan(narrow["nan"]).all() and {*narrow["inf"]} == {np.inf, -np.inf}
    assert np.signbit(narrow["zero"]).any() and not narrow["zero"].any() and narrow["denormal"].all()
    assert np.isfinite(narrow["large"]).all() and narrow["large"].max() == largest(dtype)
    assert numbers["extreme"].size == 0


@pytest.mark.parametrize("dtype", dtypes.INTEGRAL)
def test_special_numbers_of_integers(dtype):
    info = np.iinfo(dtype)
    assert {info.min, info.max, 0} <= {int(n) for n in special_numbers(Mix(KINDS), dtype)}
    bounded = special_numbers(Mix(KINDS, largest_integer=10), dtype)
    assert bounded.max() == 10 and bounded.min() >= -11


def test_special_numbers_keep_to_the_range_of_the_parameter():
    share = Mix(KINDS, **vars(Range(low=0, high=1, nan=False)))
    numbers = special_numbers(share, "float32")
    assert numbers.size and (numbers >= 0).all() and (numbers <= 1).all()
    assert (special_numbers(Mix(KINDS, zero=False), "int32") != 0).all()
    assert np.isfinite(special_numbers(Mix(KINDS, inf=False, nan=False), "float64")).all()
    assert kinds_of("bool") == ()


def test_mixing_keeps_most_numbers_and_takes_fewer_with_each_attempt():
    plain = np.arange(1, 65, dtype=np.float32)
    counts = [int(np.isnan(mixed(plain, Mix(("nan",)), np.random.default_rng(3), n)).sum()) for n in range(8)]
    assert counts == [16, 8, 4, 2, 1, 1, 1, 1]


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (2, 3, 1, 5), (1, 4, 1, 3, 1), (5, 1, 2, 3, 4)])
def test_windows_share_their_elements(shape):
    array = np.random.default_rng(1).normal(size=shape)
    windows = overlap(array)
    rows, columns = [i for i, n in enumerate(shape) if n > 1][-2:]
    assert windows.shape == shape and windows.strides[rows] == windows.strides[columns] == windows.itemsize
    later = [slice(None)] * len(shape)
    later[rows], later[columns] = slice(1, None), slice(None, -1)
    earlier = [slice(None)] * len(shape)
    earlier[rows], earlier[columns] = slice(None, -1), slice(1, None)
    assert np.array_equal(windows[tuple(later)], windows[tuple(earlier)])


def test_windows_need_two_dimensions():
    line = np.arange(5.0)
    assert overlap(line) is line


def far_buffer(dtype="float32", shape=(2, 3)) -> ReservedBuffer:
    buffer = make_buffer(dtype, wide_stride(shape))
    buffer.array[...] = 1
    buffer.seal()
    return buffer


def test_rows_with_a_wide_stride_are_further_than_32_bits_count():
    buffer = far_buffer()
    assert isinstance(buffer, ReservedBuffer) and buffer.array.strides[0] > WIDE * 4 > 2**33
    assert buffer.first_change(inside=True) is None


def test_a_write_beside_rows_with_a_wide_stride_is_seen():
    buffer = far_buffer()
    buffer.array[1, 2] = 5
    assert buffer.first_change(inside=False) is None and "row 1" in buffer.first_change(inside=True)
    buffer.bytes[buffer.offset * 4 + 12] ^= 1  # the element after the first row
    assert "element 3 of row 0" in buffer.first_change(inside=False)


def test_more_than_2_31_elements_take_the_memory_of_one_row(hostile):
    cases = [c for c in hostile if c.layouts == ("over_2g_elements",)]
    assert len(cases) == len(REDUCTIONS) and SHAPE[0] * SHAPE[1] > 2**31
    for case in cases:
        prepared = prepare(Group(case, case.dtypes[0], case.layouts), load_oracles()[case.function.name])
        assert prepared.inputs["input"].shape == SHAPE and prepared.inputs["input"].strides[0] == 0
        built = build(prepared, "over_2g_elements").arguments["input"]
        assert built.bytes.nbytes < 2**17 and np.array_equal(built.array[-1], prepared.inputs["input"][0])


def test_the_results_over_2g_elements_are_those_of_their_oracles():
    """With a few rows instead of 65537, the oracle can compute the result from all elements."""
    row = np.array([3, -7, 100, -100, 5], np.int64)
    rows, few = np.broadcast_to(row, (4, 5)), lambda name: REDUCTIONS[name].row.result
    oracles = load_oracles()
    assert few("sum")(row) * 4 == SHAPE[0] * oracles["diopiSum"].function(rows, [], dtypes={"input": "int64"}).array
    assert np.array_equal(few("sum_of_columns")(row) * 4, SHAPE[0] * rows.sum(0))
    assert few("max")(row) == 100 and few("min")(row) == -100 and not few("all")(row == 3)


@pytest.mark.parametrize(
    "rule, complaint",
    [
        ("without: {lenghts: why}", "known: special"),
        ("without: {lengths: ''}", "reason"),
        ("ranges: {inputs: {low: 0}}", "'inputs' is not a parameter"),
        ("ranges: {input: {least: 0}}", "unknown field 'least'"),
        ("names: [diopiAdd]", "not an operator of the family 'softmax'"),
        ("at_most: 3", "unknown field 'at_most'"),
        ("at_least: many", "must be an integer"),
    ],
)
def test_a_wrong_rule_is_refused_with_its_place(tmp_path, rule, complaint):
    (tmp_path / "softmax.yaml").write_text(
        f"family: softmax\nhostile:\n  - {{{rule}}}\noperators: []\n".replace("''", '""'), encoding="utf-8"
    )
    with pytest.raises(ConfigError, match="softmax.yaml:3") as error:
        for case_file in load_case_files(registry(), tmp_path):
            check_rules(case_file, registry().functions)
    assert complaint in str(error.value)


def test_the_table_has_all_classes():
    assert tuple(CLASS_TABLE) == CLASSES


def test_a_dimension_of_one_element_has_an_arbitrary_stride(by_class):
    placement = odd_strides((3, 1, 4))
    assert placement.strides[0] == 4 and placement.strides[1] > 1000 and placement.strides[2] == 1
    pool = by_class["diopiAvgPool2dBackward", "thin"]
    assert [c.arguments["input"].shape for c in pool] == [(2, 3, 1, 4), (2, 3, 4, 1)]
    assert [c.arguments["kernel_size"] for c in pool] == [[1, 2], [2, 1]]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_huge_numbers_are_a_ladder_to_the_largest(dtype):
    numbers = special_numbers(Mix(("huge",)), dtype)
    sizes = np.sort(np.abs(numbers[numbers > 0]))
    steps = sizes[1:] / sizes[:-1]
    assert sizes[-1] == largest(dtype) and sizes[0] <= 1000 and np.array_equal(np.sort(-numbers), np.sort(numbers))
    assert steps.max() < max(2.0, largest(dtype) ** 0.1)
    assert special_numbers(Mix(("huge",)), "int32").size == 0
