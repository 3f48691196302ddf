# SPDX-License-Identifier: BSD-3-Clause
"""Judges the checks of the layer's mode contract with the invalid calls.

    python -m conformance.selfcheck.contract                      the invalid calls of all operators
    python -m conformance.selfcheck.contract --fname conv Sort    only those of these operators or families

A generated library, which accepts every call, runs under `contract` with DIOPI_LAYER_REFUSE=1. The judge makes its
invalid calls: the layer must refuse each with the right error code, a message with the argument and the wrong value,
and outputs that are unchanged. It accepts calls that violate only checks that it does not make: those that need the
elements of tensors, those that are written by hand for a family, and sizes beyond 64 bits that a family computes.

Exit codes: 0 every other call is refused, 1 one is not, 2 wrong arguments, 4 the layer or the runtime is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from adaptor.codegen.arguments.__main__ import emit
from adaptor.codegen.model import Registry, load_registry

from ... import REPOSITORY
from ...cases.suite import UsageError, resolve_names
from ...run.binding import HostError, default_runtime
from ...run.workers import default_jobs
from .library import build
from .outcomes import Outcomes

OK, FAILED, USAGE, NO_LIBRARY = 0, 1, 2, 4


def default_layer() -> Path:
    return default_runtime().parent / "libdiopi_layer.so"


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.selfcheck.contract",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--fname", nargs="+", default=[], metavar="NAME", help="operators or families")
    parser.add_argument("--layer", type=Path, default=default_layer(), help="libdiopi_layer.so")
    parser.add_argument("--runtime", type=Path, default=default_runtime(), help="libdiopirt.so")
    parser.add_argument("--jobs", type=int, default=default_jobs(), help="worker processes (default: one per CPU)")
    parser.add_argument("--timeout", type=float, default=120.0, help="time limit of one case in seconds (default: 120)")
    parser.add_argument("--max_failures", type=int, default=50, help="failures printed in full (default: 50)")
    return parser.parse_args(argv)


def left_checks(registry: Registry) -> dict[str, bool]:
    """The checks for which no code is generated, and whether they depend on data."""
    return {check.identifier: check.depends_on_data for reader in emit(registry)[1] for check, _ in reader.left}


def judge(registry: Registry, arguments: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    """The results of the invalid calls, as the judge's report has them."""
    report, output = folder / "report.json", folder / "output"
    command = [sys.executable, "main.py", "--mode", "run_test", "--case", "*/invalid:*", "--json", str(report)]
    command += ["--library", str(build(registry, folder)), "--runtime", str(arguments.runtime.resolve())]
    command += ["--jobs", str(arguments.jobs), "--timeout", str(arguments.timeout), "--max_failures", "0"]
    command += ["--fname", *arguments.fname] if arguments.fname else []
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DIOPI_LAYER")}
    environment |= {"DIOPI_LAYER": "contract", "DIOPI_LAYER_REFUSE": "1", "DIOPI_LAYER_OUT": str(folder / "layer")}
    environment["LD_PRELOAD"] = str(arguments.layer.resolve())
    with output.open("w", encoding="utf-8") as file:
        status = subprocess.run(
            command,
            cwd=REPOSITORY / "diopi_test" / "python",
            env=environment,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    if status not in (0, 1) or not report.is_file():
        raise HostError(f"the judge ended with exit code {status}:\n{output.read_text(encoding='utf-8')[-3000:]}")
    results: list[dict[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["results"]
    return results


def reported(folder: Path) -> set[str]:
    """The identifiers of the checks for which the layer has refused a call."""
    found = (json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("layer/*/contract.json"))
    return {row["check"] for summary in found for row in summary["checks"]}


def run(arguments: argparse.Namespace) -> int:
    registry, outcomes = load_registry(), Outcomes()
    resolve_names(registry, arguments.fname)
    for path in (arguments.layer, arguments.runtime):
        if not path.exists():
            raise HostError(f"{path} does not exist: build it, or give its path with --layer or --runtime")
    left = left_checks(registry)
    with tempfile.TemporaryDirectory() as folder:
        results = judge(registry, arguments, Path(folder))
        named = reported(Path(folder))
    for result in results:
        outcomes.add(result, left)
    for wrong in outcomes.failed[: arguments.max_failures]:
        print(f"FAIL {wrong['name']}", *(f"    {m}" for m in wrong["messages"]), sep="\n")
    judged = {r["check"] for r in results if r["status"] == "PASS" and "check" in r}
    print(
        f"{len(judged & named)} of {len(judged)} checks are named; the others fail after another check of the same call"
    )
    print(f"{len({r['operator'] for r in results})} operators, {len(results)} invalid calls: {outcomes}")
    return FAILED if outcomes.failed or not outcomes.refused else OK


def main(argv: list[str] | None = None) -> int:
    arguments = parse_arguments(argv)
    try:
        return run(arguments)
    except UsageError as error:
        print(error, file=sys.stderr)
        return USAGE
    except (HostError, OSError) as error:
        print(error, file=sys.stderr)
        return NO_LIBRARY


if __name__ == "__main__":
    sys.exit(main())
