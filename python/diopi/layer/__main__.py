# SPDX-License-Identifier: BSD-3-Clause
"""diopi-layer: runs a program with the layer in front of its vendor's library.

diopi-layer --compare -- build/release/bin/train_digits
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..errors import Error
from . import bisect, options, replay, report, start
from .errors import UsageError


def run(arguments: Sequence[str]) -> int:
    """Runs a program, then writes the reports. Returns the program's exit status."""
    asked = options.read(arguments)
    start.find_program(asked.command)
    layer = start.find_layer()
    is_new = not asked.folder.exists()
    if asked.variables["DIOPI_LAYER"]:
        make_folder(asked.folder, asked.report)
    try:
        status = start.start(asked.command, options.environment(asked, layer))
    finally:
        if is_new:
            with contextlib.suppress(OSError):
                asked.folder.rmdir()  # if it is empty, because the program has called no operator
    if asked.report:
        show(asked.folder, asked.command, status)
    return status


def make_folder(folder: Path, must_be_empty: bool) -> None:
    """Makes the folder of the results, or finds out that it cannot be used."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        is_empty = not any(folder.iterdir())
    except OSError as error:
        raise UsageError(f"--out: {folder} cannot be a folder of results: {error.strerror}") from None
    if must_be_empty and not is_empty:
        raise UsageError(f"--out: {folder} is not empty; name another folder, or remove it")


def show(folder: Path, command: Sequence[str], status: int | None) -> None:
    try:
        lines = report.write(folder, command, status)
    except (UsageError, OSError) as error:  # the program has ended; its exit status counts
        lines = [str(error)]
    for line in lines:
        print(f"diopi-layer: {line}", file=sys.stderr)


def make_report(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="diopi-layer report",
        description="Writes report.html and report.json of a folder that a run has written.",
        epilog="Exit status: 0, or 2 if the folder has no results.",
    )
    parser.add_argument("folder", type=Path)
    given = parser.parse_args(arguments)
    for line in report.write(given.folder, ["(unknown)"], None):
        print(line)
    return 0


COMMANDS = {"bisect": bisect.main, "replay": replay.main, "report": make_report}


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given[:1] and given[0] in COMMANDS:
            return COMMANDS[given[0]](given[1:])
        return run(given or ["--help"])
    except (UsageError, Error) as error:
        print(f"diopi-layer: {error}", file=sys.stderr)
    except OSError as error:
        print(f"diopi-layer: {error.filename}: {error.strerror}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
