# SPDX-License-Identifier: BSD-3-Clause
"""Which preconditions of the registry no invalid call shows."""

from __future__ import annotations

import re
from dataclasses import dataclass

from adaptor.codegen.model import Function, Registry

from ..case_files import RawCase
from ..oracles import Oracle, load_oracles
from ..preconditions import preconditions


@dataclass(frozen=True)
class Gap:
    """A precondition of an operator with cases that none of its invalid calls violates."""

    function: Function
    sentence: str

    def __str__(self) -> str:
        return f"{self.function.name}: {self.sentence}"


def gaps(registry: Registry, cases: list[RawCase]) -> list[Gap]:
    """Those of all operators that have cases; `cases` has the written ones and the generated ones."""
    functions = {c.function.name: c.function for c in cases}
    shown = {(c.function.name, sentence) for c in cases if c.error for sentence in c.error.shows}
    return [
        Gap(f, sentence)
        for f in functions.values()
        for sentence in preconditions(registry, f)
        if (f.name, sentence) not in shown and cannot_be_violated(f, sentence, registry) is None
    ]


# What no test within 16 GiB can reach, and why.
OUT_OF_REACH = {
    "a row is longer than": "a row of more than 2^31 elements needs outputs of more than 10 GiB",
    "elements of dest share memory": "outputs lie in memory of their own, so that a stray write is seen",
    "elements of out share memory": "outputs lie in memory of their own, so that a stray write is seen",
}


def cannot_be_violated(function: Function, sentence: str, registry: Registry) -> str | None:
    """Why no call of this form of an operator can violate what was said for another form or for the whole family."""
    check = next((c for c in function.checks if c.slug == sentence), None)
    if check is not None:
        return check.untested or None
    operands = [p.name for p in function.params if p.dir in ("in", "inout") and (p.is_tensor or p.is_tensor_list)]
    outputs = [p.name for p in function.params if p.dir == "out" and p.is_tensor_like]
    oracle = load_oracles().get(function.name)
    if "broadcast" in sentence and len(operands) < 2 and "does not broadcast to" not in sentence:
        if not (outputs and "out has another shape" in sentence):
            return "there is one tensor operand"
    reason = next((why for part, why in OUT_OF_REACH.items() if part in sentence), None) or _absent_subject(
        registry, function, sentence
    )
    if reason is not None:
        return reason
    if re.match(r"(out|the output) (has another|does not have the) shape", sentence) and not outputs:
        if "in place" not in sentence:
            return "the result is written over an operand"
    if "cannot be cast" in sentence and not sentence.startswith("input and out") and oracle is not None:
        return _any_dtype_holds(oracle, operands, outputs)
    return None


def _absent_subject(registry: Registry, function: Function, sentence: str) -> str | None:
    """A parameter of other operators of the family of which the sentence speaks, and which this one does not have."""
    subject = re.match(r"(\w+)(?: or (\w+))? (?:has|is|does|have|names)\b", sentence)
    family = {p.name for f in registry.family(function.family) for p in f.params}
    own = {p.name: p for p in function.params}
    names = [n for n in (subject.groups() if subject else ()) if n in family]
    if names and not any(n in own for n in names) and "in place" not in sentence:
        return f"there is no {' or '.join(names)}"
    elements = re.match(r"(\w+) (?:has an element|has more than one element)", sentence)
    if elements and elements[1] in own and not own[elements[1]].is_tensor:
        return f"{elements[1]} is a number"
    number = re.match(r"(\w+) is (?:negative|less than)", sentence)
    if number and number[1] in own and own[number[1]].is_tensor:
        return f"{number[1]} is a tensor"
    if "written in place" in sentence and not any(p.dir == "inout" for p in function.params):
        return "nothing is written in place"
    return None


def _any_dtype_holds(oracle: Oracle, operands: list[str], outputs: list[str]) -> str | None:
    """Why the result fits whatever dtype its output has."""
    rule = oracle.rule((outputs or operands)[0])
    if rule == "bool":
        return "any dtype can hold a bool"
    if not outputs and (rule == operands[0] or len(oracle.promote) < 2 and len(operands) == 1 and rule != "float"):
        return "the result has the dtype of the operand that it is written over"
    return None
