# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a call of the contract's function finds the bench's operator, and that the case has the call's shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adaptor.codegen.model import load_registry
from bench.matching import ANY, Matcher, Operand, literal, split_arguments
from bench.operators import BenchError, load_operators

OPERATORS = load_operators(Path(__file__).resolve().parents[1] / "operators")
MATCHER = Matcher(OPERATORS, load_registry())


def tensor(*shape: int, dtype: str = "float32", values: Any = None) -> Operand:
    return Operand(list(shape), dtype, values)


def convolution(**other: Any) -> dict[str, Any]:
    window = {"stride": [1, 1], "padding": [1, 1], "dilation": [1, 1], "groups": 1}
    return {"input": tensor(2, 8, 5, 6), "weight": tensor(4, 8, 3, 3), **window, **other}


def test_arguments_are_split_at_their_own_commas() -> None:
    call = "diopiCat(ctx, out, static_cast<int64_t>(f(a, b)), {1, 2}, dim)"
    assert split_arguments(call) == ["ctx", "out", "static_cast<int64_t>(f(a, b))", "{1, 2}", "dim"]


@pytest.mark.parametrize(
    "text, value",
    [("nullptr", None), ("false", False), ('"add"', "add"), ("-1", -1), ("RoundModeNone", "RoundModeNone")],
)
def test_literals(text: str, value: Any) -> None:
    assert literal(text) == value


def test_keys_follow_from_shapes_and_attributes() -> None:
    entry = MATCHER.entry("diopiConvolution2d", convolution(bias=tensor(4)), "float32")
    assert entry["op"] == "Convolution2d"
    assert (entry["n"], entry["c"], entry["size"], entry["o"], entry["kernel"]) == (2, 8, [5, 6], 4, [3, 3])
    assert entry["with_bias"] and entry["padding"] == [1, 1]


def test_a_tensor_that_is_null_is_absent() -> None:
    assert not MATCHER.entry("diopiConvolution2d", convolution(bias=None), "float32")["with_bias"]


def test_a_gradient_that_nobody_wants_is_absent() -> None:
    call = convolution(grad_output=tensor(2, 4, 5, 6), bias_sizes=None, grad_input=None, grad_bias=None)
    entry = MATCHER.entry("diopiConvolution2dBackward", call, "float32")
    assert (entry["with_input"], entry["with_bias"], entry["bias_sizes"]) == (False, False, [])


def test_a_literal_chooses_the_operator() -> None:
    call = {"input": tensor(3), "other": 2.0, "rounding_mode": "RoundModeTrunc"}
    assert MATCHER.entry("diopiDivScalar", call, "float32")["op"] == "DivScalarTrunc"


def test_a_null_bound_chooses_the_operator() -> None:
    entry = MATCHER.entry("diopiClampScalar", {"input": tensor(3), "min": None, "max": 1}, "float32")
    assert (entry["op"], entry["max"]) == ("ClampScalarMax", 1)


def test_dtypes_follow_from_tensors() -> None:
    call = {"input": tensor(3), "other": tensor(3, dtype="int64"), "rounding_mode": "RoundModeNone"}
    entry = MATCHER.entry("diopiDiv", call, "float32")
    assert (entry["dtype"], entry["other_dtype"], entry["out_dtype"]) == ("float32", "int64", "float32")


def test_a_result_keeps_dimensions_if_the_call_says_so() -> None:
    call = {"input": tensor(3, 4), "dim": [1]}
    assert not MATCHER.entry("diopiSum", call, "float32")["keepdim"]
    assert MATCHER.entry("diopiSum", {**call, "out": Operand([3, 1], None)}, "float32")["keepdim"]


def test_values_of_tensors_are_kept() -> None:
    call = {"weight": tensor(10, 4), "indices": tensor(5, dtype="int64", values=[0, 10]), "padding_idx": -1}
    entry = MATCHER.entry("diopiEmbedding", {**call, "scale_grad_byfreq": False, "sparse": False}, "float32")
    assert entry["values"] == {"indices": [0, 10]}


def test_a_call_of_another_shape_is_refused() -> None:
    call = convolution(grad_output=tensor(2, 4, 5, 7), bias_sizes=None, grad_bias=None)
    with pytest.raises(BenchError, match=r"grad_output has the shape \[2, 4, 5, 7\], not \[2, 4, 5, 6\]"):
        MATCHER.entry("diopiConvolution2dBackward", call, "float32")


def test_a_function_without_operator_is_refused() -> None:
    with pytest.raises(BenchError, match="none calls the function"):
        MATCHER.entry("diopiNothing", {}, "float32")


def test_the_word_for_any_shape_is_no_shape() -> None:
    assert ANY != Operand([], None).shape
