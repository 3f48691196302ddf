# SPDX-License-Identifier: BSD-3-Clause
"""The file of --resume: finished groups, so that an interrupted run can be continued.

The first line has a hash of everything that verdicts depend on: the library, the vendor's settings, the judge, the
options. Each further line is a group with its verdicts. A continued run repeats only the groups that failed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TextIO

from .. import REPOSITORY
from ..cases.group import Group
from ..cases.suite import UsageError
from ..run.result import FAIL, STATUSES, UNTRUSTED, HostCall, Result
from .terminal import Report

FORMAT = 1
JUDGE = Path(__file__).resolve().parents[1]
# The judge itself, the contract, the model that reads it, and the package that makes the calls.
PARTS = (JUDGE, *(REPOSITORY / part for part in ("proto/registry", "adaptor/codegen", "python/diopi")))


def fingerprint(files: list[Path], options: dict[str, Any]) -> str:
    """A hash of everything that verdicts depend on: the files of PARTS, the judged files, and the options."""
    state = hashlib.sha256(json.dumps(options, sort_keys=True, default=str).encode())
    own = {p: p.relative_to(part) for part in PARTS for p in sorted(part.rglob("*")) if p.suffix in (".py", ".yaml")}
    for path in [*own, *(p for p in files if p.is_file())]:
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        state.update(f"{own.get(path, path.name)}:{content}\n".encode())
    return state.hexdigest()[:32]


class Journal:
    """Reads the groups that an earlier run finished, and appends the groups that this run finishes."""

    def __init__(self, path: Path, mark: str) -> None:
        self.path, self.mark = path, mark
        self.finished: dict[str, list[Result]] = {}
        complete = self._read() if path.exists() else 0
        self.file: TextIO = path.open("r+" if complete else "w", encoding="utf-8")
        if complete:  # removes an incomplete last line, which an interrupted run may leave
            self.file.truncate(complete)
            self.file.seek(complete)
        else:
            self._write({"format": FORMAT, "judged": mark})

    def _read(self) -> int:
        """Reads the finished groups, and returns the length of all complete lines in bytes."""
        content = self.path.read_bytes()
        complete = content.rfind(b"\n") + 1
        lines = content[:complete].decode("utf-8", "replace").splitlines()
        if not lines:
            if content:
                raise UsageError(f"{self.path} is not a file of --resume")
            return 0
        number, verdicts = 1, {}
        try:
            head = json.loads(lines[0])
            if head["format"] != FORMAT:
                raise ValueError(f"format {head['format']}")
            for number, line in enumerate(lines[1:], 2):  # noqa: B007  (the message says at which line)
                record = json.loads(line)
                verdicts[str(record["group"])] = [_result(v) for v in record["results"]]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise UsageError(f"{self.path} is not a file of --resume (line {number}: {error})") from None
        if head["judged"] != self.mark:
            raise UsageError(
                f"{self.path} belongs to a run with another library, judge, vendor's settings or options; "
                "delete the file to start again"
            )
        self.finished = {k: v for k, v in verdicts.items() if not any(r.status in (FAIL, UNTRUSTED) for r in v)}
        return complete

    def results(self, group: Group) -> list[Result] | None:
        """The verdicts of an earlier run on the group; None if the group must be run."""
        return self.finished.get(key(group))

    def add(self, group: Group, results: list[Result]) -> None:
        self._write({"group": key(group), "results": [asdict(r) for r in results]})

    def _write(self, record: dict[str, Any]) -> None:
        print(json.dumps(record, separators=(",", ":")), file=self.file, flush=True)

    def close(self) -> None:
        self.file.close()


def open_journal(path: Path | None, judged: list[Path], vendor: Path | None, options: dict[str, Any]) -> Journal | None:
    """Opens the file of --resume, which must belong to these libraries, vendor's settings and options."""
    if path is None:
        return None
    settings = [vendor / name for name in ("convert_config.yaml", "device_configs.py")] if vendor else []
    return Journal(path, fingerprint([*judged, *settings], options))


def take_over(groups: list[Group], journal: Journal | None, report: Report) -> list[int]:
    """Reports the groups that an earlier run finished, and returns the positions of the other groups."""
    left = []
    for position, group in enumerate(groups):
        known = journal.results(group) if journal is not None else None
        if known is None:
            left.append(position)
        else:
            report.take_over(known)
    return left


def key(group: Group) -> str:
    """The name of a group with its memory layouts, because filters may remove some layouts."""
    return f"{group.name}/{'+'.join(group.layouts)}"


def _result(stored: dict[str, Any]) -> Result:
    """Reads a stored verdict. Raises an error for values that no run stores."""
    if stored["status"] not in STATUSES:
        raise ValueError(f"unknown status {stored['status']!r}")
    kinds = {f.name: f.type for f in fields(Result)}
    for name, value in stored.items():
        wanted: Any = {"str": str, "bool": bool, "float": (int, float)}.get(str(kinds.get(name)))
        if wanted is not None and not isinstance(value, wanted):
            raise ValueError(f"{name} is {value!r}")
    lists = {"messages": tuple(stored["messages"]), "errors": tuple((o, d, float(u)) for o, d, u in stored["errors"])}
    if not all(isinstance(m, str) for m in lists["messages"]):
        raise ValueError(f"messages are {lists['messages']!r}")
    host = stored.get("host")
    if host is not None:
        host = HostCall(str(host["reason"]), int(host["bytes"]), float(host["seconds"]))
    return Result(**{**stored, **lists, "host": host})
