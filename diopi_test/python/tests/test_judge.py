# SPDX-License-Identifier: BSD-3-Clause
"""Tests the judge: each kind of mistake must fail, and a right result must pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from doubles import RightVendor
from helpers import group_of

from conformance.cases.prepare import prepare
from conformance.cases.prepared import CaseError
from conformance.handles import Seed
from conformance.layouts import ORDINARY
from conformance.oracle import Oracle, Unspecified, load_oracles
from conformance.run.binding import Outcome
from conformance.run.result import FAIL, PASS, UNSUPPORTED, UNTRUSTED
from conformance.verdict.group import run_group

ADD = "- {names: [diopiAdd], dtypes: %s, cases: [{input: [5, 7], other: [5, 7], alpha: 1}]}\n"
EXP = "- {names: [diopiExp], dtypes: float32, cases: [{input: [40]}]}\n"
INVALID = (
    "- {names: [diopiAdd], dtypes: float32, cases: [{input: [5, 7], other: [5, 6], alpha: 1, "
    "error: {code: diopiErrorOccurred, argument: [input, other], values: [[5, 6]]}}]}\n"
)


def judge(group, corrupt=None, unsupported=None, oracle=None, returns=None):
    oracle = oracle or load_oracles()[group.case.function.name]
    return run_group(group, oracle, RightVendor(group, oracle, corrupt, returns), unsupported)


def assert_status(results, status):
    """Checks that all results have this status, and returns their messages."""
    assert results and all(r.status == status for r in results), results
    return " ".join(m for r in results for m in r.messages)


@pytest.fixture
def add(tmp_path):
    return group_of(tmp_path, "binary", ADD % "float32", ("contiguous",))


@pytest.mark.parametrize("dtype", ["int8", "uint64", "bool", "float16", "bfloat16", "float64", "complex64"])
def test_a_right_vendor_passes_in_every_layout(tmp_path, dtype):
    group = group_of(tmp_path, "binary", ADD % dtype)
    results = judge(group)
    assert_status(results, PASS)
    assert [r.name.rpartition("/")[2] for r in results] == list(ORDINARY)


NUMBERS = "- {names: [%s], dtypes: float32, cases: [{%s}]}\n"


@pytest.mark.parametrize(
    "family, name, arguments, reshaped",
    [
        ("reduce_arg", "diopiArgmax", "input: [5, 7], dim: null, keepdim: false", {"out"}),
        (
            "loss_nll",
            "diopiNLLLossV2",
            "input: [3, 4], target: {values: [0, 2, 1], dtype: int64}, weight: [4], reduction: ReductionMean, "
            "ignore_index: -100",
            {"out", "totalWeight"},
        ),
        (
            "loss",
            "diopiMSELossBackward",
            "grad_output: [], input: [5], target: [5], reduction: ReductionMean",
            {"grad_output"},
        ),
        ("binary", "diopiAdd", "input: [5], other: [], alpha: 1", set()),
    ],
)
def test_numbers_are_also_given_as_vectors_of_one_element(tmp_path, family, name, arguments, reshaped):
    group = group_of(tmp_path, family, NUMBERS % (name, arguments), ("contiguous", "vector_of_one"))
    seen = []
    results = judge(group, lambda given: seen.append({k for k, v in given.items() if _is_vector_of_one(v)}))
    assert_status(results, PASS)
    assert len(results) == (2 if reshaped else 1) and (not reshaped or seen[-1] == reshaped)


def _is_vector_of_one(argument) -> bool:
    return getattr(getattr(argument, "array", None), "shape", None) == (1,)


# --- values ---


def set_element(index, value):
    def corrupt(arguments):
        arguments["out"].array[index] = value(arguments["out"].array[index]) if callable(value) else value

    return corrupt


@pytest.mark.parametrize(
    "corrupt, text",
    [
        (set_element((4, 6), lambda v: v + 1), "out[4, 6]"),
        (
            set_element(
                (0, 0),
                lambda v: np.nextafter(np.nextafter(np.nextafter(v, np.float32(9)), np.float32(9)), np.float32(9)),
            ),
            "out[0, 0]",
        ),
        (set_element((2, 3), np.nan), "got nan"),
        (set_element((2, 3), np.inf), "got inf"),
        (set_element((1, 1), lambda v: -v), "1 of 35 wrong"),
        (set_element((slice(4, 5), slice(None)), 0.0), "7 of 35 wrong"),
    ],
)
def test_a_wrong_element_fails_and_is_named(add, corrupt, text):
    message = assert_status(judge(add, corrupt), FAIL)
    assert text in message and "max_diff" in message and "MAE" in message and "ULP" in message


def test_one_ulp_is_allowed_where_results_are_rounded(tmp_path):
    group = group_of(tmp_path, "unary", EXP, ("contiguous",))
    assert_status(judge(group, set_element(3, lambda v: np.nextafter(v, np.float32(9)))), PASS)
    assert_status(judge(group, set_element(3, lambda v: v + 9 * np.spacing(v))), FAIL)


def test_integers_are_exact(tmp_path):
    assert_status(
        judge(group_of(tmp_path, "binary", ADD % "int32", ("contiguous",)), set_element((0, 0), lambda v: v + 1)), FAIL
    )


@pytest.mark.parametrize("expected, got", [(np.nan, 1.0), (np.inf, -np.inf), (np.inf, 3e38), (1.0, np.nan)])
def test_nan_and_infinities_are_compared(tmp_path, expected, got):
    text = f"- {{names: [diopiNeg], dtypes: float32, cases: [{{input: {{values: [{-expected!r}, 1.0, 2.0, 3.0]}}}}]}}\n"
    group = group_of(tmp_path, "unary", text.replace("nan", ".nan").replace("inf", ".inf"), ("contiguous",))
    assert_status(judge(group), PASS)
    assert_status(judge(group, set_element(0, got)), FAIL)


def test_the_sign_of_zero_counts_where_the_definition_says_so(tmp_path):
    text = "- {names: [diopiNeg], dtypes: float32, cases: [{input: {values: [0.0, 1.0, 2.0, 3.0]}}]}\n"
    group = group_of(tmp_path, "unary", text, ("contiguous",))
    assert "expected -0.0, got 0.0" in assert_status(judge(group, set_element(0, 0.0)), FAIL)


def test_a_bool_is_zero_or_one(tmp_path):
    text = "- {names: [diopiGt], dtypes: float32, cases: [{input: [5, 7], other: [5, 7]}]}\n"
    group = group_of(tmp_path, "compare", text, ("contiguous",))

    def corrupt(arguments):
        arguments["out"].array.view(np.uint8)[arguments["out"].array] = 255

    assert "0xFF is neither 0 nor 1" in assert_status(judge(group, corrupt), FAIL)


# --- memory ---


def unwritten(arguments):
    out = arguments["out"]
    out.array[-1, -3:] = np.frombuffer(bytes([0xC5] * 4), np.float32)[0]


def past_the_end(arguments):
    out = arguments["out"]
    out.bytes.view(np.float32)[out.offset + out.placement.span] = 1.0


def before_the_start(arguments):
    out = arguments["out"]
    out.bytes.view(np.float32)[out.offset - 1] = 1.0


def into_a_gap(arguments):
    out = arguments["out"]
    out.bytes.view(np.float32)[out.offset + 1] = 1.0


def changes_an_input(arguments):
    arguments["other"].array[0, 0] = 7.0


def touches_padding_of_an_input(arguments):
    arguments["input"].bytes[0] ^= 1


@pytest.mark.parametrize(
    "corrupt, layout, text",
    [
        (unwritten, "contiguous", "3 of 35 wrong"),
        (past_the_end, "contiguous", "1 elements past the end"),
        (past_the_end, "strided_out", "1 elements past the end"),
        (before_the_start, "strided_out", "1 elements before the start"),
        (into_a_gap, "strided_out", "at element 1"),
        (changes_an_input, "contiguous", "input other was modified"),
        (changes_an_input, "sliced", "input other was modified"),
        (touches_padding_of_an_input, "transposed", "input input was modified"),
    ],
)
def test_writing_where_one_must_not_fails(tmp_path, corrupt, layout, text):
    group = group_of(tmp_path, "binary", ADD % "float32", (layout,))
    assert text in assert_status(judge(group, corrupt), FAIL)


def test_ignoring_strides_fails(tmp_path):
    group = group_of(tmp_path, "binary", ADD % "float32", ("transposed",))

    def corrupt(arguments):
        flat = {
            k: arguments[k].bytes.view(np.float32)[arguments[k].offset :][:35].reshape(5, 7) for k in ("input", "other")
        }
        arguments["out"].array[...] = flat["input"] + flat["other"]

    assert_status(judge(group, corrupt), FAIL)


EVALUATION = """\
- names: [diopiBatchNorm]
  dtypes: float64
  defaults: {training: false, momentum: 0.1, eps: 0.1, weight: null, bias: null}
  cases: [{input: [2, 3, 5], running_mean: [3], running_var: {shape: [3], gen: positive}}]
"""


@pytest.mark.parametrize("layout", ["contiguous", "strided_out"])
def test_an_output_that_the_call_does_not_write_keeps_every_bit(tmp_path, layout):
    group = group_of(tmp_path, "norm_batch", EVALUATION, (layout,))
    assert_status(judge(group), PASS)

    def through_float32(arguments):
        mean = arguments["save_mean"].array
        mean[...] = mean.astype(np.float32)

    text = "the call changed save_mean, which this call must leave as it is, first at element 0"
    assert text in assert_status(judge(group, through_float32), FAIL)


def test_the_oracle_and_the_contract_agree_on_what_a_call_writes(tmp_path):
    group = group_of(tmp_path, "norm_batch", EVALUATION, ("contiguous",))
    names = ("out", "save_mean", "save_invstd", "running_mean", "running_var")

    def writes_all(input):
        return dict.fromkeys(names, input[0, :, 0])

    text = "the contract says that this call does not write 'save_mean', the oracle says the opposite"
    oracle = Oracle("diopiBatchNorm", writes_all, dtype="input")
    assert text in assert_status(judge(group, oracle=oracle), FAIL)


# --- outcomes ---


def test_a_failing_call_fails(add):
    assert "diopiNotInited" in assert_status(judge(add, returns=Outcome("diopiNotInited", "not ready")), FAIL)


def test_an_error_of_the_device_after_the_call_fails(add):
    late = Outcome("diopiSuccess", late="misaligned address")
    result = judge(add, returns=late)
    assert "returned diopiSuccess, but then the device failed: misaligned address" in assert_status(result, FAIL)
    assert not result[0].tainted
    result = judge(add, returns=replace(late, lost=True))
    assert "the device is unusable after it" in assert_status(result, FAIL)
    assert result[0].tainted


def test_an_invalid_call_must_fail_with_its_code_and_message(tmp_path):
    group = group_of(tmp_path, "binary", INVALID)
    assert_status(judge(group), PASS)
    for outcome in (
        Outcome("diopiSuccess"),
        Outcome("diopiDtypeNotSupported", "other of shape"),
        Outcome("diopiErrorOccurred", "something"),
        Outcome("diopiErrorOccurred", ""),
    ):
        assert_status(judge(group, returns=outcome), FAIL)


def test_an_invalid_call_leaves_outputs_untouched(tmp_path):
    group = group_of(tmp_path, "binary", INVALID)
    assert "modified out" in assert_status(judge(group, set_element((0, 0), 1.0)), FAIL)


def test_declared_gaps_are_unsupported_and_must_be_real(add):
    refuses = Outcome("diopiDtypeNotSupported", "no")
    assert "no float64 unit" in assert_status(judge(add, None, "no float64 unit", returns=refuses), UNSUPPORTED)
    assert "declared" in assert_status(judge(add, None, "no float64 unit"), FAIL)
    assert_status(judge(add, returns=refuses), FAIL)


def test_allocated_outputs_are_judged(tmp_path):
    text = "- {names: [diopiContiguous], dtypes: float32, cases: [{input: [2, 3], memoryFormat: Contiguous}]}\n"
    group = group_of(tmp_path, "layout", text, ("contiguous",))
    assert_status(judge(group), PASS)

    def reshaped(arguments):
        arguments["out"].array = arguments["out"].array.reshape(3, 2)

    def widened(arguments):
        arguments["out"].array = arguments["out"].array.astype(np.float64)

    def forgotten(arguments):
        arguments["out"].array = None

    def transposed(arguments):
        arguments["out"].strides = (1, 2)

    for corrupt in (reshaped, widened, forgotten, transposed):
        assert_status(judge(group, corrupt), FAIL)


# --- random numbers, and what a check function judges ---

RANDOM = "- {names: [diopiRandperm], dtypes: int64, cases: [{n: 6, out: [6]}]}\n"


def permuted(arguments, order=(3, 1, 0, 5, 4, 2)):
    arguments["out"].array[...] = order


def random_oracle(check):
    return Oracle("diopiRandperm", lambda n: Unspecified((n,)), dtype="int64", check=check)


def is_permutation(n, got):
    return None if sorted(got["out"]) == list(range(n)) else "no permutation"


def test_unspecified_outputs_are_judged_by_their_check(tmp_path):
    group = group_of(tmp_path, "random", RANDOM, ("contiguous",))
    assert_status(judge(group, permuted, oracle=random_oracle(is_permutation)), PASS)
    assert_status(judge(group, lambda a: permuted(a, (0, 0, 1, 2, 3, 4)), oracle=random_oracle(is_permutation)), FAIL)


def test_nothing_compared_is_untrusted(tmp_path):
    group = group_of(tmp_path, "random", RANDOM, ("contiguous",))
    assert "nothing is compared" in assert_status(judge(group, permuted, oracle=random_oracle(None)), UNTRUSTED)


def test_the_same_seed_must_give_the_same_numbers(tmp_path):
    group, calls = group_of(tmp_path, "random", RANDOM, ("contiguous",)), []

    def corrupt(arguments):
        calls.append(1)
        permuted(arguments, np.roll(np.arange(6), len(calls)))

    assert "differs between two calls" in assert_status(
        judge(group, corrupt, oracle=random_oracle(is_permutation)), FAIL
    )


def test_the_generator_must_advance(tmp_path):
    group = group_of(tmp_path, "random", RANDOM, ("contiguous",))

    def corrupt(arguments):
        permuted(arguments)
        (seed,) = [a for a in arguments.values() if isinstance(a, Seed)]
        return Outcome("diopiSuccess", "", (seed.offset,))

    assert "did not advance" in assert_status(judge(group, corrupt, oracle=random_oracle(is_permutation)), FAIL)


def test_constant_outputs_are_untrusted(add):
    oracle = Oracle("diopiAdd", lambda input: np.zeros(input.shape))
    assert "no expected output varies" in assert_status(judge(add, oracle=oracle), UNTRUSTED)


# --- mistakes of the judge's own material are failures, not passes ---


def broken(input):
    raise ZeroDivisionError("oops")


@pytest.mark.parametrize("function", [broken, lambda nonsense: nonsense, lambda input: {"other": input}])
def test_a_broken_oracle_fails(add, function):
    assert_status(judge(add, oracle=Oracle("diopiAdd", function)), FAIL)


def test_a_shape_that_contradicts_the_oracle_is_an_error(tmp_path):
    text = "- {names: [diopiExp], dtypes: float32, cases: [{input: [4], out: [5]}]}\n"
    with pytest.raises(CaseError, match="the oracle"):
        prepare(group_of(tmp_path, "unary", text), load_oracles()["diopiExp"])


def test_in_place_forms_share_the_oracle(tmp_path):
    text = "- {names: [diopiAddInp], dtypes: int16, cases: [{input: [5, 7], other: [7], alpha: 2}]}\n"
    group = group_of(tmp_path, "binary", text)
    assert_status(judge(group), PASS)
    assert "input[0, 0]" in assert_status(judge(group, lambda a: a["input"].array.__setitem__((0, 0), 9999)), FAIL)


def test_writing_over_an_input_is_judged(tmp_path):
    text = (
        "- {names: [diopiAdd], dtypes: float32, cases: [{input: [5, 7], other: [7], alpha: 1, out: {same: input}}]}\n"
    )
    group = group_of(tmp_path, "binary", text)
    assert_status(judge(group), PASS)
    assert_status(judge(group, set_element((0, 0), 99.0)), FAIL)
