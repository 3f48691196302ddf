# SPDX-License-Identifier: BSD-3-Clause
"""Judges a library with one fault at a time, and prints each fault with the case that found it.

    python -m conformance.selfcheck.faults                       all faults
    python -m conformance.selfcheck.faults --fault NAME ...      only these faults

Exit codes: 0 all faults found, 1 a fault was not found, 2 wrong arguments, 4 a library is missing or unusable.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from adaptor.codegen.model import load_registry
from adaptor.codegen.strict_yaml import exit_with

from ...run.binding import default_library, default_runtime
from .judging import FaultJudge, build
from .table import FAULTS


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", nargs="+", default=[], metavar="NAME", choices=[f.name for f in FAULTS])
    parser.add_argument("--library", type=Path, default=default_library(), help="the correct libdiopi_impl.so")
    parser.add_argument("--runtime", type=Path, default=default_runtime(), help="libdiopirt.so")
    arguments = parser.parse_args(argv)
    for path in (arguments.library, arguments.runtime):
        if not path.exists():
            print(f"{path} does not exist: build it, or give its path as an option", file=sys.stderr)
            return 4
    chosen = [f for f in FAULTS if not arguments.fault or f.name in arguments.fault]
    with tempfile.TemporaryDirectory() as folder:
        judge = FaultJudge(
            load_registry(), arguments.runtime.resolve(), arguments.library.resolve(), build(Path(folder))
        )
        survived = 0
        for fault in chosen:
            finding = judge.judge(fault)
            survived += not finding.caught
            print(
                f"{'caught' if finding.caught else 'SURVIVED'}  {fault.name} ({fault.kind}): "
                f"{finding.case or finding.elsewhere or 'every case passed'}",
                flush=True,
            )
            if finding.caught:
                print(f"        {finding.message}")
    print(f"{len(chosen) - survived} of {len(chosen)} faults caught")
    return 1 if survived else 0


if __name__ == "__main__":
    exit_with(main, 3)
