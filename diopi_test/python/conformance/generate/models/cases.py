# SPDX-License-Identifier: BSD-3-Clause
"""The cases of a model: one for each different call, and one for its gradient. The arguments give the case its name."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from adaptor.codegen.model import Function, Registry

from ...cases.case import Case, SavedOutput, TensorSpec, Tolerance, plain
from ...lists import as_list
from .calls import Call, load_model
from .draft import Draft
from .sizes import Budget, reduced
from .translation import ROWS

LONGEST_NAME = 160

Tolerances = dict[tuple[str, str], tuple[Tolerance, ...]]  # keys: function and dtype


class TranslationError(Exception):
    """A traced call that cannot be translated to calls of the contract."""


@dataclass
class ModelCases:
    """The cases and counts of one model."""

    name: str
    calls: int = 0  # number of calls that the model makes
    operators: set[str] = field(default_factory=set)  # the framework's names
    cases: dict[tuple[str, str], Case] = field(default_factory=dict)  # keys: function and id
    untranslated: list[tuple[Call, str]] = field(default_factory=list)

    @property
    def functions(self) -> set[str]:
        return {case.function.name for case in self.cases.values()}


def drafts(call: Call, budget: Budget) -> list[Draft]:
    """The calls of the contract's functions that a traced call is translated to, reduced to the budget."""
    row = ROWS.get(call.op)
    if row is None:
        raise TranslationError(f"translation.py has no row for the operator '{call.op}'")
    try:
        ready = row.prepare(call) if row.prepare else call
        return list(row.translate(reduced(ready, row.resizing, budget)))
    except (KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise TranslationError(f"{type(error).__name__}: {error}") from error


def _checked(function: Function, arguments: dict[str, Any]) -> None:
    """Raises an error if a translated call has unknown arguments or lacks required ones."""
    known = {p.name: p for p in function.params}
    for name in arguments:
        if name not in known:
            raise TranslationError(f"'{name}' is not a parameter of {function.name}")
    for p in function.params:
        counted = any(q.count == p.name for q in function.params)
        needed = p.dir in ("in", "inout", "attr") and p.name != "ctx" and not p.is_generator and not p.nullable
        if needed and not counted and arguments.get(p.name) is None:
            raise TranslationError(f"{function.name}: the call lacks the argument '{p.name}'")


def call_name(arguments: dict[str, Any]) -> str:
    """The name of a call: its arguments, cut off with a digest if they are long."""
    parts = [f"{k}={_runs(v) if isinstance(v, list) else plain(v)}" for k, v in arguments.items()]
    text = "model," + ",".join(parts)
    if len(text) <= LONGEST_NAME:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return text[: LONGEST_NAME - 9] + "~" + digest


def _runs(values: list[Any]) -> str:
    """The list as text; n equal neighbours are written as `n*value`."""
    runs: list[list[Any]] = []
    for value in map(plain, values):
        if runs and runs[-1][0] == value:
            runs[-1][1] += 1
        else:
            runs.append([value, 1])
    return "[" + "+".join(v if n == 1 else f"{n}*{v}" for v, n in runs) + "]"


def _case(registry: Registry, draft: Draft, call: Call, tolerances: Tolerances) -> Case:
    function = registry.functions.get(f"diopi{draft.name}")
    if function is None:
        raise TranslationError(f"the contract has no function diopi{draft.name}")
    _checked(function, draft.arguments)
    tensors = [v for value in draft.arguments.values() for v in as_list(value) if isinstance(v, TensorSpec)]
    dtype = next((t.dtype for t in tensors if t.dtype), "float32")

    def own(value: Any) -> Any:
        if isinstance(value, list):
            return [own(v) for v in value]
        return replace(value, dtype=None) if isinstance(value, TensorSpec) and value.dtype == dtype else value

    arguments = {k: own(v) for k, v in draft.arguments.items()}
    forwards: dict[int, Case] = {}
    for saved in draft.saved:
        if id(saved.forward) not in forwards:
            forwards[id(saved.forward)] = _case(registry, saved.forward, call, tolerances)
    return Case(
        function,
        call_name(arguments),
        arguments,
        (dtype,),
        ("contiguous",),
        tolerances.get((function.name, dtype), ()),
        None,
        call.path,
        call.line,
        tuple(SavedOutput(s.parameter, s.output, forwards[id(s.forward)]) for s in draft.saved),
    )


def model_cases(registry: Registry, name: str, budget: Budget, tolerances: Tolerances) -> ModelCases:
    """A model's cases. Calls that are equal after translation are one case."""
    model = ModelCases(name)
    for call in load_model(name):
        model.calls += call.count
        model.operators.add(call.op)
        try:
            cases = [_case(registry, draft, call, tolerances) for draft in drafts(call, budget)]
        except TranslationError as error:
            model.untranslated.append((call, str(error)))
            continue
        for case in cases:
            model.cases.setdefault((case.function.name, case.id), case)
    return model


def usual_tolerances(cases: Iterable[Case]) -> Tolerances:
    """The most frequent tolerances of each function and dtype in the valid cases of the case files."""
    seen: dict[tuple[str, str], Counter] = defaultdict(Counter)
    for case in cases:
        if case.error is None:
            for dtype in case.dtypes:
                seen[case.function.name, dtype][case.tolerances] += 1
    return {key: counter.most_common(1)[0][0] for key, counter in seen.items()}


def merged(models: Iterable[ModelCases]) -> list[Case]:
    """The cases of several models without duplicates."""
    result: dict[tuple[str, str], Case] = {}
    for model in models:
        for key, case in model.cases.items():
            result.setdefault(key, case)
    return list(result.values())


def table(models: Iterable[ModelCases], oracles: Iterable[str]) -> str:
    """A table with one line for each model: its calls, operators, functions and cases, and how many have an oracle."""
    known, models = set(oracles), sorted(models, key=lambda m: m.name)
    lines = [f"{'model':<18}{'calls':>8}{'operators':>11}{'functions':>11}{'cases':>8}{'judged':>8}"]

    def line(name: str, calls: int, operators: set[str], cases: list[Case]) -> str:
        functions = {c.function.name for c in cases}
        judged = sum(c.function.name in known for c in cases)
        return f"{name:<18}{calls:>8}{len(operators):>11}{len(functions):>11}{len(cases):>8}{judged:>8}"

    lines += [line(m.name, m.calls, m.operators, list(m.cases.values())) for m in models]
    together = merged(models)
    lines.append(
        line(f"all {len(models)}", sum(m.calls for m in models), set().union(*(m.operators for m in models)), together)
    )
    missing = Counter(c.function.name for c in together if c.function.name not in known)
    if missing:
        lines.append("no oracle yet: " + ", ".join(f"{k} ({n})" for k, n in sorted(missing.items())))
    return "\n".join(lines)
