# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the fields of a registry entry are valid and consistent. They raise `ConfigError` with file and line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .strict_yaml import Mapping

if TYPE_CHECKING:  # model imports this module
    from .model import Function, Param

PLAIN_TYPES = frozenset(
    {
        "bool",
        "char",
        "double",
        "float",
        "int",
        "int8_t",
        "int32_t",
        "int64_t",
        "size_t",
        "uint64_t",
        "void",
    }
)
RETURNS = ("diopiError_t", "const char *")
CONTEXT = "diopiContextHandle_t"
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
HEADER = re.compile(r"diopirt\.h|functions(_[a-z0-9]+)*\.h")


def base_type(kind: str) -> str:
    """`const diopiSize_t *` -> `diopiSize_t`."""
    return kind.replace("*", "").removeprefix("const ").strip()


def check_text(text: str, at: Mapping, key: str) -> None:
    """Raises an error unless the text can be copied into a C comment without changes."""
    if not text.strip():
        raise at.error(f"field '{key}' is empty", key)
    if "*/" in text or "/*" in text:
        raise at.error(f"field '{key}' would end a C comment", key)
    if not text.isprintable() or not text.isascii():
        raise at.error(f"field '{key}' must be one line of printable ASCII", key)


def check_param(param: Param, at: Mapping, known_types: frozenset[str]) -> None:
    """Checks one parameter by itself."""
    if param.name and not IDENTIFIER.fullmatch(param.name):
        raise at.error(f"'{param.name}' is not a C identifier", "name")
    if base_type(param.type) not in known_types:
        raise at.error(f"unknown type '{param.type}'", "type")
    if param.type != canonical_type(param.type):
        raise at.error(f"write the type as '{canonical_type(param.type)}'", "type")
    if param.doc or "doc" in at:
        check_text(param.doc, at, "doc")
    _check_direction(param, at)
    _check_qualifiers(param, at)


def canonical_type(kind: str) -> str:
    """The type with one space before the stars and no space between them, so that each type has one spelling."""
    stars = kind.count("*")
    words = kind.replace("*", " ").split()
    return " ".join(words) + (" " + "*" * stars if stars else "")


def _check_direction(param: Param, at: Mapping) -> None:
    base, stars = base_type(param.type), param.type.count("*")
    is_object = base in (
        "diopiTensorHandle_t",
        "diopiConstTensorHandle_t",
        "diopiGeneratorHandle_t",
        "diopiConstGeneratorHandle_t",
    )
    if base == CONTEXT and param.dir != "attr":
        raise at.error("the dir of a context must be attr", "dir")
    if is_object and param.dir == "attr":
        raise at.error(f"'{param.name}' is a tensor or generator: its dir must be in, out or inout", "dir")
    if base.startswith("diopiConst") and not stars and param.dir != "in":
        raise at.error(f"'{param.name}' is const: its dir must be in", "dir")
    if base == "diopiTensorHandle_t" and not stars and param.dir == "in" and not param.doc:
        raise at.error(f"'{param.name}' has dir in, but its handle is not const: explain this in doc", "dir")
    if not is_object and param.dir == "in":
        raise at.error(
            f"'{param.name}' is not a tensor or generator: its dir must be attr, or out or inout for memory", "dir"
        )
    writable = stars > 0 and not (stars == 1 and param.type.startswith("const "))
    if not is_object and param.dir in ("out", "inout") and not writable:
        raise at.error(f"an operator cannot write through the type '{param.type}'", "dir")


def _check_qualifiers(param: Param, at: Mapping) -> None:
    is_list = param.type in ("diopiTensorHandle_t *", "diopiConstTensorHandle_t *", "diopiGeneratorHandle_t *")
    if param.nullable and not param.is_pointer:
        raise at.error(f"'{param.type}' cannot be null", "nullable")
    if param.allocates and (param.type != "diopiTensorHandle_t *" or param.dir != "out" or param.count):
        raise at.error("allocates needs dir out and type 'diopiTensorHandle_t *' without count", "allocates")
    if param.count is not None and not is_list:
        raise at.error(f"count needs a list of handles, not '{param.type}'", "count")
    if param.length is not None and (not is_list or param.count or param.length < 1):
        raise at.error("length must be a positive number, for a list of handles without count", "length")
    if param.element_nullable and param.count is None:
        raise at.error("element_nullable needs a list with a count", "element_nullable")
    if param.any_dtype_if_empty and (param.dtypes is None or not param.is_tensor):
        raise at.error("any_dtype_if_empty needs a tensor with dtypes", "any_dtype_if_empty")
    if param.sparse and (not param.is_tensor or param.dir != "in"):
        raise at.error("sparse needs a tensor with dir in", "sparse")
    if param.written_when and (param.dir != "out" or not param.is_tensor):
        raise at.error("written_when needs a tensor with dir out", "written_when")
    if param.dtypes is not None and not (param.is_tensor or param.is_tensor_list or param.allocates):
        raise at.error(f"'{param.name}' is not a tensor, so it has no dtypes", "dtypes")


def check_function(function: Function, at: Mapping) -> None:
    """Checks that the parameters of one function are consistent."""
    if not re.fullmatch(r"diopi[A-Z]\w*", function.name):
        raise at.error(f"'{function.name}' is not a name of a DIOPI function", "name")
    if not HEADER.fullmatch(function.header):
        raise at.error(f"'{function.header}' is not a header of the contract", "header")
    if function.returns not in RETURNS:
        raise at.error(f"returns must be one of {', '.join(RETURNS)}", "returns")
    check_text(function.summary, at, "summary")
    if not function.summary.endswith("."):
        raise at.error("summary must be a sentence", "summary")
    names = [p.name for p in function.params]
    for param, raw in zip(function.params, at["params"]):
        if param.name and names.count(param.name) > 1:
            raise raw.error(f"parameter '{param.name}' appears twice in {function.name}", "name")
        if param.count is not None:
            _check_count(function, param, raw)
        listed = param.type in ("diopiTensorHandle_t *", "diopiConstTensorHandle_t *", "diopiGeneratorHandle_t *")
        if listed and not function.is_runtime and not (param.count or param.length or param.allocates):
            raise raw.error(f"'{param.name}' is a list: give count, length or allocates", "type")
        if param.dtype_as is not None and not (
            param.allocates and any(q.is_tensor and q.name == param.dtype_as for q in function.params)
        ):
            raise raw.error("dtype_as needs an allocated output and must name a tensor parameter", "dtype_as")


def _check_count(function: Function, param: Param, at: Mapping) -> None:
    counts = [p for p in function.params if p.name == param.count]
    if not counts:
        raise at.error(f"count names '{param.count}', which is not a parameter of {function.name}", "count")
    if counts[0].type.removeprefix("const ") != "int64_t":
        raise at.error(f"count names '{param.count}', which has type {counts[0].type}, expected int64_t", "count")
