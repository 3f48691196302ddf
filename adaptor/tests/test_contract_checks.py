# SPDX-License-Identifier: BSD-3-Clause
"""Tests the generated checks of the layer's mode contract: each has an identifier, and all others are known."""

from __future__ import annotations

from functools import cache

from adaptor.codegen import layer_contract
from adaptor.codegen.model import load_registry

# What a parameter's fields and the common rules of the registry require, which no entry repeats.
COMMON = ("not-null", "list", "stype", "tensor", "dtypes", "rank", "no-overlap")


@cache
def checked() -> list[layer_contract.Checked]:
    return [one for _, _, members in layer_contract.families(load_registry()) for one in members]


def test_every_operator_has_its_checks():
    names = {f.name for f in load_registry().operators if f.returns == "diopiError_t"}
    assert {one.function.name for one in checked()} == names


def test_every_statement_that_can_refuse_a_call_names_its_check():
    for one in checked():
        without = [line.text for line in one.lines if ("DIOPI_TRY" in line.text or "_ENTRY_" in line.text)]
        assert without == [line.text for line in one.lines if line.check], one.function.name


def test_identifiers_are_those_of_the_registry():
    for one in checked():
        known = {check.identifier for check in one.function.checks}
        common = {f"{one.function.name}-{p.name}-{what}" for p in one.function.params for what in COMMON}
        made, left = {line.check for line in one.lines} - {""}, {check.identifier for check in one.left}
        assert made <= known | common
        assert known - made == left, one.function.name
