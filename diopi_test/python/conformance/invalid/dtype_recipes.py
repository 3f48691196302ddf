# SPDX-License-Identifier: BSD-3-Clause
"""Violations of what the registry says about dtypes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from .. import dtypes
from ..binding import bare
from ..case_files import TensorSpec
from .base import Base, Violation, shape_of
from .recipes import recipe

DTYPE = "diopiDtypeNotSupported"

_SETS = {
    "bool": ("bool",),
    "complex": ("complex64",),
    "integral": ("int32",),
    "floating point": ("float32",),
    "a floating one": ("float32",),
    "int64": ("int64",),
    "int32": ("int32",),
    "uint8": ("uint8",),
    "a signed integer": ("int32",),
    "an integer": ("int32",),
}
_KINDS = ("bool", "uint8", "int32", "int64", "float32", "complex64")  # one of each that a sentence may speak of
_WORDS = "|".join(sorted(_SETS, key=len, reverse=True))


def _changed(base: Base, names: list[str], dtype: str) -> dict[str, TensorSpec]:
    """These tensors in another dtype, and the outputs that had the dtype of one of them too."""
    before = {base.spec(n).dtype for n in names}
    outputs = [p.name for p in base.tensors("out") if base.spec(p.name).dtype in before]
    return {n: base.retyped(n, dtype) for n in dict.fromkeys((*names, *outputs))}


def _scalar_category(base: Base) -> int:
    """Below which no promoted dtype can be, because of the numbers among the operands."""
    numbers = [
        base.arguments.get(p.name)
        for p in base.function.params
        if bare(p.type) == "diopiScalar_t*" and p.name not in ("alpha", "beta", "value")
    ]
    kinds = {bool: 0, int: 1, float: 2}
    return max((kinds.get(type(n), 0) for n in numbers), default=0)


def subjects(base: Base, text: str) -> list[list[str]]:
    """The tensors that a subject stands for: groups that change together."""
    inputs = [p.name for p in base.tensors("in", "inout") if base.spec(p.name).same is None]
    named = [p.name for p in base.function.params if re.search(rf"\b{re.escape(p.name)}\b", text)]
    named = [n for n in named if base.spec(n) is not None]
    if re.search(r"\b(promoted dtype|[Tt]he dtype|both operands|the operands)\b", text):
        return [inputs] if inputs else [[p.name for p in base.tensors("out")]]
    if re.search(r"\b(an|each|the) operand\b|\ba (tensor|gradient)\b|\ban input\b", text):
        return [[n] for n in inputs]
    if " both" in text or text.startswith("both"):
        return [named]
    return [[n] for n in named]


@recipe(
    rf"(?P<who>(?!.*(?:while| negative ))[^,]+?) (?:is|are) (?P<neither>neither |not |none of )?"
    rf"(?P<sets>(?:{_WORDS})(?:(?:, | or | nor | and )(?:{_WORDS}))*)",
    rf"(?P<who>.+?) (?:is|are) (?P<neither>neither |not )?(?P<sets>(?:{_WORDS})(?:(?:, | or | nor | and )(?:{_WORDS})"
    r")*), which has no order",
    rf"(?P<who>a tensor) that is (?P<neither>not )(?P<sets>{_WORDS})",
    rf"(?P<who>.+ both) (?P<neither>)(?P<sets>{_WORDS})",
    rf"(?P<who>input) is (?P<neither>)(?P<sets>{_WORDS}) and written in place",
    code=DTYPE,
)
def wrong_kind(base: Base, found: re.Match) -> Iterator[Violation]:
    """A dtype of a kind that the sentence forbids."""
    if "in place" in found[0] and not base.tensors("inout"):
        return
    said = [d for word, members in _SETS.items() if re.search(rf"\b{word}\b", found["sets"]) for d in members]
    kinds = {dtypes.category(d) for d in said}
    forbidden = said
    if found["neither"]:
        exact = any(w in found["sets"] for w in ("int64", "int32", "uint8"))
        forbidden = [d for d in _KINDS if (d not in said if exact else dtypes.category(d) not in kinds)]
    least = _scalar_category(base) if "promoted" in found["who"] else 0
    for names in subjects(base, found["who"]):
        for dtype in (d for d in forbidden if names and dtypes.category(d) >= least):
            changes = _changed(base, names, dtype)
            yield Violation(f"{'+'.join(names)}={dtype}", changes, tuple(changes))


@recipe(
    r"(?:.* )?cannot be (?:cast|stored) (?:to|in) (?:the dtype of |that of )?(?P<who>.+)",
    r"a result that cannot be cast to the dtype of (?P<who>.+)",
    code=DTYPE,
)
def lossy_output(base: Base, found: re.Match) -> Iterator[Violation]:
    """An output whose dtype is of a lower category than the result's."""
    for p in base.tensors("out", "inout"):
        if p.name not in found["who"] and "output" not in found["who"]:
            continue
        expected = base.expected.get(p.name)
        compute = getattr(expected, "compute_dtype", "")
        if p.dir == "inout" or not compute:
            continue
        for dtype in ("bool", "int32", "float32"):
            if dtypes.category(dtype) < dtypes.category(compute):
                others = tuple(q.name for q in base.tensors("in", "inout"))
                yield Violation(f"{p.name}={dtype}", {p.name: base.retyped(p.name, dtype)}, (p.name, *others))
    for p in base.lists("out"):
        items = [replace(s, dtype="bool") for s in base.arguments[p.name]]
        yield Violation(f"{p.name}=bool", {p.name: items}, (p.name, *(q.name for q in base.tensors("in"))))


@recipe(
    r"the (?:result|promoted dtype) cannot be cast to the dtype of (?:out|input)",
    r"the result cannot be cast .*",
    code=DTYPE,
)
def lossy_in_place(base: Base, found: re.Match) -> Iterator[Violation]:
    """In place: another operand of a higher category, if the function has one."""
    for p in base.tensors("inout")[:1]:
        if base.oracle.dtype == "float" and base.dtype == "float32":
            yield Violation(f"{p.name}=int32", {p.name: base.retyped(p.name, "int32")}, (p.name,))
        if getattr(base.expected.get(p.name), "compute_dtype", "bool") == "bool":
            continue  # any dtype can hold that
        for q in base.tensors("in"):
            for low, high in (("int32", "float32"), ("float32", "complex64"), ("bool", "int32")):
                if low in (p.dtypes or ()) and high in (q.dtypes or ()) and base.spec(q.name).same is None:
                    changes = {p.name: base.retyped(p.name, low), q.name: base.retyped(q.name, high)}
                    if base.spec(q.name).shape:
                        yield Violation(f"{p.name}={low}+{q.name}={high}", changes, (p.name, q.name))

        for q in base.function.params:  # or a number
            if bare(q.type) == "diopiScalar_t*" and q.name in base.oracle.promote and base.dtype == "int32":
                yield Violation(f"{q.name}=1.5", {q.name: 1.5}, (p.name, q.name))


@recipe(
    r"(?P<who>.+) (?:has|have|does not have) (?:another dtype than|the dtype of|other dtypes than) (?P<of>.+)",
    r"(?P<who>[Tt]ensors) of different dtypes.*",
    r"(?P<who>inputs or outs) have different dtypes",
    r"(?P<who>.+) has another shape than .+, or another dtype",
    code=DTYPE,
)
def other_dtype(base: Base, found: re.Match) -> Iterator[Violation]:
    """One tensor in a dtype that differs from the others'."""
    text = found["who"]
    names = [p.name for p in base.tensors("in", "out", "inout") if re.search(rf"\b{re.escape(p.name)}\b", text)]
    if re.search(r"[Tt]ensors|[Aa] tensor", text):
        names = [p.name for p in base.tensors("in", "inout") if base.spec(p.name).dtype == base.dtype][1:]
    if re.search(r"[Aa] gradient|an output", text):
        names = [p.name for p in base.tensors("out")]
    blamed = tuple(p.name for p in base.tensors("in", "inout", "out"))
    for name in names:
        wider = "float64" if base.spec(name).dtype != "float64" else "float32"
        changes = {name: base.retyped(name, wider)}
        yield Violation(f"{name}={wider}", changes, tuple(dict.fromkeys((name, *blamed))))


@recipe(r"complex or bool operands with rounding", code=DTYPE)
def rounded_complex(base: Base, found: re.Match) -> Iterator[Violation]:
    """Rounding where the quotient has no order, or no quotient."""
    names = [p.name for p in base.tensors("in", "inout")]
    for dtype in ("complex64", "bool"):
        if dtypes.category(dtype) >= _scalar_category(base):
            changes = _changed(base, names, dtype)
            yield Violation(
                f"rounded,{'+'.join(names)}={dtype}",
                changes | {"rounding_mode": "RoundModeFloor"},
                (*changes, "rounding_mode"),
            )


@recipe(r"an index is neither int64.*", code=DTYPE)
def index_of_another_kind(base: Base, found: re.Match) -> Iterator[Violation]:
    """A list of indices with one that is none."""
    for p in base.lists("in"):
        items = base.arguments[p.name]
        first = next(i for i, item in enumerate(items) if item is not None)
        for dtype in ("float32", "int16"):
            wrong = TensorSpec(shape_of(items[first]), dtype, "zeros")
            yield Violation(
                f"{p.name}[{first}]={dtype}", {p.name: [*items[:first], wrong, *items[first + 1 :]]}, (p.name,)
            )
