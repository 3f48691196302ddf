# SPDX-License-Identifier: BSD-3-Clause
"""What the fields of a registry entry must agree on. Each check raises `ConfigError` with file and line."""

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
    """Text goes into a C comment as it is."""
    if not text.strip():
        raise at.error(f"field '{key}' is empty", key)
    if "*/" in text or "/*" in text:
        raise at.error(f"field '{key}' would end a C comment", key)
    if not text.isprintable() or not text.isascii():
        raise at.error(f"field '{key}' must be one line of printable ASCII", key)


def check_param(param: Param, at: Mapping, known_types: frozenset[str]) -> None:
    """Checks of one parameter that need no other parameter."""
    if param.name and not IDENTIFIER.fullmatch(param.name):
        raise at.error(f"'{param.name}' is no C identifier", "name")
    if base_type(param.type) not in known_types:
        raise at.error(f"unknown type '{param.type}'", "type")
    if param.type != canonical_type(param.type):
        raise at.error(f"write the type as '{canonical_type(param.type)}'", "type")
    if param.doc or "doc" in at:
        check_text(param.doc, at, "doc")
    _check_direction(param, at)
    _check_qualifiers(param, at)


def canonical_type(kind: str) -> str:
    """One spelling per type: one space before the stars, none between them."""
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
        raise at.error("a context is an attr", "dir")
    if is_object and param.dir == "attr":
        raise at.error(f"'{param.name}' is a tensor or generator: its dir is in, out or inout", "dir")
    if base.startswith("diopiConst") and not stars and param.dir != "in":
        raise at.error(f"'{param.name}' is const and so can only be in", "dir")
    if base == "diopiTensorHandle_t" and not stars and param.dir == "in" and not param.doc:
        raise at.error(f"'{param.name}' is in although its handle is not const: say so in doc", "dir")
    if not is_object and param.dir == "in":
        raise at.error(f"'{param.name}' is no tensor or generator: its dir is attr, or out or inout for memory", "dir")
    writable = stars > 0 and not (stars == 1 and param.type.startswith("const "))
    if not is_object and param.dir in ("out", "inout") and not writable:
        raise at.error(f"nothing can be written through '{param.type}'", "dir")


def _check_qualifiers(param: Param, at: Mapping) -> None:
    is_list = param.type in ("diopiTensorHandle_t *", "diopiConstTensorHandle_t *", "diopiGeneratorHandle_t *")
    if param.nullable and not param.is_pointer:
        raise at.error(f"'{param.type}' cannot be null", "nullable")
    if param.allocates and (param.type != "diopiTensorHandle_t *" or param.dir != "out" or param.count):
        raise at.error("allocates is for an out of type 'diopiTensorHandle_t *' without count", "allocates")
    if param.count is not None and not is_list:
        raise at.error(f"count is for a list of handles, not for '{param.type}'", "count")
    if param.length is not None and (not is_list or param.count or param.length < 1):
        raise at.error("length is a positive number for a list of handles without count", "length")
    if param.element_nullable and param.count is None:
        raise at.error("element_nullable is for a list with a count", "element_nullable")
    if param.dtypes is not None and not (param.is_tensor or param.is_tensor_list or param.allocates):
        raise at.error(f"'{param.name}' is no tensor and so has no dtypes", "dtypes")


def check_function(function: Function, at: Mapping) -> None:
    """What the parameters of one function must agree on."""
    if not re.fullmatch(r"diopi[A-Z]\w*", function.name):
        raise at.error(f"'{function.name}' is no name of a DIOPI function", "name")
    if not HEADER.fullmatch(function.header):
        raise at.error(f"'{function.header}' is no header of the contract", "header")
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
            raise raw.error("dtype_as is for an allocated output and names a tensor parameter", "dtype_as")


def _check_count(function: Function, param: Param, at: Mapping) -> None:
    counts = [p for p in function.params if p.name == param.count]
    if not counts:
        raise at.error(f"count names '{param.count}', which is no parameter of {function.name}", "count")
    if counts[0].type.removeprefix("const ") != "int64_t":
        raise at.error(f"count names '{param.count}', which is {counts[0].type} and not int64_t", "count")
