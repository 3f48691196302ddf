# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the registry is complete, and that its loader refuses every kind of mistake with file and line."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from adaptor.codegen.model import CONTRACT_FIELDS, REGISTRY_DIR, ConfigError, Function, Registry, load_registry
from adaptor.codegen.strict_yaml import load

ENTRY = """\
family: sample
summary: A family made for tests.
functions:
  - name: diopiSample
    header: functions.h
    summary: Copies input.
    params:
      - {name: ctx, type: diopiContextHandle_t, dir: attr}
      - {name: out, type: diopiTensorHandle_t, dir: out, dtypes: [float32, integral]}
      - {name: input, type: diopiConstTensorHandle_t, dir: in}
      - {name: list, type: "diopiConstTensorHandle_t *", dir: in, count: n, element_nullable: true}
      - {name: n, type: int64_t, dir: attr}
      - {name: made, type: "diopiTensorHandle_t *", dir: out, allocates: true, dtype_as: input}
      - {name: dim, type: "const int64_t *", dir: attr, nullable: true, doc: "null: all"}
    contract:
      formula: out = input
      checks: [{rule: same_shape, of: [out, input]}]
"""

# The mistakes in ENTRY: old text, new text, line of the error, part of the message.
MISTAKES = {
    "duplicate key": ("dir: in}", "dir: in, dir: in}", 10, "duplicate key 'dir', first given on line 10"),
    "duplicate block key": (
        "    summary: Copies input.",
        "    summary: A.\n    summary: B.",
        7,
        "duplicate key 'summary'",
    ),
    "unknown field of a parameter": ("nullable: true, doc", "nulable: true, doc", 14, "unknown field 'nulable'"),
    "unknown field of a function": ("    header:", "    heading: x\n    header:", 5, "unknown field 'heading'"),
    "unknown field of a family": ("summary: A family", "version: 1\nsummary: A family", 2, "unknown field 'version'"),
    "unknown field of a contract": ("      formula:", "      formulae:", 16, "unknown field 'formulae'"),
    "missing field": ("    summary: Copies input.\n", "", 4, "missing field 'summary'"),
    "wrong type of a field": ("allocates: true", "allocates: 1", 13, "must be true or false, not an integer (1)"),
    "not YAML": ("name: ctx, type", "name: ctx type: x, type", 8, "not valid YAML"),
    "key that is no string": ("name: n, type", "1: n, type", 12, "key 1 must be a string"),
    "wrong family": ("family: sample", "family: simple", 1, "must equal the name of its file"),
    "unknown dtype": ("[float32, integral]", "[float32, float31]", 9, "unknown dtype or dtype set 'float31'"),
    "dtypes of a number": (
        "name: n, type: int64_t, dir: attr",
        "name: n, type: int64_t, dir: attr, dtypes: all",
        12,
        "'n' is not a tensor, so it has no dtypes",
    ),
    "unknown direction": ("dir: out, dtypes", "dir: output, dtypes", 9, "dir must be one of in, out, inout, attr"),
    "unknown type": ("type: int64_t", "type: int65_t", 12, "unknown type 'int65_t'"),
    "other spelling of a type": ('"const int64_t *"', '"const int64_t*"', 14, "write the type as 'const int64_t *'"),
    "name that is not an identifier": ("name: dim", "name: di-m", 14, "'di-m' is not a C identifier"),
    "name given twice": ("name: dim", "name: out", 9, "parameter 'out' appears twice"),
    "tensor as attr": (
        "diopiConstTensorHandle_t, dir: in",
        "diopiConstTensorHandle_t, dir: attr",
        10,
        "'input' is a tensor or generator",
    ),
    "const tensor as out": (
        "diopiConstTensorHandle_t, dir: in",
        "diopiConstTensorHandle_t, dir: out",
        10,
        "'input' is const: its dir must be in",
    ),
    "non-const tensor as in": (
        "type: diopiTensorHandle_t, dir: out",
        "type: diopiTensorHandle_t, dir: in",
        9,
        "explain this in doc",
    ),
    "number as in": ("type: int64_t, dir: attr", "type: int64_t, dir: in", 12, "'n' is not a tensor or generator"),
    "number as out": (
        "type: int64_t, dir: attr",
        "type: int64_t, dir: out",
        12,
        "an operator cannot write through the type",
    ),
    "const memory as out": (
        '"const int64_t *", dir: attr',
        '"const int64_t *", dir: out',
        14,
        "an operator cannot write through the type 'const int64_t *'",
    ),
    "context as in": (
        "diopiContextHandle_t, dir: attr",
        "diopiContextHandle_t, dir: in",
        8,
        "the dir of a context must be attr",
    ),
    "null number": (
        "name: n, type: int64_t, dir: attr",
        "name: n, type: int64_t, dir: attr, nullable: true",
        12,
        "'int64_t' cannot be null",
    ),
    "allocated tensor without pointer": (
        "dir: out, dtypes",
        "dir: out, allocates: true, dtypes",
        9,
        "allocates needs dir out",
    ),
    "allocated inout": ("dir: out, allocates", "dir: inout, allocates", 13, "allocates needs dir out"),
    "count of a tensor": (
        "diopiConstTensorHandle_t, dir: in}",
        "diopiConstTensorHandle_t, dir: in, count: n}",
        10,
        "count needs a list of handles",
    ),
    "count that is not a parameter": ("count: n", "count: m", 11, "count names 'm', which is not a parameter"),
    "count of another type": ("count: n", "count: dim", 11, "which has type const int64_t *, expected int64_t"),
    "list without count": ("count: n, element_nullable: true", "nullable: true", 11, "'list' is a list: give count"),
    "nullable elements without count": (", count: n", "", 11, "element_nullable needs a list with a count"),
    "length of a tensor": (
        "name: input, type: diopiConstTensorHandle_t, dir: in",
        "name: input, type: diopiConstTensorHandle_t, dir: in, length: 2",
        10,
        "length must be a positive",
    ),
    "dtype of nothing": ("dtype_as: input", "dtype_as: dim", 13, "must name a tensor parameter"),
    "dtype_as of a plain output": ("dtypes: [float32, integral]", "dtype_as: input", 9, "needs an allocated output"),
    "written_when of an input": (
        "diopiConstTensorHandle_t, dir: in}",
        "diopiConstTensorHandle_t, dir: in, written_when: {param: n, is: 1}}",
        10,
        "written_when needs a tensor with dir out",
    ),
    "written_when of a parameter that is not there": (
        "dtypes: [float32, integral]",
        "written_when: {param: m, is: 1}",
        9,
        "'m' is not a parameter of diopiSample",
    ),
    "written_when of a pointer": (
        "dtypes: [float32, integral]",
        "written_when: {param: dim, is: 1}",
        9,
        "a condition of written_when is about a flag, a number, or the number of elements of a tensor",
    ),
    "written_when of a dtype": (
        "dtypes: [float32, integral]",
        "written_when: {dtype: input, in: float32}",
        9,
        "a condition of written_when is about",
    ),
    "written_when without a condition": ("dtypes: [float32, integral]", "written_when: n", 9, "must be a mapping"),
    "unknown header": ("header: functions.h", "header: function.h", 5, "is not a header of the contract"),
    "summary that is no sentence": ("Copies input.", "Copies input", 6, "summary must be a sentence"),
    "empty doc": ('"null: all"', '""', 14, "field 'doc' is empty"),
    "end of a comment": ('"null: all"', '"a */ b"', 14, "would end a C comment"),
    "text over lines": ('"null: all"', r'"a\nb"', 14, "one line of printable ASCII"),
    "checks that are no list": ("[{rule: same_shape, of: [out, input]}]", "none", 17, "field 'checks' must be a list"),
    "a check that is no rule": ("{rule: same_shape, of: [out, input]}", "1", 17, "each entry of 'checks' must be"),
    "sentences": ("checks: [", "errors: [", 17, "unknown field 'errors'"),
    "name without prefix": ("name: diopiSample", "name: Sample", 4, "is not a name of a DIOPI function"),
    "unknown contract to take over": (
        "formula: out = input",
        "like: diopiAbsent",
        16,
        "diopiAbsent, which has no contract",
    ),
    "contract like itself": ("formula: out = input", "like: diopiSample", 16, "forms a cycle"),
}


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_registry()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A registry of one family."""
    shutil.copy(REGISTRY_DIR / "types.yaml", tmp_path)
    (tmp_path / "sample.yaml").write_text(ENTRY, encoding="utf-8")
    return tmp_path


def test_sample_loads(folder: Path) -> None:
    function = load_registry(folder).functions["diopiSample"]
    assert function.param("out").dtypes == (
        "float32",
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
    )
    assert [p.name for p in function.params if p.nullable] == ["dim"]
    assert function.contract == {"formula": "out = input"}
    assert [c.identifier for c in function.checks] == ["diopiSample-out-same-shape"]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_refused_with_file_and_line(mistake: str, folder: Path) -> None:
    old, new, line, message = MISTAKES[mistake]
    path = folder / "sample.yaml"
    assert ENTRY.count(old) >= 1
    path.write_text(ENTRY.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_registry(folder)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{path}:{line}: ")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("value: 13", "value: thirteen", "field 'value' must be an integer"),
        ("name: diopi_device,", "name: diopi_host,", "'diopi_host' appears twice"),
        ("callback: malloc_func_t", "callback: alloc_func_t", "unknown callback 'alloc_func_t'"),
        ("signed: [int8,", "signed: [int9,", "unknown dtype or dtype set 'int9'"),
        ("minor: 0", "minor: zero", "field 'minor' must be an integer"),
    ],
)
def test_mistake_in_types_is_refused(old: str, new: str, message: str, folder: Path) -> None:
    path = folder / "types.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    line = text[: text.index(old)].count("\n") + 1
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        load_registry(folder)
    assert str(caught.value).startswith(f"{path}:{line}: ")


def test_function_in_two_families_is_refused(folder: Path) -> None:
    second = folder / "second.yaml"
    second.write_text(ENTRY.replace("family: sample", "family: second"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"second\.yaml:4: diopiSample is already declared at .*sample\.yaml:4"):
        load_registry(folder)


def test_contract_takes_over_family_and_like_and_keeps_its_own(folder: Path) -> None:
    second = (
        ENTRY.split("functions:\n")[1]
        .replace("diopiSample", "diopiSampleInp")
        .replace(
            "      formula: out = input\n      checks: [{rule: same_shape, of: [out, input]}]\n",
            "      like: diopiSample\n      formula: input = input\n      checks: [{rule: ndim, of: input, min: 1}]\n",
        )
    )
    text = ENTRY.replace("functions:\n", "contract: {shape: same, formula: none}\nfunctions:\n") + second
    (folder / "sample.yaml").write_text(text, encoding="utf-8")
    functions = load_registry(folder).functions
    assert functions["diopiSample"].contract == {
        "formula": "out = input",
        "shape": "same",
    }
    assert functions["diopiSampleInp"].contract == {
        "formula": "input = input",
        "shape": "same",
    }
    assert list(functions["diopiSampleInp"].contract) == ["formula", "shape"]
    assert functions["diopiSampleInp"].own_contract == {"formula": "input = input"}
    assert [c.slug for c in functions["diopiSampleInp"].checks] == ["out-same-shape", "input-ndim"]
    assert [c.slug for c in functions["diopiSampleInp"].own_checks] == ["input-ndim"]


def test_registry_declares_every_function(registry: Registry) -> None:
    assert (len(registry.operators), len(registry.runtime)) == (541, 27)


def test_every_summary_says_more_than_the_name(registry: Registry) -> None:
    for function in registry.functions.values():
        assert len(function.summary.split()) >= 3, function.name
        assert function.summary.rstrip(".") != function.name.removeprefix("diopi"), function.name


def test_random_operators_have_one_generator(registry: Registry) -> None:
    drawing = [f for f in registry.operators if any(p.is_generator for p in f.params)]
    assert len(drawing) >= 20
    for function in drawing:
        generators = [p for p in function.params if p.is_generator]
        # The gradient of attention draws the same mask from the same state, so neither call moves it.
        keeps = function.family == "attention" and not function.name.startswith("diopiCustomized")
        assert [p.dir for p in generators] == ["in" if keeps else "inout"], function.name


def with_contract(registry: Registry) -> list[Function]:
    return [f for f in registry.operators if "formula" in f.contract]


def test_contract_with_a_formula_is_complete(registry: Registry) -> None:
    """Each contract has every field except notes and checks, and dtypes for every tensor."""
    gaps = []
    for function in with_contract(registry):
        gaps += [
            f"{function.name}: {key}"
            for key in CONTRACT_FIELDS
            if key not in function.contract and key not in ("notes", "checks")
        ]
        gaps += [
            f"{function.name}: dtypes of {p.name}"
            for p in function.params
            if p.is_tensor_like and p.dtypes is None and p.dtype_as is None
        ]
    assert gaps == []


def test_readme_names_every_field() -> None:
    text = (REGISTRY_DIR / "README.md").read_text(encoding="utf-8")
    fields = (
        "name",
        "type",
        "dir",
        "nullable",
        "allocates",
        "count",
        "length",
        "element_nullable",
        "dtypes",
        "sparse",
        "any_dtype_if_empty",
        "written_when",
        "dtype_as",
        "doc",
        "like",
        *CONTRACT_FIELDS,
    )
    for field in fields:
        assert re.search(rf"`{field}\b", text), field


def judged_operators() -> set[str]:
    """The operators for which the judge has cases."""
    names: set[str] = set()
    for path in sorted(
        (REGISTRY_DIR.parents[1] / "diopi_test" / "python" / "conformance" / "data" / "cases").glob("*.yaml")
    ):
        for block in load(path)["operators"]:
            names.update(block["names"])
    return names


def test_every_judged_operator_has_a_contract(registry: Registry) -> None:
    judged = judged_operators()
    assert len(judged) > 100
    assert sorted(judged - {f.name for f in with_contract(registry)}) == []
