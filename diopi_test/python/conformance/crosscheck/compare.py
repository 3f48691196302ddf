"""The comparison of one case: what the oracle and its reference disagree on, and by how much."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import dtypes
from ..oracles import load_oracles
from ..prepare import Expected, Group, NotApplicable, Prepared, prepare
from ..verdict import choose_tolerance
from .bridge import BEYOND_INT64, Refused, call_reference, from_torch, in_double, outputs, results_by_output, widest
from .reference import Reference

ULPS = 64  # two implementations in the same dtype may be this far apart, at the magnitude of what they add


@dataclass
class Finding:
    """What became of one case."""

    case: str
    disagreements: list[str] = field(default_factory=list)
    largest: float = 0.0  # ULPs of the dtype at the magnitude of the terms
    widened: bool = False  # PyTorch lacks the dtype: compared in the widest of its kind
    refused: str = ""  # why it could not be compared
    applies: bool = True  # False: the case means nothing for this form of the operator


def check(group: Group, reference: Reference) -> Finding:
    """Compares the oracle with the reference on one case."""
    finding = Finding(group.name)
    try:
        prepared = prepare(group, load_oracles()[group.raw.function.name])
    except NotApplicable:
        finding.applies = False
        return finding
    with np.errstate(all="ignore"):
        try:
            result = _result(reference, prepared, finding)
        except Refused as refusal:
            finding.refused = str(refusal)
            return finding
        _compare(prepared, result, reference, finding)
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


def _compare(prepared: Prepared, result: Any, reference: Reference, finding: Finding) -> None:
    expected, results = outputs(prepared), results_by_output(prepared, result)
    if len(results) != len(expected):
        finding.disagreements.append(f"{len(expected)} outputs, the reference has {len(results)}")
        return
    wide = reference.double or finding.widened or not reference.needs_torch
    for (name, mine), theirs in zip(expected, results):
        if theirs is None:
            continue
        if not isinstance(mine, Expected):
            mine = Expected("float64", (), np.float64(mine), "float64")
        elif mine.values is not None and not wide and str(theirs.dtype) != f"torch.{mine.compute_dtype}":
            finding.disagreements.append(f"{name}: computed in {mine.compute_dtype}, PyTorch in {theirs.dtype}")
        _compare_output(name, mine, from_torch(theirs), prepared, wide, finding)
    if prepared.oracle.check is not None and not finding.disagreements:
        got = {k: from_torch(r).reshape(e.shape) for (k, e), r in zip(expected, results)}
        complaint = prepared.oracle.check(**prepared.oracle_arguments, got=got)
        if complaint:
            finding.disagreements.append(f"the oracle's check refuses the reference's result: {complaint}")


def _compare_output(name: str, mine: Expected, theirs: np.ndarray, prepared: Prepared, wide: bool,
                    finding: Finding) -> None:
    if theirs.size == int(np.prod(mine.shape)):
        theirs = theirs.reshape(mine.shape)  # `out` decides whether reduced dimensions stay
    if theirs.shape != mine.shape:
        finding.disagreements.append(f"{name}: shape {mine.shape}, the reference {theirs.shape}")
        return
    if mine.values is None:
        return
    if wide:
        theirs = dtypes.round_through(theirs, mine.compute_dtype)
    slack = choose_tolerance(prepared.group.raw.tolerances, name.split("[")[0], mine).abs
    bad, largest = distance(mine, theirs, slack)
    finding.largest = max(finding.largest, largest)
    if bad.any():
        first = np.unravel_index(int(np.flatnonzero(bad)[0]), bad.shape)
        own = dtypes.round_through(mine.values, mine.compute_dtype)
        finding.disagreements.append(f"{name}{[int(i) for i in first]}: oracle {own[first]}, reference "
                                     f"{theirs[first]} ({int(bad.sum())} of {bad.size})")


def distance(expected: Expected, theirs: np.ndarray, slack: float) -> tuple[np.ndarray, float]:
    """Which elements are neither equal nor as near as two implementations are, and how far apart finite ones are."""
    dtype = expected.compute_dtype
    mine = dtypes.round_through(expected.values, dtype)
    if not dtypes.is_inexact(dtype):
        bad = mine != theirs
        return bad, float(bad.any())
    size = np.where(np.isfinite(mine), np.abs(mine), 0)
    magnitude = size if expected.magnitude is None else np.where(np.isfinite(expected.magnitude), expected.magnitude, 0)
    ulp = dtypes.ulp(np.maximum(size, magnitude), dtype)
    apart = np.abs(mine - theirs)
    same = (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
    bad = ~(same | (apart <= slack + ULPS * ulp))
    ulps = np.where(same | ~np.isfinite(apart), 0, apart / ulp)
    return bad, float(np.max(ulps, initial=0.0))
