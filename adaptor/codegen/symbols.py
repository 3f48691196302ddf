# SPDX-License-Identifier: BSD-3-Clause
"""Finds the functions of the contract that a vendor defines, from the symbols of its compiled objects."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from .model import Function, Registry
from .strict_yaml import did_you_mean

_LINE = re.compile(r"^(?P<file>.+?): (?P<name>.+?) (?P<kind>[A-Za-z])(?: [0-9a-f]*)*\s*$")
_HANDLES = {
    "diopiContextHandle_t": "diopiContext*",
    "diopiTensorHandle_t": "diopiTensor*",
    "diopiConstTensorHandle_t": "diopiTensor const*",
    "diopiGeneratorHandle_t": "diopiGenerator*",
    "diopiConstGeneratorHandle_t": "diopiGenerator const*",
    "diopiStreamHandle_t": "void*",
    "diopiDeviceIndex_t": "signed char",
    "int8_t": "signed char",
    "int32_t": "int",
    "int64_t": "long",
    "uint64_t": "unsigned long",
    "size_t": "unsigned long",
}

_COPY_TO_HOST = "diopiContext*, void*, void const*, long"


class SymbolError(Exception):
    """Raised if a vendor's objects do not fit the contract."""


@dataclass
class VendorSymbols:
    """The functions that `namespace impl::<vendor>` defines, and the C hooks outside of it."""

    functions: set[str] = field(default_factory=set)
    init: str = ""  # the expression that calls it; empty if it does not exist
    finalize: str = ""
    copy_to_host: str = ""
    c_hooks: set[str] = field(default_factory=set)  # initLibrary, finalizeLibrary as plain C functions


def demangled_type(kind: str) -> str:
    """A C type in the spelling of c++filt: `const char *` becomes `char const*`."""
    stars = kind.count("*")
    words = kind.replace("*", " ").split()
    constant = "const" in words
    base = " ".join(w for w in words if w != "const")
    text = _HANDLES.get(base, base)
    if constant and stars:  # a top-level const is not part of a function's type
        text += " const"
    return text + "*" * stars


def demangled(function: Function, vendor: str) -> str:
    """The demangled symbol of a correct definition of `function`."""
    return f"impl::{vendor}::{function.name}({', '.join(demangled_type(p.type) for p in function.params)})"


def list_symbols(objects: list[Path], nm: str) -> tuple[dict[str, str], set[str]]:
    """Demangled global symbols of functions and variables: (defined, with the file of each; undefined)."""
    if not objects:
        return {}, set()
    command = [nm, "-A", "-C", "-g", "-f", "posix", *map(str, objects)]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    if result.returncode != 0:
        raise SymbolError(f"{nm} failed: {result.stderr.strip()}")
    defined: dict[str, str] = {}
    undefined: set[str] = set()
    for line in result.stdout.splitlines():
        match = _LINE.match(line)
        if match and match["kind"] in "TWVBDR":
            defined.setdefault(match["name"], match["file"])
        elif match and match["kind"] == "U":
            undefined.add(match["name"])
    return defined, undefined - defined.keys()


def _source(file: str) -> str:
    """The source of an object file of CMake, relative to the vendor's folder."""
    return file.rpartition(".dir/")[2].removesuffix(".o")


def _operator_problem(
    function: Function, vendor: str, symbol: str, source: str, checked: set[str] | None
) -> str | None:
    """What is wrong with a symbol that has the name of an operator; None if nothing is."""
    right = demangled(function, vendor)
    scope = symbol.split("(")[0].removesuffix(function.name)
    if scope != f"impl::{vendor}::":
        return f"{symbol} is defined in {source}, but the build looks for operators in namespace impl::{vendor}"
    if symbol != right:
        return (
            f"the parameters of {scope}{function.name} differ from the contract ({function.path.name}:"
            f"{function.line})\n    defined  {symbol}\n    contract {right}"
        )
    if checked is not None and source not in checked:
        return (
            f"{scope}{function.name} is defined in {source}, where its return type is not checked; define operators in "
            "functions/ or directly in the vendor's folder"
        )
    return None


def _problems(
    registry: Registry, vendor: str, defined: dict[str, str], undefined: set[str], checked: set[str] | None
) -> list[str]:
    prefix = f"impl::{vendor}::"
    problems = []
    for symbol in sorted(defined):
        scope, _, name = symbol.replace("(anonymous namespace)", "{anonymous}").split("(")[0].rpartition("::")
        if not name.startswith("diopi") or "<" in name or " " in scope:
            continue
        function = registry.functions.get(name)
        if function is not None and not function.is_runtime:
            problem = _operator_problem(function, vendor, symbol, _source(defined[symbol]), checked)
            problems += [problem] if problem else []
        elif f"{scope}::" == prefix:
            meant = did_you_mean(name, (f.name for f in registry.operators))
            problems.append(
                f"{symbol} is not an operator of the contract (the name of a helper must not begin with diopi){meant}"
            )
    for symbol in sorted(undefined):
        if symbol.startswith(prefix):
            problems.append(f"{symbol} is called but not defined")
    return problems


def read_vendor(
    registry: Registry, vendor: str, objects: list[Path], nm: str = "nm", checked: set[str] | None = None
) -> VendorSymbols:
    """The functions that the objects define. Raises an error if they do not fit the contract.

    `checked` has the sources that are compiled with the declarations in front, relative to the vendor's folder.
    """
    defined, undefined = list_symbols(objects, nm)
    problems = _problems(registry, vendor, defined, undefined, checked)
    prefix = f"impl::{vendor}::"
    result = VendorSymbols(
        functions={f.name for f in registry.operators if demangled(f, vendor) in defined},
        init=f"{prefix}init_library" if f"{prefix}init_library()" in defined else "",
        finalize=f"{prefix}finalize_library" if f"{prefix}finalize_library()" in defined else "",
        copy_to_host=f"{prefix}copy_to_host" if f"{prefix}copy_to_host({_COPY_TO_HOST})" in defined else "",
        c_hooks={"initLibrary", "finalizeLibrary"} & defined.keys(),
    )
    if not result.init and "initLibrary" not in result.c_hooks:
        problems.append(
            f"the vendor defines neither {prefix}init_library() nor a C function initLibrary(): "
            "the runtime would not get its memory and copy functions"
        )
    if problems:
        raise SymbolError(f"vendor {vendor} does not fit the contract:\n  " + "\n  ".join(problems))
    return result
