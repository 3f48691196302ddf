# SPDX-License-Identifier: BSD-3-Clause
"""Reads `operators/<family>.yaml`: the operators that the bench can call."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from adaptor.codegen import strict_yaml

FORMS = Path(__file__).resolve().parents[1] / "forms.yaml"
CPP_TYPES = {"int": "int64_t", "real": "double", "flag": "bool", "scalar": "", "sizes": "", "text": ""}
ROLES = ("outputs", "inouts", "inputs", "scratch")
KEYS = {
    "form",
    "diopi",
    "torch",
    "numpy",
    "attributes",
    "flops",
    "bytes",
    "verify",
    "tolerance",
    "stored",
    "restored",
    "setup",
    "from_call",
    "fits",
    *ROLES,
}


class BenchError(Exception):
    """Raised for a mistake in the options or in a file of the bench; the message names the entry."""


class UnusableError(BenchError):
    """Raised if the device, the library or a peer cannot be used."""


@dataclass(frozen=True)
class TensorRule:
    """How a tensor of an operator is created: its shape and dtype are expressions with the keys of a case."""

    name: str
    role: str
    shape: str
    dtype: str = "dtype"
    values: Any = None
    is_list: bool = False

    @property
    def is_output(self) -> bool:
        return self.role in ("outputs", "inouts")


@dataclass(frozen=True)
class Attribute:
    name: str
    type: str
    default: Any = None

    @property
    def cpp_type(self) -> str:
        return CPP_TYPES[self.type]


@dataclass(frozen=True)
class Operator:
    """One entry of operators/*.yaml."""

    name: str
    diopi: str
    torch: str
    numpy: str
    tensors: list[TensorRule]
    attributes: list[Attribute]
    flops: str | None = None
    bytes: str | None = None
    verify: list[str] | str = field(default_factory=list)
    tolerance: float | None = None
    stored: list[str] = field(default_factory=list)
    restored: bool = False  # what a call overwrites is restored before each call
    setup: str = ""
    from_call: dict[str, str] = field(default_factory=dict)  # keys of a case from the arguments of a model's call
    fits: str = ""  # the condition under which the operator stands for a model's call

    @property
    def diopi_function(self) -> str:
        return re.match(r"(diopi\w+)\(", self.diopi).group(1)

    @property
    def torch_results(self) -> list[str]:
        """The tensors to which the expression for libtorch assigns newly allocated results."""
        found = re.match(r"(?:std::tie\(([^)]*)\)|(\w+)) = ", self.torch)
        names = [name.strip() for name in (found.group(1) or found.group(2)).split(",")] if found else []
        return [name for name in names if name != "std::ignore"]

    @property
    def stored_lists(self) -> list[str]:
        """The lists of tensors that libtorch allocates."""
        lists = {tensor.name for tensor in self.tensors if tensor.is_output and tensor.is_list}
        return [name for name in self.torch_results if name in lists]

    @property
    def allocates(self) -> bool:
        """Whether our operator allocates its result."""
        return any(f"&{tensor.name}," in self.diopi for tensor in self.tensors if tensor.is_output)

    @property
    def setup_function(self) -> str:
        return re.match(r"(diopi\w+)\(", self.setup).group(1)


def read_tensor(name: str, role: str, entry: Any) -> TensorRule:
    spec = {"shape": entry} if isinstance(entry, str) else dict(entry)
    is_list = name.endswith("[]")
    return TensorRule(name.removesuffix("[]"), role, is_list=is_list, **spec)


def read_attribute(name: str, text: str) -> Attribute:
    kind, has_default, default = str(text).partition("=")
    if kind not in CPP_TYPES:
        raise BenchError(f"attribute {name}: {kind} is not one of {', '.join(CPP_TYPES)}")
    if not has_default:
        return Attribute(name, kind)
    return Attribute(name, kind, default if kind == "text" else yaml.safe_load(default))


def read_operator(name: str, entry: dict[str, Any], forms: dict[str, Any]) -> Operator:
    unknown = set(entry) - KEYS
    if unknown:
        raise BenchError(f"operator {name}: unknown key {', '.join(sorted(unknown))}")
    if "form" in entry:
        if entry["form"] not in forms:
            raise BenchError(f"operator {name}: there is no form {entry['form']}")
        entry = {**forms[entry["form"]], **entry}
    tensors = [read_tensor(key, role, value) for role in ROLES for key, value in entry.get(role, {}).items()]
    attributes = [read_attribute(key, value) for key, value in entry.get("attributes", {}).items()]
    outputs = [tensor.name for tensor in tensors if tensor.is_output and not tensor.is_list]
    if not re.match(r"diopi\w+\(", entry.get("diopi", "")):
        raise BenchError(f"operator {name}: `diopi` must be a call of one of our operators")
    return Operator(
        name=name,
        diopi=entry["diopi"],
        torch=entry.get("torch", ""),
        numpy=entry.get("numpy", ""),
        tensors=tensors,
        attributes=attributes,
        flops=entry.get("flops"),
        bytes=entry.get("bytes"),
        verify=entry.get("verify", [tensor.name for tensor in tensors if tensor.is_output]),
        tolerance=entry.get("tolerance"),
        stored=entry.get("stored", outputs),
        restored=entry.get("restored", False),
        setup=entry.get("setup", ""),
        from_call=entry.get("from_call", {}),
        fits=entry.get("fits", ""),
    )


def load_operators(folder: Path) -> list[Operator]:
    """All operators, sorted by name. They use the forms of forms.yaml, and those of their own file."""
    operators: dict[str, Operator] = {}
    common = strict_yaml.load(FORMS)
    for path in sorted(folder.glob("*.yaml")):
        data = strict_yaml.load(path)
        for name, entry in data["operators"].items():
            if name in operators:
                raise BenchError(f"{path.name}: operator {name} occurs twice")
            try:
                operators[name] = read_operator(name, entry, {**common, **data.get("forms", {})})
            except (BenchError, TypeError) as error:
                raise BenchError(f"{path.name}: {error}") from error
    return [operators[name] for name in sorted(operators)]


def torch_functions(operators: list[Operator]) -> set[str]:
    """The functions of the namespace `at` (libtorch) that the operators call."""
    return {name for operator in operators for name in re.findall(r"\bat::([a-z_]\w*)\(", operator.torch)}
