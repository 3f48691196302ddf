# SPDX-License-Identifier: BSD-3-Clause
"""Calls that break rules about dtypes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adaptor.codegen.rules import Check
from adaptor.codegen.rules.dtypes import Castable, DtypeRule, SameDtype
from diopi.signatures import bare

from .... import dtypes
from ....cases.reader import TensorSpec
from ..base import Base, Violation
from ..terms import dtype_in
from .table import breaks, everything

KINDS = ("bool", "uint8", "int32", "int64", "float32", "float64", "complex64")  # one of each that a rule may speak of


def accepted(base: Base, name: str) -> tuple[str, ...]:
    """The dtypes that the contract lists for a tensor."""
    return base.function.param(name).dtypes or ()


def retyped(base: Base, names: list[str], dtype: str) -> dict[str, object]:
    """These tensors in another dtype, and the outputs that had the dtype of one of them too."""
    before = {base.spec(n).dtype for n in names}
    outputs = [p.name for p in base.tensors("out") if base.spec(p.name).dtype in before and dtype in (p.dtypes or ())]
    return {n: base.retyped(n, dtype) for n in dict.fromkeys((*names, *outputs))}


def scalar_category(base: Base) -> int:
    """Below which no promoted dtype can be, because of the numbers among the operands."""
    numbers = [
        base.arguments.get(p.name)
        for p in base.function.params
        if p.is_scalar and p.name not in ("alpha", "beta", "value")
    ]
    kinds = {bool: 0, int: 1, float: 2}
    return max((kinds.get(type(n), 0) for n in numbers), default=0)


@breaks(DtypeRule)
def wrong_kind(base: Base, rule: DtypeRule, check: Check) -> Iterator[Violation]:
    """A dtype that the rule forbids; if possible one that the sets of the parameters allow."""
    if rule.of.is_parameter:
        names = [rule.of.word] if base.spec(rule.of.word) is not None else []
    else:
        inputs = [p.name for p in base.tensors("in", "inout") if base.spec(p.name).same is None]
        names = [n for n in rule.of.among or inputs if base.spec(n) is not None]
        names = names or [p.name for p in base.tensors("out")]
    if not names:
        return
    least = 0 if rule.of.is_parameter else scalar_category(base)
    forbidden = [d for d in KINDS if not rule.accepts(d) and dtypes.category(d) >= least]
    known = [d for d in forbidden if all(d in accepted(base, n) for n in names)]
    for dtype in known or forbidden:
        changes = retyped(base, names, dtype)
        yield Violation(f"{'+'.join(names)}={dtype}", changes, everything(base, *changes, *_conditions(check)))


def _conditions(check: Check) -> tuple[str, ...]:
    return tuple(n for c in check.when for n in c.names())


@breaks(SameDtype)
def other_dtype(base: Base, rule: SameDtype, check: Check) -> Iterator[Violation]:
    """One tensor in a dtype that differs from the others'."""
    for name in rule.of:
        spec, items = base.spec(name), base.arguments.get(name)
        if spec is None and isinstance(items, list) and items and isinstance(items[-1], TensorSpec):
            dtype = _other(base, name, str(items[-1].dtype))
            changes: dict[str, object] = {name: [*items[:-1], replace(items[-1], dtype=dtype, values=None, gen=None)]}
            yield Violation(f"{name}[-1]={dtype}", changes, everything(base, name, *rule.of))
        elif spec is not None and spec.same is None:
            dtype = _other(base, name, spec.dtype)
            yield Violation(f"{name}={dtype}", {name: base.retyped(name, dtype)}, everything(base, name, *rule.of))


def _other(base: Base, name: str, dtype: str) -> str:
    """Another dtype of the tensor, a floating one if there is one."""
    known = [d for d in ("float64", "float32", "int64", "int32", *KINDS) if d != dtype]
    return next((d for d in known if d in accepted(base, name)), known[0])


@breaks(Castable)
def lossy_output(base: Base, rule: Castable, check: Check) -> Iterator[Violation]:
    """An output whose dtype is of a lower category than the result's."""
    names = everything(base, rule.to)
    if base.function.param(rule.to).dir == "inout":
        return
    if base.function.param(rule.to).is_tensor_list:
        items = base.arguments.get(rule.to)
        if items and base.dtype != "bool":
            changes = {rule.to: [replace(s, dtype="bool") for s in items]}
            yield Violation(f"{rule.to}=bool", changes, everything(base, rule.to, *rule.names()))
        return
    source = dtype_in(rule.source, base) if rule.source.is_parameter or rule.source.among else None
    source = source or getattr(base.expected.get(rule.to), "compute_dtype", "") or dtype_in(rule.source, base)
    if base.spec(rule.to) is None or not source:
        return
    lower = [d for d in ("bool", "int32", "float32") if dtypes.category(d) < dtypes.category(source)]
    for dtype in [d for d in lower if d in accepted(base, rule.to)]:
        yield Violation(f"{rule.to}={dtype}", {rule.to: base.retyped(rule.to, dtype)}, names)


@breaks(Castable)
def lossy_in_place(base: Base, rule: Castable, check: Check) -> Iterator[Violation]:
    """In place: an operand of a dtype that cannot hold the result, or another operand of a higher category."""
    p = base.function.param(rule.to)
    if p.dir != "inout" or base.spec(rule.to) is None:
        return
    if rule.source.word == "floating" and "int32" in accepted(base, rule.to):
        same = [q.name for q in base.tensors("in", "inout") if base.spec(q.name).same is None]
        changes = {n: base.retyped(n, "int32") for n in same if "int32" in accepted(base, n)}
        yield Violation(f"{'+'.join(changes)}=int32", changes, everything(base, rule.to))
    sources = [rule.source.word] if rule.source.is_parameter else rule.source.among
    for q in base.tensors("in"):
        for low, high in (("int32", "float32"), ("float32", "complex64"), ("bool", "int32")):
            known = low in accepted(base, p.name) and high in accepted(base, q.name)
            if (
                known
                and base.spec(q.name).same is None
                and base.spec(q.name).shape
                and (not sources or q.name in sources)
            ):
                pair = {p.name: base.retyped(p.name, low), q.name: base.retyped(q.name, high)}
                yield Violation(f"{p.name}={low}+{q.name}={high}", pair, (p.name, q.name))
    for q in base.function.params:  # or a number
        if bare(q.type) == "diopiScalar_t*" and q.name in base.oracle.promote and base.dtype == "int32":
            yield Violation(f"{q.name}=1.5", {q.name: 1.5}, (p.name, q.name))
