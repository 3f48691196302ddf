# SPDX-License-Identifier: BSD-3-Clause
"""What every operator must refuse without a sentence of its own: nulls, false lengths, dtypes outside the sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adaptor.codegen.model import Param
from adaptor.codegen.rules.dtypes import SameDtype
from diopi.signatures import bare

from ...cases.reader import TensorSpec
from ...dtypes import NUMPY
from ...handles import NULL_CONTEXT, NullSize
from .base import Base, Violation, shape_of


def nulls(base: Base) -> Iterator[Violation]:
    """Null for each parameter that may not be, and for the elements of lists."""
    for p in base.function.params:
        if p.name == "ctx":
            yield Violation("null:ctx", {"ctx": NULL_CONTEXT}, ("ctx",))
        elif p.is_tensor_list and base.arguments.get(p.name):
            items = base.arguments[p.name]
            if not p.nullable:
                yield Violation(f"null:{p.name}", {p.name: None, str(p.count): len(items)}, (p.name,))
            if not p.element_nullable:
                last = len(items) - 1
                yield Violation(f"null:{p.name}[{last}]", {p.name: [*items[:-1], None]}, (p.name,), (last,))
        elif bare(p.type).rstrip("*") == "diopiSize_t":
            yield Violation(f"null_data:{p.name}", {p.name: NullSize(2)}, (p.name,))
            yield Violation(f"negative_length:{p.name}", {p.name: NullSize(-1)}, (p.name,))
        elif p.is_pointer and not p.nullable and not p.is_tensor_list:
            yield Violation(f"null:{p.name}", {p.name: None}, (p.name,))


def lengths(base: Base) -> Iterator[Violation]:
    """A list of negative length."""
    for p in base.function.params:
        counted = [q for q in base.function.params if q.count == p.name and base.arguments.get(q.name)]
        if counted:
            yield Violation(f"negative:{p.name}", {p.name: -1}, (p.name, *(q.name for q in counted)), (-1,))


# What `stype` may not say: values of the enum that no scalar has, and numbers that are none of its values.
NO_NUMBERS = ("tfloat32", "complex32", "complex64", "complex128", "unsupported", "17", "-1")


def scalar_dtypes(base: Base) -> Iterator[Violation]:
    """Each dtype that is no dtype of a scalar, for each scalar; for one that the call leaves out, too."""
    for p in base.function.params:
        if p.is_scalar:
            for dtype in NO_NUMBERS:
                yield Violation(f"stype:{p.name}={dtype}", {p.name: {"value": 1, "dtype": dtype}}, (p.name,))


def _names(base: Base, p: Param) -> tuple[str, ...]:
    """The parameters that a message about the dtype of `p` may name: `p`, and those that must have an equal dtype."""
    equal = any(isinstance(c.rule, SameDtype) and p.name in c.rule.of for c in base.function.checks)
    others = [q.name for q in base.tensors("in", "out", "inout") if base.spec(q.name).dtype == base.spec(p.name).dtype]
    return (p.name, *(n for n in others if equal and n != p.name))


def dtypes_outside(base: Base) -> Iterator[Violation]:
    """Each dtype outside the set of a tensor, while the others keep theirs."""
    for p in base.function.params:
        if not p.dtypes:
            continue
        value = base.arguments.get(p.name)
        for dtype in (d for d in NUMPY if d not in p.dtypes):
            if isinstance(value, TensorSpec) and value.same is None and not p.allocates:
                yield Violation(f"dtype:{p.name}={dtype}", {p.name: base.retyped(p.name, dtype)}, _names(base, p))
            elif p.is_tensor_list and value and not p.allocates:
                items = [None if v is None else TensorSpec(shape_of(v), dtype) for v in value]
                yield Violation(f"dtype:{p.name}={dtype}", {p.name: items}, (p.name,))


# Values of the enum that name no way to store an element. The reference runtime gives each element four bytes.
STORED_BY_NOBODY = ("tfloat32", "complex32")
FOUR_BYTES = "float32"


def dtypes_of_no_tensor(base: Base) -> Iterator[Violation]:
    """Each tensor with a dtype that no tensor can have, also where the operator does not look at its elements."""
    for p in base.function.params:
        value = base.arguments.get(p.name)
        for dtype in () if p.allocates else STORED_BY_NOBODY:
            if isinstance(value, TensorSpec) and value.same is None:
                wrong = replace(base.retyped(p.name, FOUR_BYTES), claims=dtype)
                yield Violation(f"dtype:{p.name}={dtype}", {p.name: wrong}, _names(base, p))
            elif p.is_tensor_list and value and value[-1] is not None:
                wrong = TensorSpec(shape_of(value[-1]), FOUR_BYTES, claims=dtype)
                yield Violation(f"dtype:{p.name}[-1]={dtype}", {p.name: [*value[:-1], wrong]}, (p.name,))
