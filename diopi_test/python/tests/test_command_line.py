# SPDX-License-Identifier: BSD-3-Clause
"""Tests the options of main.py and its exit codes."""

from __future__ import annotations

import re

import main
import numpy as np
import pytest
from helpers import registry

from conformance.cases.prepare import prepare
from conformance.cases.prepared import NotApplicable
from conformance.cases.reader import load_cases
from conformance.cases.suite import Selection, UsageError, double_names, resolve_names, select
from conformance.oracle import load_oracles
from conformance.run.data_store import DataError, DataStore


@pytest.mark.parametrize("name", ["add", "Add", "diopiAdd"])
def test_an_operator_has_three_spellings(name):
    assert resolve_names(registry(), [name]) == ("diopiAdd",)


def test_several_names_and_families():
    assert resolve_names(registry(), ["add,AddInp", "diopiExp"]) == ("diopiAdd", "diopiAddInp", "diopiExp")
    assert "diopiExp" in resolve_names(registry(), ["unary"])
    assert resolve_names(registry(), ["add_inp_scalar"]) == ("diopiAddInpScalar",)


def test_a_name_of_an_operator_and_of_a_family_means_the_operator() -> None:
    assert resolve_names(registry(), ["sort"]) == ("diopiSort",)
    family = resolve_names(registry(), ["family:sort"])
    assert "diopiSort" in family
    assert len(family) > 1
    assert double_names(registry(), ["sort,add"]) == [
        f"'sort' means the operator diopiSort; family:sort means the {len(family)} of the family"
    ]
    assert double_names(registry(), ["family:sort", "unary"]) == []
    with pytest.raises(UsageError, match="neither an operator nor a family"):
        resolve_names(registry(), ["family:add"])


def test_an_unknown_name_is_a_usage_error(capsys):
    assert main.main(["--mode", "gen_case", "--fname", "addd"]) == main.USAGE
    assert "'addd' is neither an operator nor a family" in capsys.readouterr().err
    assert main.main(["--mode", "gen_case", "--filter_dtype", "half"]) == main.USAGE
    assert main.main(["--mode", "gen_case", "--case", "diopiAdd/no/such"]) == main.USAGE
    assert main.main(["--mode", "gen_data", "--fname", "add"]) == main.USAGE
    with pytest.raises(SystemExit) as stop:
        main.main(["--mode", "train"])
    assert stop.value.code == main.USAGE


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--get_case_counts", "--shard", "1/2"], "--shard cannot be combined with --get_case_counts"),
        (["--mode", "run_test", "--resume", "/none/run.jsonl"], "--resume: there is no folder for /none/run.jsonl"),
    ],
)
def test_options_that_would_have_no_effect_or_fail_late_are_refused(options, problem, capsys):
    assert main.main(options) == main.USAGE
    assert problem in capsys.readouterr().err


def test_a_folder_is_no_file_for_a_report(tmp_path, capsys):
    library = tmp_path / "lib.so"
    library.write_bytes(b"")
    libraries = ["--library", str(library), "--runtime", str(library)]
    assert main.main(["--mode", "run_test", "--fname", "add", "--json", str(tmp_path), *libraries]) == main.USAGE
    assert f"{tmp_path} is a folder" in capsys.readouterr().err


def test_a_missing_library_has_its_own_exit_code(tmp_path, capsys):
    code = main.main(["--mode", "run_test", "--fname", "add", "--library", str(tmp_path / "none.so")])
    assert code == main.NO_LIBRARY and "does not exist" in capsys.readouterr().err


def test_dtypes_can_be_left_out():
    cases = load_cases(registry())
    selection = Selection(functions=("diopiAdd",), dtypes_left_out=("float64", "int64"))
    assert not {g.dtype for g in select(cases, selection).groups} & {"float64", "int64"}


def test_a_case_is_found_by_the_name_that_a_failure_prints():
    cases = load_cases(registry())
    groups = select(cases, Selection(functions=("diopiAdd",))).groups
    name = f"{groups[3].name}/contiguous"
    (found,) = select(cases, Selection(case=name)).groups
    assert found.name == groups[3].name and found.layouts == ("contiguous",)
    with pytest.raises(UsageError):
        select(cases, Selection(case=name + "ly"))


def test_a_star_in_a_case_stands_for_any_text():
    cases = load_cases(registry())
    names = {
        f"{g.name}/{v}" for g in select(cases, Selection(case="diopiSum*/float32/sliced")).groups for v in g.layouts
    }
    assert len(names) > 5
    assert all(n.startswith("diopiSum") and n.endswith("/float32/sliced") for n in names)
    assert any("[" in n for n in names)


def test_two_dtypes_have_every_layout_and_the_others_a_sample():
    cases = [c for c in load_cases(registry()) if c.function.name == "diopiAdd" and c.error is None]
    for group in select(cases, Selection()).groups:
        full = group.dtype in (group.case.dtypes[0], "float32")
        layouts, own = ([v for v in g.layouts if v != "vector_of_one"] for g in (group, group.case))
        assert len(layouts) == (len(own) if full or len(own) < 3 else 2)
        assert ("vector_of_one" in group.layouts) == ("vector_of_one" in group.case.layouts)
        assert group.layouts[0] == "contiguous"
    for group in select(cases, Selection(all_layouts=True)).groups:
        assert group.layouts == group.case.layouts


def test_listing_cases_names_them(capsys):
    assert main.main(["--mode", "gen_case", "--fname", "exp"]) == main.OK
    printed = capsys.readouterr().out
    assert "diopiExp/input=3x4/float32/transposed" in printed and "0 bad" in printed


def test_written_data_is_what_would_have_been_computed(tmp_path):
    names = ["add", "divscalar", "max", "contiguous", "sum", "dropout", "cat", "promptflashattention"]
    assert main.main(["--mode", "gen_data", "--data", str(tmp_path), "--fname", *names]) == main.OK
    selection = Selection(functions=resolve_names(registry(), names))
    oracles, store = load_oracles(), DataStore(tmp_path)
    compared = 0
    for group in select(load_cases(registry()), selection).groups:
        oracle = oracles[group.case.function.name]
        try:
            fresh = prepare(group, oracle) if group.case.error is None else None
        except NotApplicable:
            fresh = None
        if fresh is None:
            assert store.load(group, oracle) is None
            continue
        stored = store.load(group, oracle)
        assert stored.oracle_arguments.keys() == fresh.oracle_arguments.keys()
        for key, value in fresh.inputs.items():
            pairs = zip(value, stored.inputs[key]) if isinstance(value, list) else [(value, stored.inputs[key])]
            for one, other in pairs:
                same = other.tobytes() == one.tobytes() if isinstance(one, np.ndarray) else other == one
                assert same, (group.name, key)
        for key, value in fresh.expected.items():
            other = stored.expected[key]
            assert (other.dtype, other.shape, other.compute_dtype) == (value.dtype, value.shape, value.compute_dtype)
            for part in ("values", "magnitude", "terms"):
                want, got = getattr(value, part), getattr(other, part)
                assert (got is None) == (want is None), part
                assert want is None or np.array_equal(got, want, equal_nan=True), part
        compared += 1
    assert compared > 200


def test_a_case_without_a_file_in_the_folder_of_data_is_an_error(tmp_path):
    """Without this error, a run with a wrong folder would judge nothing with the stored numbers, and pass."""
    group = next(g for g in select(load_cases(registry()), Selection(("diopiAdd",))).groups if g.case.error is None)
    with pytest.raises(DataError, match=f"has not written the data of {re.escape(group.name)}"):
        DataStore(tmp_path).load(group, load_oracles()["diopiAdd"])


def test_a_folder_that_gen_data_did_not_write_is_a_usage_error(tmp_path, capsys):
    library = tmp_path / "lib.so"
    library.write_bytes(b"")
    arguments = [
        "--mode",
        "run_test",
        "--fname",
        "add",
        "--data",
        str(tmp_path / "none"),
        "--library",
        str(library),
        "--runtime",
        str(library),
    ]
    assert main.main(arguments) == main.USAGE
    assert "is not a folder" in capsys.readouterr().err
