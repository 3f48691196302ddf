# SPDX-License-Identifier: BSD-3-Clause
"""Cases written in a test instead of a file."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from adaptor.codegen.model import Registry, load_registry
from conformance.case_files import RawCase, load_cases
from conformance.prepared import Group

# How a test judges in a process of its own. The limit is for hangs, which nothing here tests: a machine may be slow
# and busy.
RUN_TEST = [
    sys.executable,
    str(Path(__file__).resolve().parents[1] / "main.py"),
    "--mode",
    "run_test",
    "--timeout",
    "900",
]


@cache
def registry() -> Registry:
    return load_registry()


def cases_of(folder: Path, family: str, text: str) -> list[RawCase]:
    """The cases of `text`, the `operators` part of a file of `family`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{family}.yaml").write_text(f"family: {family}\noperators:\n{text}", encoding="utf-8")
    return load_cases(registry(), folder)


def group_of(folder: Path, family: str, text: str, variants: tuple[str, ...] | None = None) -> Group:
    """The only case of `text` with its only dtype."""
    (raw,) = cases_of(folder, family, text)
    (dtype,) = raw.dtypes
    return Group(raw, dtype, variants or raw.variants)
