"""Checks the oracles against PyTorch, where PyTorch is installed and has the operator.

    python -m conformance.crosscheck --fname add softmax

An oracle is called with the inputs of its cases, and PyTorch with the same inputs. Results may differ by a few ULPs of
their dtype, so this compares definitions and promotion, not rounding. An entry of
`REFERENCES` says how PyTorch spells an operator: a function of the contract's arguments by name, as tensors and Python
values. An operator without an entry is listed and not counted as checked.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from typing import Any, Callable

import numpy as np

from . import dtypes
from .binding import Scalar
from .case_files import load_cases
from .crosscheck_references import REFERENCES, torch
from .oracles import load_oracles, python_name
from .prepare import Group, NotApplicable, Prepared, prepare
from .suite import Selection, UsageError, resolve_names, select
from .verdict import choose_tolerance

from adaptor.codegen.model import load_registry


ULPS = 64
# Where PyTorch differs and is not followed, by a part of a case's name.
EXPLAINED = {
    "diopiHardtanhBackward/input=64~special": "its vector loops make 0 of NaN, its scalar loops do not",
    "diopiHardswishBackward/input=64~special": "its vector and its scalar loops treat NaN differently",
    "diopiGelu/input=257~uniform(-12,12),approximate=none/float64":
        "a rounding of x^2 / 2 counts 72-fold in its exponential",
    "diopiGeluBackward/input=257~uniform(-12,12),grad_output=257,approximate=none/float64":
        "a rounding of x^2 / 2 counts 72-fold in its exponential",
    "diopiHardswish/input=64~special": "it overflows before it divides by six",
    "diopiHardswishInp/input=64~special": "it overflows before it divides by six",
}
# PyTorch has the operator, but not for these dtypes on this machine.
REFUSAL = re.compile("not implemented|not support|can't be cast to the desired|can require gradients|non-zero size",
                     re.IGNORECASE)


def to_torch(value: Any) -> Any:
    """An argument as PyTorch gets it, dtype included."""
    if isinstance(value, list) and any(isinstance(v, np.ndarray) for v in value):
        return [to_torch(v) for v in value]
    if isinstance(value, Scalar):
        return value.value
    if not isinstance(value, np.ndarray):
        return value
    if dtypes.name_of(value.dtype) == "bfloat16":
        return torch.from_numpy(np.ascontiguousarray(value).view(np.int16).reshape(value.shape)).view(torch.bfloat16)
    return torch.from_numpy(np.array(value))


def in_double(value: Any) -> Any:
    """Floating point tensors in double precision."""
    if isinstance(value, list):
        return [in_double(v) for v in value]
    is_floating = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if is_floating else value


def call_reference(reference: Callable[..., Any], prepared: Prepared) -> Any:
    names = inspect.signature(reference).parameters
    rename = prepared.oracle.rename
    known = {python_name(name): to_torch(v) for k, v in prepared.inputs.items() for name in (k, rename.get(k, k))}
    if getattr(reference, "in_double", False):
        known = {k: in_double(v) for k, v in known.items()}
    first = next(e for v in prepared.expected.values() for e in (v if isinstance(v, list) else [v]))
    known["dtype"] = getattr(torch, first.compute_dtype or first.dtype)
    missing = [n for n in names if n not in known]
    for name in missing:
        known[name] = prepared.oracle_arguments.get(name)
    return reference(**{n: known[n] for n in names})


def differences(prepared: Prepared, result: Any, in_double: bool) -> list[str]:
    """What the oracle and PyTorch disagree on."""
    outputs = [(k, e) for k, v in prepared.expected.items() for e in (v if isinstance(v, list) else [v])]
    if isinstance(result, dict):
        result = [result.get(k) for k, v in prepared.expected.items()]
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    if len(results) != len(outputs):
        return [f"{len(outputs)} outputs, PyTorch has {len(results)}"]
    found = []
    for (name, expected), reference in zip(outputs, results):
        if reference is None:
            continue
        theirs = from_torch(reference)
        if theirs.size == int(np.prod(expected.shape)):
            theirs = theirs.reshape(expected.shape)  # `out` decides whether reduced dimensions stay
        if tuple(theirs.shape) != expected.shape:
            found.append(f"{name}: shape {expected.shape}, PyTorch {tuple(theirs.shape)}")
        elif expected.values is not None:
            if in_double:
                theirs = dtypes.round_through(theirs, expected.compute_dtype)
            elif str(reference.dtype) != f"torch.{expected.compute_dtype}":
                found.append(f"{name}: computed in {expected.compute_dtype}, PyTorch in {reference.dtype}")
            tolerance = choose_tolerance(prepared.group.raw.tolerances, name, expected)
            found += difference(name, expected, theirs, tolerance.abs)
    return found


def from_torch(tensor: Any) -> np.ndarray:
    """In the wide type of the oracles."""
    if tensor.dtype == torch.bfloat16:
        return tensor.double().numpy()
    return dtypes.widen(tensor.resolve_conj().resolve_neg().contiguous().numpy())


def difference(name: str, expected: Any, theirs: np.ndarray, slack: float) -> list[str]:
    """Equal, or as near as two implementations are."""
    dtype = expected.compute_dtype
    mine = dtypes.round_through(expected.values, dtype)
    if not dtypes.is_inexact(dtype):
        bad = mine != theirs
    else:
        size = np.where(np.isfinite(mine), np.abs(mine), 0)
        magnitude = size if expected.magnitude is None else expected.magnitude
        allowed = slack + ULPS * dtypes.ulp(np.maximum(size, magnitude), dtype)
        with np.errstate(all="ignore"):
            bad = ~((mine == theirs) | (np.isnan(mine) & np.isnan(theirs)) | (np.abs(mine - theirs) <= allowed))
    if not bad.any():
        return []
    first = np.unravel_index(int(np.flatnonzero(bad)[0]), bad.shape)
    return [f"{name}{[int(i) for i in first]}: oracle {mine[first]}, PyTorch {theirs[first]} "
            f"({int(bad.sum())} of {bad.size})"]


def check(group: Group, reference: Callable[..., Any]) -> list[str] | None:
    """The disagreements on one case; None where it cannot be compared."""
    try:
        prepared = prepare(group, load_oracles()[group.raw.function.name])
    except NotApplicable:
        return None
    try:
        with np.errstate(all="ignore"):
            result = call_reference(reference, prepared)
    except (NotImplementedError, RuntimeError, TypeError, IndexError, ValueError) as error:
        said = f"PyTorch: {type(error).__name__}: {str(error).splitlines()[0][:160]}"
        return None if REFUSAL.search(str(error)) else [said]
    return differences(prepared, result, getattr(reference, "in_double", False))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fname", nargs="+", default=[], help="operators or families")
    arguments = parser.parse_args(argv)
    if torch is None:
        print("PyTorch is not installed: nothing is checked", file=sys.stderr)
        return 2
    registry = load_registry()
    try:
        selection = Selection(functions=resolve_names(registry, arguments.fname))
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    compared: dict[str, int] = {}
    explained: dict[str, int] = {}
    wrong = 0
    suite = select(load_cases(registry), selection)
    for group in suite.groups:
        name = group.raw.function.name
        if group.raw.error is not None or name not in REFERENCES:
            continue
        found = check(group, REFERENCES[name])
        if found is None:
            continue
        compared[name] = compared.get(name, 0) + 1
        reason = next((r for part, r in EXPLAINED.items() if group.name.startswith(part)), None) if found else None
        if reason is not None:
            explained[reason] = explained.get(reason, 0) + 1
            continue
        wrong += bool(found)
        for line in found:
            print(f"{group.name}: {line}")
    without = [n for n in suite.functions if n not in compared]
    for reason, count in explained.items():
        print(f"{count} cases differ because PyTorch is not followed: {reason}")
    print(f"not compared: {' '.join(without) or 'none'}")
    print(f"{len(compared)} operators, {sum(compared.values())} cases compared with PyTorch {torch.__version__}, "
          f"{wrong} disagree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
