# SPDX-License-Identifier: BSD-3-Clause
"""Calls operators twice and records which libraries allocate memory or take locks; run by test_warm_calls.py.

Prints as JSON, for each case, the libraries that did so in the first call and in the second call.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[3])]

from adaptor.codegen.model import Function, Registry, load_registry  # noqa: E402
from conformance.cases.reader import load_cases  # noqa: E402
from conformance.cases.suite import Selection, select  # noqa: E402
from conformance.oracle import load_oracles  # noqa: E402
from conformance.run.binding import Runtime  # noqa: E402
from conformance.verdict.group import run_group  # noqa: E402

DTYPES = ("float32", "bfloat16")
LAYOUTS = ("contiguous", "transposed", "strided_out")
PASS_ON = ("warm_calls", "libc.", "libstdc++.", "libgcc_s.", "ld-linux")
PATIENCE = 2  # the largest number of cases of an operator with one dtype


class Map:
    """The memory map of the process: which library's code is at an address."""

    def __init__(self) -> None:
        rows = [line.split() for line in Path("/proc/self/maps").read_text().splitlines()]
        self.rows = sorted((int(r[0].split("-")[0], 16), int(r[0].split("-")[1], 16), r[5]) for r in rows if len(r) > 5)
        self.begins = [row[0] for row in self.rows]

    def owner(self, address: int) -> str:
        i = bisect_right(self.begins, address) - 1
        return Path(self.rows[i][2]).name if i >= 0 and address < self.rows[i][1] else "?"

    def blamed(self, addresses: list[int | None]) -> str:
        """The innermost library in a call stack, without the counting library and libraries that pass requests on."""
        owners = [self.owner(address) for address in addresses if address]
        return next((name for name in owners if not name.startswith(PASS_ON)), "?")


@dataclass
class Watched(Runtime):
    """A runtime that makes each call twice. `first` and `second` have their events as (kind, library)."""

    registry: Registry
    runtime: Path
    library_file: Path
    first: list[tuple[str, str]] = field(default_factory=list)
    second: list[tuple[str, str]] = field(default_factory=list)
    code: int = -1

    def __post_init__(self) -> None:
        super().__init__(self.registry, self.runtime, self.library_file)
        self.counter = ctypes.CDLL(None)
        self.map = Map()

    def _entry(self, function: Function) -> Callable[..., int]:
        entry = super()._entry(function)

        def watched(arguments: tuple[Any, ...]) -> tuple[int, list[tuple[str, str]]]:
            addresses, kinds, frames = ctypes.POINTER(ctypes.c_void_p)(), ctypes.c_char_p(), ctypes.c_int()
            self.counter.watch()
            code = entry(*arguments)
            count = self.counter.unwatch(ctypes.byref(addresses), ctypes.byref(kinds), ctypes.byref(frames))
            what, n = ctypes.string_at(kinds, count), frames.value
            return code, [(chr(what[i]), self.map.blamed(addresses[i * n : (i + 1) * n])) for i in range(count)]

        def twice(*arguments: Any) -> int:
            self.code, self.first = watched(arguments)
            if self.code == 0:
                self.code, self.second = watched(arguments)
            return self.code

        return twice


def counted(found: list[tuple[str, str]]) -> list[list[Any]]:
    return [[kind, library, number] for (kind, library), number in Counter(found).items()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runtime", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--operators", nargs="+", required=True)
    args = parser.parse_args()
    registry = load_registry()
    runtime, oracles = Watched(registry, args.runtime, args.library), load_oracles()
    tried: Counter[tuple[str, str]] = Counter()
    for group in select(load_cases(registry), Selection(functions=tuple(args.operators), all_layouts=True)).groups:
        key = group.case.function.name, group.dtype
        if group.dtype not in DTYPES or group.case.error is not None or group.case.hostile or tried[key] >= PATIENCE:
            continue
        tried[key] += 1
        for layout in (v for v in group.layouts if v in LAYOUTS):
            runtime.first, runtime.second, runtime.code = [], [], -1
            run_group(replace(group, layouts=(layout,)), oracles.get(group.case.function.name), runtime)
            if runtime.code < 0:
                continue  # the case does not have this layout
            print(
                json.dumps(
                    {
                        "operator": group.case.function.name,
                        "call": f"{group.name}/{layout}",
                        "code": runtime.code,
                        "first": counted(runtime.first),
                        "second": counted(runtime.second),
                    }
                )
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
