# SPDX-License-Identifier: BSD-3-Clause
"""Random calls: valid cases of the case files with other sizes, dtypes, layouts, scalars and special numbers.

A seed and a count choose them, so a failure can be repeated. They find combinations that nobody has listed, such as the
sizes at which a kernel is replaced by another one. Layouts that change elements or shapes are left to the cases. (If
elements share memory, equal terms are all rounded in one direction, so the error of a sum grows with their number.)
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace

import numpy as np

from adaptor.codegen.model import Registry

from .. import dtypes
from ..cases.case import FUZZED, RANDOM, Case
from ..cases.reader import CaseFile
from ..cases.special_numbers import KINDS
from ..cases.suite import matches
from ..layouts import LAYOUTS
from .hostile import scalars, special
from .hostile.generate import left_out
from .hostile.rules import Rules, rules_for
from .hostile.templates import Template, specs

MOST_ELEMENTS = 1 << 14  # of the tensor whose sizes are drawn
LARGEST = 16 * MOST_ELEMENTS  # elements of any tensor
LONGEST = 1500  # the largest size of one dimension, where the rules of the operator give no other
# The same, and elements of any tensor, if the call has special numbers, whose limits hold for sums of few terms.
LONGEST_SPECIAL, MOST_SPECIAL = special.LENGTH, 1024
ATTEMPTS = 20  # draws until one gives a call
KEPT = 0.25  # the share of sizes that stay as they are
SPECIAL = 0.25  # the share of calls with special numbers


@dataclass(frozen=True)
class Draw:
    """How many calls of each operator are drawn, and from which seed."""

    count: int
    seed: int = 0
    fuzzed: bool = False  # whether arguments of the calls are changed afterwards, see cases/fuzzed.py


def random_cases(registry: Registry, files: list[CaseFile], draw: Draw, names: tuple[str, ...] = ()) -> list[Case]:
    """The random calls of these operators, or of all if `names` is empty, in the order of the case files."""
    by_stem = {f.path.stem: f for f in files}
    by_function: dict[str, list[Case]] = {}
    for case in (c for case_file in files for c in case_file.cases):
        if case.error is None and (not names or case.function.name in names):
            by_function.setdefault(case.function.name, []).append(case)
    found: list[Case | None] = []
    for name, cases in by_function.items():
        rules = rules_for(registry.functions[name], by_stem)
        templates = [Template(case, rules, registry) for case in cases if _is_drawn(case, rules)]
        found += [_drawn(templates, draw, i) for i in range(draw.count if templates else 0)]
    return [case for case in found if case is not None]


def _is_drawn(case: Case, rules: Rules) -> bool:
    """Whether random calls use a case: it is small, and has no special numbers, which may fit only their places."""
    return (
        case.repeated is None
        and _fits(case, LARGEST)
        and len(_layouts(case)) > 0
        and not any((s.gen or "").startswith("special") for _, s in specs(case))
        and not any(matches(case.id, pattern) for pattern in rules.not_drawn)
    )


def _layouts(case: Case) -> list[str]:
    """The layouts that change neither elements nor shapes."""
    return [name for name in case.layouts if not LAYOUTS[name].fold and not LAYOUTS[name].as_vectors]


def _drawn(templates: list[Template], draw: Draw, number: int) -> Case | None:
    """One random call; None if no draw gives one."""
    rng = _generator(draw.seed, templates[0].case.function.name, number)
    for _ in range(ATTEMPTS):
        template = templates[rng.integers(len(templates))]
        layout, dtype = str(rng.choice(_layouts(template.case))), str(rng.choice(template.case.dtypes))
        kinds = () if draw.fuzzed else _kinds(template, rng)
        case = _resized(template, rng, LONGEST_SPECIAL if kinds else LONGEST)
        if case is None or not _fits(case, MOST_SPECIAL if kinds else LARGEST):
            continue
        case = _with_scalars(case, rng)
        tensors = special.number_tensors(case, template) if kinds else []
        if tensors:
            case = special.with_mix(template, case, [str(rng.choice(tensors))], kinds)
        kind = FUZZED if draw.fuzzed else RANDOM
        name = f"{template.case.id},{kind}={draw.seed}.{number}"
        return replace(case, id=name, dtypes=(dtype,), layouts=(layout,), hostile=kind)
    return None


def _generator(seed: int, name: str, number: int) -> np.random.Generator:
    digest = hashlib.sha256(f"{seed}/{name}/{number}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "little"))


def _kinds(template: Template, rng: np.random.Generator) -> tuple[str, ...]:
    """The kinds of special numbers of the call, mostly none."""
    if rng.random() >= SPECIAL or "special" in left_out(template.case.function, template.rules):
        return ()
    if any(dtypes.is_integral(s.dtype or "float32") for p, s in specs(template.case) if p.dir == "out"):
        return ()  # the result of a conversion of such numbers to integers is not specified
    return tuple(k for k in KINDS if rng.random() < 0.5) or KINDS


def _resized(template: Template, rng: np.random.Generator, longest: int) -> Case | None:
    """The case with random sizes; None if they do not fit. Equal sizes stay equal; given numbers keep all sizes."""
    if any(s.values is not None for _, s in specs(template.case)):
        return template.linked(template.case)
    old = list(dict.fromkeys(template.primary[d] for d in template.dims))
    rng.shuffle(old)
    left = MOST_ELEMENTS / max(1, math.prod(n for n in template.primary if n not in old))
    sizes: dict[int, int] = {}
    for n in old:
        times = sum(m == n for m in template.primary)
        most = min(longest, template.rules.longest or longest, max(left, 1) ** (1 / times))
        drawn = n if rng.random() < KEPT else int(math.exp(rng.uniform(0, math.log(most + 1))))
        sizes[n] = max(drawn, template.rules.at_least, 1)
        left /= sizes[n] ** times
    return template.renamed(lambda n: sizes.get(n, n))


def _fits(case: Case, most: int) -> bool:
    return all(math.prod(s.shape or ()) <= most for _, s in specs(case))


def _with_scalars(case: Case, rng: np.random.Generator) -> Case:
    """The case with random numbers in place of the scalars that are operands."""
    arguments = dict(case.arguments)
    for name in scalars.operands(case.function):
        given = arguments.get(name)
        if isinstance(given, float) and math.isfinite(given) and abs(given) < 100:
            arguments[name] = float(rng.normal(0, 3))
        elif isinstance(given, int) and not isinstance(given, bool):
            arguments[name] = int(rng.integers(1, 7))
    return replace(case, arguments=arguments)
