# SPDX-License-Identifier: BSD-3-Clause
"""The file that says for each family what a GPU judged last: impl/cuda/judged.json."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from .. import REPOSITORY
from ..run.result import FAIL, FALLBACK, PASS, SKIPPED, UNSUPPORTED, UNTRUSTED
from .sources import VENDOR, Sources

CHECKED_IN = REPOSITORY / VENDOR / "judged.json"
NEVER = "never"


class RecordError(Exception):
    """A file that is not a record of judged families."""


def failures(counts: Mapping[str, int]) -> int:
    """The number of failed cases in the counts of the judge's report."""
    return counts.get(FAIL, 0) + counts.get(UNTRUSTED, 0)


@dataclass(frozen=True)
class Judged:
    """What a device judged of a family."""

    sources: str  # the digest of the sources that were judged
    date: str
    device: str
    driver: str
    cases: str  # "quick" or "all"
    passed: int
    on_host: int  # right results that the CPU vendor computed
    failed: int
    skipped: int

    @staticmethod
    def of(counts: Mapping[str, int], **about: str) -> Judged:
        """From the counts of the judge's JSON report."""

        def number(*statuses: str) -> int:
            return sum(counts.get(status, 0) for status in statuses)

        return Judged(
            **about,
            passed=number(PASS),
            on_host=number(FALLBACK),
            failed=failures(counts),
            skipped=number(UNSUPPORTED, SKIPPED),
        )


Record = dict[str, Judged]  # family -> its last judgement; a family that is not in it was never judged


def read_record(path: Path) -> Record:
    """Reads the file. A file that does not exist is empty."""
    if not path.exists():
        return {}
    try:
        families = json.loads(path.read_text(encoding="utf-8"))["families"]
        return {name: _entry(entry) for name, entry in families.items() if entry != NEVER}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"{path} is not a record of judged families: {type(error).__name__}: {error}") from None


def _entry(data: dict[str, Any]) -> Judged:
    entry = Judged(**data)
    for field in fields(Judged):
        value = getattr(entry, field.name)
        if type(value).__name__ != field.type:
            raise ValueError(f"{field.name} is {value!r}")
    return entry


def write_record(path: Path, record: Record, families: list[str]) -> None:
    """Writes one entry for each of `families`. The file is replaced at once, so that no reader sees a part of it."""
    entries = {name: asdict(record[name]) if name in record else NEVER for name in sorted(families)}
    text = json.dumps({"vendor": "cuda", "families": entries}, indent=1) + "\n"
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def never_judged(record: Record, sources: Sources) -> list[str]:
    return [name for name in sources.families() if name not in record]


def changed(record: Record, sources: Sources) -> list[str]:
    """The families whose sources are not those that were judged."""
    return [name for name in sources.families() if name in record and record[name].sources != sources.digest(name)]


def failing(record: Record) -> list[str]:
    return [name for name, entry in sorted(record.items()) if entry.failed]


def summary(record: Record, sources: Sources) -> str:
    """Which families no chip has judged as they are now."""
    lines = []
    for title, names in (
        ("never judged on a chip", never_judged(record, sources)),
        ("changed since a chip judged them", changed(record, sources)),
        ("failed when a chip judged them", failing(record)),
    ):
        if names:
            lines.append(f"{title}, {len(names)} of {len(sources.families())} families: {' '.join(names)}")
    return "\n".join(lines) or f"a chip has judged all {len(sources.families())} families as they are"
