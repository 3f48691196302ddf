# SPDX-License-Identifier: BSD-3-Clause
"""The command line of `diopi-layer -- COMMAND`, and the environment that it stands for."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import names
from .errors import UsageError

ELF = b"\x7fELF"  # the first bytes of a library
HEAP = "libdiopi_layer_heap.so"  # stands in front of malloc for the mode memory

MODES = {
    "trace": "one line for each call: arguments, status, time",
    "contract": "the checks of the contract before each call; violations are reported",
    "capture": "inputs and outputs of each call, for `diopi-layer replay`",
    "compare": "each call also on the reference library, and both results compared",
    "time": "count, total, mean, median and 99th percentile for each operator and shape",
    "memory": "memory that is never freed, on the device and the heap, high-water marks, use after the end",
    "values": "NaN, Inf, numbers beyond float16 and denormals: where they appear first",
}

# Options with a value: name -> (environment variable, metavar, help).
VALUES = {
    "every": ("DIOPI_LAYER_EVERY", "N", "each N-th call of an operator only"),
    "first": ("DIOPI_LAYER_FIRST", "N", "the first N of these calls only"),
    "level": ("DIOPI_LAYER_TRACE_LEVEL", "N", "trace: 1 names, 2 arguments (default), 3 also elements"),
    "memory-limit": ("DIOPI_LAYER_MEMORY", "SIZE", "memory for copies, such as 512M (default: 4G)"),
    "disk-limit": ("DIOPI_LAYER_DISK", "SIZE", "bytes written at most, such as 2G (default: 16G)"),
    "vendor": ("DIOPI_LAYER_VENDOR", "FILE", "the library below (default: the one that the program opens)"),
    "reference": (
        "DIOPI_LAYER_REFERENCE",
        "FILE",
        "the library for --compare and --fallback (default: the CPU vendor)",
    ),
}
MOST = 2**63 - 1
SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(frozen=True)
class Run:
    """A program to run, and the variables of the layer."""

    command: list[str]
    folder: Path
    variables: dict[str, str]
    report: bool


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="diopi-layer",
        usage="diopi-layer [options] -- COMMAND [ARGUMENT...]\n       diopi-layer {bisect,replay,report} --help",
        description="Runs a program with the layer in front of its vendor's library. Neither is recompiled. Without a "
        "mode, the calls pass through unchanged.",
        epilog="The exit status is that of the program (128 + number for a signal), or 2 for wrong usage.",
        allow_abbrev=False,
    )
    modes = made.add_argument_group("modes, in any combination")
    for mode, text in MODES.items():
        modes.add_argument(f"--{mode}", action="store_true", help=text)
    modes.add_argument("--fallback", metavar="OPS", help="these operators are computed by the reference library")
    chosen = made.add_argument_group("operators and calls")
    chosen.add_argument(
        "--ops", metavar="OPS", help="regular expressions with commas, of DIOPI or ATen names (aten::...)"
    )
    chosen.add_argument("--except", metavar="OPS", dest="exceptions", help="leaves these out, whatever --ops says")
    other = made.add_argument_group("other options")
    for name, (_, metavar, text) in VALUES.items():
        (chosen if name in ("every", "first") else other).add_argument(f"--{name}", metavar=metavar, help=text)
    other.add_argument("--refuse", action="store_true", help="contract: a call that violates a check fails")
    other.add_argument("--text", action="store_true", help="trace: readable text in place of JSON lines")
    other.add_argument("--sync", action="store_true", help="waits for the stream after each call")
    other.add_argument(
        "--out", type=Path, default=Path("diopi-layer"), metavar="DIR", help="results (default: diopi-layer)"
    )
    other.add_argument("--no-report", action="store_true", help="writes no report.html and report.json at the end")
    made.add_argument("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return made


def whole(text: str) -> int | None:
    """The number that a text of decimal digits stands for; None if it is another text or needs more than 63 bits."""
    if not (text.isascii() and text.isdigit() and len(text.lstrip("0")) < 20):
        return None
    return int(text) if int(text) <= MOST else None


def size_of(text: str, option: str) -> str:
    """`512M` as a number of bytes."""
    unit = text[-1:].upper() if not text[-1:].isdigit() else ""
    number = whole(text[: len(text) - len(unit)])
    if unit not in SIZES or number is None or number * SIZES[unit] > MOST:
        raise UsageError(f"{option} is {text!r}, expected a number with K, M, G or T, such as 512M, below 2**63 bytes")
    return str(number * SIZES[unit])


def read(arguments: Sequence[str]) -> Run:
    """The run that the arguments ask for."""
    given = parser().parse_args(arguments)
    command = given.command[1:] if given.command[:1] == ["--"] else given.command
    if not command:
        raise UsageError("there is no command; write it after --")
    modes = [mode for mode in MODES if getattr(given, mode)]
    variables = {}
    for option, (variable, _, _) in VALUES.items():
        value = getattr(given, option.replace("-", "_"))
        if value is not None:
            variables[variable] = checked(option, value)
    if given.fallback is not None:
        modes.append("fallback")
        variables["DIOPI_LAYER_FALLBACK_OPS"] = names.patterns(given.fallback, "--fallback")
    if given.ops is not None:
        variables["DIOPI_LAYER_OPS"] = names.patterns(given.ops, "--ops")
    if given.exceptions is not None:
        variables["DIOPI_LAYER_EXCEPT"] = names.patterns(given.exceptions, "--except")
    if given.refuse and not given.contract:
        raise UsageError("--refuse needs --contract, whose checks it refuses calls for")
    if given.refuse:
        variables["DIOPI_LAYER_REFUSE"] = "1"
    if given.text:
        variables["DIOPI_LAYER_TRACE_FORMAT"] = "text"
    if given.sync:
        variables["DIOPI_LAYER_SYNC"] = "1"
    folder = given.out.absolute()
    variables |= {"DIOPI_LAYER": ",".join(modes), "DIOPI_LAYER_OUT": str(folder)}
    return Run(command, folder, variables, bool(modes) and not given.no_report)


def checked(option: str, value: str) -> str:
    """The value of an option as the layer reads it."""
    if option.endswith("-limit"):
        return size_of(value, f"--{option}")
    if option in ("vendor", "reference"):
        return library(value, f"--{option}")
    number, most = whole(value), 3 if option == "level" else MOST
    if number is None or not 1 <= number <= most:
        raise UsageError(f"--{option} is {value!r}, expected a whole number from 1 to {most}")
    return str(number)


def library(value: str, option: str) -> str:
    """The path of a library. Whether it has what it needs is found out when it is opened."""
    path = Path(value)
    if not path.is_file():
        raise UsageError(f"{option} is {value!r}, which is no file")
    with path.open("rb") as file:
        if file.read(len(ELF)) != ELF:
            raise UsageError(f"{option} is {value!r}, which is no library")
    return str(path.resolve())


def environment(run: Run, layer: Path, inherited: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of the program: without variables of the layer that were set before."""
    kept = {k: v for k, v in inherited.items() if not k.startswith("DIOPI_LAYER")}
    heap = layer.parent / HEAP
    observes_heap = "memory" in run.variables.get("DIOPI_LAYER", "").split(",") and heap.is_file()
    preload = [str(layer), *([str(heap)] if observes_heap else []), *filter(None, [kept.get("LD_PRELOAD")])]
    return kept | run.variables | {"LD_PRELOAD": " ".join(preload)}
