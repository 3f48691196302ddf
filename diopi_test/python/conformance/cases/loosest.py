# SPDX-License-Identifier: BSD-3-Clause
"""Writes the loosest tolerance that the cases declare for each output and dtype, as a table of the layer.

python -m conformance.cases.loosest [--check]
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict

from adaptor.codegen.model import load_registry

from .. import REPOSITORY
from ..dtypes import COMPLEX, FLOATING, INTEGRAL
from .case import Case, Tolerance
from .reader import load_cases

TABLE = REPOSITORY / "adaptor" / "layer" / "tolerance_table.cpp"

Parts = tuple[float, float, float, float]  # ulp, acc_ulp, abs, rel
EXACT: Parts = (0, 0, 0, 0)
SUMMED: Parts = (1, 4, 0, 0)  # what an output without a declared tolerance is allowed at most

HEAD = """\
// SPDX-License-Identifier: BSD-3-Clause
// Written by diopi_test/python/conformance/cases/loosest.py from the judge's cases. Do not edit.
#include "adaptor/layer/tolerance.hpp"

#include <cmath>

namespace diopi::layer {

// clang-format off
const ToleranceRow kToleranceRows[] = {
"""
TAIL = """\
};
// clang-format on
const int kNumToleranceRows = sizeof(kToleranceRows) / sizeof(kToleranceRows[0]);

}  // namespace diopi::layer
"""


def parts_of(tolerances: tuple[Tolerance, ...], output: str, dtype: str) -> Parts:
    for t in tolerances:
        if (not t.dtypes or dtype in t.dtypes) and (not t.outputs or output in t.outputs):
            return t.ulp, t.acc_ulp, t.abs, t.rel
    return EXACT if dtype in INTEGRAL else SUMMED


def loosest(cases: list[Case]) -> dict[tuple[str, str], dict[str, Parts]]:
    """For each operator and output: dtype -> each part's largest value of all cases that are valid calls."""
    table: dict[tuple[str, str], dict[str, Parts]] = defaultdict(dict)
    for case in cases:
        if case.error is not None:
            continue
        for param in case.function.params:
            if not param.is_tensor_like or param.dir not in ("out", "inout"):
                continue
            known = table[case.function.name, param.name]
            for dtype in (*FLOATING, *COMPLEX, *INTEGRAL):
                own = parts_of(case.tolerances, param.name, dtype)
                old = known.get(dtype, EXACT)
                known[dtype] = max(own[0], old[0]), max(own[1], old[1]), max(own[2], old[2]), max(own[3], old[3])
    return table


def text() -> str:
    registry = load_registry()
    rows = []
    for (operator, output), by_dtype in sorted(loosest(load_cases(registry)).items()):
        if "unspecified" in registry.functions[operator].param(output).doc:  # any element is right
            rows.append(f'    {{"{operator}", "{output}", 0xffffffffu, {{0, 0, HUGE_VAL, 0}}}},\n')
            continue
        masks: dict[Parts, int] = defaultdict(int)
        for dtype, parts in by_dtype.items():
            if parts != (EXACT if dtype in INTEGRAL else SUMMED):
                masks[parts] |= 1 << registry.dtypes[dtype]
        rows += [
            f'    {{"{operator}", "{output}", {mask:#x}u, {{{", ".join(f"{p:g}" for p in parts)}}}}},\n'
            for parts, mask in masks.items()
        ]
    return HEAD + "".join(rows) + TAIL


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the table is out of date")
    args = parser.parse_args()
    new = text()
    if args.check:
        return int(TABLE.read_text(encoding="utf-8") != new)
    TABLE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
