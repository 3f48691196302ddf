# SPDX-License-Identifier: BSD-3-Clause
"""The command line's options for models: the cases of chosen models, and the table of all models."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable

from adaptor.codegen.model import Registry

from ...cases.case import Case
from ...cases.reader import load_cases
from ...cases.suite import UsageError, suggestion
from ...oracle import load_oracles
from .calls import model_names
from .cases import ModelCases, merged, model_cases, table, usual_tolerances
from .sizes import FULL, QUICK


def resolve_models(names: list[str]) -> list[str]:
    """The names of models in `names`, which commas or spaces separate; `all` stands for every model."""
    known = model_names()
    wanted = list(dict.fromkeys(part for n in names for part in n.split(",") if part))
    for name in wanted:
        if name != "all" and name not in known:
            raise UsageError(f"there is no model '{name}'{suggestion(name, known)} (known: {', '.join(known)})")
    return known if "all" in wanted else wanted


def load_models(registry: Registry, names: Iterable[str], quick: bool) -> list[ModelCases]:
    tolerances = usual_tolerances(load_cases(registry))
    return [model_cases(registry, name, QUICK if quick else FULL, tolerances) for name in names]


def cases_of_models(registry: Registry, names: list[str], quick: bool) -> tuple[list[Case], Counter]:
    """The cases of these models that have an oracle, and the number of other cases for each operator without oracle."""
    models = load_models(registry, resolve_models(names), quick)
    cases, oracles = merged(models), load_oracles()
    for model in models:
        for call, reason in model.untranslated:
            print(f"{model.name}: {call.op} ({call.path.name}:{call.line}) is skipped: {reason}", file=sys.stderr)
    without: Counter = Counter()
    judged = []
    for case in cases:
        needed = [case.function.name, *(s.forward.function.name for s in case.saved)]
        lacking = next((n for n in needed if n not in oracles), None)
        if lacking is None:
            judged.append(case)
        else:
            without[lacking] += 1
    return judged, without


def model_table(registry: Registry, quick: bool) -> str:
    return table(load_models(registry, model_names(), quick), load_oracles())
