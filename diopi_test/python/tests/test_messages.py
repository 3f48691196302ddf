# SPDX-License-Identifier: BSD-3-Clause
"""Tests which names and values the message of a failed call must contain. Its wording does not matter."""

from __future__ import annotations

import pytest
from helpers import registry

from conformance.cases.case import ExpectedError
from conformance.verdict.message import complaints


def complaints_about(message, arguments=("input", "other"), values=()):
    return complaints(ExpectedError("diopiErrorOccurred", arguments, values), registry().functions["diopiAdd"], message)


@pytest.mark.parametrize(
    "message",
    [
        "diopiAdd: input of shape [3, 4] and other of shape [3, 5] do not broadcast",
        "in function diopiAdd, tensor 'other' (3x5) cannot be broadcast",
        "Fehler in diopiAdd(): `input` hat die Form (3, 4)",
    ],
)
def test_any_words_will_do(message):
    assert complaints_about(message) == []


@pytest.mark.parametrize(
    "message, missing",
    [
        ("", "the function"),
        ("input of shape [3, 4] is wrong", "the function"),
        ("diopiAddInp: input is wrong", "the function"),
        ("diopiAdd: alpha is wrong", "input or other"),
        ("diopiAdd: grad_input is wrong", "input or other"),
        ("diopiAdd: inputs are wrong", "input or other"),
    ],
)
def test_function_and_argument_are_named_by_whole_words(message, missing):
    complaint = complaints_about(message)[0]
    assert f"does not name {missing}" in complaint


def test_only_parameters_of_the_operator_count():
    assert "does not name input" in complaints_about("diopiAdd: inout is wrong", ("input", "inout"))[0]


def test_the_idiom_out_of_range_names_no_output():
    assert complaints_about("diopiAdd: dim is out of range", ("out",)) and complaints_about(
        "diopiAdd: alpha is out of bounds", ("out",)
    )
    assert not complaints_about("diopiAdd: out is out of range", ("out",))


@pytest.mark.parametrize(
    "message, right",
    [
        ("diopiAdd: input has shape [3, 4]", True),
        ("diopiAdd: input has shape (3, 4)", True),
        ("diopiAdd: input is 3x4", True),
        ("diopiAdd: input has dimensions 3 and 4", True),
        ("diopiAdd: input has shape [4, 3]", False),
        ("diopiAdd: input has shape [13, 4]", False),
        ("diopiAdd: input of dtype int3, int4 is wrong", False),
    ],
)
def test_a_shape_is_its_numbers_in_order(message, right):
    assert (complaints_about(message, values=((3, 4),)) == []) == right


@pytest.mark.parametrize(
    "value, message, right",
    [
        (-3, "input = -3", True),
        (-3, "input = 3", False),
        (3, "input = -3", False),
        (3, "input = 3.0", True),
        (0.1, "input = 0.100000", True),
        (float("nan"), "input is -nan", True),
        (float("inf"), "input is inf", True),
        (32, "input has dtype int32", False),
        (2, "input = 1.2", False),
        (1e6, "input = 1e+06", True),
    ],
)
def test_a_number_is_compared_by_its_value(value, message, right):
    assert (complaints_about(f"diopiAdd: {message}", values=(value,)) == []) == right
