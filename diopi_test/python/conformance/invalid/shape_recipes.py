# SPDX-License-Identifier: BSD-3-Clause
"""Violations of what the registry says about shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..case_files import TensorSpec
from .base import Base, Violation, shape_of
from .recipes import recipe


def wrong_shapes(shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """One more in the last dimension, and one dimension more."""
    longer = (*shape[:-1], shape[-1] + 1) if shape else (2,)
    return longer, (2, *(shape or (3,)))


def _subjects(base: Base, text: str) -> list[str]:
    plain = re.sub(r"\b([Tt]he|[Aa]n) output\b", "", text)
    names = [p.name for p in base.tensors("in", "out", "inout") if re.search(rf"\b{re.escape(p.name)}\b", plain)]
    if re.search(r"\b(an|the|its) outputs?\b|[Aa] gradient\b", text):
        names += [p.name for p in base.tensors("out")]
    if re.search(r"\b([Aa] tensor|[Tt]ensors|the operands)\b|^$", text):
        names += [p.name for p in base.tensors("in", "inout")][1:] + [p.name for p in base.tensors("out")]
    return list(dict.fromkeys(names))


@recipe(
    r"(?P<who>[^,]*?)\s?\b(?:has|have|with|does not have|do not have|of|is not|agree) (?:the |an)?"
    r"(?:other|another|wrong|right|their common)?\s?(?:shape|shapes|length).*",
    r"(?P<who>.*?) (?:has|is) (?:another|of another|not of) (?:shape|length).*",
    r"(?P<who>out|an output|the output) (?:has|does not have) [^,]*(?:shape|length|size)[^,]*",
    r"(?P<who>[Tt]ensors) of (?:the same number differ|different shapes).*",
    r"(?P<who>.+) have different shapes",
    r"(?P<who>grad_output|grad_input|grad_out) [^,]*(?:shape)[^,]*",
)
def other_shape(base: Base, found: re.Match) -> Iterator[Violation]:
    """The tensors that the sentence speaks of, each in another shape."""
    inputs = [p.name for p in base.tensors("in", "inout")]
    for name in _subjects(base, found["who"]):
        if base.spec(name).same is not None:
            continue
        output = base.function.param(name).dir == "out"
        for shape in wrong_shapes(shape_of(base.spec(name))):
            blamed = (name,) if output else tuple(dict.fromkeys((name, *inputs)))
            slug = f"{name}={'x'.join(map(str, shape))}"
            yield Violation(slug, {name: base.reshaped(name, shape)}, blamed, (shape,) if output else ())
    for p in base.lists("out"):
        if re.search(rf"\b{p.name}\b|output", found["who"]):
            items = base.arguments[p.name]
            shape = wrong_shapes(shape_of(items[-1]))[0]
            yield Violation(f"{p.name}[-1]", {p.name: [*items[:-1], replace(items[-1], shape=shape)]}, (p.name,))


@recipe(r"(?P<who>\w+) does not broadcast to .*")
def not_expandable(base: Base, found: re.Match) -> Iterator[Violation]:
    """A last dimension that is neither one nor the result's."""
    spec, inputs = base.spec(found["who"]), [p.name for p in base.tensors("in", "inout")]
    results = [shape_of(base.spec(p.name)) for p in base.tensors("out", "inout") if p.name != found["who"]]
    if spec is not None and results and results[0]:
        wrong = (*shape_of(spec)[:-1], results[0][-1] + 1)
        yield Violation(
            f"{found['who']}={'x'.join(map(str, wrong))}",
            {found["who"]: base.reshaped(found["who"], wrong)},
            tuple(dict.fromkeys((found["who"], *inputs, *(p.name for p in base.tensors("out"))))),
        )


@recipe(
    r"the shapes of the operands do not broadcast",
    r"shapes that do not broadcast",
    r"(?P<who>.+) do not "
    r"broadcast",
    r"index tensors that do not broadcast",
)
def not_broadcastable(base: Base, found: re.Match) -> Iterator[Violation]:
    """A last dimension that is neither one nor the other's."""
    inputs = [p.name for p in base.tensors("in", "inout")]
    for name in inputs[1:]:
        shape = shape_of(base.spec(name))
        first = max((shape_of(base.spec(n)) for n in inputs if n != name), key=len, default=())
        first = first or max((shape_of(base.spec(p.name)) for p in base.tensors("out")), key=len, default=())
        if first and first[-1] > 1 and base.spec(name).same is None:
            wrong = (*shape[:-1], first[-1] + 1) if shape else (first[-1] + 1,)
            yield Violation(
                f"{name}={'x'.join(map(str, wrong))}",
                {name: base.reshaped(name, wrong)},
                tuple(dict.fromkeys((name, *inputs))),
            )


@recipe(r"out has another shape than the broadcast shape, or in place input has")
def grows_in_place(base: Base, found: re.Match) -> Iterator[Violation]:
    """An output that is not as large as the result; in place, an operand that would enlarge the result."""
    for p in base.tensors("out"):
        for shape in wrong_shapes(shape_of(base.spec(p.name))):
            yield Violation(
                f"{p.name}={'x'.join(map(str, shape))}", {p.name: base.reshaped(p.name, shape)}, (p.name,), (shape,)
            )
    for p in base.tensors("inout")[:1]:
        for q in base.tensors("in"):
            larger = (2, *shape_of(base.spec(p.name)))
            yield Violation(
                f"{q.name}={'x'.join(map(str, larger))}", {q.name: base.reshaped(q.name, larger)}, (p.name, q.name)
            )


@recipe(
    r"(?P<who>input|inout|weight|mat1|mat2|target|input or other|input or mat2|mat1 or mat2|A batch matrix|out|index) "
    r"(?:has no dimensions?|has (?:neither|fewer) .*dimensions?|is not \d-dimensional|does not have \w+ dimensions)"
)
def wrong_rank(base: Base, found: re.Match) -> Iterator[Violation]:
    """A tensor without dimensions, and with too many."""
    inputs = [p.name for p in base.tensors("in", "inout", "out")]
    for name in [n for n in _subjects(base, found["who"])]:
        shape = shape_of(base.spec(name))
        for wrong in ((), (2, 2, 2, *shape)):
            if base.spec(name).same is not None or ("no dimension" in found[0] or "fewer" in found[0]) and wrong:
                continue
            yield Violation(
                f"{name}={'x'.join(map(str, wrong)) or 'scalar'}",
                {name: base.reshaped(name, wrong)},
                tuple(dict.fromkeys((name, *inputs))),
            )


@recipe(r"grad_output has other dimensions than input before the last(?: \d)?")
def other_leading_dimension(base: Base, found: re.Match) -> Iterator[Violation]:
    shape = shape_of(base.spec("grad_output"))
    wrong = (shape[0] + 1, *shape[1:])
    yield Violation(
        f"grad_output={'x'.join(map(str, wrong))}",
        {"grad_output": base.reshaped("grad_output", wrong)},
        ("grad_output", "input"),
    )


@recipe(r"(?P<who>index|index or out) has a shape that does not match.*")
def index_of_another_rank(base: Base, found: re.Match) -> Iterator[Violation]:
    shape = (2, *shape_of(base.spec("index")))
    blamed = tuple(p.name for p in base.tensors("in", "inout", "out"))
    yield Violation(f"index={'x'.join(map(str, shape))}", {"index": base.reshaped("index", shape)}, blamed)


@recipe(r"more indices than input has dimensions")
def too_many_indices(base: Base, found: re.Match) -> Iterator[Violation]:
    for p in base.lists("in"):
        last = base.arguments[p.name][-1]
        if last is not None and last.dtype in ("int32", "int64"):
            items = [TensorSpec(shape_of(last), last.dtype, "zeros")] * 9
            yield Violation(f"{p.name}=9", {p.name: items}, (p.name, str(p.count)))


@recipe(r"(?P<who>value|totalWeight) has (?:more|other) than one element(?: or dimension)?")
def several_values(base: Base, found: re.Match) -> Iterator[Violation]:
    name = found["who"]
    if base.spec(name) is not None:
        for shape in ((2,), (1, 3)):
            yield Violation(
                f"{name}={'x'.join(map(str, shape))}", {name: base.reshaped(name, shape)}, (name,), (shape,)
            )


@recipe(r"no tensors")
def no_tensors(base: Base, found: re.Match) -> Iterator[Violation]:
    for p in base.lists("in"):
        yield Violation(f"{p.name}=none", {p.name: []}, (p.name, str(p.count)))


@recipe(r"index has more than one dimension")
def matrix_of_indices(base: Base, found: re.Match) -> Iterator[Violation]:
    shape = (1, *(shape_of(base.spec("index")) or (1,)))
    yield Violation(
        f"index={'x'.join(map(str, shape))}", {"index": base.reshaped("index", shape)}, ("index",), (shape,)
    )


@recipe(r"input and (?P<other>other|weight) do not fit each other as in .*")
def inner_extents(base: Base, found: re.Match) -> Iterator[Violation]:
    name, spec = found["other"], base.spec(found["other"])
    if len(shape_of(spec)) > 1:
        inner = -2 if name == "other" else -1
        wrong = tuple(n + (i == len(shape_of(spec)) + inner) for i, n in enumerate(shape_of(spec)))
        blamed = tuple(p.name for p in base.tensors("in", "out"))
        yield Violation(f"{name}={'x'.join(map(str, wrong))}", {name: base.reshaped(name, wrong)}, (name, *blamed))


@recipe(
    r"(?P<pair>mat1 or mat2|input or mat2|A batch matrix) is not \dd?-dimensional.*",
    r"A batch matrix is not .*",
    r"mat1 or mat2 is not .*",
)
def wrong_matrix(base: Base, found: re.Match) -> Iterator[Violation]:
    """A factor with one dimension more, and with one less."""
    factors = [p.name for p in base.tensors("in") if p.name.startswith(("mat", "batch"))]
    for name in factors:
        shape = shape_of(base.spec(name))
        for wrong in ((1, *shape), shape[1:], (*shape[:-2], shape[-2] + 1, shape[-1] + 1)):
            yield Violation(
                f"{name}={'x'.join(map(str, wrong))}",
                {name: base.reshaped(name, wrong)},
                tuple(dict.fromkeys((name, *factors, "input"))),
            )


@recipe(r"grad_output does not agree with sizes outside dim")
def other_sizes(base: Base, found: re.Match) -> Iterator[Violation]:
    shape = (2, *shape_of(base.spec("grad_output")))
    yield Violation(
        f"grad_output={'x'.join(map(str, shape))}",
        {"grad_output": base.reshaped("grad_output", shape)},
        ("grad_output", "sizes", "indices"),
    )
