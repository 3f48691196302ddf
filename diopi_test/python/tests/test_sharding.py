# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the shards of a suite are a partition of it, and the same on every machine."""

from __future__ import annotations

import main
import pytest
from helpers import registry

from conformance.cases.reader import load_cases
from conformance.cases.shard import Shard
from conformance.cases.suite import Selection, select

NAMES = ("diopiAdd", "diopiSum", "diopiSoftmax", "diopiIndex")


@pytest.mark.parametrize("count", [1, 2, 5, 7])
def test_every_case_is_in_exactly_one_shard(count):
    suite = select(load_cases(registry()), Selection())
    parts = [[g.name for g in Shard(i, count).part(suite).groups] for i in range(1, count + 1)]
    together = [name for part in parts for name in part]
    assert len(together) == len(set(together)) == len(suite.groups)
    assert set(together) == {g.name for g in suite.groups}
    mean = len(suite.groups) / count
    assert all(0.8 * mean < len(part) < 1.2 * mean for part in parts)


def test_a_filter_moves_no_case_to_another_shard():
    cases = load_cases(registry())
    everything = {g.name for g in Shard(2, 3).part(select(cases, Selection())).groups}
    some = select(cases, Selection(functions=NAMES, dtypes_left_out=("int8",), all_layouts=True))
    assert {g.name for g in Shard(2, 3).part(some).groups} == {g.name for g in some.groups} & everything


def test_a_shard_is_the_same_on_every_machine():
    def group(name):
        return type("Named", (), {"name": name})()

    held = [next(i for i in range(1, 5) if Shard(i, 4).holds(group(f"diopiAdd/case{n}/float32"))) for n in range(12)]
    assert held == [1, 4, 4, 3, 1, 2, 1, 1, 2, 4, 4, 4]


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "1/0", "a/b", "-1/4", "1/4/2"])
def test_an_invalid_shard_is_wrong_usage(text, capsys):
    with pytest.raises(SystemExit) as stop:
        main.main(["--mode", "gen_case", f"--shard={text}"])
    assert stop.value.code == main.USAGE and "is not a shard" in capsys.readouterr().err


def test_listing_a_shard(capsys):
    listed = []
    for i in (1, 2):
        assert main.main(["--mode", "gen_case", "--fname", "exp", "--shard", f"{i}/2"]) == main.OK
        listed.append({line for line in capsys.readouterr().out.splitlines() if line.startswith("diopiExp/")})
    assert main.main(["--mode", "gen_case", "--fname", "exp"]) == main.OK
    everything = {line for line in capsys.readouterr().out.splitlines() if line.startswith("diopiExp/")}
    assert listed[0] and listed[1] and not listed[0] & listed[1] and listed[0] | listed[1] == everything
