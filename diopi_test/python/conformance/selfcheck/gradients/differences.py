# SPDX-License-Identifier: BSD-3-Clause
"""Compares a gradient's oracle with central differences of the forward operator's oracle, for one case."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...cases.expected_outputs import wide
from ...cases.group import Group
from ...cases.prepare import prepare
from ...cases.prepared import NotApplicable
from ...oracle import Oracle, Unwritten, Value, load_oracles, python_name
from .rule import Rule
from .rules import forward_of

STEP = 2e-5  # the change of an element; relative for elements larger than one
KINK = 5e-8  # an element has no derivative if the slope jumps by more than this share of the largest slope
ORDINARY = (1e-30, 1e4)  # differences of smaller numbers underflow; differences of larger numbers lose too many digits
PLACES = 48  # the largest number of elements of an input that are changed; they are spread evenly
FEW_PLACES = 12  # the same in a hostile case, and with --quick in every case
LARGEST_CASE = 20000  # the largest number of elements in all tensors, because each place needs five forward calls
LIMIT = 1e-7  # the allowed relative difference; the largest difference of correct oracles is 6e-9


@dataclass
class Outcome:
    """The result of one case."""

    case: str
    compared: int = 0  # number of compared elements
    kinks: int = 0  # number of elements without a derivative
    largest: float = 0.0  # the largest |oracle - difference| divided by the input's largest gradient
    wrong: list[str] = field(default_factory=list)


def check(group: Group, rule: Rule, quick: bool = False) -> Outcome | None:
    """Compares one case; None if the case does not test derivatives."""
    name = group.case.function.name
    backward, forward = load_oracles()[name], load_oracles()[forward_of(name)]
    try:
        prepared = prepare(group, backward)
    except NotApplicable:
        return None
    arguments = {python_name(k): wide(v) for k, v in prepared.inputs.items()}
    # The shapes that the case gives to outputs, from which rules make inputs of the forward call.
    arguments |= {k: v for k, v in prepared.oracle_arguments.items() if isinstance(v, tuple) and k not in arguments}
    arrays = [v for v in arguments.values() if isinstance(v, np.ndarray)]
    ordinary = all(
        ((a == 0) | (np.abs(a) >= ORDINARY[0]) & (np.abs(a) <= ORDINARY[1])).all()
        for a in arrays
        if a.dtype.kind in "fc"
    )
    if not ordinary or sum(a.size for a in arrays) > LARGEST_CASE or not rule.applies(arguments):
        return None
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(group.name.encode()).digest()[:8], "little"))
    made = {k: make(arguments, rng) for k, make in rule.made.items() if arguments.get(k) is None}
    if rule.grad is not None and np.iscomplexobj(arguments[rule.grad]):
        made |= {k: v + 1j * rng.normal(size=np.shape(v)) for k, v in made.items() if k in rule.leaves.values()}
    arguments |= made
    floating = {k: group.dtype for k, v in arguments.items() if isinstance(v, np.ndarray) and v.dtype.kind in "fc"}
    names = {**floating, **prepared.oracle_arguments.get("dtypes", {}), "input": group.dtype, "promoted": group.dtype}
    places = FEW_PLACES if quick or group.case.hostile else PLACES
    problem = _Problem(rule, forward, arguments, names, places)
    with np.errstate(all="ignore"):
        problem.save()
        arguments |= {name: value(arguments) for name, value in rule.derived.items()}
        found = _by_name(backward.function(**backward.arguments(arguments, names)), next(iter(rule.leaves)))
        outcome = Outcome(group.name)
        for gradient, leaf in rule.leaves.items():
            wanted = gradient.partition("[")[0] in prepared.expected and gradient in found
            if arguments.get(leaf) is not None and wanted:
                _compare(problem, leaf, gradient, found[gradient], outcome)
    return outcome


def _by_name(result: Any, only: str) -> dict[str, Any]:
    """The written outputs of an oracle by name; `outlist[0]` is one of a list. A single array gets the name `only`."""
    named = result if isinstance(result, dict) else {only: result}
    for name in [n for n, v in named.items() if isinstance(v, list)]:
        named = {**named, **{f"{name}[{i}]": v for i, v in enumerate(named[name])}}
    return {k: v.array if isinstance(v, Value) else v for k, v in named.items() if not isinstance(v, Unwritten)}


@dataclass
class _Problem:
    """The forward call whose derivatives are computed."""

    rule: Rule
    forward: Oracle
    arguments: dict[str, Any]
    dtypes: dict[str, str]
    places: int

    def outputs(self, **changed: Any) -> dict[str, Any]:
        wanted = self.forward.arguments({**self.arguments, **changed}, self.dtypes)
        return _by_name(self.forward.function(**wanted), self.rule.output)

    def save(self) -> None:
        """Replaces arguments of the backward call by the results of the forward call that they must hold."""
        outputs = self.outputs() if self.rule.saved else {}
        for name, output in self.rule.saved.items():
            if self.arguments.get(name) is not None and output in outputs:
                self.arguments[name] = np.reshape(outputs[output], self.arguments[name].shape)

    def slopes(self, leaf: str, place: tuple[int, ...], direction: complex) -> tuple[float, float]:
        """The derivative of Re(sum(conj(gradient) * output)) in one direction, and the size of its jump here."""
        value = np.asarray(self.arguments[leaf])
        pairs = {self.rule.output: self.rule.grad, **self.rule.further}
        gradients = [np.ones(value.size) if grad is None else self.arguments[grad] for grad in pairs.values()]
        gradient = np.concatenate([np.ravel(g) for g in gradients])
        step = STEP * max(1.0, abs(value[place]))

        def moved(by: float) -> np.ndarray:
            changed = value.astype(np.result_type(value, np.float64))
            changed[place] += by * direction
            outputs = self.outputs(**{leaf: changed})
            return np.concatenate([np.ravel(outputs[output]) for output in pairs])

        def slope(high: np.ndarray, low: np.ndarray, width: float) -> float:
            return float(np.sum(np.conj(gradient) * (high - low)).real) / width

        middle, ends = moved(0.0), [moved(s * step) for s in (-1, -0.5, 0.5, 1)]
        wide_slope, narrow_slope = slope(ends[3], ends[0], 2 * step), slope(ends[2], ends[1], step)
        # If the slope is smooth, the difference between the slopes of both sides is proportional to the step; at a jump
        # it is not.
        sides = slope(ends[3], middle, step) - slope(middle, ends[0], step)
        near_sides = slope(ends[2], middle, step / 2) - slope(middle, ends[1], step / 2)
        return (4 * narrow_slope - wide_slope) / 3, abs(2 * near_sides - sides)


def _places(shape: tuple[int, ...], most: int) -> list[tuple[int, ...]]:
    size = int(np.prod(shape))
    flat: Any = np.unique(np.linspace(0, size - 1, min(size, most)).astype(int)) if size else []
    return [tuple(int(i) for i in np.unravel_index(f, shape)) for f in flat]


def _compare(problem: _Problem, leaf: str, name: str, gradient: np.ndarray, outcome: Outcome) -> None:
    value = np.asarray(problem.arguments[leaf])
    gradient = np.asarray(gradient).reshape(value.shape)
    constant = np.broadcast_to(problem.rule.constant(problem.arguments), value.shape)
    found: list[tuple[tuple[int, ...], complex, float]] = []
    for place in _places(value.shape, problem.places):
        pairs = [
            (1, problem.slopes(leaf, place, 1)),
            *([(1j, problem.slopes(leaf, place, 1j))] if np.iscomplexobj(value) else []),
        ]
        slope = sum(unit * s for unit, (s, _) in pairs)
        found.append((place, 0.0 if constant[place] else slope, max(jump for _, (_, jump) in pairs)))
    largest = max((abs(slope) for _, slope, jump in found if np.isfinite(jump)), default=0.0)
    smooth = [(place, slope) for place, slope, jump in found if np.isfinite(jump) and jump <= KINK * largest]
    scale = max((max(abs(slope), abs(gradient[place])) for place, slope in smooth), default=0.0) or 1.0
    outcome.kinks += len(found) - len(smooth)
    outcome.compared += len(smooth)
    for place, slope in smooth:
        apart = abs(gradient[place] - slope) / scale
        outcome.largest = max(outcome.largest, float(apart))
        if not apart <= LIMIT:
            outcome.wrong.append(f"{name}{list(place)}: oracle {gradient[place]}, differences {slope}")
