# SPDX-License-Identifier: BSD-3-Clause
"""What an operator computes: the decorator with which `oracle/<family>.py` says so, and what it returns."""

from __future__ import annotations

import importlib
import inspect
import keyword
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

ORACLE_DIR = Path(__file__).resolve().parent / "oracle"

# The dtype of an output: the name of a dtype, of a parameter (the same as that one's), `promoted`, `float`
# (promoted, or float32 where that is an integer or bool), or a function of the arguments' dtypes by name.
DtypeRule = str | Callable[[Mapping[str, str]], str]


@dataclass(frozen=True)
class Value:
    """An expected output with what the plain array does not say.

    `magnitude` is the sum of the absolute values of the terms (of a sum, of a matrix product): rounding
    errors of the accumulation are in proportion to it, not to the possibly cancelled result. `dtype` is the
    dtype of the result where the decorator's rule cannot say it, because it depends on an attribute. `strides`
    are those that an output which the operator allocates must have (in dimensions of more than one element).
    """

    array: np.ndarray
    magnitude: Any = None  # an array or None
    dtype: str | None = None
    strides: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Unspecified:
    """An output whose shape is known and whose values only a `check` function can judge."""

    shape: tuple[int, ...]


@dataclass
class Oracle:
    """One operator's definition."""

    name: str
    function: Callable[..., object]
    promote: tuple[str, ...] = ()
    dtype: DtypeRule | Mapping[str, DtypeRule] | None = None
    rename: Mapping[str, str] = field(default_factory=dict)  # contract's parameter -> oracle's parameter
    round_operands: bool = True  # whether promotion rounds to the promoted dtype before anything is computed
    signed_zero: bool = False  # whether the sign of a zero result is part of the definition
    converts_scalars: bool = True  # whether promotion converts scalars too
    check: Callable[..., str | None] | None = None
    draws: Callable[..., int] | None = None  # how many random words a call takes from its generator

    def rule(self, output: str) -> DtypeRule | None:
        return self.dtype.get(output) if isinstance(self.dtype, Mapping) else self.dtype

    def arguments(self, values: Mapping[str, object], dtype_names: Mapping[str, str]) -> dict[str, object]:
        """The keyword arguments that the function asks for, out of everything that is known."""
        known = {python_name(self.rename.get(k, k)): v for k, v in values.items()}
        known["dtypes"] = dtype_names
        wanted = inspect.signature(self.function).parameters
        missing = [n for n, p in wanted.items() if n not in known and p.default is inspect.Parameter.empty]
        if missing:
            raise TypeError(f"the oracle of {self.name} asks for {', '.join(missing)}, which the contract lacks")
        return {n: known[n] for n in wanted if n in known}


def python_name(name: str) -> str:
    """A contract's parameter as a Python identifier: `from` and `in` become `from_` and `in_`."""
    return name + "_" if keyword.iskeyword(name) else name


_ORACLES: dict[str, Oracle] = {}


def oracle(
    *names: str,
    promote: tuple[str, ...] = (),
    dtype: DtypeRule | Mapping[str, DtypeRule] | None = None,
    rename: Mapping[str, Mapping[str, str]] | None = None,
    round_operands: bool = True,
    signed_zero: bool = False,
    converts_scalars: bool = True,
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Declares a function to be the definition of these operators, forms that work in place included.

    promote: parameters that are first converted to their common dtype, as PyTorch does it.
    dtype: the rule for the dtype of the outputs, or one rule per output. Left out it is `promoted` where
        `promote` is given, else the dtype of the first tensor input.
    converts_scalars: False where the oracle itself converts scalars to the common dtype, if at all.
    rename: for operators that spell a parameter in their own way: {operator: {its name: oracle's name}}.
    """

    def register(function: Callable[..., object]) -> Callable[..., object]:
        for name in names:
            if name in _ORACLES:
                raise ValueError(f"{name} has two oracles")
            _ORACLES[name] = Oracle(
                name,
                function,
                promote,
                dtype,
                (rename or {}).get(name, {}),
                round_operands,
                signed_zero,
                converts_scalars,
            )
        return function

    return register


def check(*names: str) -> Callable[[Callable[..., str | None]], Callable[..., str | None]]:
    """Declares a function that judges outputs which the oracle leaves `Unspecified`.

    It is called with the same inputs as the oracle and with `got`, a dictionary of all outputs, and returns
    what is wrong in one sentence, or None.
    """

    def register(function: Callable[..., str | None]) -> Callable[..., str | None]:
        for name in names:
            if name not in _ORACLES:
                raise ValueError(f"the check of {name} must follow its oracle")
            _ORACLES[name].check = function
        return function

    return register


def draws(*names: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Declares how many random words these operators take; called with what their oracle is called with."""

    def register(function: Callable[..., int]) -> Callable[..., int]:
        for name in names:
            if name not in _ORACLES:
                raise ValueError(f"the draws of {name} must follow its oracle")
            _ORACLES[name].draws = function
        return function

    return register


@cache
def load_oracles() -> dict[str, Oracle]:
    """Every oracle of every family."""
    for path in sorted(ORACLE_DIR.glob("*.py")):
        if path.stem != "__init__":
            importlib.import_module(f"conformance.oracle.{path.stem}")
    return _ORACLES
