# SPDX-License-Identifier: BSD-3-Clause
"""NVIDIA's Multi-Process Service: the worker processes of the judge use the GPU at the same time, not in turns."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONTROL = "nvidia-cuda-mps-control"
PIPES, LOGS = "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY"
SECONDS = 30  # to start or to end the service


@contextmanager
def shared_gpu() -> Iterator[dict[str, str]]:
    """Starts the service, and ends it. Yields the variables that a process needs to use it: none if the machine does
    not have the service, or if it does not start."""
    with tempfile.TemporaryDirectory(prefix="mps-") as folder:
        variables = {PIPES: f"{folder}/pipes", LOGS: f"{folder}/logs"}
        for path in variables.values():
            Path(path).mkdir()
        if PIPES in os.environ or not _control(["-d"], variables):
            yield {}
            return
        try:
            yield variables
        finally:
            _control([], variables, "quit\n")


def _control(arguments: list[str], variables: dict[str, str], text: str = "") -> bool:
    """Whether the control program did what it was asked."""
    program = shutil.which(CONTROL)
    if program is None:
        return False
    try:
        run = subprocess.run(
            [program, *arguments],
            input=text,
            text=True,
            env=os.environ | variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return run.returncode == 0
