# SPDX-License-Identifier: BSD-3-Clause
"""Reads the C headers with a compiler: every name with its types, values and memory layout, without comments.

clang reads each header separately and prints its syntax tree, its macros and its record layouts. This module converts
them to dictionaries that can be compared with the golden files in `proto/abi`.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FUNDAMENTAL_HEADER = "diopirt.h"
VERSION_MACROS = ("DIOPI_VER_MAJOR", "DIOPI_VER_MINOR", "DIOPI_VER_PATCH")


class CompilerError(Exception):
    """Raised if the compiler is missing or does not accept the headers."""


@dataclass
class View:
    """The binary interface that the headers declare. Every entry names its header."""

    version: dict[str, int] = field(default_factory=dict)
    enums: dict[str, dict] = field(default_factory=dict)  # name -> header, size, values [[constant, value], ...]
    structs: dict[str, dict] = field(default_factory=dict)  # name -> header, size, align, fields [[type, name, offset]]
    typedefs: dict[str, dict] = field(default_factory=dict)  # handles and callbacks: name -> header, type
    functions: dict[str, dict] = field(default_factory=dict)  # name -> header, weak, returns, params [[type, name]]


def run(command: list[str], text: str | None = None) -> str:
    """Runs a compiler and returns its output. Raises `CompilerError` with the compiler's message if it fails."""
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise CompilerError(f"{command[0]} is required, but was not found") from error
    if done.returncode != 0:
        raise CompilerError(f"{' '.join(command)}\n{done.stderr.strip()}")
    return done.stdout


def view_of(include: Path, clang: str = "clang") -> View:
    """Reads every header of the folder `include`, which contains `diopirt.h`."""
    base = [clang, "-std=c99", "-fsyntax-only", "-x", "c"]
    view = View()
    headers = sorted(p.name for p in include.glob("*.h"))
    if FUNDAMENTAL_HEADER not in headers:
        raise CompilerError(f"{include} has no {FUNDAMENTAL_HEADER}")
    headers.remove(FUNDAMENTAL_HEADER)
    for name in (FUNDAMENTAL_HEADER, *headers):
        tree = json.loads(run([*base, "-Xclang", "-ast-dump=json", str(include / name)]))
        _collect(tree, name, view)
    macros = run([clang, "-std=c99", "-x", "c", "-dM", "-E", str(include / FUNDAMENTAL_HEADER)])
    for name in VERSION_MACROS:
        match = re.search(rf"^#define {name} (\d+)$", macros, re.MULTILINE)
        if match:
            view.version[name] = int(match[1])
    _measure(base, include, view)
    return view


def _collect(tree: dict, header: str, view: View) -> None:
    """Adds the declarations of `header`, except those that earlier headers have declared."""
    owned = {}  # id of an enum or record without a tag -> its node
    for node in tree["inner"]:
        kind, name = node["kind"], node.get("name", "")
        if kind in ("EnumDecl", "RecordDecl"):
            owned[node["id"]] = node
        elif kind == "TypedefDecl" and node.get("loc", {}).get("includedFrom") is None and not node.get("isImplicit"):
            _typedef(node, owned, header, view)
        elif kind == "FunctionDecl" and name not in view.functions:
            view.functions[name] = _function(node, header)


def _typedef(node: dict, owned: dict[str, dict], header: str, view: View) -> None:
    name = node["name"]
    if name in view.typedefs or name in view.enums or name in view.structs:
        return
    definition = owned.get(_owned_id(node) or "")
    if definition is None or definition.get("name"):
        view.typedefs[name] = {"header": header, "type": normal_type(node["type"]["qualType"])}
    elif definition["kind"] == "EnumDecl":
        view.enums[name] = {"header": header, "values": _enum(definition)}
    else:
        view.structs[name] = {"header": header, "fields": _fields(definition, owned)}


def _owned_id(node: dict) -> str | None:
    """The id of the unnamed enum or record to which a typedef gives a name."""
    for inner in node.get("inner", []):
        owner = inner.get("ownedTagDecl") or inner.get("decl")
        if owner and owner["kind"] in ("EnumDecl", "RecordDecl"):
            return owner["id"]
        found = _owned_id(inner)
        if found:
            return found
    return None


def _enum(node: dict) -> list[list]:
    values: list[list] = []
    for constant in node.get("inner", []):
        if constant["kind"] == "EnumConstantDecl":
            given = _constant(constant)
            value = int(given) if given is not None else (values[-1][1] + 1 if values else 0)
            values.append([constant["name"], value])
    return values


def _constant(node: dict) -> str | None:
    for inner in node.get("inner", []):
        if inner["kind"] == "ConstantExpr":
            return inner["value"]
    return None


def _fields(node: dict, owned: dict[str, dict], prefix: str = "") -> list[list[str]]:
    """The type and name of each member. Members of an unnamed union follow it with the name `union.name`."""
    result: list[list[str]] = []
    records = {n["id"]: n for n in node.get("inner", []) if n["kind"] == "RecordDecl"} | owned
    last_record: dict | None = None
    for inner in node.get("inner", []):
        if inner["kind"] == "RecordDecl":
            last_record = inner
        elif inner["kind"] == "FieldDecl" and inner.get("name"):
            result.append([normal_type(inner["type"]["qualType"]), prefix + inner["name"]])
        elif inner["kind"] == "FieldDecl" and last_record is not None:
            result += _fields(last_record, records, f"{last_record['tagUsed']}.")
    return result


def _function(node: dict, header: str) -> dict:
    inner = node.get("inner", [])
    return {
        "header": header,
        "weak": any(n["kind"] == "WeakAttr" for n in inner),
        "returns": normal_type(node["type"]["qualType"].split("(", 1)[0]),
        "params": [
            [normal_type(n["type"]["qualType"]), n.get("name", "")] for n in inner if n["kind"] == "ParmVarDecl"
        ],
    }


def normal_type(kind: str) -> str:
    """The type in a uniform spelling: `_Bool` becomes bool, and one space precedes the stars."""
    kind = re.sub(r"\b_Bool\b", "bool", kind).strip()
    return re.sub(r"\s*(\*+)\s*$", r" \1", kind)


def _measure(base: list[str], include: Path, view: View) -> None:
    """Adds sizes, alignments and offsets, which the compiler computes as constants."""
    asked: list[tuple[Any, str, str]] = []  # entry, key, expression
    for name, entry in view.enums.items():
        asked.append((entry, "size", f"sizeof({name})"))
    for name, entry in view.structs.items():
        asked += [(entry, "size", f"sizeof({name})"), (entry, "align", f"_Alignof({name})")]
        for member in entry["fields"]:
            asked.append((member, "offset", f"offsetof({name}, {member[1].split('.')[-1]})"))
    headers = "".join(f'#include "{p.name}"\n' for p in sorted(include.glob("*.h")))
    source = headers + "".join(f"enum {{ abi_{i} = (int){text} }};\n" for i, (_, _, text) in enumerate(asked))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "layout.c"
        path.write_text(source, encoding="utf-8")
        tree = json.loads(run([*base, "-std=c11", f"-I{include}", "-Xclang", "-ast-dump=json", str(path)]))
    found: dict[str, Any] = {
        c["name"]: _constant(c)
        for node in tree["inner"]
        if node["kind"] == "EnumDecl"
        for c in node.get("inner", [])
        if c["kind"] == "EnumConstantDecl"
    }
    for i, (entry, key, _) in enumerate(asked):
        number = int(found[f"abi_{i}"])
        if key == "offset":
            entry.append(number)
        else:
            entry[key] = number
