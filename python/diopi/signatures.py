# SPDX-License-Identifier: BSD-3-Clause
"""The Python signature of an operator, from the parameters of its C function.

Inputs and attributes have the order of the C function. Parameters that may be null have the default None; required
parameters after them are keyword arguments. Outputs come last, as keyword arguments. The context and the lengths of
lists are not part of the signature. Tensors that the operator allocates and numbers that it writes through pointers are
returned.
"""

from __future__ import annotations

import functools
import inspect
import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

# Outputs with these names are also operands of in-place operators. They keep their position of the C function.
SUBJECTS = ("input", "inout", "self")


class ParamLike(Protocol):
    """A parameter from this package's contract or from the registry's model."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def dir(self) -> str: ...
    @property
    def nullable(self) -> bool: ...
    @property
    def allocates(self) -> bool: ...
    @property
    def count(self) -> str | None: ...
    @property
    def length(self) -> int | None: ...


class FunctionLike(Protocol):
    """An operator from this package's contract or from the registry's model."""

    @property
    def name(self) -> str: ...
    @property
    def returns(self) -> str: ...
    @property
    def params(self) -> tuple[ParamLike, ...]: ...
    @property
    def result(self) -> Mapping[str, object]: ...


@dataclass(frozen=True)
class Argument:
    """One argument of the Python function."""

    name: str
    slot: int  # its position among the C parameters
    output: bool  # whether it is a tensor or a list of tensors that is written but not read
    required: bool
    by_keyword: bool


@functools.cache
def bare(c_type: str) -> str:
    """A C type without const and without spaces before the star: `const int64_t *` -> `int64_t*`."""
    return re.sub(r"\s*\*\s*", "*", re.sub(r"\bconst\b", "", c_type)).strip()


def kind_of(param: ParamLike) -> str:
    """The kind of a parameter: `tensor`, `tensors`, `generator`, `generators`, or the bare C type."""
    kind = bare(param.type)
    for handle, noun in (("TensorHandle_t", "tensor"), ("GeneratorHandle_t", "generator")):
        if kind.removesuffix("*") in (f"diopi{handle}", f"diopiConst{handle}"):
            return f"{noun}s" if param.count or param.length else noun
    return kind


def python_name(name: str) -> str:
    """`diopiLogSoftmax` -> `log_softmax`, `diopiNLLLossV2` -> `nll_loss_v2`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.removeprefix("diopi"))
    return words.lower()


def argument_name(name: str) -> str:
    """A parameter's name in Python. Keywords of Python get an underscore, such as `from_`."""
    return name + "_" if keyword.iskeyword(name) else name


def is_returned_only(param: ParamLike) -> bool:
    """Whether the caller cannot give this output: the operator allocates it, or writes it through a pointer."""
    return param.dir == "out" and (param.allocates or kind_of(param) not in ("tensor", "tensors"))


def arguments(function: FunctionLike) -> list[Argument]:
    """The arguments of the Python function, in the order of its signature."""
    counts = {p.count for p in function.params if p.count}
    first: list[Argument] = []
    outputs: list[Argument] = []
    optional_seen = False
    for slot, param in enumerate(function.params):
        if param.name == "ctx" or param.name in counts or is_returned_only(param):
            continue
        name = argument_name(param.name)
        if param.dir == "out" and param.name not in SUBJECTS:
            required = not param.nullable and param.name not in function.result
            outputs.append(Argument(name, slot, True, required, True))
            continue
        first.append(Argument(name, slot, False, not param.nullable, optional_seen and not param.nullable))
        optional_seen = optional_seen or param.nullable
    positional = [a for a in first if not a.by_keyword]
    return [*positional, *(a for a in first if a.by_keyword), *outputs]


def signature(function: FunctionLike) -> inspect.Signature:
    """The signature that help() shows."""
    return inspect.Signature(
        [
            inspect.Parameter(
                a.name,
                inspect.Parameter.KEYWORD_ONLY if a.by_keyword else inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=inspect.Parameter.empty if a.required else None,
            )
            for a in arguments(function)
        ]
    )


def returned(function: FunctionLike) -> list[tuple[int, ParamLike]]:
    """The results of a call with their positions: all outputs and written numbers, or else the in-place operands."""
    numbered = list(enumerate(function.params))
    written = [(i, p) for i, p in numbered if p.dir == "out" or (p.dir == "inout" and kind_of(p) == "int64_t*")]
    if any(p.dir == "out" for _, p in written):
        return written
    return [(i, p) for i, p in numbered if (i, p) in written or (p.dir == "inout" and kind_of(p).startswith("tensor"))]
