# SPDX-License-Identifier: BSD-3-Clause
"""Tests the conversion of scalars: the library against PyTorch, and the registry's rules against the oracles."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers import group_of, registry

from conformance import dtypes, scalars
from conformance.cases.prepare import prepare
from conformance.cases.prepared import CaseError
from conformance.oracle import load_oracles
from conformance.run.binding import Runtime, default_library, default_runtime
from conformance.selfcheck.crosscheck.reference import torch

if torch is not None:
    import scalar_sweep
    from scalar_sweep import Difference

needs_torch = pytest.mark.skipif(torch is None, reason="PyTorch is not installed")


def _is_integral(d: Difference) -> bool:
    return dtypes.is_integral(d.dtype) or d.dtype == "bool"


def _both_compute(d: Difference) -> bool:
    return d.ours.array is not None and d.theirs.array is not None


def _only_ours(d: Difference) -> bool:
    return d.ours.array is not None and d.theirs.array is None


@dataclass(frozen=True)
class Departure:
    """A kind of call in which the library differs from PyTorch, with the reason."""

    reason: str
    covers: Callable[[Difference], bool]


DEPARTURES = (
    Departure(
        "a bool alpha counts as 0 or 1, and a whole floating-point alpha as an integer; PyTorch refuses these types",
        lambda d: (
            _only_ours(d)
            and d.row.parameter == "alpha"
            and ("Boolean alpha" in d.theirs.why or "must not be a floating" in d.theirs.why)
            and not math.isnan(d.number)
            and d.number == int(d.number)
        ),
    ),
    Departure(
        "a subtraction accepts bool operands if another operand is a number; PyTorch refuses them",
        lambda d: _only_ours(d) and "diopiSub" in d.row.function and "Subtraction" in d.theirs.why,
    ),
    Departure(
        "2^63 does not fit int64 and 2^64 does not fit uint64; PyTorch's result depends on the processor",
        lambda d: d.ours.array is None and _is_integral(d) and abs(float(d.number)) in (2.0**63, 2.0**64),
    ),
    Departure(
        "scalar operands of float16 and bfloat16 computations are not rounded; PyTorch rounds some of them",
        lambda d: (
            _both_compute(d)
            and d.dtype in ("float16", "bfloat16")
            and d.row.function.removeprefix("diopi").startswith(("Add", "Sub", "Remainder"))
        ),
    ),
    Departure(
        "a real infinity in complex arithmetic has no imaginary part; PyTorch multiplies an imaginary 0 with it",
        lambda d: _both_compute(d) and dtypes.is_complex(d.dtype) and abs(d.number) > 3e38,
    ),
    Departure(
        "for powers of a complex zero, PyTorch has NaN at other places",
        lambda d: _both_compute(d) and dtypes.is_complex(d.dtype) and d.row.function.startswith("diopiPow"),
    ),
    Departure(
        "alpha multiplies the product; PyTorch multiplies a matrix with alpha before, and 0 * inf is NaN",
        lambda d: _both_compute(d) and d.row.function == "diopiAddmm" and abs(d.number) > 3e38,
    ),
    Departure(
        "the element of a range with one step must fit float16 and bfloat16, as in longer ranges; PyTorch writes inf",
        lambda d: (
            d.row.function == "diopiLinspace" and d.row.attributes["steps"] == 1 and d.dtype in ("float16", "bfloat16")
        ),
    ),
)


def explain(difference: Difference) -> Departure | None:
    return next((d for d in DEPARTURES if d.covers(difference)), None)


@pytest.fixture(scope="module")
def found() -> list[Difference]:
    if torch is None:
        pytest.skip("PyTorch is not installed")
    if not default_library().exists():
        pytest.skip(f"there is no library at {default_library()}")
    runtime = Runtime(registry(), default_runtime(), default_library())
    return [d for row in scalar_sweep.rows() for d in scalar_sweep.differences(runtime, row)]


@needs_torch
def test_scalars_are_converted_or_refused_as_pytorch_does(found: list[Difference]) -> None:
    unexplained = [str(d) for d in found if explain(d) is None]
    assert not unexplained, "\n".join([f"{len(unexplained)} calls differ:", *unexplained[:20]])


@needs_torch
def test_every_departure_from_pytorch_is_needed(found: list[Difference]) -> None:
    used = {id(explain(d)) for d in found}
    assert [d.reason for d in DEPARTURES if id(d) not in used] == []


def _scalar_parameters() -> set[tuple[str, str]]:
    """The (operator, parameter) pairs of all scalars of the judged operators."""
    return {(name, p.name) for name in load_oracles() for p in registry().functions[name].params if p.is_scalar}


# The bounds and the step of a range are converted to int64 or float64 before the range is computed;
# data/cases/fill.yaml tests them.
RANGES = {("diopiArange", name) for name in ("start", "end", "step")} | {
    ("diopiLinspace", name) for name in ("start", "end")
}


# Numbers that are converted to float64 before the computation. data/cases/norm.yaml, foreach.yaml and reduce.yaml test
# them, and the operand of the lists.
NUMBERS = {
    ("diopiNorm", "p"),
    ("diopiNormBackward", "p"),
    ("diopiLinalgVecNorm", "ord"),
    ("diopiForeachnormScalar", "ord"),
}
NUMBERS |= {("diopiStd", "correction")}
LISTS = {(f"diopiForeach{name}{form}Scalar", "other") for name in ("add", "mul") for form in ("", "Inp")}


@needs_torch
def test_the_sweep_has_every_scalar_parameter() -> None:
    swept = {(row.function, row.parameter) for row in scalar_sweep.rows()}
    assert _scalar_parameters() - swept - RANGES - NUMBERS - LISTS == set()


def test_every_scalar_is_an_operand_or_a_value_that_must_fit() -> None:
    """An operand takes part in promotion. For a value, the registry says which dtype it must fit."""
    unruled = []
    for name, parameter in sorted(_scalar_parameters() - RANGES - NUMBERS - LISTS):
        oracle, rules = load_oracles()[name], scalars.value_parameters(registry().functions[name])
        if (
            parameter not in oracle.promote
            and oracle.rename.get(parameter) not in oracle.promote
            and parameter not in rules
        ):
            unruled.append(f"{name}({parameter})")
    assert unruled == []


def test_a_case_whose_scalar_does_not_fit_is_invalid(tmp_path: Path) -> None:
    text = "  - names: [diopiClampMaxScalar]\n    dtypes: uint8\n    cases:\n      - {input: [4], max: 300}\n"
    with pytest.raises(CaseError, match="max = 300 does not fit uint8"):
        prepare(group_of(tmp_path, "clamp", text), load_oracles()["diopiClampMaxScalar"])


@pytest.mark.parametrize(
    ("dtype", "inside", "outside"),
    [
        ("uint8", (255, -255, 0.0, -0.0, 255.0, 254.9, True), (256, -256, -0.5, 255.5, math.nan, math.inf)),
        ("int8", (127, -128, 126.5, -127.5), (128, -129, 127.5, -128.5, -math.inf)),
        ("int64", (2**63 - 1, -(2**63), -(2.0**63)), (2.0**63, 1e30)),
        ("uint64", (2**63 - 1, -(2**63), 2.0**63), (2.0**64, -1.0)),
        ("float16", (65504, math.inf, math.nan), (65505, -1e5)),
        ("bfloat16", (3.3895313892515355e38,), (3.39e38,)),
        ("complex64", (3.4028234663852886e38, -math.inf), (3.4028235e38, 1e39)),
        ("bool", (2, -0.5, math.nan, 1e300), ()),
    ],
)
def test_what_fits_a_dtype(dtype: str, inside: tuple, outside: tuple) -> None:
    assert [v for v in inside if not scalars.fits(v, dtype)] == []
    assert [v for v in outside if scalars.fits(v, dtype)] == []


@needs_torch
def test_fits_is_what_pytorch_can_fill_with() -> None:
    """2^63 and 2^64 are excluded, because PyTorch accepts them although they do not fit."""
    differing = []
    for dtype in scalar_sweep.DTYPES:
        for number in scalar_sweep.NUMBERS:
            try:
                torch.empty(2, dtype=getattr(torch, dtype)).fill_(number)
                accepted = True
            except RuntimeError:
                accepted = False
            if accepted != scalars.fits(number, dtype) and not (dtypes.is_integral(dtype) and abs(number) >= 2.0**63):
                differing.append((dtype, number))
    assert differing == []
