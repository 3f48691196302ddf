# SPDX-License-Identifier: BSD-3-Clause
"""Tests the figures that are computed from samples."""

from __future__ import annotations

import pytest

from bench.cases import Bar, Case, Group
from bench.report import threads_table
from bench.results import (
    Limits,
    Result,
    Samples,
    compare_threads,
    geometric_mean,
    helped_too_little,
    judge,
    read_result,
    set_share,
)


def make_result(ours: float, theirs: float, status: str = "ok", **values: int) -> Result:
    case = Case(name="g/Add", group="g", op="Add", dtype="float32", model="", tensors=[], **values)
    return Result(
        case,
        1,
        1 << 20,
        1,
        {"diopi": Samples("ok", seconds=[ours] * 7), "torch": Samples(status, seconds=[theirs] * 7)},
    )


def test_ratio_is_above_one_if_our_library_is_faster() -> None:
    assert make_result(1e-3, 2e-3).ratio("torch") == 2


def test_a_result_that_differs_has_no_ratio() -> None:
    assert make_result(1e-3, 2e-3, status="differs").ratio("torch") is None


def test_median_and_spread() -> None:
    samples = Samples("ok", seconds=[1.0, 2.0, 3.0, 4.0, 100.0])
    assert samples.median == 3
    assert samples.spread == pytest.approx(1 / 3)


def test_geometric_mean() -> None:
    assert geometric_mean([0.5, 2.0]) == pytest.approx(1)
    assert geometric_mean([]) is None


def test_judge_names_missed_goals() -> None:
    results = [make_result(1.0, 2.0), make_result(1.0, 0.8)]
    verdicts = {verdict.text: verdict for verdict in judge(Bar(geometric_mean=1.2, worst=0.9), results)}
    assert verdicts["geometric mean >= 1.20"].is_met
    assert verdicts["worst >= 0.90"].is_met is False
    assert verdicts["worst >= 0.90"].value == 0.8


def test_a_goal_without_measurement_is_not_met() -> None:
    assert [verdict.is_met for verdict in judge(Bar(worst=0.9, share=0.9), [])] == [None, None]


def test_the_longest_call_counts_for_overhead() -> None:
    results = [make_result(0.1e-6, 1e-6), make_result(0.3e-6, 1e-6)]
    assert [verdict.is_met for verdict in judge(Bar(seconds=0.25e-6), results)] == [False]


def test_share_of_products_and_of_memory() -> None:
    limits = Limits(
        [{"bytes": 1 << 20, "copy": 9e9, "triad": 4e9, "streaming_copy": 1e9, "streaming_triad": 5e9}],
        {"float32": 100e9},
    )
    product = make_result(1e-3, 1e-3, flops=50_000_000, bytes=1000)
    set_share(product, limits)
    assert (product.share, product.limit) == (pytest.approx(0.5), "product")
    memory = make_result(1e-3, 1e-3, bytes=1_000_000)
    set_share(memory, limits)
    assert (memory.share, memory.limit) == (pytest.approx(0.2), "memory")


def test_share_of_the_alternating_triad() -> None:
    result = make_result(1e-3, 1e-3, bytes=1 << 20)
    result.triad = Samples("ok", seconds=[0.5e-3] * 7)
    set_share(result, Limits())
    assert (result.share, result.limit) == (pytest.approx(0.5), "triad")


def test_the_share_of_cases_without_torch_is_a_goal_of_its_own() -> None:
    alone, with_peer = make_result(1.0, 1.0), make_result(1.0, 1.0)
    del alone.sides["torch"]
    alone.share, with_peer.share = 0.9, 0.2
    assert [verdict.value for verdict in judge(Bar(share_without_torch=0.8), [alone, with_peer])] == [0.9]
    assert [verdict.value for verdict in judge(Bar(share=0.8), [alone, with_peer])] == [0.2]


def test_several_threads_are_compared_with_one_thread() -> None:
    single, double = make_result(3e-3, 1.0), make_result(2e-3, 1.0)
    double.threads = 2
    compare_threads([single, double])
    assert (single.speedup, double.speedup) == (None, pytest.approx(1.5))
    assert [verdict.is_met for verdict in judge(Bar(threads=1.7), [double])] == [False]
    assert [verdict.is_met for verdict in judge(Bar(threads=1.4), [double])] == [True]
    assert [verdict.is_met for verdict in judge(Bar(threads=1.4), [single])] == [None]


def test_one_thread_in_turns_counts_more_than_another_run() -> None:
    def side(seconds: float) -> dict[str, object]:
        return {"status": "ok", "seconds": [seconds] * 3}

    line = {"set_bytes": 1, "sets": 1, "sides": {"diopi": side(1e-3), "one_thread": side(1.8e-3)}}
    single, double = make_result(3e-3, 1.0), read_result(line, make_result(1.0, 1.0).case, 2)
    assert list(double.sides) == ["diopi"]
    assert {name: samples.seconds for name, samples in double.references.items()} == {"one_thread": [1.8e-3] * 3}
    compare_threads([single, double])
    assert double.speedup == pytest.approx(1.8)


def test_cases_that_threads_help_too_little_have_the_gain_of_the_triad() -> None:
    names = ("g/slow", "g/slower", "g/fast", "g/at_limit", "h/slow")
    results = []
    for threads in (1, 2):
        for name, gain in zip(names, (1.5, 1.2, 1.9, 1.1, 1.1)):
            result = make_result(1.0 / gain if threads == 2 else 1.0, 1.0)
            result.case.name, result.case.group, result.threads = name, name[0], threads
            result.triad = Samples("ok", seconds=[1.0 if threads == 1 else 0.8])
            result.share = 0.9 if name == "g/at_limit" else 0.1
            results.append(result)
    compare_threads(results)
    group = Group("g", "", Bar(threads=1.7, or_share=0.8))
    assert [result.case.name for result in helped_too_little(group, results)] == ["g/slower", "g/slow"]
    assert {result.triad_speedup for result in helped_too_little(group, results)} == {1.25}
    table = threads_table([group, Group("h", "", Bar())], results, "2 threads")
    assert table is not None and table.row_count == 2
    assert threads_table([Group("h", "", Bar())], results, "2 threads") is None


def test_a_case_at_the_limit_of_memory_need_not_gain_by_threads() -> None:
    slow, fast = make_result(1.0, 1.0), make_result(1.0, 1.0)
    slow.one_thread, fast.one_thread = 1.2, 1.8
    slow.share = 0.85
    assert [verdict.value for verdict in judge(Bar(threads=1.7, or_share=0.8), [slow, fast])] == [1.8]
    assert [verdict.value for verdict in judge(Bar(threads=1.7, or_share=0.9), [slow, fast])] == [1.2]
    assert [verdict.value for verdict in judge(Bar(threads=1.7), [slow, fast])] == [1.2]


def test_the_worst_ratio_to_numpy_is_judged() -> None:
    results = [make_result(1.0, 1.0), make_result(1.0, 1.0)]
    for result, seconds in zip(results, (0.9, 5.0)):
        result.sides["numpy"] = Samples("ok", seconds=[seconds])
    assert [(verdict.value, verdict.is_met) for verdict in judge(Bar(numpy=1.0), results)] == [(0.9, False)]
