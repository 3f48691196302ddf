# SPDX-License-Identifier: BSD-3-Clause
"""Cases from calls that the layer has captured (docs/layer.md): one case for each call, with its own numbers."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from adaptor.codegen.model import Param, Registry
from diopi.layer import captured
from diopi.layer.captured import CapturedCall
from diopi.layer.errors import UsageError as CaptureError

from ..cases.case import Case, Stored, TensorSpec
from ..cases.inputs import stored_elements
from ..cases.reader import load_cases
from ..cases.suite import UsageError
from ..csr import CsrSpec
from ..dtypes import NUMPY
from ..layouts import CONTIGUOUS
from ..oracle import load_oracles
from .models.cases import Tolerances, usual_tolerances

SPECIAL = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}


class NoCaseError(Exception):
    """A captured call that cannot become a case."""


def cases_of_captured(registry: Registry, folder: Path) -> tuple[list[Case], Counter]:
    """The cases of the captured calls, and the number of calls without oracle for each operator."""
    tolerances, oracles = usual_tolerances(load_cases(registry)), load_oracles()
    cases: list[Case] = []
    without: Counter = Counter()
    try:
        for calls in captured.folders(folder):
            for call in captured.calls(calls):
                if call.operator not in oracles:
                    without[call.operator] += 1
                    continue
                try:
                    cases.append(_case(registry, call, calls, tolerances))
                except NoCaseError as error:
                    print(f"call {call.number}: {call.operator} is skipped: {error}", file=sys.stderr)
    except CaptureError as error:
        raise UsageError(str(error)) from None
    return cases, without


def _case(registry: Registry, call: CapturedCall, folder: Path, tolerances: Tolerances) -> Case:
    function = registry.functions[call.operator]
    if call.status != 0:
        raise NoCaseError(f"it failed with code {call.status}")
    arguments: dict[str, Any] = {}
    seen: dict[int, str] = {}
    # Inputs first, because an output with the handle of an input is the same tensor.
    for p in sorted(function.params, key=lambda p: p.dir == "out"):
        if p.name in call.arguments and not any(q.count == p.name for q in function.params):
            arguments[p.name] = _argument(p, call.arguments[p.name], call, seen)
        if p.type in registry.enums:
            arguments[p.name] = _enum_name(p, call.arguments[p.name], registry)
    specs = (s for value in arguments.values() for s in (value if isinstance(value, list) else [value]))
    dtype = next((s.dtype for s in specs if isinstance(s, TensorSpec) and s.dtype), "float32")
    name = f"captured,process={folder.parent.name},call={call.number}"
    usual = tolerances.get((function.name, dtype), ())
    return Case(
        function, name, arguments, (dtype,), (CONTIGUOUS,), usual, None, folder / "index.jsonl", call.number + 1
    )


def _enum_name(p: Param, value: int, registry: Registry) -> str:
    """The name with which cases and oracles call a value of an enum."""
    names = [name for name, number in registry.enums[p.type] if number == value and not name.endswith("END")]
    if not names:
        raise NoCaseError(f"{p.name} is {value}, which is no value of {p.type}")
    return names[0]


def _argument(p: Param, raw: Any, call: CapturedCall, seen: dict[int, str]) -> Any:
    if raw is None:
        return None
    if p.allocates:
        return TensorSpec()
    if p.is_tensor_list:
        return [_tensor(p, r, call, {}) for r in raw]
    if p.is_tensor:
        return _tensor(p, raw, call, seen)
    if p.is_generator:
        states = [
            {"seed": int(g["seed"]), "offset": int(g["offset"])} for g in (raw if isinstance(raw, list) else [raw])
        ]
        return states if p.count else states[0]
    if p.is_scalar:
        return {"value": SPECIAL.get(raw["value"], raw["value"]), "dtype": raw["stype"]}
    if raw == "pointer":
        raise NoCaseError(f"what {p.name} points to is not captured")
    return SPECIAL.get(raw, raw) if p.type in ("float", "double", "const float", "const double") else raw


def _sparse(p: Param, raw: dict[str, Any], call: CapturedCall) -> TensorSpec:
    pointers, columns, values = (_tensor(p, raw[n], call, {}) for n in ("crow_indices", "col_indices", "values"))
    assert pointers is not None and columns is not None and values is not None  # the parts of one sparse tensor
    if pointers.dtype is None or pointers.dtype != columns.dtype:
        raise NoCaseError(f"the row pointers of {p.name} are {pointers.dtype}, its column indices {columns.dtype}")
    row_pointers, indices = (_numbers(part, pointers.dtype) for part in (pointers, columns))
    entries = CsrSpec(dtype=pointers.dtype, row_pointers=row_pointers, columns=indices)
    return replace(values, shape=tuple(raw["shape"]), csr=entries)


def _numbers(part: TensorSpec, dtype: str) -> tuple[int, ...]:
    return () if part.stored is None else tuple(stored_elements(part.stored, part, dtype).tolist())


def _tensor(p: Param, raw: dict[str, Any] | None, call: CapturedCall, seen: dict[int, str]) -> TensorSpec | None:
    if raw is None:
        return None
    if raw.get("sparse"):
        return _sparse(p, raw, call)
    if raw["dtype"] not in NUMPY:
        raise NoCaseError(f"{p.name} has the dtype {raw['dtype']}")
    shape, known = tuple(raw["shape"]), seen.get(raw["handle"])
    if known is not None:
        return TensorSpec(same=known)
    seen[raw["handle"]] = p.name
    if p.dir == "out":
        return TensorSpec(shape, raw["dtype"])
    if raw["storage"] is None:
        return TensorSpec(shape, raw["dtype"], gen="zeros")
    storage = call.storages[raw["storage"]]
    if storage.before is None or call.path is None:
        raise NoCaseError(f"the elements of {p.name} are not captured")
    place = Stored(call.path, storage.before, storage.bytes, raw["offset"], tuple(raw["stride"]))
    return TensorSpec(shape, raw["dtype"], stored=place)
