# SPDX-License-Identifier: BSD-3-Clause
"""Repeats captured calls on any vendor's library and compares the results with the captured ones.

diopi-layer replay FOLDER [--library FILE] [--call N,...] [--ops OPS] [--repeat N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import Library, load
from ..contract import Param
from ..errors import Error
from ..signatures import bare
from . import captured, elements, names, options
from .captured import CapturedCall
from .checks import SPECIAL
from .errors import UsageError
from .rebuilt import Rebuilt

SAME, DIFFERENT, STATUS, LACKS = "same", "different", "status", "lacks"


@dataclass
class Outcome:
    """What became of one call."""

    call: int
    operator: str
    verdict: str
    details: list[str] = field(default_factory=list)
    max_ulp: float = 0.0
    nanoseconds: int = 0


def replay(library: Library, call: CapturedCall, repeat: int) -> Outcome:
    """Repeats one call."""
    outcome = Outcome(call.number, call.operator, SAME)
    if not library.has(call.operator):
        outcome.verdict = LACKS
        outcome.details.append(f"{library.path.name} lacks the operator")
        return outcome
    try:
        return _replay(library, call, repeat, outcome)
    except (Error, MemoryError) as error:
        raise UsageError(
            f"call {call.number}: {call.operator} cannot be repeated: {str(error) or 'out of memory'}"
        ) from None


def _replay(library: Library, call: CapturedCall, repeat: int, outcome: Outcome) -> Outcome:
    made = Rebuilt(library, call)
    try:
        status, outcome.nanoseconds = made.run()
        if status != call.status:
            outcome.verdict = STATUS
            codes = library.contract.codes
            text = f"captured {codes.get(call.status, call.status)}, now {codes.get(status, status)}"
            outcome.details.append(text + (f": {library.last_error()}" if status else ""))
        elif status == 0:
            compare(made, outcome)
        for _ in range(repeat - 1 if status == 0 else 0):
            made.fill()
            outcome.nanoseconds = min(outcome.nanoseconds, made.run()[1])
    finally:
        made.close()
    return outcome


def compare(made: Rebuilt, outcome: Outcome) -> None:
    """Compares every tensor and number that the operator writes with the captured one."""
    now = {i: made.read(i) for i, s in enumerate(made.call.storages) if s.after is not None}
    for param in made.function.params:
        if param.dir == "out" and param.name in made.call.numbers_after:
            _compare_number(made, outcome, param)
        if param.dir not in ("out", "inout") or "Tensor" not in param.type:
            continue
        raw = made.call.arguments[param.name]
        for index, tensor in enumerate(raw if isinstance(raw, list) else [raw]):
            name = f"{param.name}[{index}]" if isinstance(raw, list) else param.name
            if tensor is not None:
                _compare_one(made, outcome, name, tensor, now, (param.name, index) if param.allocates else None)


def _compare_number(made: Rebuilt, outcome: Outcome, param: Param) -> None:
    number = made.call.numbers_after[param.name]
    expected = np.array(SPECIAL.get(number, number) if isinstance(number, str) else number)
    dtype = {"bool*": "bool", "int64_t*": "int64", "double*": "float64"}[bare(param.type)]
    kind = "uint8" if dtype == "bool" else dtype
    got = np.array(made.number(param.name))
    difference = elements.difference(expected.astype(kind), got.astype(kind), dtype)
    if difference is not None:
        outcome.verdict = DIFFERENT
        outcome.max_ulp = max(outcome.max_ulp, difference.max_ulp)
        outcome.details.append(f"{param.name}: captured {difference.expected}, now {difference.got}")


def _compare_one(
    made: Rebuilt, outcome: Outcome, name: str, tensor: dict[str, Any], now: dict[int, bytes], created: Any
) -> None:
    if created is None and tensor["storage"] is None:
        return
    expected = _captured_elements(made.call, tensor)
    if created is None:
        got = elements.of(now[tensor["storage"]], tensor["offset"], tensor["shape"], tensor["stride"], tensor["dtype"])
    else:
        found = made.created_elements(*created)
        if found is None or list(found[0]) != tensor["shape"] or found[1] != tensor["dtype"]:
            outcome.verdict = DIFFERENT
            shown = "nothing" if found is None else f"{found[1]}{list(found[0])}"
            outcome.details.append(f"{name}: captured {tensor['dtype']}{tensor['shape']}, now {shown}")
            return
        got = elements.packed(found[2], found[0], found[1])
    difference = elements.difference(expected, got, tensor["dtype"])
    if difference is not None:
        outcome.verdict = DIFFERENT
        outcome.max_ulp = max(outcome.max_ulp, difference.max_ulp)
        outcome.details.append(f"{name}{difference}")


def _captured_elements(call: CapturedCall, tensor: dict[str, Any]) -> np.ndarray[Any, Any]:
    if tensor["storage"] is None:
        return elements.packed(b"", tensor["shape"], tensor["dtype"])
    storage = call.storages[tensor["storage"]]
    memory = call.memory(storage.after, storage.bytes)
    if memory is None:
        raise UsageError(f"call {call.number}: the bytes after the call are not captured")
    return elements.of(memory, tensor["offset"], tensor["shape"], tensor["stride"], tensor["dtype"])


def select(folder: Path, numbers: set[int] | None, wanted: set[str] | None) -> Iterable[CapturedCall]:
    for each in captured.folders(folder):
        for call in captured.calls(each):
            if (numbers is None or call.number in numbers) and (wanted is None or call.operator in wanted):
                yield call


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="diopi-layer replay",
        description="Repeats captured calls on a vendor's library and compares every element with the captured result.",
        epilog="Exit status: 0 if all results are the same, 1 if one differs, 2 for wrong usage.",
        allow_abbrev=False,
    )
    parser.add_argument("folder", type=Path, help="the folder of a run, of one of its processes, or of captured calls")
    parser.add_argument(
        "--library", metavar="FILE", help="the vendor's library (default: the one that diopi.load() takes)"
    )
    parser.add_argument("--call", metavar="N,...", help="only the calls with these numbers")
    parser.add_argument("--ops", metavar="OPS", help="only these operators")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="runs each call N times; the fastest counts")
    parser.add_argument("--json", type=Path, metavar="FILE", help="writes the outcomes as JSON")
    given = parser.parse_args(arguments)
    if given.repeat < 1:
        raise UsageError(f"--repeat is {given.repeat}, expected a number from 1 on")
    if given.json and (given.json.is_dir() or not given.json.absolute().parent.is_dir()):
        raise UsageError(f"--json is {str(given.json)!r}, expected a file in a folder that exists")
    wanted = names.matching(names.patterns(given.ops, "--ops")) if given.ops else None
    calls = list(select(given.folder, _numbers(given.call), wanted))
    if not calls:
        raise UsageError(f"{given.folder} has no such call")
    library = load(given.library)
    outcomes = list(_run(library, calls, given.repeat))
    if given.json:
        given.json.write_text(json.dumps([asdict(o) for o in outcomes], indent=1) + "\n", encoding="utf-8")
    return summary(library, outcomes)


def _numbers(text: str | None) -> set[int] | None:
    if text is None:
        return None
    numbers = [options.whole(word) for word in text.split(",")]
    if None in numbers:
        raise UsageError(f"--call is {text!r}, expected numbers with commas")
    return {number for number in numbers if number is not None}


def _run(library: Library, calls: Sequence[CapturedCall], repeat: int) -> Iterable[Outcome]:
    for done, call in enumerate(calls, 1):
        yield replay(library, call, repeat)
        if sys.stderr.isatty():
            print(f"\r{done} of {len(calls)} calls", end="" if done < len(calls) else "\n", file=sys.stderr)


def summary(library: Library, outcomes: Sequence[Outcome]) -> int:
    """Prints the calls that differ and a line of counts; returns the exit status."""
    for outcome in outcomes:
        if outcome.verdict != SAME:
            print(f"call {outcome.call} {outcome.operator}: {outcome.verdict}: {'; '.join(outcome.details)}")
    counts = Counter(o.verdict for o in outcomes)
    seconds = sum(o.nanoseconds for o in outcomes) / 1e9
    words = ", ".join(f"{counts[v]} {v}" for v in (SAME, DIFFERENT, STATUS, LACKS) if counts[v])
    print(f"{len(outcomes)} calls on {library.path.name} ({library.vendor}): {words}; {seconds:.3f} s in the operators")
    return 0 if counts[SAME] == len(outcomes) else 1
