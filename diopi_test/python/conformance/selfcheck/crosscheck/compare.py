# SPDX-License-Identifier: BSD-3-Clause
"""Compares an oracle with its reference for one case: the elements that differ, and the largest distance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ... import dtypes
from ...cases.case import RANDOM
from ...cases.group import Group
from ...cases.prepare import prepare
from ...cases.prepared import Expected, NotApplicable, Prepared
from ...lists import as_list
from ...oracle import load_oracles
from ...verdict.compare import choose_tolerance
from .bridge import (
    BEYOND_INT64,
    Convert,
    Refused,
    all_in_double,
    call_reference,
    from_torch,
    in_double,
    outputs,
    results_by_output,
    strided,
    widest,
)
from .reference import Reference

ULPS = 64  # the allowed distance of two implementations in the same dtype, in ULP at the magnitude of the terms

# If PyTorch differs, it computes again in these ways. Elements that agree in one of them count as equal.
SECOND_OPINIONS: tuple[tuple[str, Convert], ...] = (
    ("PyTorch agrees in double precision; in the case's dtype it rounds or overflows in between", all_in_double),
    ("PyTorch agrees in its scalar loops, which it uses for strided tensors; its vector loops differ", strided),
    ("PyTorch agrees in its scalar loops in double precision", lambda value: strided(all_in_double(value))),
)


@dataclass
class Finding:
    """The result of one case."""

    case: str
    disagreements: list[str] = field(default_factory=list)
    largest: float = 0.0  # the largest distance in ULP of the dtype at the magnitude of the terms
    widened: bool = False  # whether PyTorch lacks the dtype, so the case was compared in the widest dtype of its kind
    opinion: str = ""  # the second opinion that made the case agree
    refused: str = ""  # why the case could not be compared
    applies: bool = True  # whether the case applies to this form of the operator


class Unlike(Exception):
    """Raised if the results cannot be compared element by element, because their number, shape or dtype differs."""


@dataclass
class _Output:
    """One output of the oracle and of the reference."""

    name: str
    mine: Expected
    theirs: np.ndarray
    bad: np.ndarray  # a mask of the elements that disagree
    largest: float

    def __str__(self) -> str:
        first = np.unravel_index(int(np.flatnonzero(self.bad)[0]), self.bad.shape)
        own = dtypes.round_through(self.mine.values, self.mine.compute_dtype)
        return (
            f"{self.name}{[int(i) for i in first]}: oracle {own[first]}, reference {self.theirs[first]} "
            f"({int(self.bad.sum())} of {self.bad.size})"
        )


def check(group: Group, reference: Reference) -> Finding:
    """Compares the oracle with the reference on one case."""
    finding = Finding(group.name)
    try:
        prepared = prepare(group, load_oracles()[group.case.function.name])
    except NotApplicable:
        finding.applies = False
        return finding
    except Exception:
        if group.case.hostile != RANDOM:
            raise
        finding.applies = False  # the sizes do not fit each other
        return finding
    with np.errstate(all="ignore"):
        try:
            result = _result(reference, prepared, finding)
            found = _compared(prepared, result, reference.double or finding.widened or not reference.takes_tensors)
            _ask_again(reference, prepared, found, finding)
            finding.disagreements = [str(o) for o in found if o.bad.any()] or _checked(prepared, result)
            finding.largest = max((o.largest for o in found), default=0.0)
        except Refused as refusal:
            finding.refused, finding.applies = str(refusal), group.case.hostile != RANDOM
        except Unlike as error:
            finding.disagreements = [str(error)]
    return finding


def _result(reference: Reference, prepared: Prepared, finding: Finding) -> Any:
    try:
        return call_reference(reference, prepared, in_double if reference.double else None)
    except Refused as refusal:
        try:
            result = call_reference(reference, prepared, lambda value: widest(value, prepared.group.dtype))
        except Refused as second:
            raise second if str(second) == BEYOND_INT64 else refusal from None
        finding.widened = True
        return result


def _compared(prepared: Prepared, result: Any, wide: bool) -> list[_Output]:
    expected, results = outputs(prepared), results_by_output(prepared, result)
    if len(results) != len(expected):
        raise Unlike(f"the oracle has {len(expected)} outputs, the reference {len(results)}")
    found = []
    for (name, mine), theirs in zip(expected, results):
        if not isinstance(mine, Expected):
            mine = Expected("float64", (), np.float64(mine), "float64")
        if theirs is None or mine.values is None:
            continue
        if not wide and str(theirs.dtype) != f"torch.{mine.compute_dtype}":
            raise Unlike(f"{name}: the oracle computes in {mine.compute_dtype}, PyTorch in {theirs.dtype}")
        found.append(_compare_output(name, mine, from_torch(theirs), prepared, wide))
    return found


def _compare_output(name: str, mine: Expected, theirs: np.ndarray, prepared: Prepared, wide: bool) -> _Output:
    if theirs.size == int(np.prod(mine.shape)):
        theirs = theirs.reshape(mine.shape)  # the shape of `out` decides whether reduced dimensions are kept
    if theirs.shape != mine.shape:
        raise Unlike(f"{name}: the oracle has shape {mine.shape}, the reference {theirs.shape}")
    if wide:
        theirs = dtypes.round_through(theirs, mine.compute_dtype)
    slack = choose_tolerance(prepared.group.case.tolerances, name.split("[")[0], mine).abs
    bad, largest = distance(mine, theirs, slack)
    if bad.any() and mine.magnitude is not None and _all_finite(prepared):
        bad &= np.isfinite(mine.magnitude)  # if terms overflow, the result is arbitrary
    return _Output(name, mine, theirs, bad, largest)


def _all_finite(prepared: Prepared) -> bool:
    tensors = [t for v in prepared.inputs.values() for t in as_list(v)]
    return all(
        np.isfinite(dtypes.widen(t)).all()
        for t in tensors
        if isinstance(t, np.ndarray) and dtypes.is_inexact(dtypes.name_of(t.dtype))
    )


def _ask_again(reference: Reference, prepared: Prepared, found: list[_Output], finding: Finding) -> None:
    """Lets PyTorch compute disagreeing elements again in the ways of SECOND_OPINIONS."""
    if not reference.takes_tensors or finding.widened:
        return
    for reason, convert in SECOND_OPINIONS:
        if not any(o.bad.any() for o in found):
            return
        try:
            again = _compared(prepared, call_reference(reference, prepared, convert), True)
        except (Refused, Unlike):
            continue
        for output, other in zip(found, again):
            output.bad &= other.bad
        finding.opinion = reason


def _checked(prepared: Prepared, result: Any) -> list[str]:
    """Applies the oracle's `check` function, if it has one, to the result of the reference."""
    if prepared.oracle.check is None:
        return []
    got = {
        k: from_torch(r).reshape(e.shape)
        for (k, e), r in zip(outputs(prepared), results_by_output(prepared, result))
        if r is not None
    }
    complaint = prepared.oracle.check(**prepared.oracle_arguments, got=got)
    return [f"the oracle's check refuses the reference's result: {complaint}"] if complaint else []


def distance(expected: Expected, theirs: np.ndarray, slack: float) -> tuple[np.ndarray, float]:
    """A mask of the elements that differ by more than the limit, and the largest distance of finite elements in ULP."""
    dtype = expected.compute_dtype
    mine = dtypes.round_through(expected.values, dtype)
    if not dtypes.is_inexact(dtype):
        bad = mine != theirs
        return bad, float(bad.any())
    parts = [(mine.real, theirs.real), (mine.imag, theirs.imag)] if np.iscomplexobj(mine) else [(mine, theirs)]
    size = np.zeros(mine.shape)
    for part in (*(own for own, _ in parts), expected.magnitude):
        if part is not None:
            size = np.maximum(size, np.where(np.isfinite(part), np.abs(part), 0))
    ulp = dtypes.ulp(size, dtype)
    bad, largest = np.zeros(mine.shape, bool), 0.0
    for own, other in parts:
        apart = np.abs(own - other)
        same = (own == other) | (np.isnan(own) & np.isnan(other))
        bad |= ~(same | (apart <= slack + ULPS * ulp))
        largest = max(largest, float(np.max(np.where(same | ~np.isfinite(apart), 0, apart / ulp), initial=0.0)))
    return bad, largest
