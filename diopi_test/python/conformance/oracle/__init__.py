# SPDX-License-Identifier: BSD-3-Clause
"""Oracles: Python functions in `<family>.py` that define what operators compute, and their decorator."""

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

ORACLE_DIR = Path(__file__).resolve().parent

# The rule for an output's dtype is one of these: the name of a dtype; the name of a parameter that has the same dtype;
# `promoted`; `float` (the promoted dtype, or float32 if that is an integer or bool); a function that gets a dictionary
# of the arguments' dtypes by name.
DtypeRule = str | Callable[[Mapping[str, str]], str]


@dataclass(frozen=True)
class Value:
    """An expected output with additional facts.

    `magnitude` is the sum of the absolute values of the terms of a sum or matrix product. The rounding errors of the
    accumulation are proportional to it, also if the terms cancel. `terms` is that sum for terms with a factor that the
    contract allows to be rounded to the dtype of the output before the multiplication. `dtype` is the dtype of the
    computation, if the rule of the decorator cannot express it. `strides` are the required strides of an output that
    the operator allocates, or the input whose strides it keeps if this input fills its memory without gaps or overlap,
    and is row-major otherwise; strides of dimensions of size 1 are not compared.
    """

    array: np.ndarray
    magnitude: Any = None  # an array or None
    dtype: str | None = None
    strides: tuple[int, ...] | str | None = None
    terms: Any = None  # an array or None


@dataclass(frozen=True)
class Unspecified:
    """An output with a known shape, whose values are judged by a `check` function."""

    shape: tuple[int, ...]


@dataclass(frozen=True)
class Unwritten:
    """An output that the call leaves as it is, as `written_when` of the registry says; a test passes this shape."""

    shape: tuple[int, ...]


@dataclass
class Oracle:
    """The definition of one operator."""

    name: str
    function: Callable[..., object]
    promote: tuple[str, ...] = ()
    dtype: DtypeRule | Mapping[str, DtypeRule] | None = None
    rename: Mapping[str, str] = field(default_factory=dict)  # contract's parameter -> oracle's parameter
    # Whether operands are rounded to the promoted dtype before the computation. Tensors of integers always are, but not
    # those of one element that are named in `exact_number`.
    round_operands: bool = True
    exact_number: tuple[str, ...] = ()
    signed_zero: bool = False  # whether the sign of a zero result is compared
    converts_scalars: bool = True  # whether scalars are converted to the promoted dtype, too
    check: Callable[..., str | None] | None = None
    # The number of random words that a call takes from its generator; of a list of generators, one number for each.
    # None stands for a generator that the call does not use.
    draws: Callable[..., Any] | None = None

    def rule(self, output: str) -> DtypeRule | None:
        return self.dtype.get(output) if isinstance(self.dtype, Mapping) else self.dtype

    def arguments(self, values: Mapping[str, object], dtype_names: Mapping[str, str]) -> dict[str, object]:
        """The keyword arguments of the oracle's function, selected from all values."""
        known = {python_name(self.rename.get(k, k)): v for k, v in values.items()}
        known["dtypes"] = dtype_names
        wanted = _parameters(self.function)
        missing = [n for n, p in wanted.items() if n not in known and p.default is inspect.Parameter.empty]
        if missing:
            raise TypeError(
                f"the oracle of {self.name} has the parameters {', '.join(missing)}, which the contract lacks"
            )
        return {n: known[n] for n in wanted if n in known}


@cache
def _parameters(function: Callable[..., object]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


@cache
def python_name(name: str) -> str:
    """The name of a contract's parameter as a Python identifier: `from` and `in` become `from_` and `in_`."""
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
    exact_number: tuple[str, ...] = (),
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Declares that a function defines these operators.

    promote: parameters that are converted to their common dtype first, as in PyTorch.
    dtype: the rule for the dtype of the outputs, or one rule for each output. The default is `promoted` if `promote` is
        given, else the dtype of the first input tensor.
    converts_scalars: False if scalars are not converted to the common dtype before the oracle is called.
    round_operands, exact_number: see `Oracle`.
    rename: other names of parameters: {operator: {operator's name: oracle's name}}.
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
                exact_number,
                signed_zero,
                converts_scalars,
            )
        return function

    return register


def check(*names: str) -> Callable[[Callable[..., str | None]], Callable[..., str | None]]:
    """Declares that a function judges the outputs that the oracle returns as `Unspecified`.

    The function takes the inputs of the oracle and `got`, a dictionary of all outputs. It returns a sentence that says
    what is wrong, or None.
    """

    def register(function: Callable[..., str | None]) -> Callable[..., str | None]:
        for name in names:
            if name not in _ORACLES:
                raise ValueError(f"the check of {name} must come after its oracle")
            _ORACLES[name].check = function
        return function

    return register


def draws(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares that a function returns the number of random words of a call; it takes the arguments of the oracle."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            if name not in _ORACLES:
                raise ValueError(f"the draws of {name} must come after its oracle")
            _ORACLES[name].draws = function
        return function

    return register


@cache
def load_oracles() -> dict[str, Oracle]:
    """All oracles, by the name of their operator."""
    for path in sorted(ORACLE_DIR.glob("*.py")):
        if path.stem != "__init__":
            importlib.import_module(f"conformance.oracle.{path.stem}")
    return _ORACLES
