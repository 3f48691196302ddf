# SPDX-License-Identifier: BSD-3-Clause
"""Finds for a call of the contract's function the operator of the bench that makes this call, and the keys of its case.

The arguments in an operator's `diopi` stand in the order of the function's parameters. So a tensor of the operator
belongs to a parameter, and a shape or dtype that is a single key has the value of the call's argument. `from_call` has
expressions for the keys that do not follow in this way.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from adaptor.codegen.model import Registry

from .expressions import evaluate
from .operators import BenchError, Operator, TensorRule

ANY = "any"  # the value of an output whose shape the call leaves to the operator
NUMBER = r"-?[\d.]+(?:e-?\d+)?"
LARGEST = 3e38  # stands for infinity, which JSON cannot express


@dataclass(frozen=True)
class Operand:
    """A tensor of a call. The dtype is None if the operator chooses it; `values` is what a case calls `values`."""

    shape: list[int] | None
    dtype: str | None
    values: Any = None


def split_arguments(call: str) -> list[str]:
    """The arguments of a call in C++."""
    parts, depth = [""], 0
    for letter in call[call.index("(") + 1 : call.rindex(")")]:
        depth += letter in "([{<"
        depth -= letter in ")]}>"
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def parameters_of(operator: Operator, registry: Registry) -> list[tuple[str, str]]:
    """Pairs of a parameter's name and the argument's text."""
    names = [parameter.name for parameter in registry.functions[operator.diopi_function].params]
    return list(zip(names, split_arguments(operator.diopi), strict=True))


def literal(text: str) -> Any:
    """The value of a literal in C++; None for `nullptr`."""
    words = {"nullptr": None, "true": True, "false": False}
    if text in words:
        return words[text]
    if text.startswith('"'):
        return text.strip('"')
    return float(text) if re.fullmatch(NUMBER, text) else text


def is_literal(text: str) -> bool:
    return bool(re.fullmatch(rf'nullptr|true|false|"[^"]*"|{NUMBER}|[A-Z]\w*', text))


def shapes(value: Any) -> Any:
    """The arguments with shapes in place of tensors, for the expressions."""
    if isinstance(value, Operand):
        return value.shape if value.shape is not None else ANY
    return [shapes(item) for item in value] if isinstance(value, list) else value


def bounded(value: Any) -> Any:
    return math.copysign(LARGEST, value) if isinstance(value, float) and math.isinf(value) else value


class Matcher:
    """Matches calls with operators. Of several operators that fit, the first by name is taken."""

    def __init__(self, operators: Iterable[Operator], registry: Registry) -> None:
        self.registry = registry
        self.by_function: dict[str, list[Operator]] = defaultdict(list)
        for operator in operators:
            self.by_function[operator.diopi_function].append(operator)

    def entry(self, function: str, arguments: Mapping[str, Any], out_dtype: str) -> dict[str, Any]:
        """The entry of a case for this call; Operands stand for its tensors."""
        reasons = []
        for operator in self.by_function.get(function, []):
            try:
                return self.fitted(operator, arguments, out_dtype)
            except (BenchError, TypeError, ValueError, IndexError, NameError) as error:
                reasons.append(f"{operator.name}: {error}")
        why = "; ".join(reasons) or "none calls the function"
        raise BenchError(f"no operator of the bench makes this call of {function} ({why})")

    def fitted(self, operator: Operator, arguments: Mapping[str, Any], out_dtype: str) -> dict[str, Any]:
        pairs = parameters_of(operator, self.registry)
        directions = {p.name: p.dir for p in self.registry.functions[operator.diopi_function].params}
        given = {name: arguments.get(name, ANY if directions[name] == "out" else None) for name, _ in pairs}
        rules = {rule.name: rule for rule in operator.tensors}
        attributes = {attribute.name for attribute in operator.attributes}
        entry: dict[str, Any] = {"op": operator.name}
        operands: dict[str, Any] = {}
        for name, text in pairs:
            word = text.removeprefix("&").removesuffix(".data()")
            if word in rules:
                operands[word] = given[name]
            elif word in attributes and word not in operator.from_call:
                if given[name] is None:
                    raise BenchError(f"{name} is null")
                entry[word] = bounded(given[name])
            elif is_literal(text) and text not in ("ctx", "generator") and given[name] != literal(text):
                raise BenchError(f"{name} is {given[name]}, not {text}")
        for word, value in operands.items():
            take_keys(entry, rules[word], value)
        dtype = entry.setdefault("dtype", "float32")
        entry.setdefault("out_dtype", out_dtype)
        names = {**entry, **{name: shapes(value) for name, value in given.items() if name}, "dtype": dtype}
        for key, expression in operator.from_call.items():
            entry[key] = evaluate(expression, names)
        if operator.fits and not evaluate(operator.fits, names):
            raise BenchError(f"{operator.fits} does not hold")
        entry["values"] = {
            word: one.values
            for word, value in operands.items()
            if isinstance(one := value[0] if isinstance(value, list) and value else value, Operand)
            if one.values is not None
        }
        check(entry, operator, operands)
        return entry


def take_keys(entry: dict[str, Any], rule: TensorRule, value: Any) -> None:
    """Sets the keys that are a tensor's shape or dtype."""
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, Operand):
        return
    if rule.shape.isidentifier() and first.shape is not None:
        entry.setdefault(rule.shape, shapes(value))
    if rule.dtype.isidentifier() and first.dtype is not None:
        entry.setdefault(rule.dtype, first.dtype)


def check(entry: dict[str, Any], operator: Operator, operands: Mapping[str, Any]) -> None:
    """Raises an error unless the case would have the shapes and dtypes of the call."""
    values = {a.name: a.default for a in operator.attributes if a.default is not None} | entry
    values.setdefault("other_dtype", values["dtype"])
    if "shape" in values:
        values.setdefault("other_shape", values["shape"])
    for rule in operator.tensors:
        wanted = operands.get(rule.name, ANY)
        shape = evaluate(rule.shape, values)
        if wanted == ANY:
            continue
        first = wanted[0] if isinstance(wanted, list) and wanted else wanted
        if first is None or shape is None:
            if first is not shape:
                raise BenchError(f"{rule.name} is {'given' if first is not None else 'null'}")
            continue
        if first.shape is not None and shapes(wanted) != shape:
            raise BenchError(f"{rule.name} has the shape {shapes(wanted)}, not {shape}")
        if first.dtype is not None and evaluate(rule.dtype, values) != first.dtype:
            raise BenchError(f"{rule.name} has the dtype {first.dtype}, not {evaluate(rule.dtype, values)}")
