# SPDX-License-Identifier: BSD-3-Clause
"""Reads `cases/*.yaml`, and expands the entries to the cases that the bench's program runs."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adaptor.codegen import strict_yaml

from .expressions import evaluate
from .layouts import SIZES, make_layout
from .operators import BenchError, Operator, TensorRule

# Keys of an entry that are not values for the operator's expressions.
SETTINGS = {"op", "model", "each", "layout", "values", "verify", "tolerance", "label", "with_numpy"}
# The allowed difference between the results of two sides, relative to the largest result. It allows rounding errors,
# but finds wrong setups.
TOLERANCES = {"float64": 1e-9, "float32": 2e-4, "complex64": 2e-4, "float16": 1e-2, "bfloat16": 4e-2}


@dataclass(frozen=True)
class Bar:
    """The goals of a group; None means no goal. `geometric_mean` and `worst` are ratios to libtorch, `onednn` is the
    worst ratio to oneDNN, `numpy` the worst ratio to NumPy, `share` is a share of the limit, `seconds` is the longest
    allowed time of a call, `threads` is the worst ratio of our time with one thread to that with several. A case that
    reaches the share `or_share` of the limit with several threads need not reach `threads`. `launch` is the longest
    allowed time until a call on a device is launched. `share` is about cases that touch at least `share_from` bytes.
    `share_without_torch` is a share of the limit for cases that libtorch has no call for."""

    geometric_mean: float | None = None
    worst: float | None = None
    share: float | None = None
    share_without_torch: float | None = None
    seconds: float | None = None
    onednn: float | None = None
    numpy: float | None = None
    threads: float | None = None
    or_share: float | None = None
    launch: float | None = None
    share_from: int = 0

    @property
    def has_share(self) -> bool:
        return (self.share, self.share_without_torch, self.or_share) != (None, None, None)


@dataclass(frozen=True)
class Group:
    name: str
    title: str
    bar: Bar


@dataclass
class Case:
    name: str
    group: str
    op: str
    dtype: str
    model: str
    tensors: list[dict[str, Any]]
    numbers: dict[str, float] = field(default_factory=dict)
    sizes: dict[str, list[int]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    verified: list[str] = field(default_factory=list)
    verifies_moments: bool = False
    tolerance: float = 0.0
    bytes: int = 0
    flops: int = 0
    numpy: str = ""
    restored: bool = False  # what the operator overwrites is restored before each call
    launched: bool = False  # the time until the call is launched is measured
    with_one_thread: bool = False  # a run with several threads measures one thread in turns with them
    with_triad: bool = False

    @property
    def elements(self) -> int:
        """The number of elements of the largest tensor."""
        return max((math.prod(tensor["shape"]) for tensor in self.tensors), default=0)

    def as_json(self) -> dict[str, Any]:
        return dict(self.__dict__)


def load_groups(path: Path) -> list[Group]:
    return [Group(entry["name"], entry["title"], Bar(**entry.get("bar", {}))) for entry in strict_yaml.load(path)]


def expand(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """One entry for each combination of the values under `each`. A value that is a mapping sets several keys."""
    each = entry.get("each", {})
    base = {key: value for key, value in entry.items() if key != "each"}
    result = []
    for combination in itertools.product(*each.values()):
        single = dict(base)
        for key, value in zip(each, combination):
            single.update(value if isinstance(value, dict) and key == "variant" else {key: value})
        result.append(single)
    return result


def compact(value: Any) -> str:
    if isinstance(value, list):
        return "x".join(compact(item) for item in value) if value else "all"
    return str(value)


def make_name(group: str, entry: dict[str, Any]) -> str:
    parts = [group, entry["op"], entry["dtype"]]
    if "label" in entry:
        parts.append(entry["label"])
    else:
        shape = [compact(entry["shape"])] if "shape" in entry else []
        rest = [f"{key}={compact(value)}" for key, value in entry.items() if key not in SETTINGS | {"dtype", "shape"}]
        parts.append(",".join(shape + rest))
    parts += [f"{name}:{kind}" for name, kind in entry.get("layout", {}).items()]
    if "model" in entry:
        parts.append(entry["model"])
    return "/".join(parts)


def values_for(entry: dict[str, Any], operator: Operator) -> dict[str, Any]:
    values = {attribute.name: attribute.default for attribute in operator.attributes if attribute.default is not None}
    values.update({key: value for key, value in entry.items() if key not in SETTINGS})
    if "shape" in values:
        values.setdefault("other_shape", values["shape"])
    values.setdefault("out_dtype", values["dtype"])
    values.setdefault("other_dtype", values["dtype"])
    return values


def fill_of(rule: TensorRule, dtype: str, values: dict[str, Any], given: Any) -> dict[str, Any]:
    """The initial content of a tensor: numbers in [low, high), the permutation in `permutation N`, zeros, or
    columns with ranges of their own."""
    spec = given if given is not None else rule.values
    if spec is None:
        floating = dtype.startswith(("float", "bfloat", "complex"))
        spec = [-1.0, 1.0] if floating else [0, 2] if dtype == "bool" else [-100, 100]
    if spec in ("zeros", "half"):
        return {"fill": spec, "low": 0, "high": 0}
    if isinstance(spec, dict):
        columns = [entry if isinstance(entry, list) else [entry, entry] for entry in spec["columns"]]
        rows = [[evaluate(str(bound), values) for bound in [*column, -1][:3]] for column in columns]
        return {"fill": "columns", "low": 0, "high": 0, "columns": rows}
    if isinstance(spec, str) and spec.startswith("permutation "):
        return {"fill": "permutation", "low": 0, "high": evaluate(spec.removeprefix("permutation "), values)}
    low, high = (evaluate(str(bound), values) for bound in spec)
    kind = "uniform" if dtype.startswith(("float", "bfloat", "complex")) else "integers"
    return {"fill": kind, "low": low, "high": high}


def resolve_tensors(entry: dict[str, Any], operator: Operator, values: dict[str, Any]) -> list[dict[str, Any]]:
    tensors = []
    for rule in operator.tensors:
        shape = evaluate(rule.shape, values)
        if shape is None:
            continue  # this case does not have this optional tensor
        dtype = evaluate(rule.dtype, values)
        shapes = {f"{rule.name}.{i}": part for i, part in enumerate(shape)} if rule.is_list else {rule.name: shape}
        for name, single in shapes.items():
            layout = make_layout(single, entry.get("layout", {}).get(rule.name, "contiguous"))
            tensors.append(
                {
                    "name": name,
                    "role": rule.role,
                    "dtype": dtype,
                    "shape": single,
                    "strides": layout.strides,
                    "offset": layout.offset,
                    "storage_elements": layout.storage_elements,
                    **fill_of(rule, dtype, values, entry.get("values", {}).get(rule.name)),
                }
            )
    return tensors


def touched_bytes(tensors: list[dict[str, Any]]) -> int:
    """The number of bytes that a call must read and write. Elements of inouts count twice; elements that a stride of 0
    repeats count once."""
    total = 0
    for tensor in tensors:
        elements = math.prod(size for size, stride in zip(tensor["shape"], tensor["strides"]) if stride != 0)
        if tensor["role"] == "scratch":
            continue
        total += elements * SIZES[tensor["dtype"]] * (2 if tensor["role"] == "inouts" else 1)
    return total


def resolve(group: str, entry: dict[str, Any], operators: dict[str, Operator]) -> Case:
    entry = {"dtype": "float32", **entry}
    name = make_name(group, entry)
    if entry["op"] not in operators:
        raise BenchError(f"{name}: there is no operator {entry['op']} in operators/")
    operator = operators[entry["op"]]
    values = values_for(entry, operator)
    try:
        tensors = resolve_tensors(entry, operator, values)
        flops = int(evaluate(operator.flops, values)) if operator.flops else 0
        size = int(evaluate(operator.bytes, values | {"size_of": SIZES})) if operator.bytes else touched_bytes(tensors)
    except Exception as error:
        raise BenchError(f"{name}: {error}") from error
    case = Case(
        name=name,
        group=group,
        op=entry["op"],
        dtype=entry["dtype"],
        model=entry.get("model", ""),
        tensors=tensors,
        bytes=size,
        flops=flops,
        numpy=operator.numpy if entry.get("with_numpy", True) else "",
        restored=operator.restored,
    )
    for attribute in operator.attributes:
        if attribute.name not in values:
            raise BenchError(f"{name}: the attribute {attribute.name} is missing")
        value = values[attribute.name]
        match attribute.type:
            case "sizes":
                case.sizes[attribute.name] = value
            case "text":
                case.texts[attribute.name] = value
            case _:
                case.numbers[attribute.name] = float(value)
    verify = entry.get("verify", operator.verify)
    case.verifies_moments = verify == "moments"
    outputs = [tensor["name"] for tensor in tensors if tensor["role"] in ("outputs", "inouts")]
    # A tensor of a list has the name of the list, a dot and its number.
    verified = [output for part in verify for output in outputs if part in (output, output.rpartition(".")[0])]
    case.verified = outputs if case.verifies_moments else verified
    rounding = max(TOLERANCES.get(tensor["dtype"], 0.0) for tensor in tensors)
    # The tolerance of an operator is about float32 and float64; results of 16 bits are rounded further.
    own = operator.tolerance and max(operator.tolerance, rounding if SIZES[entry["dtype"]] == 2 else 0.0)
    case.tolerance = entry.get("tolerance", own or rounding)
    return case


def load_cases(folder: Path, operators: list[Operator], groups: list[Group]) -> list[Case]:
    """All cases, in the order of file names and entries."""
    by_name = {operator.name: operator for operator in operators}
    bars = {group.name: group.bar for group in groups}
    cases: dict[str, Case] = {}
    for path in sorted(folder.glob("*.yaml")):
        data = strict_yaml.load(path)
        for entry in data["cases"]:
            for single in expand(entry):
                case = resolve(data["group"], single, by_name)
                if case.name in cases:
                    raise BenchError(f"{path.name}: case {case.name} occurs twice")
                bar = bars.get(case.group, Bar())
                case.with_triad = bar.has_share and case.bytes >= bar.share_from
                case.with_one_thread = bar.threads is not None
                case.launched = bar.launch is not None
                cases[case.name] = case
    return list(cases.values())
