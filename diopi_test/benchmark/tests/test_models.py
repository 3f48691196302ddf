# SPDX-License-Identifier: BSD-3-Clause
"""Tests the group `models`: the cases of recorded calls, and the figures of whole models."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from adaptor.codegen.model import load_registry
from bench.cases import Bar, Case
from bench.model_calls import LeftOut, Model, known_models, load_models, memory_of
from bench.model_results import add_up, as_json, losses
from bench.model_run import Progress, chosen, in_order, plan
from bench.operators import BenchError, load_operators
from bench.results import Result, Samples, judge
from bench.runner import Setup

BENCHMARK = Path(__file__).resolve().parents[1]
OPERATORS = load_operators(BENCHMARK / "operators")
EVERY = load_models(load_registry(), OPERATORS, known_models("all"), 20 << 30)


def case(name: str) -> Case:
    return Case(name, "models", "Add", "float32", "", [])


def result(name: str, ours: float, theirs: float | None, status: str = "ok") -> Result:
    sides = {"diopi": Samples("ok", seconds=[ours])}
    if theirs is not None:
        sides["torch"] = Samples(status, seconds=[theirs])
    return Result(case(name), 1, 0, 1, sides)


def model(name: str, **counts: int) -> Model:
    names = {f"models/{key}/call": count for key, count in counts.items()}
    return Model(name, {key: case(key) for key in names}, Counter(names))


def results(**times: tuple[float, float | None]) -> dict[str, Result]:
    return {f"models/{key}/call": result(f"models/{key}/call", *pair) for key, pair in times.items()}


def test_every_recorded_call_has_an_operator() -> None:
    assert len(EVERY) == 43
    left_out = {(one.call.partition(" ")[0], one.reason) for model in EVERY for one in model.left_out}
    assert {call for call, _ in left_out} == {"eq", "AddInpScalar"}
    for call, reason in left_out:  # the judge does not compare bool with 1e8; an integer tensor cannot hold a fraction
        assert ("comparing bool" if call == "eq" else "with_number(dtype, other) == dtype does not hold") in reason
    assert sum(sum(model.counts.values()) for model in EVERY) > 10_000


def test_equal_calls_of_models_are_one_case() -> None:
    cases = in_order(EVERY)
    assert len(cases) < sum(len(model.cases) for model in EVERY)
    assert len({case.name for case in cases}) == len(cases)


def test_calls_have_their_full_size() -> None:
    resnet = next(model for model in EVERY if model.name == "resnet50")
    shapes = [t["shape"] for one in resnet.cases.values() if one.op == "Convolution2d" for t in one.tensors]
    assert [16, 1024, 14, 14] in shapes


def test_what_a_call_overwrites_is_restored() -> None:
    for one in in_order(EVERY):
        assert one.restored == any(tensor["role"] == "inouts" for tensor in one.tensors), one.name


def test_calls_that_need_too_much_memory_are_left_out() -> None:
    (sar,) = load_models(load_registry(), OPERATORS, ["sar"], 1 << 30)
    assert all(memory_of(one) <= 1 << 30 for one in sar.cases.values())
    assert any("GiB" in one.reason for one in sar.left_out)


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(BenchError, match="no model 'resnet5'.*resnet50"):
        known_models("resnet5")


def test_times_are_multiplied_by_the_number_of_calls() -> None:
    one = add_up(model("m", Add=3, Mul=1), results(Add=(1.0, 2.0), Mul=(4.0, 1.0)))
    assert (one.calls, one.ours, one.theirs, one.ratio("torch")) == (4, 7.0, 7.0, 1.0)
    assert [(lost.name, lost.seconds) for lost in one.operators] == [("Mul", 3.0), ("Add", -3.0)]


def test_a_call_without_a_time_of_both_sides_does_not_count() -> None:
    measured = results(Add=(1.0, 2.0), Mul=(4.0, None))
    measured["models/Div/call"] = result("models/Div/call", 1.0, 1.0, "differs")
    wanted = model("m", Add=3, Mul=2, Div=1, Sub=1)
    wanted.left_out.append(LeftOut("Eq", 5, "why"))
    one = add_up(wanted, measured)
    assert (one.calls, one.not_measured, one.ratio("torch")) == (3, 9, 2.0)


def test_losses_are_added_over_models() -> None:
    lost = losses([model("a", Add=1, Mul=1), model("b", Add=2)], results(Add=(2.0, 1.0), Mul=(1.0, 3.0)))
    assert [(one.name, one.calls, one.seconds, one.ratio) for one in lost] == [("models/Add/call", 3, 3.0, 0.5)]


def test_the_bar_is_about_models() -> None:
    slow = add_up(model("a", Add=1), results(Add=(2.0, 1.0)))
    fast = add_up(model("b", Mul=1), results(Mul=(1.0, 8.0)))
    mean, worst = judge(Bar(geometric_mean=1.3, worst=1.0), [slow, fast])
    assert (mean.value, mean.is_met) == (pytest.approx(2.0), True)
    assert (worst.value, worst.is_met) == (0.5, False)


def test_json_names_the_counts_and_what_is_left_out() -> None:
    one = model("m", Add=3)
    one.left_out.append(LeftOut("Eq", 5, "why"))
    (entry,) = as_json([one], [add_up(one, results(Add=(1.0, 2.0)))])
    assert entry["counts"] == {"models/Add/call": 3} and entry["ratio"] == 2.0
    assert entry["left_out"] == [{"call": "Eq", "count": 5, "reason": "why"}]


def test_a_filter_chooses_calls() -> None:
    (left,) = chosen([model("a", Add=1, Mul=2), model("b", Mul=1)], "/Add/")
    assert (left.name, left.counts) == ("a", {"models/Add/call": 1})


def test_a_model_is_shown_when_its_last_call_is_measured() -> None:
    console = Console(record=True, width=120)
    progress = Progress(console, [model("a", Add=1, Mul=1), model("b", Mul=1)], 0.0)
    progress(result("models/Mul/call", 1.0, 2.0))
    assert "b: 1 calls" in (text := console.export_text(clear=False)) and "1 of 2 models" in text
    progress(result("models/Add/call", 1.0, 4.0))
    assert "a: 2 calls" in (text := console.export_text()) and "ratio 3.00; 2 of 2 models" in text


def test_long_calls_take_few_samples() -> None:
    setup = plan(Setup(Path(), Path(), {}), quick=False)
    assert setup.least_samples == 1 and setup.rotated_bytes == 0
    assert plan(setup, quick=True).samples == 1
