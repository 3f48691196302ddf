# SPDX-License-Identifier: BSD-3-Clause
"""Functions that read cases from text in a test."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

from adaptor.codegen.model import Registry, load_registry
from conformance.cases.case import Case
from conformance.cases.group import Group
from conformance.cases.reader import load_cases
from conformance.run.workers import default_jobs

# The number of worker processes of a judge: 1 where pytest itself runs tests in several processes.
JOBS = 1 if "PYTEST_XDIST_WORKER" in os.environ else default_jobs()
# The command with which a test runs the judge in another process. The time limit is long, because the machine may be
# slow and busy, and no test that uses it tests hangs.
RUN_TEST = [
    sys.executable,
    str(Path(__file__).resolve().parents[1] / "main.py"),
    "--mode",
    "run_test",
    "--timeout",
    "900",
    "--jobs",
    str(JOBS),
]


@cache
def registry() -> Registry:
    return load_registry()


def cases_of(folder: Path, family: str, text: str) -> list[Case]:
    """The cases of `text`, which is the `operators` part of a case file of `family`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{family}.yaml").write_text(f"family: {family}\noperators:\n{text}", encoding="utf-8")
    return load_cases(registry(), folder)


def group_of(folder: Path, family: str, text: str, layouts: tuple[str, ...] | None = None) -> Group:
    """The group of the only case of `text`, which has one dtype."""
    (case,) = cases_of(folder, family, text)
    (dtype,) = case.dtypes
    return Group(case, dtype, layouts or case.layouts)
