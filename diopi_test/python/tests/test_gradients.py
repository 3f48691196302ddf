# SPDX-License-Identifier: BSD-3-Clause
"""Tests that every gradient's oracle is compared with differences of the forward oracle, and that wrong ones are
found."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from helpers import registry

from conformance.oracle import Value, load_oracles
from conformance.selfcheck.gradients import __main__ as command
from conformance.selfcheck.gradients.rules import RULES, forward_of, rule_of


def replace_result(monkeypatch: pytest.MonkeyPatch, name: str, change) -> None:
    """Replaces the result of an oracle by `change(result)`."""
    right = load_oracles()[name].function
    spoiled = functools.wraps(right)(lambda **arguments: change(right(**arguments)))
    monkeypatch.setattr(load_oracles()[name], "function", spoiled)


def array(result):
    return result.array if isinstance(result, Value) else result


def test_every_gradient_has_a_forward_oracle() -> None:
    assert RULES.keys() <= set(command.gradients())
    assert all(forward_of(name) in load_oracles() for name in command.gradients())


def test_rules_name_parameters_that_exist() -> None:
    functions = registry().functions
    for name in command.gradients():
        rule = rule_of(name)
        backward = {p.name for p in functions[name].params}
        gradients = {leaf.split("[")[0] for leaf in rule.leaves}
        forward = {p.name for p in functions[forward_of(name)].params}
        assert {rule.grad or "input", *rule.saved, *rule.derived} <= backward and gradients & backward, name
        outputs = {name.split("[")[0] for name in (rule.output, *rule.saved.values())}  # `outlist[0]` is of a list
        assert {*outputs, *rule.leaves.values(), *rule.made} <= forward, name


def test_right_gradients_agree_in_several_processes(capsys) -> None:
    assert command.main(["--fname", "activation", "Linear", "LinearBackward", "--jobs", "2"]) == command.OK
    assert capsys.readouterr().out.rstrip().endswith(", 0 wrong")


def test_quick_compares_fewer_elements(capsys) -> None:
    def compared(*options: str) -> int:
        assert command.main(["--fname", "diopiTanhBackward", "--jobs", "1", *options]) == command.OK
        return int(capsys.readouterr().out.rsplit("gradients, ")[1].split()[0])

    assert 0 < compared("--quick") < compared()


@pytest.mark.parametrize(
    "name, change",
    [
        ("diopiTanhBackward", lambda result: array(result) * (1 + 1e-6)),
        ("diopiSigmoidBackward", lambda result: np.conj(array(result))),
        ("diopiCumsumBackward", lambda result: np.flip(array(result))),
        ("diopiMaxPool1dBackward", lambda result: np.roll(array(result), 1, -1)),
        ("diopiLinearBackward", lambda result: {**result, "grad_bias": 0 * result["grad_bias"].array}),
    ],
)
def test_a_wrong_gradient_is_found(monkeypatch, capsys, name, change) -> None:
    replace_result(monkeypatch, name, change)
    assert command.main(["--fname", name, "--jobs", "1"]) == command.WRONG
    assert f"\n{name}/" in capsys.readouterr().out


def test_a_wrong_forward_is_found(monkeypatch) -> None:
    replace_result(monkeypatch, "diopiAvgPool2d", lambda result: array(result) * 1.5)
    assert command.main(["--fname", "AvgPool2dBackward", "--jobs", "1"]) == command.WRONG


def test_kinks_are_counted_and_not_compared(monkeypatch) -> None:
    rows = {"diopiHardtanhBackward": command.Row("diopiHardtanhBackward")}
    monkeypatch.setattr(command, "Row", lambda name: rows[name])
    assert command.main(["--fname", "HardtanhBackward", "--jobs", "1"]) == command.OK
    assert 0 < rows["diopiHardtanhBackward"].kinks < rows["diopiHardtanhBackward"].compared


def test_an_operator_without_gradient_is_wrong_usage() -> None:
    assert command.main(["--fname", "diopiNothing"]) == command.USAGE
    assert command.main(["--fname", "diopiExp"]) == command.USAGE
