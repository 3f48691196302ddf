# SPDX-License-Identifier: BSD-3-Clause
"""Violations of what the registry says about attributes and about the values in index tensors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .. import dtypes, scalars
from ..binding import bare
from ..case_files import TensorSpec
from .base import Base, Violation, shape_of
from .recipes import recipe


def _rank(base: Base) -> int:
    """The number of dimensions that `dim` counts: of the input, for lists of an output or an element."""
    order = [p.name for p in base.tensors("in", "inout")] + [p.name for p in base.tensors("out")]
    if base.lists("in") and base.tensors("out"):
        return len(shape_of(base.spec(base.tensors("out")[0].name)))
    preferred = [n for n in ("input", "self", "grad_output", "grad_input") if n in order] + order
    return len(shape_of(base.spec(preferred[0])))


def _dims(base: Base) -> list[str]:
    return [p.name for p in base.function.params if re.fullmatch(r"dims?|dim[01]", p.name) and p.dir == "attr"]


@recipe(
    r"dim is out of range(?: for out)?",
    r"dim0 or dim1 is out of range",
    r"dim names a dimension out of range, or one twice",
    r"an entry of dims is out of range or named twice",
    r"dims does not name each dimension of input once",
)
def dim_out_of_range(base: Base, found: re.Match) -> Iterator[Violation]:
    """Just beyond either end; in a list also one dimension twice."""
    rank = _rank(base)
    if rank == 0:
        return
    for name in _dims(base):
        several = bare(base.function.param(name).type) == "diopiSize_t"
        rest = list(range(rank))[1:] if "each" in found[0] else []
        for dim in (rank, -rank - 1):
            yield Violation(f"{name}={dim}", {name: [dim, *rest] if several else dim}, (name,), (dim,))
        if several and rank > 1:
            yield Violation(f"{name}_twice", {name: [0, -rank, *rest[1:]]}, (name,))


@recipe(
    r"reduction is no diopiReduction_t that names a reduction",
    r"rounding_mode is no diopiRoundMode_t that names a "
    r"mode",
    r"memoryFormat is none of the five",
)
def unknown_enumerator(base: Base, found: re.Match) -> Iterator[Violation]:
    name = found[0].split()[0]
    yield Violation(f"{name}=77", {name: 77}, (name,))
    yield Violation(f"{name}=-1", {name: -1}, (name,))


@recipe(r"approximate is neither \"none\" nor \"tanh\"", r"reduce is neither .*")
def unknown_text(base: Base, found: re.Match) -> Iterator[Violation]:
    name = found[0].split()[0]
    yield Violation(f"{name}=median", {name: "median"}, (name,))


@recipe(r"(?P<name>alpha|value) is no whole number while the promoted dtype is integral(?: or bool)?")
def fraction(base: Base, found: re.Match) -> Iterator[Violation]:
    if base.dtype in ("int32", "int64"):
        yield Violation(f"{found['name']}=1.5", {found["name"]: 1.5}, (found["name"],), (1.5,))


_MISFITS = scalars.SENTENCE.pattern, r"(?P<name>start|end) does not fit (?P<dtype>the dtype) and .*"


@recipe(*_MISFITS)
def too_large_integer(base: Base, found: re.Match) -> Iterator[Violation]:
    """Just beyond either end of an integral dtype, and far beyond."""
    if base.dtype not in dtypes.INTEGRAL:
        return
    limits = np.iinfo(dtypes.NUMPY[base.dtype])
    most, least = int(limits.max), -int(limits.max) - (1 if base.dtype in dtypes.SIGNED else 0)
    sign = -1 if found[0].startswith("the negative") else 1
    far = (sign * n for n in (most + 1, least - 1, 2**62, -(2**62)) if not least <= n <= most)
    yield from _misfits(base, found["name"], [n for n in far if -(2**63) <= n < 2**63])


@recipe(*_MISFITS)
def too_large_number(base: Base, found: re.Match) -> Iterator[Violation]:
    if base.dtype in ("float32", "complex64") and found["name"] != "exponent":
        yield from _misfits(base, found["name"], [3.5e38, -1e300])


def _misfits(base: Base, name: str, numbers: list[int] | list[float]) -> Iterator[Violation]:
    parameters = {p.name: p for p in base.function.params}
    if name not in parameters or parameters[name].is_tensor or not _of_one_dtype(base):
        return
    for number in numbers:
        plain = float(number) if parameters[name].type == "double" else number
        yield Violation(f"{name}={number}", {name: plain}, (name,), (number,))


def _of_one_dtype(base: Base) -> bool:
    """Whether the dtype of the case is that of the computation: no tensor and no other scalar raises it."""
    specs = [base.spec(p.name) for p in base.tensors("in", "inout") if "float32" in (p.dtypes or ())]
    floating = any(isinstance(base.arguments.get(p.name), float) for p in base.function.params if p.is_scalar)
    return all(s.dtype == base.dtype for s in specs) and not (floating and base.dtype in dtypes.INTEGRAL)


@recipe(r"other has a zero where .*integers.*")
def zero_divisor(base: Base, found: re.Match) -> Iterator[Violation]:
    if base.dtype not in ("int32", "int64"):
        return
    modes = ("RoundModeTrunc", "RoundModeFloor") if "rounding" in found[0] else (None,)
    for mode in modes:
        changes: dict[str, Any] = {} if mode is None else {"rounding_mode": mode}
        spec = base.spec("other")
        changes["other"] = 0 if spec is None else TensorSpec(shape_of(spec), spec.dtype, "zeros")
        yield Violation(f"other=0{',' + mode if mode else ''}", changes, ("other",))


@recipe(r"(?P<name>\w+) is (?:negative|below 0|less than 0)(?: or NaN)?", r"(?P<name>\w+) is less than 1")
def too_small(base: Base, found: re.Match) -> Iterator[Violation]:
    name = found["name"]
    if name not in [p.name for p in base.function.params] or base.spec(name) is not None:
        return
    lists = tuple(q.name for q in base.function.params if q.count == name)
    for value in (-1, *((0,) if "1" in found[0] else ()), *((math.nan,) if "NaN" in found[0] else ())):
        yield Violation(f"{name}={value}", {name: value}, (name, *lists), () if math.isnan(value) else (value,))


@recipe(r"(?P<name>\w+) is (?:outside|not within) \[0, 1\]")
def outside_unit(base: Base, found: re.Match) -> Iterator[Violation]:
    for value in (-0.25, 1.5, math.nan):
        yield Violation(
            f"{found['name']}={value}", {found["name"]: value}, (found["name"],), () if math.isnan(value) else (value,)
        )


@recipe(r"(?P<name>std|input|inout) has an element (?:that is negative.*|outside \[0, 1\])")
def element_outside(base: Base, found: re.Match) -> Iterator[Violation]:
    spec = base.spec(found["name"])
    if spec is not None and base.dtype.startswith("float"):
        for value in (-1.5, math.nan, *((1.5,) if "0, 1" in found[0] else ())):
            yield Violation(
                f"{found['name']}={value}",
                {found["name"]: TensorSpec(shape_of(spec), spec.dtype, f"full({value})")},
                (found["name"],),
            )


@recipe(r"divisor_override is 0", r"step is zero")
def zero(base: Base, found: re.Match) -> Iterator[Violation]:
    name = found[0].split()[0]
    yield Violation(f"{name}=0", {name: 0}, (name,), (0,))


@recipe(r"min and max are both null")
def no_bound(base: Base, found: re.Match) -> Iterator[Violation]:
    yield Violation("min=null,max=null", {"min": None, "max": None}, ("min", "max"))


_LISTS = r"(?:kernel_size|stride|padding|dilation|output_size)"


@recipe(rf"(?P<names>{_LISTS}(?:(?:, | or ){_LISTS})*) has (?:other than|neither) .*")
def window_lists(base: Base, found: re.Match) -> Iterator[Violation]:
    """Too many values, and values below the least."""
    count = max(int(n) for n in re.findall(r"\b[123]\b", found[0].split(" value")[0]) or [1])
    for name in re.findall(_LISTS, found["names"]):
        if name not in base.arguments and name not in [p.name for p in base.function.params]:
            continue
        least = 0 if name in ("padding", "output_size") else 1
        blamed = (name,)
        yield Violation(f"{name}_too_many", {name: [1] * (count + 1)}, blamed)
        yield Violation(f"{name}={least - 1}", {name: [least - 1] * count}, blamed, (least - 1,))


@recipe(r"padding is more than half of the dilated kernel, or the output would be empty")
def too_much_padding(base: Base, found: re.Match) -> Iterator[Violation]:
    count = len(base.arguments["kernel_size"]) if isinstance(base.arguments.get("kernel_size"), list) else 1
    yield Violation("padding=50", {"padding": [50] * count}, ("padding",), (50,))
    floor = {p.name: False for p in base.function.params if p.name == "ceil_mode"}
    yield Violation(
        "kernel_size=500", {"kernel_size": [500] * count, "padding": [0] * count, **floor}, ("kernel_size", "input")
    )


def index_tensors(base: Base) -> list[str]:
    """Tensors that hold positions or classes."""
    return [
        p.name
        for p in base.tensors("in")
        if p.dtypes and {"int32", "int64"} <= set(p.dtypes) and not set(p.dtypes) & {"float32"}
    ]


@recipe(
    r"an index is negative or out of range.*",
    r"[Aa]n index is (?:out of range.*|negative or not below .*)",
    r"target has a class outside .*",
    r"indices names a position that dim does not have",
)
def bad_index(base: Base, found: re.Match) -> Iterator[Violation]:
    """A position far beyond either end."""
    names = index_tensors(base) or [
        n for n in ("target",) if base.spec(n) is not None and base.spec(n).dtype in ("int32", "int64")
    ]
    for name in names:
        spec = base.spec(name)
        values = (1000,) if "signed" in (spec.gen or "") else (1000, -1001)
        for value in values if shape_of(spec) and 0 not in shape_of(spec) else ():
            wrong = replace(spec, shape=shape_of(spec), values=None, gen=f"full({value})")
            yield Violation(f"{name}={value}", {name: wrong}, (name,), (value,))
    for p in base.lists("in"):
        items = base.arguments[p.name]
        for i, item in enumerate(items):
            if isinstance(item, TensorSpec) and item.dtype in ("int32", "int64") and 0 not in shape_of(item):
                wrong = [*items[:i], TensorSpec(shape_of(item), item.dtype, "full(1000)"), *items[i + 1 :]]
                yield Violation(f"{p.name}[{i}]=1000", {p.name: wrong}, (p.name,), (1000,))


def _spatial(base: Base) -> int:
    return len(shape_of(base.spec("weight"))) - 2


@recipe(r"The dilated kernel is empty or larger than the padded input")
def kernel_too_large(base: Base, found: re.Match) -> Iterator[Violation]:
    yield Violation("dilation=100", {"dilation": [100] * _spatial(base)}, ("dilation", "weight", "input"))


@recipe(
    r"The output channels are no positive multiple of groups, or input has other than groups times the weight's "
    r"channels"
)
def groups_that_do_not_divide(base: Base, found: re.Match) -> Iterator[Violation]:
    yield Violation("groups=97", {"groups": 97}, ("groups", "weight", "input"), (97,))


@recipe(r"(?P<name>max_exp_avg_sqs?) is null and (?P<flag>amsgrad) is set")
def missing_state(base: Base, found: re.Match) -> Iterator[Violation]:
    yield Violation(f"{found['name']}=null", {found["name"]: None, found["flag"]: True}, (found["name"], found["flag"]))


@recipe(r"norm_type is NaN")
def no_norm(base: Base, found: re.Match) -> Iterator[Violation]:
    yield Violation("norm_type=nan", {"norm_type": math.nan}, ("norm_type",))


@recipe(r"normalized_shape is not the end of the shape of input")
def other_end(base: Base, found: re.Match) -> Iterator[Violation]:
    shape = base.arguments["normalized_shape"]
    for wrong in ([*shape[:-1], shape[-1] + 1], [2] * 9, []):
        yield Violation(
            f"normalized_shape={'x'.join(map(str, wrong)) or 'nothing'}",
            {"normalized_shape": wrong},
            ("normalized_shape",),
        )
