# SPDX-License-Identifier: BSD-3-Clause
"""Starts a program under the layer."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from .. import locate
from .errors import UsageError

LAYER = "libdiopi_layer.so"


def find_layer() -> Path:
    """The file of the layer: DIOPI_LAYER_LIBRARY, else beside the libraries of the package or of a build folder."""
    asked = os.environ.get("DIOPI_LAYER_LIBRARY")
    if asked:
        if not Path(asked).is_file():
            raise UsageError(f"DIOPI_LAYER_LIBRARY is {asked!r}, which is no file")
        return Path(asked).resolve()
    for folder in locate.folders():
        if (folder / LAYER).is_file():
            return (folder / LAYER).resolve()
    places = ", ".join(str(f) for f in locate.folders())
    raise UsageError(f"{LAYER} is not in {places}; build it (scripts/build_impl.sh cpu), or set DIOPI_LAYER_LIBRARY")


def find_program(command: Sequence[str]) -> str:
    found = shutil.which(command[0])
    if found is None:
        raise UsageError(f"{command[0]!r} is no program that can be started")
    return found


def not_started(command: Sequence[str], error: OSError) -> UsageError:
    return UsageError(f"{command[0]!r} cannot be started: {error.strerror}")


def start(command: Sequence[str], environment: dict[str, str], output: int | None = None) -> int:
    """Runs a program and returns its exit status, 128 + n if signal n ended it. An interrupt goes to the program."""
    try:
        program = subprocess.Popen(list(command), env=environment, stdout=output, stderr=output)
    except OSError as error:
        raise not_started(command, error) from None
    while True:
        try:
            status = program.wait()
            return status if status >= 0 else 128 - status
        except KeyboardInterrupt:  # the terminal has sent it to the program, too
            continue
        except BaseException:
            program.send_signal(signal.SIGTERM)
            raise
