# SPDX-License-Identifier: BSD-3-Clause
"""Tests the rules of a vendor's convert_config.yaml, and that every mistake in it is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from adaptor.codegen.config import VendorConfig, load_config
from adaptor.codegen.conversion import RuleTable, require_helpers
from adaptor.codegen.dtype_sets import can_lose
from adaptor.codegen.model import ConfigError, Registry, load_registry
from adaptor.codegen.symbols import VendorSymbols

DTYPES = ("int32", "int64", "float32", "float64", "bool")


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_registry()


def read(tmp_path: Path, registry: Registry, text: str) -> VendorConfig:
    path = tmp_path / "convert_config.yaml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, registry)


def plan(config: VendorConfig, registry: Registry, operator: str, param: str):
    return config.plan(registry.functions[operator], DTYPES)[param]


def test_later_levels_win_rule_by_rule(tmp_path: Path, registry: Registry) -> None:
    config = read(
        tmp_path,
        registry,
        """\
- common_config:
    dtype: (int64)->int32, (float64)->float32
    layout: NCHW
- diopiAdd:
    dtype: (float64)->float64
    tensor_dtype:
        other: (int64, float64)->float32
    layout: NHWC, out(ND)
""",
    )
    assert plan(config, registry, "diopiMul", "input").casts == (("int64", "int32"), ("float64", "float32"))
    assert plan(config, registry, "diopiAdd", "input").casts == (("int64", "int32"),)
    assert plan(config, registry, "diopiAdd", "other").casts == (("int64", "float32"), ("float64", "float32"))
    assert plan(config, registry, "diopiMul", "input").layouts == ("NCHW",)
    assert plan(config, registry, "diopiAdd", "input").layouts == ("NHWC",)
    assert plan(config, registry, "diopiAdd", "out").layouts == ()


def test_what_conversion_is_made_of_is_not_converted(tmp_path: Path, registry: Registry) -> None:
    config = read(tmp_path, registry, "- common_config: {dtype: (float64)->float32, layout: NCHW}\n")
    for name in ("diopiCastDtype", "diopiCopyInp", "diopiContiguous"):
        assert all(p.trivial for p in config.plan(registry.functions[name], DTYPES).values())


def test_unsupported_is_looked_up_from_the_most_specific(tmp_path: Path, registry: Registry) -> None:
    config = read(
        tmp_path,
        registry,
        """\
- unsupported:
    - {operator: "*", dtypes: [bool], reason: no truth}
    - {operator: diopiAdd, dtypes: [float64], reason: too wide}
    - {operator: [diopiMul, diopiDiv], parameter: [input, other], dtypes: float64, reason: too long}
""",
    )
    assert config.unsupported("diopiSub", "out", "bool") == "no truth"
    assert config.unsupported("diopiAdd", "out", "float64") == "too wide"
    assert config.unsupported("diopiDiv", "other", "float64") == "too long"
    assert config.unsupported("diopiDiv", "out", "float64") is None
    assert plan(config, registry, "diopiAdd", "input").unsupported == (("float64", "too wide"), ("bool", "no truth"))


def test_an_empty_file_converts_nothing(tmp_path: Path, registry: Registry) -> None:
    config = read(tmp_path, registry, "# nothing\n")
    assert all(p.trivial for p in config.plan(registry.functions["diopiAdd"], DTYPES).values())


MISTAKES = [
    (
        "- diopiAddd: {dtype: (int64)->int32}\n",
        1,
        "'diopiAddd' is not an operator of the contract; did you mean 'diopiAdd'?",
    ),
    ("- diopiGetTensorData: {layout: ND}\n", 1, "is not an operator of the contract"),
    (
        "- diopiAdd:\n    tensor_dtype:\n        inputt: (int64)->int32\n",
        3,
        "diopiAdd has no parameter 'inputt'; did you mean 'input'?",
    ),
    ("- diopiAdd:\n    tensor_dtype:\n        alpha: (int64)->int32\n", 3, "'alpha' of diopiAdd is not a tensor"),
    ("- common_config:\n    dtype: (int63)->int32\n", 2, "unknown dtype 'int63'; did you mean 'int"),
    ("- common_config:\n    dtype: (int64)->int33\n", 2, "unknown dtype 'int33'; did you mean 'int3"),
    ("- common_config:\n    dtype: (unsupported)->int32\n", 2, "unknown dtype 'unsupported'"),
    ("- common_config:\n    dtype: int64->int32\n", 2, "cannot read 'int64->int32'; a rule is written (int64)->int32"),
    ("- common_config:\n    dtype: (float64)->int32\n", 2, "would turn floating values into integral ones"),
    ("- common_config:\n    dtype: (complex64)->float32\n", 2, "would turn complex values into floating ones"),
    (
        "- common_config:\n    dtype: (int64)->int32, (int64)->float32\n",
        2,
        "int64 is converted twice, to int32 and to float32",
    ),
    (
        "- common_config:\n    dtype: (int64)->int32, (int32)->int64\n",
        2,
        "int64 is converted to int32 and int32 to int64: a cycle",
    ),
    (
        "- common_config:\n    dtype: (int64)->int32, (int32)->int16\n",
        2,
        "int64 is converted to int32, which is itself converted to int16; write (int64)->int16",
    ),
    (
        "- common_config:\n    dtype: (int64)->int32\n- diopiAdd:\n    dtype: (int32)->int64\n",
        4,
        "diopiAdd, out: int64 is converted to int32 and int32 to int64: a cycle",
    ),
    ("- common_config:\n    layout: NCHV\n", 2, "unknown layout 'NCHV'; did you mean 'NCHW'?"),
    ("- common_config:\n    layout: NCHW, input(NHWC)\n", 2, "common_config has no parameters"),
    ("- diopiAdd:\n    layout: inputt(NHWC)\n", 2, "diopiAdd has no parameter 'inputt'; did you mean 'input'?"),
    ("- diopiAdd:\n    layout: input(NHWC), input(NCHW)\n", 2, "the layout of 'input' is given twice"),
    ("- diopiAdd:\n    layout: 'input(NHWC'\n", 2, "a layout is written NCHW, or input(NHWC)"),
    (
        "- diopiAdd:\n    dtype: (int64)->int32\n    dtype: (int64)->int32\n",
        3,
        "duplicate key 'dtype', first given on line 2",
    ),
    ("- diopiAdd: {layout: ND}\n- diopiAdd: {layout: NCHW}\n", 2, "duplicate key 'diopiAdd', first given on line 1"),
    ("- common_config: {layout: ND}\n- common_config: {layout: ND}\n", 2, "duplicate key 'common_config'"),
    ("- diopiAdd:\n    dtypes: (int64)->int32\n", 2, "unknown field 'dtypes'"),
    ("- diopiAdd:\n    dtype: [int64]\n", 2, "field 'dtype' must be a text, not a list (['int64'])"),
    ("- diopiAdd:\n", 1, "'diopiAdd' must hold fields such as dtype or layout, not nothing"),
    ("- diopiAdd:\n    layout:NCHW\n", 1, "not a text ('layout:NCHW'); write a space after the colon"),
    ("- diopiAdd:\n    layout:\n", 2, "field 'layout' must be a text, not nothing"),
    ("- diopiAdd:\n    tensor_dtype:\n", 2, "field 'tensor_dtype' must be a mapping, not nothing"),
    ("- diopiAdd: {layout: ND}\n  dtype: (int64)->int32\n", 2, "'dtype' stands beside 'diopiAdd'; a field is indented"),
    ("- unsuported: []\n", 1, "'unsuported' is neither an operator of the contract nor one of common_config,"),
    ("- unsuported: []\n", 1, "did you mean 'unsupported'?"),
    ("- falback: cpu\n", 1, "did you mean 'fallback'?"),
    ("- common: {layout: ND}\n", 1, "did you mean 'common_config'?"),
    ("- Add: {layout: ND}\n", 1, "did you mean 'diopiAdd'?"),
    ("- diopiadd: {layout: ND}\n", 1, "did you mean 'diopiAdd'?"),
    ("- fallback: [{operator: diopiSorted}]\n", 1, "matches 'diopiSorted'; did you mean 'diopiSort'?"),
    ("diopiAdd: {layout: ND}\n", 1, "the file must be a list"),
    ("- diopiAdd\n", 1, "the file must be a list"),
    ("- diopiCastDtype:\n    dtype: (int64)->int32\n", 1, "cannot be converted, because the conversion calls it"),
    ("- common_config:\n    narrowing: ignore\n", 2, "narrowing must be check or trust, not 'ignore'"),
    ("- unsupported:\n    - {operator: diopiAdd, dtypes: [bool]}\n", 2, "missing field 'reason'"),
    ("- unsupported:\n    - {operator: diopiAdd, dtypes: [bool], reason: ' '}\n", 2, "the reason is empty"),
    ("- unsupported:\n    - {operator: diopiAd, dtypes: [bool], reason: r}\n", 2, "did you mean 'diopiAdd'?"),
    ("- unsupported:\n    - {operator: diopiAdd, parameter: alpha, dtypes: [bool], reason: r}\n", 2, "is not a tensor"),
    ("- unsupported:\n    - {operator: '*', parameter: input, dtypes: [bool], reason: r}\n", 2, "needs its operator"),
    ("- unsupported:\n    - {operator: diopiAdd, dtypes: [], reason: r}\n", 2, "must be a name or a list of names"),
    (
        "- unsupported:\n    - {operator: diopiAdd, dtypes: [bool], reason: r}\n"
        "    - {operator: diopiAdd, dtypes: [bool], reason: r}\n",
        3,
        "bool is declared unsupported twice",
    ),
    ("- unsupported: bool\n", 1, "must be a list of {operator, parameter, dtypes, reason}"),
    ("- diopiAdd: {layout: ND\n", 2, "not valid YAML"),
]


@pytest.mark.parametrize(("text", "line", "message"), MISTAKES, ids=[m[2][:60] for m in MISTAKES])
def test_a_mistake_is_named_with_file_and_line(
    tmp_path: Path, registry: Registry, text: str, line: int, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, registry, text)
    assert str(caught.value).startswith(f"{tmp_path / 'convert_config.yaml'}:{line}: ")
    assert message in str(caught.value)


def test_conversion_needs_its_helpers(tmp_path: Path, registry: Registry) -> None:
    config = read(tmp_path, registry, "- common_config: {dtype: (float64)->float32}\n")
    have = {"diopiAdd", "diopiCastDtype"}
    with pytest.raises(ConfigError, match=r"needs impl::x::diopiCopyInp and diopiContiguous, which the vendor"):
        require_helpers(config, registry, "x", VendorSymbols(functions=have))
    have |= {"diopiCopyInp", "diopiContiguous"}
    require_helpers(config, registry, "x", VendorSymbols(functions=have))


def test_checked_integers_need_a_way_to_the_host(tmp_path: Path, registry: Registry) -> None:
    have = {"diopiAdd", "diopiCastDtype", "diopiCopyInp", "diopiContiguous"}
    config = read(tmp_path, registry, "- common_config: {dtype: (int64)->int32}\n")
    with pytest.raises(ConfigError, match="copy_to_host"):
        require_helpers(config, registry, "x", VendorSymbols(functions=have))
    require_helpers(config, registry, "x", VendorSymbols(functions=have, copy_to_host="impl::x::copy_to_host"))
    config = read(tmp_path, registry, "- common_config: {dtype: (int64)->int32, narrowing: trust}\n")
    require_helpers(config, registry, "x", VendorSymbols(functions=have))
    config = read(tmp_path, registry, "- common_config: {dtype: (int16)->int32}\n")
    require_helpers(config, registry, "x", VendorSymbols(functions=have))


def test_a_rule_for_an_operator_that_the_vendor_lacks_is_a_mistake(tmp_path: Path, registry: Registry) -> None:
    config = read(tmp_path, registry, "- diopiAdd: {layout: NCHW}\n")
    with pytest.raises(ConfigError, match=":1: the vendor does not have diopiAdd"):
        require_helpers(config, registry, "x", VendorSymbols())
    config = read(tmp_path, registry, "- unsupported:\n    - {operator: diopiAdd, dtypes: [bool], reason: r}\n")
    with pytest.raises(ConfigError, match=":2: the vendor does not have diopiAdd, so 'unsupported' has no effect"):
        require_helpers(config, registry, "x", VendorSymbols())
    require_helpers(config, registry, "x", VendorSymbols(functions={"diopiAdd"}))


def test_a_reason_may_have_any_character(tmp_path: Path, registry: Registry) -> None:
    reason = 'größer \\ "als" \U0001f6ab'
    text = f"- unsupported:\n    - {{operator: diopiAdd, dtypes: bool, reason: '{reason}'}}\n"
    rules = RuleTable(registry.dtypes)
    refusals = rules.refusals(plan(read(tmp_path, registry, text), registry, "diopiAdd", "input"))
    assert refusals == [("diopi_dtype_bool", '"größer \\\\ \\"als\\" \U0001f6ab"')]


@pytest.mark.parametrize(
    ("source", "target", "loses"),
    [
        ("int64", "int32", True),
        ("int32", "int64", False),
        ("uint32", "int32", True),
        ("int8", "uint64", True),
        ("uint8", "int16", False),
        ("int32", "float32", True),
        ("int32", "float64", False),
        ("int64", "float64", True),
        ("uint8", "bfloat16", False),
        ("int16", "float16", True),
        ("float64", "float32", False),
        ("bool", "int8", False),
    ],
)
def test_can_lose(source: str, target: str, loses: bool) -> None:
    assert can_lose(source, target) is loses
