# SPDX-License-Identifier: BSD-3-Clause
"""The typed model of the registry: the content of `proto/registry/*.yaml`, checked, as dataclasses.

All generators and Python tools of the project read the contract with `load_registry`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .checks import PLAIN_TYPES, base_type, check_function, check_param, check_text
from .contracts import CONTRACT_FIELDS, LIKE, read_contract, resolve
from .results import Result, check_results, read_results
from .rules import Check, Condition, Declared, Scope
from .rules.conditions import read_when
from .rules.inheriting import Block, Inheritance
from .rules.reading import Form, Taken, read_checks, read_form, read_taken
from .strict_yaml import ConfigError, Mapping, load_mapping
from .written_when import check_written_when

REGISTRY_DIR = Path(__file__).resolve().parents[2] / "proto" / "registry"

DIRECTIONS = ("in", "out", "inout", "attr")
TENSOR = "diopiTensorHandle_t"
CONST_TENSOR = "diopiConstTensorHandle_t"
TENSOR_TYPES = (TENSOR, CONST_TENSOR, f"const {CONST_TENSOR}")
TENSOR_LIST_TYPES = (f"{TENSOR} *", f"{CONST_TENSOR} *")
GENERATOR_TYPES = ("diopiGeneratorHandle_t", "diopiGeneratorHandle_t *")


@dataclass(frozen=True)
class Param:
    """One parameter of a C function."""

    name: str
    type: str
    dir: str
    nullable: bool = False
    allocates: bool = False  # the callee creates the tensor through diopiRequireTensor
    count: str | None = None  # the parameter that holds the length of this list
    length: int | None = None  # the length of this list, if it is fixed
    element_nullable: bool = False  # entries of the list may be null
    dtype_as: str | None = None  # an allocated output has the dtype of this parameter
    dtypes: tuple[str, ...] | None = None  # names of dtypes as in diopi_dtype_<name>
    sparse: bool = False  # a tensor of compressed sparse rows; `dtypes` are those of its values
    any_dtype_if_empty: bool = False  # the dtypes of a tensor without elements are not restricted
    written_when: tuple[Condition, ...] = ()  # the calls that write the output; others leave it as it is
    doc: str = ""

    @property
    def access(self) -> str:
        """What a call does with the caller's tensor: `read`, `update` or `write`."""
        if "Const" in self.type or self.dir in ("in", "attr"):
            return "read"
        return "update" if self.dir == "inout" else "write"

    @property
    def is_tensor(self) -> bool:
        return self.type in TENSOR_TYPES

    @property
    def is_tensor_list(self) -> bool:
        return self.type in TENSOR_LIST_TYPES and self.count is not None

    @property
    def is_tensor_like(self) -> bool:
        """Whether it is a tensor, a list of tensors, or a tensor that the callee creates."""
        return self.is_tensor or self.is_tensor_list or self.allocates

    @property
    def is_scalar(self) -> bool:
        """Whether it is a pointer to a number with a dtype (diopiScalar_t)."""
        return base_type(self.type) == "diopiScalar_t"

    @property
    def is_generator(self) -> bool:
        return self.type in GENERATOR_TYPES

    @property
    def is_pointer(self) -> bool:
        """Whether it is a pointer, so that a null can be passed."""
        return self.type.endswith("*") or "Handle_t" in self.type


@dataclass(frozen=True)
class Function:
    """One C function of the contract."""

    name: str
    family: str
    header: str
    returns: str
    weak: bool
    summary: str
    params: tuple[Param, ...]
    contract: dict[str, Any] = field(default_factory=dict)  # includes the fields of the family and of `like`
    own_contract: dict[str, Any] = field(default_factory=dict)
    like: str | None = None  # the function whose contract fills the missing fields
    path: Path = Path()
    line: int = 0
    result: dict[str, Result] = field(default_factory=dict)  # outputs that a binding can create
    form: Form | None = None  # the function of which this is the in-place or scalar form
    checks: tuple[Check, ...] = ()  # with those that it takes over
    own_checks: tuple[Check, ...] = ()
    checks_of: tuple[Taken, ...] = ()

    @property
    def is_runtime(self) -> bool:
        return self.header == "diopirt.h"

    def param(self, name: str) -> Param:
        return next(p for p in self.params if p.name == name)


@dataclass(frozen=True)
class Registry:
    """The whole contract."""

    version: tuple[int, int, int]
    enums: dict[str, tuple[tuple[str, int], ...]]
    structs: dict[str, tuple[tuple[str, str], ...]]  # name -> (type, field)
    handles: dict[str, str]
    callbacks: dict[str, str]
    registration: dict[str, str]
    vendor_hooks: dict[str, str]
    dtype_sets: dict[str, tuple[str, ...]]
    functions: dict[str, Function]
    families: dict[str, str] = field(default_factory=dict)  # name -> summary
    family_contracts: dict[str, dict[str, Any]] = field(default_factory=dict)  # family -> contract of all its functions
    family_checks: dict[str, tuple[Declared, ...]] = field(default_factory=dict)
    docs: dict[str, str] = field(default_factory=dict)  # name of a type, enum value, field or hook -> its description

    @property
    def operators(self) -> list[Function]:
        return [f for f in self.functions.values() if not f.is_runtime]

    @property
    def runtime(self) -> list[Function]:
        return [f for f in self.functions.values() if f.is_runtime]

    @property
    def dtypes(self) -> dict[str, int]:
        """The dtypes: name without prefix -> enum value, such as `float32` -> 9."""
        prefix = "diopi_dtype_"
        return {name[len(prefix) :]: value for name, value in self.enums["diopiDtype_t"]}

    def family(self, name: str) -> list[Function]:
        return [f for f in self.functions.values() if f.family == name]


def _dtypes(
    value: object, sets: dict[str, tuple[str, ...]], known: set[str], at: Mapping, key: str = "dtypes"
) -> tuple[str, ...]:
    """The dtypes of a list of dtypes and dtype sets, in the given order, without duplicates."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list):
        raise at.error(f"{key} must be a name or a list of names", key)
    result: dict[str, None] = {}
    for name in names:
        if not isinstance(name, str):
            raise at.error(f"{key} must be a name or a list of names, not {name!r}", key)
        if name in sets:
            result.update(dict.fromkeys(sets[name]))
        elif name in known:
            result[name] = None
        else:
            raise at.error(f"unknown dtype or dtype set '{name}'", key)
    return tuple(result)


@dataclass(frozen=True)
class _Vocabulary:
    """The names that entries of the registry may use."""

    sets: dict[str, tuple[str, ...]]
    dtypes: set[str]
    types: frozenset[str]
    errors: frozenset[str]

    @property
    def scope(self) -> Scope:
        return Scope(self.sets, frozenset(self.dtypes), self.errors)


def _param(raw: Mapping, known: _Vocabulary) -> Param:
    raw.check_keys(
        ("name", "type", "dir"),
        (
            "nullable",
            "allocates",
            "count",
            "length",
            "element_nullable",
            "dtype_as",
            "dtypes",
            "sparse",
            "any_dtype_if_empty",
            "written_when",
            "doc",
        ),
    )
    if raw.take("dir", str) not in DIRECTIONS:
        raise raw.error(f"dir must be one of {', '.join(DIRECTIONS)}, not '{raw['dir']}'", "dir")
    dtypes = _dtypes(raw["dtypes"], known.sets, known.dtypes, raw) if "dtypes" in raw else None
    param = Param(
        name=raw.take("name", str),
        type=raw.take("type", str),
        dir=raw["dir"],
        nullable=raw.take("nullable", bool, False),
        allocates=raw.take("allocates", bool, False),
        count=raw.take("count", str),
        length=raw.take("length", int),
        element_nullable=raw.take("element_nullable", bool, False),
        dtype_as=raw.take("dtype_as", str),
        dtypes=dtypes,
        sparse=raw.take("sparse", bool, False),
        any_dtype_if_empty=raw.take("any_dtype_if_empty", bool, False),
        written_when=read_when(raw, known.scope, "written_when"),
        doc=raw.take("doc", str, ""),
    )
    check_param(param, raw, known.types)
    return param


def _function(raw: Mapping, family: str, known: _Vocabulary) -> Function:
    raw.check_keys(("name", "header", "summary", "params"), ("returns", "weak", "contract", "result", "form_of"))
    block = raw.take("contract", Mapping, Mapping())
    function = Function(
        name=raw.take("name", str),
        family=family,
        header=raw.take("header", str),
        returns=raw.take("returns", str, "diopiError_t"),
        weak=raw.take("weak", bool, True),
        summary=raw.take("summary", str),
        params=tuple(_param(p, known) for p in raw.take_list("params", Mapping)),
        own_contract=read_contract(block, (LIKE,)),
        like=block.take(LIKE, str),
        result=read_results(raw.take("result", Mapping)) if "result" in raw else {},
        form=read_form(raw),
        checks_of=read_taken(block),
        path=raw.path,
        line=raw.line,
    )
    check_function(function, raw)
    check_written_when(function, raw)
    if function.result:
        check_results(function, raw["result"], known.dtypes)
    return function


TYPE_SECTIONS = ("version", "enums", "structs", "handles", "callbacks", "registration", "vendor_hooks")


def _types(raw: Mapping) -> dict[str, Any]:
    """The content of `types.yaml` without its dtype sets, as fields of `Registry`."""
    version = raw.take("version", Mapping)
    version.check_keys(("major", "minor", "patch"))
    docs: dict[str, str] = {}
    result: dict[str, Any] = {
        "version": tuple(version.take(part, int) for part in ("major", "minor", "patch")),
        "enums": _composites(raw, "enums", "values", ("name", "value"), docs),
        "structs": _composites(raw, "structs", "fields", ("type", "name"), docs),
        "docs": docs,
    }
    for needed in ("diopiDtype_t", "diopiError_t"):
        if needed not in result["enums"]:
            raise raw.error(f"there is no enum {needed}", "enums")
    for section, key in (
        ("handles", "type"),
        ("callbacks", "type"),
        ("registration", "callback"),
        ("vendor_hooks", "returns"),
    ):
        result[section] = {e["name"]: e.take(key, str) for e in _entries(raw, section, (key,), docs)}
    for entry in raw["registration"]:
        if entry["callback"] not in result["callbacks"]:
            raise entry.error(f"unknown callback '{entry['callback']}'", "callback")
    return result


def _entries(
    raw: Mapping, section: str, required: tuple[str, ...], docs: dict[str, str], prefix: str = ""
) -> list[Mapping]:
    """Checks a list of named entries and collects their descriptions."""
    seen: set[str] = set()
    entries = raw.take_list(section, Mapping)
    for entry in entries:
        entry.check_keys(("name", *required), ("doc",))
        if entry.take("name", str) in seen:
            raise entry.error(f"'{entry['name']}' appears twice", "name")
        seen.add(entry["name"])
        if "doc" in entry:
            check_text(entry.take("doc", str), entry, "doc")
            docs[prefix + entry["name"]] = entry["doc"]
    return entries


def _composites(
    raw: Mapping, section: str, members: str, keys: tuple[str, str], docs: dict[str, str]
) -> dict[str, Any]:
    """Enums with their values, or structs with their fields. Each member is a pair in the order of `keys`."""
    result: dict[str, Any] = {}
    for entry in _entries(raw, section, (members,), docs):
        prefix = f"{entry['name']}." if members == "fields" else ""
        inner = _entries(entry, members, tuple(k for k in keys if k != "name"), docs, prefix)
        for member in inner:
            member.take(*(("value", int) if members == "values" else ("type", str)))
        result[entry["name"]] = tuple((m[keys[0]], m[keys[1]]) for m in inner)
    return result


def _vocabulary(raw: Mapping, types: dict[str, Any]) -> _Vocabulary:
    dtypes = {n.removeprefix("diopi_dtype_") for n, _ in types["enums"]["diopiDtype_t"]}
    sets: dict[str, tuple[str, ...]] = {}
    for name, members in raw.take("dtype_sets", Mapping, {}).items():
        sets[name] = _dtypes(members, sets, dtypes, raw["dtype_sets"], name)
    errors = frozenset(name for name, _ in types["enums"]["diopiError_t"])
    return _Vocabulary(sets, dtypes, PLAIN_TYPES.union(types["enums"], types["structs"], types["handles"]), errors)


def load_registry(directory: Path = REGISTRY_DIR) -> Registry:
    """Reads and checks `types.yaml` and every family file of `directory`."""
    raw_types = load_mapping(directory / "types.yaml", TYPE_SECTIONS, ("dtype_sets",))
    types = _types(raw_types)
    known = _vocabulary(raw_types, types)
    functions: dict[str, Function] = {}
    families: dict[str, str] = {}
    family_contracts: dict[str, dict[str, Any]] = {}
    family_checks: dict[str, tuple[Declared, ...]] = {}
    blocks: dict[str, Mapping] = {}
    for path in sorted(directory.glob("*.yaml")):
        if path.name == "types.yaml":
            continue
        raw = load_mapping(path, ("family", "summary", "functions"), ("contract",))
        if raw["family"] != path.stem or not re.fullmatch(r"[a-z0-9_]+", path.stem):
            raise raw.error(f"family '{raw['family']}' must equal the name of its file", "family")
        families[path.stem] = raw.take("summary", str)
        check_text(families[path.stem], raw, "summary")
        shared = raw.take("contract", Mapping, Mapping())
        family_contracts[path.stem] = read_contract(shared)
        family_checks[path.stem] = read_checks(shared, "checks", known.scope)
        for entry in raw.take_list("functions", Mapping):
            function = _function(entry, path.stem, known)
            if function.name in functions:
                first = functions[function.name]
                raise entry.error(f"{function.name} is already declared at {first.path}:{first.line}", "name")
            functions[function.name] = function
            if "contract" in entry:
                blocks[function.name] = entry["contract"]
    for name, contract in resolve(functions, family_contracts, blocks).items():
        functions[name] = replace(functions[name], contract=contract)
    functions |= _with_checks(functions, family_checks, blocks, known.scope)
    return Registry(
        dtype_sets=known.sets,
        functions=functions,
        families=families,
        family_contracts=family_contracts,
        family_checks=family_checks,
        **types,
    )


def _with_checks(
    functions: dict[str, Function],
    families: dict[str, tuple[Declared, ...]],
    contracts: dict[str, Mapping],
    scope: Scope,
) -> dict[str, Function]:
    """The functions that have a contract, with their checks."""
    blocks = {
        name: Block(read_checks(raw, "checks", scope), f.checks_of, f.like, f.form)
        for name, raw in contracts.items()
        for f in [functions[name]]
    }
    found = Inheritance(functions, families, blocks)
    checks = found.checks()
    return {name: replace(functions[name], checks=checks[name], own_checks=found.own(name)) for name in blocks}


__all__ = ["CONTRACT_FIELDS", "ConfigError", "Function", "Param", "Registry", "load_registry"]
