# SPDX-License-Identifier: BSD-3-Clause
"""Reads `data/traces/<model>.jsonl`: the operator calls of one model, one per line. README.md describes the format."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adaptor.codegen.strict_yaml import ConfigError

from ... import DATA_DIR

TRACES_DIR = DATA_DIR / "traces"

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Tensor:
    """A tensor of a call. The shape is None if the trace does not have it."""

    shape: Any  # Shape or None
    dtype: str
    grad: bool = False

    @property
    def numel(self) -> int:
        count = 1
        for n in self.shape or ():
            count *= n
        return count


@dataclass(frozen=True)
class Call:
    """One operator call of a model; `count` says how often the model makes this call."""

    op: str
    count: int = 1
    tensors: dict[str, Any] = field(default_factory=dict)  # name -> Tensor, tuple of them, or None
    params: dict[str, Any] = field(default_factory=dict)
    inplace: bool = False
    path: Path = TRACES_DIR
    line: int = 0

    def tensor(self, name: str = "input") -> Any:
        """A Tensor, a tuple of them, or None."""
        return self.tensors.get(name)

    def flat(self) -> list[Tensor]:
        """All tensors of the call, including tensors in lists."""
        tensors: list[Tensor] = []
        for value in self.tensors.values():
            tensors += value if isinstance(value, tuple) else [value] if value is not None else []
        return tensors


def _shape(text: str) -> Shape | None:
    if text == "?":
        return None
    return () if text == "scalar" else tuple(map(int, text.split("x")))


def _tensor(text: str | None) -> Any:
    """Parses `float32 64x3 grad`, `float32 scalar`, `float32 ?`, or a list such as `float32 [4608 96*4]`."""
    if text is None:
        return None
    grad = text.endswith(" grad")
    dtype, _, shape = text.removesuffix(" grad").partition(" ")
    if not shape.startswith("["):
        return Tensor(_shape(shape), dtype, grad)
    tensors: list[Tensor] = []
    for run in shape[1:-1].split():
        one, _, times = run.partition("*")
        tensors += [Tensor(_shape(one), dtype, grad)] * int(times or 1)
    return tuple(tensors)


def model_names(directory: Path = TRACES_DIR) -> list[str]:
    return sorted(path.stem for path in directory.glob("*.jsonl"))


def load_model(name: str, directory: Path = TRACES_DIR) -> list[Call]:
    """The calls of a model, in the order of its file."""
    path = directory / f"{name}.jsonl"
    calls = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        try:
            row = json.loads(line)
            tensors = {k: _tensor(v) for k, v in row.get("tensors", {}).items()}
            rest = row.get("params", {}), row.get("inplace", False)
            calls.append(Call(row["op"], row["calls"], tensors, *rest, path, number))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ConfigError(path, number, f"this line is not a call of a model: {error}") from None
    return calls
