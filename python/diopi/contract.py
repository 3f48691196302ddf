# SPDX-License-Identifier: BSD-3-Clause
"""The part of the contract that the package needs: functions with their parameters, enums, rules for results.

A wheel contains it as a file. In a source tree, it is generated from the registry and stored in the build folder.
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import Error

PACKAGE = Path(__file__).resolve().parent
SOURCE_TREE = PACKAGE.parents[1]  # only valid if in_source_tree()
FILE, DOCS = "_contract.json", "_docs.json"


@dataclass(frozen=True)
class Param:
    """One parameter of a C function, with the facts of the registry."""

    name: str
    type: str
    dir: str
    nullable: bool = False
    allocates: bool = False
    count: str | None = None
    length: int | None = None
    element_nullable: bool = False
    dtypes: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Result:
    """How an output is created if the caller does not give it: see `result` in proto/registry/README.md."""

    shape: str
    of: tuple[str, ...]
    dtype: str
    promoted: tuple[str, ...]


@dataclass(frozen=True)
class Function:
    """One operator."""

    name: str
    returns: str
    params: tuple[Param, ...]
    result: dict[str, Result]


class Contract:
    """The content of a file of the contract. `Function` objects are created when they are requested."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.version: tuple[int, ...] = tuple(raw["version"])
        self.enums: dict[str, dict[str, int]] = raw["enums"]
        self.dtypes: dict[str, int] = raw["dtypes"]
        self.dtype_names = {value: name for name, value in self.dtypes.items()}
        self.codes = {value: name for name, value in self.enums["diopiError_t"].items()}
        self._functions = raw["functions"]
        self._dtype_sets = [tuple(names) for names in raw["dtype_sets"]]
        self._plain = {plain_name(name): name for name in self._functions}

    @property
    def names(self) -> list[str]:
        """The C names of the operators."""
        return list(self._functions)

    def find(self, name: str) -> str | None:
        """The C name of an operator by a name such as `softmax`, `Softmax` or `diopiSoftmax`; None if it is unknown."""
        return name if name in self._functions else self._plain.get(plain_name(name))

    def function(self, name: str) -> Function:
        raw = self._functions[name]
        params = tuple(self._param(*p) for p in raw["params"])
        result = {
            k: Result(r["shape"], tuple(r["of"]), r["dtype"], tuple(r["promoted"]))
            for k, r in raw.get("result", {}).items()
        }
        return Function(name, raw.get("returns", "diopiError_t"), params, result)

    def _param(self, name: str, kind: str, direction: str, more: dict[str, Any] | None = None) -> Param:
        more = dict(more or {})
        if "dtypes" in more:
            more["dtypes"] = self._dtype_sets[more["dtypes"]]
        return Param(name, kind, direction, **more)


def plain_name(name: str) -> str:
    """`diopiLogSoftmax`, `LogSoftmax`, `log_softmax` -> `logsoftmax`."""
    return name.removeprefix("diopi").replace("_", "").lower()


def in_source_tree() -> bool:
    return not (PACKAGE / FILE).is_file() and (SOURCE_TREE / "adaptor" / "codegen" / "model.py").is_file()


def _generator() -> Any:
    """The module adaptor.codegen.python_package of the source tree."""
    if str(SOURCE_TREE) not in sys.path:
        sys.path.append(str(SOURCE_TREE))
    try:
        return importlib.import_module("adaptor.codegen.python_package")
    except ImportError as error:
        raise Error(f"diopi runs from its source tree, which needs {error.name}: scripts/install_deps.sh") from error


def _read(name: str) -> Any:
    folder = PACKAGE if (PACKAGE / name).is_file() else None
    if folder is None:
        if not in_source_tree():
            raise Error(f"the installation of diopi is not complete: {PACKAGE / name} is missing")
        folder = _generator().cached(SOURCE_TREE / "build" / "python")
    return json.loads((folder / name).read_text(encoding="utf-8"))


@functools.cache
def load_contract() -> Contract:
    return Contract(_read(FILE))


@functools.cache
def load_docs() -> dict[str, str]:
    """The docstring of each operator by its C name."""
    docs: dict[str, str] = _read(DOCS)
    return docs
