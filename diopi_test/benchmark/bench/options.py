# SPDX-License-Identifier: BSD-3-Clause
"""The options of the bench."""

from __future__ import annotations

import argparse
from pathlib import Path

from .runner import ISA_VARIABLES

ROOT = Path(__file__).resolve().parents[3]
RECORD = ROOT / "impl" / "cuda" / "benched.json"  # the figures of the last complete run on a GPU
PEERS = ("torch", "onednn", "numpy")
DESCRIPTION = """Measures our library and its peers: times, ratios, and shares of the machine's limits. See
docs/benchmark.md."""
EXIT_CODES = """exit codes: 0 measured; 1 a side failed or computed another result; 2 wrong options, or a mistake in a
file of the bench; 4 the library, a peer or the GPU cannot be used; with --device also 5 the time was over before all
cases were measured, 6 a goal was missed"""
OK, FAILED, USAGE, UNUSABLE, TIME_OVER, MISSED = 0, 1, 2, 4, 5, 6


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.sh", description=DESCRIPTION, epilog=EXIT_CODES)
    parser.add_argument("--filter", default="", metavar="RE", help="runs only cases whose name has a match")
    parser.add_argument(
        "--models", metavar="LIST", help="measures all operator calls of these models (`all`: of every model) instead"
    )
    parser.add_argument(
        "--sweep", action="store_true", help="measures many shapes, dtypes and layouts (sweep/*.yaml) instead"
    )
    parser.add_argument(
        "--memory", type=float, default=20, metavar="GIB", help="with --models: the most memory of a call (%(default)s)"
    )
    parser.add_argument("--peer", metavar="LIST", help="of torch, onednn, numpy (torch,onednn; on a device torch)")
    parser.add_argument("--threads", metavar="LIST", help="numbers of threads (1,2)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="writes all results, including raw samples")
    parser.add_argument(
        "--against", type=Path, metavar="FILE", help="lists what became slower since an earlier --json file"
    )
    parser.add_argument("--plot", type=Path, metavar="DIR", help="draws a chart of the ratios, rooflines and growth")
    parser.add_argument("--from", type=Path, metavar="FILE", dest="run", help="draws the chart of this --json file")
    parser.add_argument("--list", action="store_true", help="prints the names of the cases, and exits")
    parser.add_argument("--quick", action="store_true", help="takes three short samples, measures no limits (a test)")
    parser.add_argument("--samples", type=int, help="number of samples per side and case (7; on a device 25)")
    parser.add_argument("--no-limits", action="store_true", help="does not measure the machine's limits")
    parser.add_argument("--no-first-call", action="store_true", help="does not measure first calls")
    parser.add_argument("--isa", choices=sorted(ISA_VARIABLES), help="both sides use no better instructions than these")
    parser.add_argument("--library-first", action="store_true", help="loads our library before the peers'")
    parser.add_argument("--library", type=Path, help="our library (default: lib/libdiopi_impl.so of the build)")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", help=argparse.SUPPRESS)
    parser.add_argument("--device", choices=["cuda"], help="measures the vendor cuda on a GPU, against PyTorch there")
    parser.add_argument(
        "--emulated", action="store_true", help="with --device: kernels on the CPU, small cases, no peer"
    )
    parser.add_argument("--minutes", type=float, metavar="N", help="with --device: ends after this time")
    parser.add_argument("--record", type=Path, metavar="FILE", help="with --device: writes the figures of the run")
    arguments = parser.parse_args()
    if problem := wrong_combination(arguments):
        parser.error(problem)
    default_peers = "" if arguments.emulated else "torch" if arguments.device else "torch,onednn"
    arguments.peer = default_peers if arguments.peer is None else arguments.peer
    arguments.threads = arguments.threads or "1,2"
    arguments.samples = arguments.samples or (25 if arguments.device else 7)
    return arguments


def wrong_combination(arguments: argparse.Namespace) -> str:
    """What is wrong about options together; empty if nothing is."""
    if not arguments.device:
        if arguments.models is not None and (arguments.sweep or arguments.against):
            return f"--models and --{'sweep' if arguments.sweep else 'against'} exclude each other"
        given = [name for name in ("emulated", "minutes", "record") if getattr(arguments, name)]
        return f"--{given[0]} needs --device cuda" if given else ""
    of_cpu = ("models", "sweep", "against", "threads", "plot", "run", "isa")
    others = [name for name in of_cpu if getattr(arguments, name)]
    if others:
        return f"--device cuda and --{others[0].replace('run', 'from')} exclude each other"
    if arguments.peer not in (None, "", "torch") or (arguments.emulated and arguments.peer):
        return "the emulation has no peer" if arguments.emulated else "on a device the only peer is torch"
    if arguments.minutes is not None and not arguments.minutes > 0:
        return "--minutes must be more than 0"
    partial = arguments.emulated or arguments.filter or arguments.quick or arguments.peer == ""
    if arguments.record and arguments.record.resolve() == RECORD and partial:
        return f"{RECORD.name} is for complete runs on a GPU: --record needs another file"
    return ""
