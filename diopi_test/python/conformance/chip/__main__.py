# SPDX-License-Identifier: BSD-3-Clause
"""Judges the vendor cuda on the GPU of this machine, a few families at a time, and records what the GPU judged.

    python -m conformance.chip --build ../../build/release-cuda   judge, and update impl/cuda/judged.json
    python -m conformance.chip --changed                          the families that no chip has judged as they are now
    python -m conformance.chip --emulated --build ../../build/cuda-emulated --out FILE
                                                                  the same steps with the kernels on the CPU

The processes of the judge share the GPU through NVIDIA's Multi-Process Service where the machine has it. There, a
kernel that ends one process ends them all: so families with failures are judged again without it, and that counts.

The families that a chip has not judged as they are now come first, and among these the ones that networks use most. The
run ends when the time is over. Families that are not finished then keep their entries in the file, and are named.

Exit codes: 0 all families were judged and no case failed; 1 a case failed; 2 wrong options; 3 the file is not a record
of judged families; 4 there is no driver or no GPU, or the library cannot be used; 5 the time was over before all
families were judged, and no case failed.
"""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from ..run.workers import MOST_JOBS, default_jobs
from .judging import EMULATION, ChipError, Device, Settings, find_device, is_emulated, judge_families
from .record import (
    CHECKED_IN,
    Judged,
    RecordError,
    changed,
    failures,
    never_judged,
    read_record,
    summary,
    write_record,
)
from .sharing import shared_gpu
from .sources import Sources

OK, FAILED, USAGE, BAD_RECORD, NO_DEVICE, TIME_OVER = range(6)
TOGETHER = 8  # families of one run of the judge

# The families that networks use most come first; the other ones follow by name.
IMPORTANT = (
    *("binary", "unary", "activation", "softmax", "reduce", "norm_layer", "norm_rms", "norm_batch", "norm_group"),
    *("select_slice", "concat", "permute", "index", "embedding", "scatter_gather", "sort", "cumulative", "dropout"),
    *("random", "loss_nll", "loss", "optimizer", "foreach", "pool_max", "pool_avg", "where", "compare", "fill"),
)


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.chip", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--changed", action="store_true", help="print the families to judge, and exit")
    parser.add_argument("--build", type=Path, metavar="FOLDER", help="the build folder of the vendor cuda")
    parser.add_argument("--emulated", action="store_true", help="the kernels run on the CPU; needs --out")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help=f"the record (default: {CHECKED_IN.name} in impl/cuda)"
    )
    parser.add_argument(
        "--minutes", type=float, default=20.0, help="the time limit of the judge (default: %(default)g)"
    )
    parser.add_argument("--families", nargs="+", default=[], metavar="NAME", help="judge only these families")
    parser.add_argument("--all-cases", action="store_true", help="judge all cases, not a quarter of the hostile ones")
    parser.add_argument("--jobs", type=int, default=default_jobs(), help="worker processes (default: one per CPU)")
    arguments = parser.parse_args(argv)
    own = CHECKED_IN.resolve()
    if arguments.emulated and (arguments.out is None or arguments.out.resolve() == own):
        parser.error("--emulated needs --out with another file than that of the chips, because no chip judges")
    if not arguments.changed and arguments.build is None:
        parser.error("--build is missing")
    if not arguments.minutes > 0:
        parser.error("--minutes must be more than 0")
    if not 1 <= arguments.jobs <= MOST_JOBS:
        parser.error(f"--jobs must be from 1 to {MOST_JOBS}")
    unknown = sorted(set(arguments.families) - set(Sources().families()))
    if unknown:
        parser.error(f"the vendor cuda has no family {', '.join(unknown)}; it has {' '.join(Sources().families())}")
    arguments.out = arguments.out or CHECKED_IN
    return arguments


def order(families: list[str], first: set[str]) -> list[str]:
    """The families in the order in which they are judged. Those of `first` come first."""

    def key(family: str) -> tuple[bool, int, str]:
        return family not in first, IMPORTANT.index(family) if family in IMPORTANT else len(IMPORTANT), family

    return sorted(families, key=key)


def judge_sharing(settings: Settings, families: list[str], ends: float) -> dict[str, dict[str, int]] | None:
    """The counts of families; of those that failed while processes shared the GPU, the counts without that."""
    counts = judge_families(settings, families, ends - time.monotonic())
    if counts is None or not settings.variables:
        return counts
    again = [family for family in families if failures(counts[family])]
    if not again:
        return counts
    print(f"judging again, each process in turn: {' '.join(again)}", flush=True)
    alone = judge_families(replace(settings, variables={}), again, ends - time.monotonic())
    return None if alone is None else counts | alone


def judge_all(settings: Settings, device: Device, arguments: argparse.Namespace) -> int:
    sources, record = Sources(), read_record(arguments.out)
    first = {*never_judged(record, sources), *changed(record, sources)}
    families = order(arguments.families or sources.families(), first)
    ends, missing, failed = time.monotonic() + 60 * arguments.minutes, [], 0
    for begin in range(0, len(families), TOGETHER):
        own = families[begin : begin + TOGETHER]
        digests = {family: sources.digest(family) for family in own}
        counts = judge_sharing(settings, own, ends)
        if counts is None:
            missing = families[begin:]
            break
        for family in own:
            record[family] = Judged.of(
                counts[family],
                sources=digests[family],
                date=time.strftime("%Y-%m-%d", time.gmtime()),
                device=device.name,
                driver=device.driver,
                cases="all" if settings.all_cases else "quick",
            )
        write_record(arguments.out, record, sources.families())
        left = max(ends - time.monotonic(), 0) / 60
        for position, family in enumerate(own, begin + 1):
            entry = record[family]
            failed += entry.failed
            print(
                f"[{position} of {len(families)}] {family}: {entry.passed} passed, {entry.on_host} on the host, "
                f"{entry.failed} failed, {entry.skipped} skipped; {left:.1f} minutes left",
                flush=True,
            )
    if missing:
        print(f"not judged, because the time is over, {len(missing)} families: {' '.join(missing)}")
    print(f"{len(families) - len(missing)} families judged on {device.name}, {failed} cases failed: {arguments.out}")
    return FAILED if failed else TIME_OVER if missing else OK


def main(argv: list[str] | None = None) -> int:
    arguments = parse_arguments(argv)
    try:
        if arguments.changed:
            print(summary(read_record(arguments.out), Sources()))
            return OK
        if is_emulated(arguments.build) != arguments.emulated:
            with_or_without = "without" if arguments.emulated else "with"
            raise ChipError(f"{arguments.build} was built {with_or_without} the emulation of CUDA")
        device = EMULATION if arguments.emulated else find_device()
        hang = 1800 if arguments.emulated else 120  # the CPU is slow, and may be busy
        sharing: AbstractContextManager[dict[str, str]] = nullcontext({}) if arguments.emulated else shared_gpu()
        with sharing as variables:
            settings = Settings(arguments.build, arguments.all_cases, arguments.jobs, hang, variables)
            return judge_all(settings, device, arguments)
    except RecordError as error:
        code, problem = BAD_RECORD, str(error)
    except (ChipError, OSError) as error:
        code, problem = NO_DEVICE, str(error)
    print(f"error: {problem}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
