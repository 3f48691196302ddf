# SPDX-License-Identifier: BSD-3-Clause
"""The cases of the group `models`: all recorded operator calls of a model in full size.

The judge translates the recorded calls to calls of the contract's functions (conformance/generate/models); the bench
makes a case of each different call. A call that several models make is measured once.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))  # the judge's package

from adaptor.codegen.model import Registry  # noqa: E402
from conformance import dtypes  # noqa: E402
from conformance.cases.case import TensorSpec  # noqa: E402
from conformance.cases.suite import UsageError  # noqa: E402
from conformance.generate.models.calls import Call, load_model  # noqa: E402
from conformance.generate.models.cases import TranslationError, call_name, drafts  # noqa: E402
from conformance.generate.models.command_line import resolve_models  # noqa: E402
from conformance.generate.models.draft import Draft  # noqa: E402
from conformance.generate.models.sizes import Budget  # noqa: E402
from conformance.lists import as_list  # noqa: E402

from .cases import Case, resolve  # noqa: E402
from .layouts import SIZES  # noqa: E402
from .matching import Matcher, Operand  # noqa: E402
from .operators import BenchError, Operator  # noqa: E402

GROUP = "models"
FULL_SIZE = Budget(sys.maxsize, sys.maxsize)
# What a case's tensor holds for a generator of the judge: `[low, high]` with the generator's numbers.
VALUES = {
    "indices": lambda size: [0, max(int(size), 1)],
    "int": lambda low, high: [int(low), int(high)],
    "around": lambda value: [value - 1, value + 2] if math.isfinite(value) else None,
    "positive": lambda: [0.1, 4.0],
    "nonzero": lambda: [0.5, 2.0],
    "uniform": lambda: [0.0, 1.0],
    "mask": lambda count: "half",
    "bool": lambda share: [0, 2],
    "special": lambda: None,
    "zeros": lambda: "zeros",
}


@dataclass(frozen=True)
class LeftOut:
    """A call that is not measured, and why."""

    call: str
    count: int
    reason: str


@dataclass
class Model:
    """A model's cases by name, how often the model makes each call, and the calls that are not measured."""

    name: str
    cases: dict[str, Case] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    left_out: list[LeftOut] = field(default_factory=list)


def initial_values(gen: str | None) -> Any:
    if gen is None:
        return None
    name, _, arguments = gen.removesuffix(")").partition("(")
    return VALUES[name](*(float(number) for number in arguments.split(",") if number))


def operand(spec: TensorSpec, is_saved: bool) -> Operand:
    shape = None if spec.shape is None else list(spec.shape)
    return Operand(shape, spec.dtype, None if is_saved else initial_values(spec.gen))


def arguments_of(draft: Draft) -> dict[str, Any]:
    """The draft's arguments with Operands in place of tensors."""
    saved = {one.parameter for one in draft.saved}

    def translated(name: str, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [translated(name, item) for item in value]
        return operand(value, name in saved) if isinstance(value, TensorSpec) else value

    return {name: translated(name, value) for name, value in draft.arguments.items()}


def promoted(arguments: dict[str, Any]) -> str:
    """The dtype to which PyTorch promotes the tensors of a call."""
    tensors = [t for value in arguments.values() for t in as_list(value) if isinstance(t, Operand) and t.dtype]
    ranked, scalars = [t.dtype for t in tensors if t.shape], [t.dtype for t in tensors if not t.shape]
    return dtypes.result_type(ranked, scalars, []) if tensors else "float32"


def memory_of(case: Case) -> int:
    """The memory of the case's tensors in bytes; results that a side allocates come on top."""
    return sum(tensor["storage_elements"] * SIZES[tensor["dtype"]] for tensor in case.tensors)


class Translator:
    """Makes cases of recorded calls. Equal calls of several models become the same case."""

    def __init__(self, registry: Registry, operators: list[Operator], most_bytes: int) -> None:
        self.matcher = Matcher(operators, registry)
        self.by_name = {operator.name: operator for operator in operators}
        self.most_bytes = most_bytes
        self.cases: dict[str, Case] = {}

    def case(self, draft: Draft) -> Case:
        name = f"{GROUP}/{draft.name}/{re.sub('^model,', '', call_name(draft.arguments))}"
        if name not in self.cases:
            arguments = arguments_of(draft)
            entry = self.matcher.entry(f"diopi{draft.name}", arguments, promoted(arguments))
            case = resolve(GROUP, {**entry, "label": "model"}, self.by_name)
            case.name = name
            case.restored = any(tensor["role"] == "inouts" for tensor in case.tensors)
            if memory_of(case) > self.most_bytes:
                raise BenchError(f"its tensors take {memory_of(case) / 2**30:.1f} GiB")
            self.cases[name] = case
        return self.cases[name]

    def add(self, model: Model, call: Call) -> None:
        try:
            found = drafts(call, FULL_SIZE)
        except TranslationError as error:
            model.left_out.append(LeftOut(call.op, call.count, str(error)))
            return
        for draft in found:
            try:
                case = self.case(draft)
            except (BenchError, KeyError) as error:
                text = f"{draft.name} {call_name(draft.arguments)}"
                model.left_out.append(LeftOut(text, call.count, str(error)))
                continue
            model.cases[case.name] = case
            model.counts[case.name] += call.count


def known_models(text: str) -> list[str]:
    """The names of models in `text`, which commas separate; `all` stands for every model."""
    try:
        return resolve_models([text])
    except UsageError as error:
        raise BenchError(str(error)) from None


def load_models(registry: Registry, operators: list[Operator], names: Iterable[str], most_bytes: int) -> list[Model]:
    """The models of these names. Calls whose tensors need more memory than `most_bytes` are left out."""
    translator = Translator(registry, operators, most_bytes)
    models = []
    for name in names:
        model = Model(name)
        for call in load_model(name):
            translator.add(model, call)
        models.append(model)
    return models
