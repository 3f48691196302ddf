# SPDX-License-Identifier: BSD-3-Clause
"""The struct of checked arguments of a function and its forms, and where a parameter of a form is found in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from ..model import Function, Param, Registry
from ..results import PROMOTIONS
from ..rules.dtype_fields import Dtype
from ..rules.dtypes import operands
from ..rules.inheriting import output_of_form
from ..rules.shapes import BROADCAST, Broadcastable
from ..rules.terms import Name
from ..rules.windows import KernelFits
from .reductions import Reduction, reduction_of

PROMOTED_WORDS = ("promoted", "floating", "summed", "quotient", "computation")


def snake(name: str) -> str:
    """`diopiAdaptiveAvgPool2d` -> `adaptive_avg_pool2d`."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name.removeprefix("diopi"))
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", words).lower()


def is_view(param: Param) -> bool:
    return param.is_tensor


def is_view_list(param: Param) -> bool:
    """Lists whose entries may be null stay lists of handles, which the family reads."""
    return param.is_tensor_list and not param.element_nullable


@dataclass(frozen=True)
class Member:
    """A member of the struct."""

    name: str
    type: str
    init: str = ""
    doc: str = ""


@dataclass(frozen=True)
class Operator:
    """A main function and its forms, which share one struct."""

    main: Function
    forms: tuple[Function, ...]  # the main function first

    @property
    def struct(self) -> str:
        return self.main.name.removeprefix("diopi") + "Args"

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The tensors that scalar forms replace with a number."""
        tensors = {p.name for p in self.main.params if p.is_tensor}
        found = (p.name for f in self.forms for p in f.params if p.is_scalar and p.name in tensors)
        return tuple(dict.fromkeys(found))

    @cached_property
    def promotes(self) -> bool:
        return bool(self.numbers) or any(_speaks_of_promotion(f) for f in self.forms)

    @cached_property
    def broadcasts(self) -> bool:
        return any(_broadcasts(f) for f in self.forms)

    @cached_property
    def reduction(self) -> Reduction | None:
        return reduction_of(self.main)

    def members(self) -> list[Member]:
        result = [_member(p) for p in self.main.params if p.type != "diopiContextHandle_t"]
        if self.promotes:
            result.append(Member("promoted", "diopiDtype_t", " = diopi_dtype_unsupported", "of the operands"))
        if self.broadcasts:
            result.append(Member("broadcast", "Dims", "", "the broadcast shape of the operands"))
        if self.reduction:
            result.append(Member("reduced", "uint32_t", "{}", "the reduced dimensions: bit i stands for dimension i"))
        if any(isinstance(c.rule, KernelFits) for c in self.main.checks):
            result.append(Member("windows", "Windows", "", "over the last dimensions of the input"))
        result += [
            Member(f"{n}_number", "NumberOperand", "", f"what `{n}` views in scalar forms") for n in self.numbers
        ]
        return result

    def operands(self, form: Function) -> list[Param]:
        """The tensors and numbers that a form promotes. An in-place form promotes those of its main function."""
        names = {p.name: p for p in form.params}
        results = (form.result or self.main.result).values()
        declared = [r.promoted for r in results if r.dtype in PROMOTIONS and names.keys() >= set(r.promoted)]
        if declared:
            return [names[n] for n in declared[0]]
        found = [*operands(form), *(n for n in self.numbers if names[n].is_scalar)]
        return [p for p in form.params if p.name in found]

    def broadcast(self, form: Function) -> list[Param]:
        """The tensors of a form that are broadcast to one shape."""
        declared = {name for r in form.result.values() if r.shape == "broadcast" for name in r.of}
        found = declared | {p.name for p in self.operands(form)}
        return [p for p in form.params if p.name in found and is_view(p)]

    def location(self, form: Function, param: str) -> str:
        """The member of the struct that holds a parameter of a form."""
        if any(p.name == param for p in self.main.params):
            return param
        return self.outputs(form)[param]

    def outputs(self, form: Function) -> dict[str, str]:
        """Parameter that an in-place form overwrites -> output of the main function that it is."""
        if form.form is None or not form.form.in_place:
            return {}
        known = {p.name for p in self.main.params}
        outputs = output_of_form(self.main, form)
        if not outputs:  # the form names its output otherwise
            outputs = {self.main.params[1].name: next(p.name for p in form.params if p.name not in known)}
        return {operand: output for output, operand in outputs.items()}


def operators_of(registry: Registry, family: str) -> list[Operator]:
    """The main functions of a registry family that have a contract, each with its forms. Without a formula, the
    contract is not complete."""
    known = [f for f in registry.family(family) if f.contract.get("formula") and f.returns == "diopiError_t"]
    mains = [f for f in known if f.form is None]
    forms = {f.name: [m for m in known if m.form and m.form.function == f.name] for f in mains}
    return [Operator(f, (f, *forms[f.name])) for f in mains]


def _member(param: Param) -> Member:
    if is_view(param):
        view = "CsrView" if param.sparse else "TensorView"
        return Member(param.name, f"std::optional<{view}>" if param.nullable else view)
    if is_view_list(param):
        return Member(param.name, "std::optional<ViewList>" if param.nullable else "ViewList")
    kind = param.type.removeprefix("const ") if not param.is_pointer else param.type
    space = "" if kind.endswith("*") else " "
    return Member(param.name, kind.rstrip() + space.rstrip(), "{}")


def _speaks_of_promotion(function: Function) -> bool:
    values = [(kind, v) for c in function.checks for r in (c.rule, *c.when) for _, kind, v in r.values()]
    if any(isinstance(kind, Dtype) and v.word in PROMOTED_WORDS and not v.among for kind, v in values):
        return True
    return any(r.dtype in PROMOTIONS and r.dtype != "real" for r in function.result.values())


def _broadcasts(function: Function) -> bool:
    """Whether checks speak of the broadcast shape of all operands."""
    for check in function.checks:
        if BROADCAST in (getattr(check.rule, "value", None), getattr(check.rule, "to", None)):
            return True
    whole = set(operands(function))
    rules = (c.rule for c in function.checks if isinstance(c.rule, Broadcastable))
    return any(all(isinstance(t, Name) for t in r.of) and set(map(str, r.of)) == whole for r in rules)
