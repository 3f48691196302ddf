# SPDX-License-Identifier: BSD-3-Clause
"""The rules of the contract: each is read strictly, named, worded, and taken over by forms and families."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from adaptor.codegen.model import REGISTRY_DIR, ConfigError, load_registry
from adaptor.codegen.rules import RULES, terms
from adaptor.codegen.rules.fields import Range

ENTRY = """\
family: sample
summary: A family made for tests.
contract:
  shape: As it is.
  checks:
    - {rule: shape, of: outputs, is: broadcast}
    - {rule: castable, from: result, to: outputs}
    - {rule: dim_in_range, param: dim, of: input}
functions:
  - name: diopiSample
    header: functions.h
    summary: Adds.
    params:
      - {name: ctx, type: diopiContextHandle_t, dir: attr}
      - {name: out, type: diopiTensorHandle_t, dir: out, dtypes: all}
      - {name: input, type: diopiConstTensorHandle_t, dir: in, dtypes: all}
      - {name: other, type: diopiConstTensorHandle_t, dir: in, dtypes: all}
      - {name: alpha, type: "const diopiScalar_t *", dir: attr}
      - {name: mask, type: diopiConstTensorHandle_t, dir: in, nullable: true}
      - {name: sizes, type: diopiSize_t, dir: attr}
      - {name: train, type: bool, dir: attr}
    result: {out: {shape: broadcast, of: [input, other], dtype: promoted}}
    contract:
      formula: out = input + other
      checks:
        - {rule: RULE}
  - name: diopiSampleInp
    header: functions.h
    summary: Adds in place.
    params:
      - {name: ctx, type: diopiContextHandle_t, dir: attr}
      - {name: input, type: diopiTensorHandle_t, dir: inout, dtypes: all}
      - {name: other, type: diopiConstTensorHandle_t, dir: in, dtypes: all}
      - {name: alpha, type: "const diopiScalar_t *", dir: attr}
    form_of: {function: diopiSample, kind: inplace}
    contract: {formula: input = input + other}
  - name: diopiSampleScalar
    header: functions.h
    summary: Adds a number.
    params:
      - {name: ctx, type: diopiContextHandle_t, dir: attr}
      - {name: out, type: diopiTensorHandle_t, dir: out, dtypes: all}
      - {name: input, type: diopiConstTensorHandle_t, dir: in, dtypes: all}
      - {name: other, type: "const diopiScalar_t *", dir: attr}
      - {name: dim, type: int64_t, dir: attr}
    form_of: {function: diopiSample, kind: scalar}
    contract: {formula: out = input + other}
"""
ANY_RULE = "broadcastable, of: [input, other]"


def load(folder: Path, rule: str = ANY_RULE, entry: str = ENTRY):
    folder.mkdir(exist_ok=True)
    shutil.copy(REGISTRY_DIR / "types.yaml", folder)
    (folder / "sample.yaml").write_text(entry.replace("RULE", rule))
    return load_registry(folder).functions


def own(folder: Path, rule: str):
    """The check that diopiSample adds, or several of them."""
    return load(folder, rule)["diopiSample"].own_checks


# rule -> identifier, sentence
SAID = {
    "dtype, of: promoted, in: [floating, complex]": (
        "promoted-dtype",
        "The promoted dtype must be floating point or complex.",
    ),
    "'dtype', of: 'promoted(input, out)', not_in: bool": (
        "promoted-dtype",
        "The dtype to which input and out promote must not be bool.",
    ),
    "same_dtype, of: [out, input]": ("out-same-dtype", "out and input must have the same dtype."),
    "castable, from: input, to: out, id: out-holds": (
        "out-holds",
        "The dtype of input must be castable to the dtype of out.",
    ),
    "same_shape, of: inputs, id: all-equal": ("all-equal", "input, other and mask must have the same shape."),
    "shape, of: mask, is: ['input[:-1]', 3, any]": ("mask-shape", "mask must have the shape [input[:-1], 3, any]."),
    "shape, of: mask, is: sizes": ("mask-shape", "mask must have the shape of sizes."),
    "result_shape, of: mask, keepdim: true": (
        "mask-shape",
        "mask must have the shape of the result, with or without the reduced dimensions.",
    ),
    "broadcastable, of: ['input[:-2]', 'other[:-2]']": (
        "input-broadcastable",
        "The shapes of input[:-2] and other[:-2] must broadcast.",
    ),
    "broadcasts_to, from: mask, to: input": ("mask-broadcasts", "mask must broadcast to the shape of input."),
    "ndim, of: input, in: [2, 3]": ("input-ndim", "input must have 2 or 3 dimensions."),
    "ndim, of: input, max: 1": ("input-ndim", "input must have at most 1 dimension."),
    "numel, of: mask, is: 1": ("mask-numel", "mask must have 1 element."),
    "equal_extents, of: ['input[-1]', '2 * other[0]']": ("input-equal", "input[-1] and 2 * other[0] must be equal."),
    "divisible, of: 'input[1]', by: 4, positive: true": (
        "input-divisible",
        "input[1] must be a positive multiple of 4.",
    ),
    "length, of: sizes, in: [0, 1, 2]": ("sizes-length", "sizes must have 0, 1 or 2 entries."),
    "length, of: sizes, max: ndim(input)": (
        "sizes-length",
        "sizes must have at most as many entries as the number of dimensions of input.",
    ),
    "values, of: sizes, min: 1, max: 2147483647": (
        "sizes-values",
        "Each entry of sizes must be at least 1 and at most 2147483647.",
    ),
    "value, param: alpha, in: '[0, 1)'": ("alpha-value", "alpha must be within [0, 1)."),
    "value, param: alpha, not: .nan, when: {param: train, is: true}": (
        "alpha-value",
        "If train is true, alpha must not be NaN.",
    ),
    "fits, param: alpha, dtype: promoted, part: negative": (
        "alpha-negative-fits",
        "The negative of alpha must fit the promoted dtype.",
    ),
    "given, params: mask, when: [{param: train, is: true}, {ndim: input, is: 1}]": (
        "mask-given",
        "If train is true and input has 1 dimension, mask must not be null.",
    ),
    "elements, of: mask, in: '[0, 1]'": (
        "mask-elements",
        "Each element of mask must be within [0, 1]. A device may report this when the stream is synchronised.",
    ),
    "nonzero, of: other, when: {dtype: promoted, in: integral}": (
        "other-nonzero",
        "If the promoted dtype is integral, other must have no zero. "
        "A device may report this when the stream is synchronised.",
    ),
    "written, id: full-moon, param: alpha, text: alpha must be full., why: No rule knows the moon.": (
        "full-moon",
        "alpha must be full.",
    ),
}


@pytest.mark.parametrize("rule", SAID)
def test_a_check_has_an_identifier_and_a_sentence(tmp_path, rule):
    (check,) = own(tmp_path, rule)
    identifier, sentence = SAID[rule]
    assert (check.identifier, check.sentence) == (f"diopiSample-{identifier}", sentence)


def test_a_list_stands_for_several_checks(tmp_path):
    checks = own(tmp_path, "ndim, of: [input, other], min: 1")
    assert [c.slug for c in checks] == ["input-ndim", "other-ndim"]


def test_a_parameter_goes_before_the_group_of_its_name(tmp_path):
    entry = ENTRY.replace(
        "{name: mask, type: diopiConstTensorHandle_t, dir: in, nullable: true}",
        '{name: tensors, type: "diopiConstTensorHandle_t *", dir: in, count: count}\n'
        "      - {name: count, type: int64_t, dir: attr}",
    )
    said = {
        "length, of: tensors, min: 1": "Tensors must have at least 1 entry.",
        "same_shape, of: tensors": "The tensors must have the same shape.",
    }
    for rule, sentence in said.items():
        (check,) = load(tmp_path, rule, entry)["diopiSample"].own_checks
        assert (check.rule.names(), check.sentence) == (("tensors",), sentence)


def test_the_error_code_follows_from_the_rule(tmp_path):
    assert own(tmp_path, "same_dtype, of: [out, input]")[0].code == "diopiDtypeNotSupported"
    assert own(tmp_path, ANY_RULE)[0].code == "diopiErrorOccurred"
    written = "written, id: full-moon, param: alpha, text: a, why: b, code: diopiNoRegisteredError"
    assert "is no error" in str(pytest.raises(ConfigError, own, tmp_path, written).value)


def test_a_family_speaks_of_the_parameters_that_a_function_has(tmp_path):
    functions = load(tmp_path)
    assert [c.slug for c in functions["diopiSample"].checks] == ["out-shape", "out-castable", "input-broadcastable"]
    scalar = functions["diopiSampleScalar"].checks
    assert [c.slug for c in scalar] == ["out-shape", "out-castable", "dim-in-range"]
    assert scalar[0].sentence == "out must have the shape of input."


def test_an_in_place_form_writes_over_its_operand(tmp_path):
    form = load(tmp_path)["diopiSampleInp"]
    assert [c.sentence for c in form.checks] == [
        "input must have the broadcast shape of the operands.",
        "The promoted dtype must be castable to the dtype of input.",
        "The shapes of input and other must broadcast.",
    ]
    assert form.own_checks == ()


def test_checks_of_another_function_are_renamed(tmp_path):
    text = "contract: {formula: out = input + other}"
    taken = "contract: {formula: x, checks_of: {function: diopiSample, rename: {other: out}}}"
    entry = ENTRY.replace("    form_of: {function: diopiSample, kind: scalar}\n", "").replace(text, taken)
    checks = load(tmp_path, entry=entry)["diopiSampleScalar"].checks
    assert checks[-1].sentence == "The shapes of input and out must broadcast."


# rule -> part of the message
MISTAKES = {
    "moon": "unknown rule 'moon'",
    "ndim, of: input": "the rule ndim has one of is, in, min and max",
    "ndim, of: input, most: 1": "unknown field 'most'",
    "ndim, min: 1": "missing field 'of'",
    "ndim, of: inptu, min: 1": "'inptu' is no parameter of diopiSample",
    "ndim, of: alpha, min: 1": "'alpha' of diopiSample is no tensor",
    "ndim, of: [], min: 1": "'of' is empty",
    "value, param: input, min: 1": "'input' of diopiSample is no attribute",
    "value, param: alpha": "the rule value has in, min",
    "value, param: alpha, in: '[1, 0]'": "is an empty interval",
    "value, param: alpha, in: '1 to 2'": "must be an interval such as",
    "value, param: alpha, min: 'input['": "is no term",
    "shape, of: out, is: out": "every call of diopiSample fulfils it",
    "shape, of: out, is: 'alpha[0]'": "'alpha' of diopiSample has no shape",
    "dtype, of: promoted, in: floaty": "unknown dtype or dtype set 'floaty'",
    "dtype, of: promoted": "either in or not_in",
    "same_shape, of: [out]": "at least 2 parameters",
    "given, params: input": "'input' of diopiSample is no parameter that may be null",
    "given, params: mask, when: {param: trane, is: true}": "'trane' is no parameter",
    "given, params: mask, when: {param: train}": "a condition on a parameter says",
    "given, params: mask, when: {moon: full}": "a condition has one of",
    "ndim, of: [input, other], min: 1, id: two-checks": "would stand for 2 checks",
    "ndim, of: input, min: 1, id: Not valid": "an id is at least two words",
    "written, param: alpha, text: a, why: b": "a written check needs an id",
    "shape, of: out, is: sizes": "have the identifier 'out-shape'",
    "string, param: alpha, in: [a], when: 3": "field 'when' must be",
}


@pytest.mark.parametrize("rule", MISTAKES)
def test_a_mistake_has_file_and_line(tmp_path, rule):
    with pytest.raises(ConfigError, match=re.escape(MISTAKES[rule])) as caught:
        own(tmp_path, rule)
    line = ENTRY[: ENTRY.index("{rule: RULE}")].count("\n") + 1
    assert str(caught.value).startswith(f"{tmp_path}/sample.yaml:{line}:")


def test_what_no_function_of_a_family_can_fulfil_is_a_mistake(tmp_path):
    entry = ENTRY.replace("of: input}\nfunctions", "of: inptu}\nfunctions")
    with pytest.raises(ConfigError, match="no function of the family has this check") as caught:
        load(tmp_path, entry=entry)
    assert caught.value.line == 8


def test_checks_taken_over_in_a_circle(tmp_path):
    entry = ENTRY.replace("      formula: out = input + other\n", "      formula: x\n      checks_of: diopiSampleInp\n")
    with pytest.raises(ConfigError, match="in a circle"):
        load(tmp_path, entry=entry)


@pytest.mark.parametrize("text", ["input[-1]", "input[dim]", "x[:-2]", "x[1:]", "2 * w[1] + n - 1", "numel(x[-2:])"])
def test_a_term_is_written_as_it_is_read(text):
    assert str(terms.parse(text)) == text


@pytest.mark.parametrize("text", ["", "input[", "input[]", "input[1", "half(x)", "a b", "a $ b", "-", "(a)", True, 1.5])
def test_what_is_no_term_is_refused(text):
    with pytest.raises(terms.TermError):
        terms.parse(text)


def test_not_a_number_is_outside_of_every_interval():
    interval = Range(0, 1, False, True)
    assert [interval.holds(x) for x in (0, 0.5, 1, float("nan"))] == [True, True, False, False]


def test_identifiers_of_the_registry_are_unique_and_speak_of_their_function():
    functions = load_registry().functions.values()
    identifiers = [c.identifier for f in functions for c in f.checks]
    assert len(identifiers) == len(set(identifiers))
    assert all(c.identifier.startswith(f.name + "-") for f in functions for c in f.checks)


def test_every_rule_says_what_it_means():
    assert all(cls.__doc__ and not cls.__doc__.startswith(cls.__name__ + "(") for cls in RULES.values())


def test_the_readme_has_every_rule():
    from adaptor.codegen.rules.__main__ import BEGIN, END, README, tables

    text = README.read_text(encoding="utf-8")
    assert text[text.index(BEGIN) + len(BEGIN) : text.index(END)] == tables(), "python -m adaptor.codegen.rules --write"


def test_few_checks_are_written():
    """At most one declared check in ten is prose."""
    registry = load_registry()
    declared = {(str(c.path), c.line, c.slug): c for f in registry.functions.values() for c in f.checks}
    written = [c for c in declared.values() if c.rule.name == "written"]
    assert len(written) * 10 <= len(declared)
