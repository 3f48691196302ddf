# SPDX-License-Identifier: BSD-3-Clause
"""Reads `device_configs.py` of a vendor's folder: the cases that the judge skips, and the vendor's own tolerances.

    SKIPS = {
        "diopiErfinv": "there is no such function on this chip",
        "diopiConvolution2d": [
            dict(dtypes=("float64",), reason="..."),
            dict(parameters={"groups": (2, 3), "stride": [2, 2]}, layouts=("channels_last",), reason="..."),
            dict(case="input=2x3x8x8*", reason="..."),
        ],
    }
    TOLERANCES = {"diopiExp": [dict(ulp=8, dtypes=("float32",), reason="a table of 256 entries")]}
    DEFERRED_ERRORS = True  # errors that depend on data may come when the stream is synchronised

A skip applies to a case if all its conditions hold. A tuple of parameter values holds if the case has one of them; a
list is a single value. `case` is the name of a case without operator, dtype and layout; `*` stands for any text.
"""

from __future__ import annotations

import ast
import difflib
import runpy
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NoReturn

from adaptor.codegen.model import Function, Registry

from ..cases.case import TOLERANCE_PARTS, Case, Tolerance
from ..cases.suite import matches
from ..dtypes import NUMPY
from ..handles import Argument
from ..layouts import LAYOUTS

NAMES = ("SKIPS", "TOLERANCES", "DEFERRED_ERRORS")


class SettingsError(Exception):
    """A mistake in `device_configs.py`."""


@dataclass(frozen=True)
class Skip:
    """One skip of a vendor. An empty condition always holds."""

    operator: str
    reason: str
    dtypes: tuple[str, ...] = ()
    parameters: tuple[tuple[str, Argument], ...] = ()
    layouts: tuple[str, ...] = ()
    case: str = ""

    def holds(self, case: Case, dtype: str, layout: str) -> bool:
        return (
            case.function.name == self.operator
            and (not self.dtypes or dtype in self.dtypes)
            and (not self.layouts or layout in self.layouts)
            and (not self.case or matches(case.id, self.case))
            and all(_has(case, name, wanted) for name, wanted in self.parameters)
        )

    def __str__(self) -> str:
        conditions = [
            f"{k}={', '.join(v) if isinstance(v, tuple) else v}"
            for k, v in (("dtypes", self.dtypes), ("layouts", self.layouts), ("case", self.case))
            if v
        ]
        conditions += [f"{name}={wanted}" for name, wanted in self.parameters]
        return self.operator + (f" ({'; '.join(conditions)})" if conditions else "")


def _has(case: Case, name: str, wanted: Argument) -> bool:
    given = case.arguments.get(name)
    return any(type(given) is type(w) and given == w for w in (wanted if isinstance(wanted, tuple) else (wanted,)))


@dataclass(frozen=True)
class Stale:
    """An entry of the file that has no effect."""

    entry: str
    reason: str  # the reason that the vendor gives for the entry
    why: str  # why the entry has no effect

    def __str__(self) -> str:
        return f"{self.entry}: {self.why} (the entry's reason: {self.reason})"


def stale_skips(skips: Iterable[Skip], cases: list[Case], absent: Iterable[str]) -> list[Stale]:
    """Skips of operators that the library lacks, and skips that match no case."""
    by_operator: dict[str, list[Case]] = {}
    for case in cases:
        by_operator.setdefault(case.function.name, []).append(case)
    result, lacking = [], set(absent)
    for skip in skips:
        if skip.operator in lacking:
            result.append(Stale(str(skip), skip.reason, "the library does not have this operator"))
        elif not any(
            skip.holds(case, dtype, layout)
            for case in by_operator.get(skip.operator, ())
            for dtype in case.dtypes
            for layout in (*case.layouts, "channels_last")
        ):
            result.append(Stale(str(skip), skip.reason, "no case matches"))
    return result


def stale_tolerances(tolerances: dict[str, tuple[Tolerance, ...]], absent: Iterable[str]) -> list[Stale]:
    """Tolerances of operators that the library lacks."""
    lacking = set(absent)
    return [
        Stale(f"tolerance of {name}", t.reason, "the library does not have this operator")
        for name, own in tolerances.items()
        if name in lacking
        for t in own
    ]


def _immutable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _line_of(error: BaseException, path: Path) -> int:
    """The line of the file that raised the error: from the parser, or the innermost line of the traceback."""
    if isinstance(error, UnicodeDecodeError):
        return error.object.count(b"\n", 0, error.start) + 1
    own = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    return own[-1] if own and own[-1] else getattr(error, "lineno", None) or 1


class _Reader:
    """Reads one file, and reports mistakes with their line."""

    def __init__(self, path: Path, registry: Registry) -> None:
        self.path, self.registry = path, registry
        try:
            self.tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
            self.values = runpy.run_path(str(path))
        except (Exception, SystemExit) as error:
            raise SettingsError(f"{path}:{_line_of(error, path)}: {type(error).__name__}: {error}") from None
        for name in (n for n in self.values if n.isupper() and n not in NAMES):
            self.fail(name, f"unknown name '{name}'", NAMES)

    def fail(self, near: object, message: str, known: Iterable[str] = (), got: object = None) -> NoReturn:
        """Raises an error with the line that contains `near`, and with the known name most similar to the given one."""
        lines = [
            n.lineno
            for n in ast.walk(self.tree)
            if isinstance(n, ast.Constant) and n.value == near or isinstance(n, ast.Name) and n.id == near
        ]
        meant = difflib.get_close_matches(str(near if got is None else got), list(known), 1, 0.4)
        if meant:
            message += f"; did you mean '{meant[0]}'?"
        elif known:
            message += f" (known: {', '.join(known)})" if len(list(known)) < 30 else ""
        raise SettingsError(f"{self.path}:{min(lines)}: {message}" if lines else f"{self.path}: {message}")

    def table(self, name: str) -> dict[str, Any]:
        table = self.values.get(name, {})
        if not isinstance(table, dict):
            self.fail(name, f"{name} must be a dictionary with operators as keys, not {table!r}")
        for operator in table:
            if operator not in {f.name for f in self.registry.operators}:
                self.fail(
                    operator,
                    f"{name}: '{operator}' is not an operator of the contract",
                    [f.name for f in self.registry.operators],
                )
        return table

    def entries(self, name: str, operator: str, value: object, known: tuple[str, ...]) -> list[dict[str, Any]]:
        """The entries of an operator: dictionaries with known keys and a reason."""
        where = f"{name}['{operator}']"
        if not isinstance(value, (list, tuple)) or not value or not all(isinstance(v, dict) for v in value):
            self.fail(operator, f"{where} must be a list of dictionaries, not {value!r}")
        for entry in value:
            for key in entry:
                if key not in known:
                    self.fail(operator, f"{where}: unknown key '{key}'", known, key)
            self.reason(operator, where, entry.get("reason"))
            for key in ("dtypes", "layouts", "outputs"):
                if key in entry and (isinstance(entry[key], str) or not isinstance(entry[key], (list, tuple))):
                    self.fail(operator, f"{where}: '{key}' must be a list or tuple, not {entry[key]!r}")
            self.known(operator, where, entry.get("dtypes", ()), "dtype", tuple(NUMPY))
        return list(value)

    def known(self, operator: str, where: str, names: Iterable[object], what: str, known: tuple[str, ...]) -> None:
        for name in names:
            if name not in known:
                self.fail(operator, f"{where}: unknown {what} '{name}'", known, name)

    def reason(self, operator: str, where: str, reason: object) -> str:
        if not isinstance(reason, str) or len(reason.split()) < 2:
            self.fail(operator, f"{where} needs a reason of at least two words, not {reason!r}")
        return reason

    def skips(self) -> tuple[Skip, ...]:
        result: list[Skip] = []
        for operator, value in self.table("SKIPS").items():
            function = self.registry.functions[operator]
            if isinstance(value, str):
                result.append(Skip(operator, self.reason(operator, f"SKIPS['{operator}']", value)))
                continue
            known = tuple(f.name for f in fields(Skip) if f.name != "operator")
            result += [self.skip(function, entry) for entry in self.entries("SKIPS", operator, value, known)]
        return tuple(result)

    def skip(self, function: Function, entry: dict[str, Any]) -> Skip:
        where = f"SKIPS['{function.name}']"
        self.known(function.name, where, entry.get("layouts", ()), "layout", tuple(LAYOUTS))
        parameters, case = entry.get("parameters", {}), entry.get("case", "")
        if not isinstance(parameters, dict) or not isinstance(case, str):
            self.fail(function.name, f"{where}: 'parameters' must be a dictionary and 'case' must be text")
        self.known(function.name, where, parameters, "parameter", tuple(p.name for p in function.params))
        for name, wanted in parameters.items():
            if function.param(name).is_tensor_like and wanted is not None:
                self.fail(function.name, f"{where}: '{name}' is a tensor; a skip can only name None for it")
        return Skip(
            function.name,
            entry["reason"],
            tuple(entry.get("dtypes", ())),
            tuple(parameters.items()),
            tuple(entry.get("layouts", ())),
            case.removeprefix(f"{function.name}/"),
        )

    def deferred_errors(self) -> bool:
        value = self.values.get("DEFERRED_ERRORS", False)
        if not isinstance(value, bool):
            self.fail("DEFERRED_ERRORS", f"DEFERRED_ERRORS must be True or False, not {value!r}")
        return value

    def tolerances(self) -> dict[str, tuple[Tolerance, ...]]:
        result = {}
        known = tuple(f.name for f in fields(Tolerance))
        for operator, value in self.table("TOLERANCES").items():
            where, outputs = f"TOLERANCES['{operator}']", self.registry.functions[operator].params
            entries = self.entries("TOLERANCES", operator, value, known)
            for entry in entries:
                self.known(
                    operator,
                    where,
                    entry.get("outputs", ()),
                    "output",
                    tuple(p.name for p in outputs if p.dir in ("out", "inout")),
                )
                for key in TOLERANCE_PARTS:
                    number = entry.get(key, 0)
                    if isinstance(number, bool) or not isinstance(number, (int, float)) or not number >= 0:
                        self.fail(operator, f"{where}: '{key}' must be a number that is not negative, not {number!r}")
            result[operator] = tuple(Tolerance(**{k: _immutable(v) for k, v in e.items()}) for e in entries)
        return result


@dataclass(frozen=True)
class Settings:
    """The content of the file."""

    skips: tuple[Skip, ...]
    tolerances: dict[str, tuple[Tolerance, ...]]  # by operator
    deferred_errors: bool


def read_settings(path: Path, registry: Registry) -> Settings:
    reader = _Reader(path, registry)
    return Settings(reader.skips(), reader.tolerances(), reader.deferred_errors())
