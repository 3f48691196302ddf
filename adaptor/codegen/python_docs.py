# SPDX-License-Identifier: BSD-3-Clause
"""Generates the docstrings of the Python package from the registry."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from .comments import check_texts, param_text
from .contracts import CONTRACT_FIELDS
from .model import Function

sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))
from diopi import signatures  # noqa: E402

WIDTH = 100


def docstring(function: Function, sets: dict[str, tuple[str, ...]]) -> str:
    """The docstring of an operator: summary, arguments, results, and contract."""
    parts = [_wrapped(function.summary)]
    given = signatures.arguments(function)
    if given:
        parts.append("Arguments:\n" + "\n".join(_argument(function, a, sets) for a in given))
    returned = ", ".join(p.name for _, p in signatures.returned(function))
    if returned:
        parts.append(_wrapped(f"Returns: {returned}"))
    contract = []
    for key in CONTRACT_FIELDS:
        value = function.contract.get(key)
        if isinstance(value, str):
            contract.append(_wrapped(f"{key}: {value}", "    "))
        elif key == "checks" and function.checks:
            contract += ["checks:", *map(_item, check_texts(function.checks))]
    if contract:
        parts.append("\n".join(contract))
    parts.append(f"In C: {function.name}, {function.header}.")
    return "\n\n".join(parts)


def _item(text: str) -> str:
    return _wrapped(f"- {text}", "      ", "    ")


def _argument(function: Function, argument: signatures.Argument, sets: dict[str, tuple[str, ...]]) -> str:
    param = function.params[argument.slot]
    text = param_text(param, sets).replace("may be null", "may be None")
    if param.name in function.result:
        text += f"; if it is not given, the call creates it: {_rule(function, param.name)}"
    return _wrapped(f"{argument.name}: {text}", "        ", "    ")


def _rule(function: Function, output: str) -> str:
    """The rule for an output as text, such as `the shape of input, float32`."""
    rule = function.result[output]
    shape = f"the shape of {rule.of[0]}" if rule.shape == "like" else f"{' and '.join(rule.of)} broadcast"
    names = " and ".join(rule.promoted)
    dtype = {
        "promoted": f"the dtype to which {names} promote" if len(rule.promoted) > 1 else f"the dtype of {names}",
        "floating": f"the dtype of {names}, float32 for integers and bool",
        "summed": f"the dtype of {names}, int64 for integers and bool",
        "real": f"the dtype of {names}, or of its real parts if it is complex",
        "quotient": f"the dtype to which {names} promote, float32 for integers and bool that are not rounded",
    }.get(rule.dtype, f"the dtype of {rule.dtype}" if rule.dtype not in ALL_DTYPES else rule.dtype)
    return f"{shape}, {dtype}"


ALL_DTYPES = frozenset(
    ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool", "complex64", "complex128")
    + ("float16", "bfloat16", "float32", "float64")
)


def _wrapped(text: str, rest: str = "", first: str = "") -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
