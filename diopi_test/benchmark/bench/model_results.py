# SPDX-License-Identifier: BSD-3-Clause
"""The figures of whole models: the times of all calls of a model together, and where time is lost against libtorch."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .model_calls import Model
from .results import OURS, Result

PEER = "torch"


@dataclass(frozen=True)
class Lost:
    """The times of calls of one operator, or of one call, in a model or in several."""

    name: str
    calls: int
    ours: float
    theirs: float

    @property
    def seconds(self) -> float:
        return self.ours - self.theirs

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours


@dataclass(frozen=True)
class ModelResult:
    """The sums over a model's calls that both sides made."""

    name: str
    calls: int
    not_measured: int
    ours: float
    theirs: float
    operators: list[Lost]  # the operator that loses most time first

    share: float | None = None  # of a limit; a model has none
    speedup: float | None = None  # over one thread; models are compared with libtorch only

    def ratio(self, peer: str) -> float | None:
        return self.theirs / self.ours if peer == PEER and self.ours else None

    def seconds(self, side: str) -> float | None:
        return {OURS: self.ours, PEER: self.theirs}.get(side)


def operator_of(case_name: str) -> str:
    return case_name.split("/")[1]


def grouped(rows: Iterable[tuple[str, int, float, float]]) -> list[Lost]:
    """Rows of name, calls and the times of both sides, added up by name; the largest loss first."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0])
    for name, *numbers in rows:
        sums[name] = [a + b for a, b in zip(sums[name], numbers)]
    found = [Lost(name, int(calls), ours, theirs) for name, (calls, ours, theirs) in sums.items()]
    return sorted(found, key=lambda lost: -lost.seconds)


def timed(counts: Mapping[str, int], results: Mapping[str, Result]) -> list[tuple[str, int, float, float]]:
    """Case, calls and the times of all these calls, for the cases that both sides computed alike."""
    rows = []
    for name, count in counts.items():
        result = results.get(name)
        if result is None or result.ratio(PEER) is None:
            continue
        ours, theirs = result.seconds(OURS), result.seconds(PEER)
        assert ours is not None and theirs is not None
        rows.append((name, count, count * ours, count * theirs))
    return rows


def add_up(model: Model, results: Mapping[str, Result]) -> ModelResult:
    rows = timed(model.counts, results)
    calls = sum(row[1] for row in rows)
    missing = sum(model.counts.values()) - calls + sum(one.count for one in model.left_out)
    operators = grouped((operator_of(name), *rest) for name, *rest in rows)
    return ModelResult(model.name, calls, missing, sum(r[2] for r in rows), sum(r[3] for r in rows), operators)


def losses(models: Iterable[Model], results: Mapping[str, Result]) -> list[Lost]:
    """The calls of all models together that lose most time, the largest loss first."""
    counts: Counter[str] = Counter()
    for model in models:
        counts.update(model.counts)
    return [lost for lost in grouped(timed(counts, results)) if lost.seconds > 0]


def as_json(models: list[Model], results: list[ModelResult]) -> list[dict[str, Any]]:
    """The figures of one run for --json."""
    return [
        {
            "model": result.name,
            "calls": result.calls,
            "not_measured": result.not_measured,
            "ours": result.ours,
            "torch": result.theirs,
            "ratio": result.ratio(PEER),
            "counts": dict(model.counts),
            "left_out": [one.__dict__ for one in model.left_out],
        }
        for model, result in zip(models, results, strict=True)
    ]
