# SPDX-License-Identifier: BSD-3-Clause
"""The table of --get_case_counts: each operator's number of cases, and the hostile classes that do not apply to it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from adaptor.codegen.model import Function, Registry

from ..cases.reader import load_case_files
from ..cases.suite import Selection, select
from ..generate.hostile.generate import hostile_cases, left_out
from ..generate.hostile.rules import CLASSES, rules_for

LEAST = 60  # the smallest allowed number of hostile cases of an operator that takes tensors


@dataclass
class OperatorCounts:
    """The number of cases of one operator. Each combination of case, dtype and layout counts."""

    function: Function
    from_file: int = 0
    hostile: Counter = field(default_factory=Counter)  # class -> cases
    without: dict[str, str] = field(default_factory=dict)  # class -> reason

    @property
    def generated(self) -> int:
        return sum(self.hostile.values())

    @property
    def too_few(self) -> bool:
        return any(p.is_tensor_like for p in self.function.params) and self.generated < LEAST


def count_cases(registry: Registry, selection: Selection) -> list[OperatorCounts]:
    """The counts of each operator that has cases, in the order of the case files."""
    files = load_case_files(registry)
    by_stem = {f.path.stem: f for f in files}
    counts: dict[str, OperatorCounts] = {}
    cases = [case for case_file in files for case in case_file.cases] + hostile_cases(registry, files)
    for group in select(cases, selection).groups:
        function = group.case.function
        if function.name not in counts:
            without = left_out(function, rules_for(function, by_stem))
            counts[function.name] = OperatorCounts(function, without=without)
        own = counts[function.name]
        if group.case.hostile:
            own.hostile[group.case.hostile] += len(group.layouts)
        else:
            own.from_file += len(group.layouts)
    return list(counts.values())


def count_table(counts: list[OperatorCounts]) -> str:
    """The table: a line for each operator, the totals, and the reasons why classes do not apply."""
    head = f"{'operator':32}{'file':>7}{'hostile':>9}" + "".join(f"{name:>14}" for name in CLASSES)
    lines = [head]
    for own in counts:
        parts = "".join(f"{'-' if name in own.without else own.hostile[name]:>14}" for name in CLASSES)
        note = f"  fewer than {LEAST}" if own.too_few else ""
        lines.append(f"{own.function.name:32}{own.from_file:>7}{own.generated:>9}{parts}{note}")
    total: Counter[str] = Counter()
    for own in counts:
        total += own.hostile
    sums = "".join(f"{total[name]:>14}" for name in CLASSES)
    lines.append(f"{'all':32}{sum(c.from_file for c in counts):>7}{total.total():>9}{sums}")
    return "\n".join([*lines, "", *_reasons(counts), "", summary(counts)])


def _reasons(counts: list[OperatorCounts]) -> list[str]:
    by_reason: dict[tuple[str, str], list[str]] = defaultdict(list)
    for own in counts:
        for name, reason in own.without.items():
            by_reason[name, reason].append(own.function.name.removeprefix("diopi"))
    return [f"without {name}: {reason}: {', '.join(names)}" for (name, reason), names in sorted(by_reason.items())]


def summary(counts: list[OperatorCounts]) -> str:
    generated, written = sum(c.generated for c in counts), sum(c.from_file for c in counts)
    few = [c.function.name for c in counts if c.too_few]
    return (
        f"{len(counts)} operators, {written + generated} cases with dtypes and layouts: {written} from case files, "
        f"{generated} hostile; {len(few)} operators have fewer than {LEAST} hostile cases"
        + (f": {', '.join(few)}" if few else "")
    )
