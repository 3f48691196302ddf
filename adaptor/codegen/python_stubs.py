# SPDX-License-Identifier: BSD-3-Clause
"""Generates the type stubs of the Python package: a method of Library for each operator."""

from __future__ import annotations

import sys
from pathlib import Path

from .headers import environment
from .model import Function, Registry

sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))
from diopi import signatures  # noqa: E402

TYPES = {
    "tensor": "TensorLike",
    "tensors": "Sequence[TensorLike]",
    "generator": "Generator",
    "generators": "Sequence[Generator]",
    "bool": "bool",
    "char*": "str",
    "diopiSize_t": "Sizes",
    "diopiSize_t*": "Sizes",
    "diopiScalar_t*": "Number",
    "void*": "int",
}


def annotation(param: signatures.ParamLike) -> str:
    """The type annotation of an argument."""
    kind = signatures.kind_of(param)
    if kind == "tensors" and getattr(param, "element_nullable", False):
        return "Sequence[TensorLike | None]"
    if kind in TYPES:
        return TYPES[kind]
    if kind.startswith("diopi"):
        return "str | int | None" if kind == "diopiRoundMode_t" else "str | int"
    plain = kind.removesuffix("*")
    return {"double": "float", "float": "float", "bool": "bool"}.get(plain, "int")


def method(function: Function, output: str) -> str:
    """A method's parameters and result. `output` is `given`, `made`, or empty if no output may be given or created."""
    own = "_self" if any(p.name == "self" for p in function.params) else "self"
    parts, keyword_seen = [own], False
    for a in signatures.arguments(function):
        param = function.params[a.slot]
        text = annotation(param)
        if output == "given" and (a.output or param.name == generic_subject(function)):
            text = "T"
        elif output == "made" and a.output:
            text = "None"
        elif not a.required and not text.endswith("| None"):
            text += " | None"
        if a.by_keyword and not keyword_seen:
            parts.append("*")
            keyword_seen = True
        default = "" if a.required or (output == "given" and text == "T") else " = None"
        parts.append(f"{a.name}: {text}{default}")
    return f"({', '.join(parts)}) -> {result(function, output)}"


def generic_subject(function: Function) -> str | None:
    """The tensor that the operator changes in place and returns, if there is exactly one."""
    found = signatures.returned(function)
    if len(found) == 1 and signatures.kind_of(found[0][1]) == "tensor" and not found[0][1].allocates:
        param = found[0][1]
        return param.name if param.dir == "inout" or param.name in signatures.SUBJECTS else None
    return None


def result(function: Function, output: str) -> str:
    if output:
        return "T" if output == "given" else "Tensor"
    found = signatures.returned(function)
    if function.returns != "diopiError_t":
        return "str"
    if not found:
        return "None"
    if len(found) > 1:
        return "tuple[Any, ...]"
    return single(found[0][1])


def single(param: signatures.ParamLike) -> str:
    kind = signatures.kind_of(param)
    if param.allocates:
        return "list[Tensor]" if kind == "tensors" else "Tensor"
    if kind == "tensors":
        return "Sequence[TensorLike]"
    return annotation(param) if kind != "tensor" else "Any"


def forms(function: Function) -> list[str]:
    """The overloads: with a created output, and with a given output."""
    outputs = [a for a in signatures.arguments(function) if a.output]
    returned = signatures.returned(function)
    if len(outputs) == 1 and len(returned) == 1 and signatures.kind_of(returned[0][1]) == "tensor":
        if outputs[0].required:
            return [method(function, "given")]
        if function.params[outputs[0].slot].name in function.result:
            return [method(function, "made"), method(function, "given")]
    if generic_subject(function):
        return [method(function, "given")]
    return [method(function, "")]


def emit(registry: Registry) -> str:
    """The text of library.pyi."""
    operators = [(signatures.python_name(f.name), f, forms(f)) for f in registry.operators]
    return environment().get_template("library.pyi.j2").render(operators=sorted(operators, key=lambda o: o[0]))
