# SPDX-License-Identifier: BSD-3-Clause
"""Reads captured calls. docs/layer.md describes the format."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .checks import Field, check_call
from .errors import UsageError

FORMAT, VERSION = "diopi-capture", 1


@dataclass(frozen=True)
class Storage:
    """A piece of memory of a call."""

    bytes: int
    on_host: bool
    alignment: int
    before: int | None  # positions in the file of the call
    after: int | None


@dataclass(frozen=True)
class CapturedCall:
    """One captured call."""

    number: int
    operator: str
    status: int
    arguments: dict[str, Any]
    storages: tuple[Storage, ...]
    path: Path | None
    numbers_after: dict[str, Any]  # what the operator stored through pointers to numbers

    def memory(self, position: int | None, length: int) -> bytes | None:
        """The bytes at a position of the file; None if there are none."""
        if position is None or self.path is None:
            return None
        with self.path.open("rb") as file:
            file.seek(position)
            found = file.read(length)
        if len(found) < length:
            raise UsageError(f"{self.path} is cut off: {position + length} bytes are expected")
        return found


def folders(folder: Path) -> list[Path]:
    """The folders with captured calls in the folder of a run, of a process, or of captured calls."""
    found = [p for p in (folder, folder / "capture") if (p / "index.jsonl").is_file()]
    found = found or sorted(p.parent for p in folder.glob("*/capture/index.jsonl"))
    if not found:
        raise UsageError(f"{folder} has no captured calls: there is no capture/index.jsonl")
    return found


def calls(folder: Path) -> Iterator[CapturedCall]:
    """The calls of one folder. A last line that is cut off is left out."""
    index = folder / "index.jsonl"
    try:
        file = index.open("rb")
    except OSError as error:
        raise UsageError(f"{index} cannot be read: {error.strerror}") from None
    with file:
        _check_head(index, file.readline())
        for number, line in enumerate(file, 2):
            if not line.endswith(b"\n"):
                return
            where = f"{index}, line {number}"
            try:
                raw = json.loads(line.decode())
            except (ValueError, RecursionError) as error:  # a UnicodeDecodeError is a ValueError
                raise UsageError(f"{where}: this is no captured call: {error}") from None
            call = Field(f"{where}, call {Field(where, '', raw).at('call').whole(1)}", "", raw)
            check_call(call, folder)
            yield _call(folder, raw)


def _check_head(index: Path, line: bytes) -> None:
    try:
        head = json.loads(line.decode())
    except (ValueError, RecursionError):
        head = {}
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise UsageError(f"{index} does not begin with the line of the format {FORMAT}")
    if head.get("version") != VERSION:
        raise UsageError(f"{index} has version {head.get('version')} of the format, expected {VERSION}")
    if head.get("byte_order") != sys.byteorder:
        given = head.get("byte_order")
        raise UsageError(f"{index} has the byte_order {given!r}, expected that of this machine, {sys.byteorder!r}")


def _call(folder: Path, raw: dict[str, Any]) -> CapturedCall:
    storages = tuple(
        Storage(s["bytes"], s["device"] == "host", s["alignment"], s["before"], s["after"]) for s in raw["storages"]
    )
    path = folder / raw["file"] if raw["file"] else None
    after = raw.get("numbers_after", {})
    return CapturedCall(raw["call"], raw["operator"], raw["status"], raw["arguments"], storages, path, after)
