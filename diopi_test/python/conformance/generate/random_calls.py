# SPDX-License-Identifier: BSD-3-Clause
"""Random calls: valid cases of the case files with other sizes, dtypes, layouts, scalars and special numbers.

A seed and a count choose them, so a failure can be repeated. They find combinations that nobody has listed, such as the
sizes at which a kernel is replaced by another one.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from adaptor.codegen.model import Function, Registry

from ..cases.case import Case
from ..cases.reader import CaseFile
from ..cases.special_numbers import KINDS
from .hostile import scalars, special
from .hostile.generate import left_out
from .hostile.rules import Rules, rules_for
from .hostile.templates import Template, specs

MOST_ELEMENTS = 1 << 14  # of the tensor whose sizes are drawn
LONGEST = 3000  # the largest size of one dimension
ATTEMPTS = 20  # draws until one gives a call
KEPT = 0.25  # the share of sizes that stay as they are
SPECIAL = 0.25  # the share of calls with special numbers


@dataclass(frozen=True)
class Draw:
    """How many calls of each operator are drawn, and from which seed."""

    count: int
    seed: int = 0


def random_cases(registry: Registry, files: list[CaseFile], draw: Draw, names: tuple[str, ...] = ()) -> list[Case]:
    """The random calls of these operators, or of all if `names` is empty, in the order of the case files."""
    by_stem = {f.path.stem: f for f in files}
    by_function: dict[str, list[Case]] = {}
    for case in (c for case_file in files for c in case_file.cases):
        if case.error is None and case.repeated is None and (not names or case.function.name in names):
            by_function.setdefault(case.function.name, []).append(case)
    found: list[Case] = []
    for name, cases in by_function.items():
        rules = rules_for(registry.functions[name], by_stem)
        found += (c for i in range(draw.count) if (c := _drawn(cases, rules, registry, draw.seed, i)) is not None)
    return found


def _drawn(cases: list[Case], rules: Rules, registry: Registry, seed: int, number: int) -> Case | None:
    """One random call; None if no draw gives one."""
    function = cases[0].function
    rng = _generator(seed, function.name, number)
    for _ in range(ATTEMPTS):
        template = Template(cases[rng.integers(len(cases))], rules, registry)
        case = _resized(template, rng)
        if case is None:
            continue
        dtype = str(rng.choice(case.dtypes))
        case = _with_scalars(case, dtype, rng)
        case = _with_special_numbers(case, template, dtype, rng)
        layout = str(rng.choice(case.layouts))
        return replace(
            case, id=f"random,{seed}.{number},{template.case.id}", dtypes=(dtype,), layouts=(layout,), hostile="random"
        )
    return None


def _generator(seed: int, name: str, number: int) -> np.random.Generator:
    digest = hashlib.sha256(f"{seed}/{name}/{number}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "little"))


def _resized(template: Template, rng: np.random.Generator) -> Case | None:
    """The case with random sizes; None if they do not fit."""
    old = list(dict.fromkeys(template.primary[d] for d in template.dims))
    rng.shuffle(old)
    left = MOST_ELEMENTS / max(1, math.prod(n for n in template.primary if n not in old))
    sizes: dict[int, int] = {}
    for n in old:
        times = sum(m == n for m in template.primary)
        most = min(LONGEST, max(left, 1) ** (1 / times))
        drawn = n if rng.random() < KEPT else int(math.exp(rng.uniform(0, math.log(most + 1))))
        sizes[n] = max(drawn, template.rules.at_least, 1)
        left /= sizes[n] ** times
    case = template.renamed(lambda n: sizes.get(n, n))
    if case is None or any(math.prod(s.shape) > 16 * MOST_ELEMENTS for _, s in specs(case) if s.shape is not None):
        return None
    return case


def _with_scalars(case: Case, dtype: str, rng: np.random.Generator) -> Case:
    """The case with random numbers in place of the scalars that are operands."""
    arguments = dict(case.arguments)
    for name in scalars.operands(case.function):
        given = arguments.get(name)
        if isinstance(given, float):
            arguments[name] = float(rng.normal(0, 3))
        elif isinstance(given, int) and not isinstance(given, bool):
            arguments[name] = int(rng.integers(1, 7))
    return replace(case, arguments=arguments)


def _with_special_numbers(case: Case, template: Template, dtype: str, rng: np.random.Generator) -> Case:
    """The case, sometimes with a few kinds of special numbers in one of its tensors."""
    if rng.random() >= SPECIAL or "special" in left_out(case.function, template.rules):
        return case
    names = special.number_tensors(case, template)
    if not names:
        return case
    kinds = tuple(k for k in KINDS if rng.random() < 0.5) or KINDS
    return special.with_mix(template, case, [str(rng.choice(names))], kinds)
