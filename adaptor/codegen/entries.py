# SPDX-License-Identifier: BSD-3-Clause
"""Writes the C entry functions of one vendor's library, and lists of the symbols that it exports and that it may lack.

    python -m adaptor.codegen.entries --vendor cpu --objects objects.txt --out build/generated/cpu

`objects.txt` lists the vendor's compiled objects, one path per line. Each operator that the objects define gets an
entry. With `--config`, the entries convert dtypes and layouts as the vendor's convert_config.yaml says.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from pathlib import Path

from .capabilities import capabilities
from .checks import base_type
from .config import VendorConfig, load_config
from .conversion import RuleTable, conversion_of, require_helpers
from .fallback import HostCall, dtype_tests, host_call
from .headers import declaration, environment
from .line import Line
from .model import ConfigError, Function, Param, Registry, load_registry
from .symbols import SymbolError, VendorSymbols, read_vendor
from .writing import write_if_changed


def checks(function: Function) -> list[Line]:
    """The statements that refuse null arguments, wrong lengths, and scalars whose dtype is not a dtype of numbers."""
    lines = []

    def add(param: Param, what: str, text: str) -> None:
        lines.append(Line(text, f"{function.name}-{param.name}-{what}"))

    for p in function.params:
        if p.is_tensor_list:
            given = f"if ({p.name} != nullptr) " if p.nullable else ""
            text = f"{given}DIOPI_ENTRY_LIST({p.name}, {p.count}, {str(p.element_nullable).lower()});"
            add(p, "not-null", text)
        elif p.is_pointer and not p.nullable:
            add(p, "not-null", f"DIOPI_ENTRY_NOT_NULL({p.name});")
        if base_type(p.type) == "diopiSize_t":
            add(p, "list", f"DIOPI_ENTRY_SIZE_AT({p.name});" if p.is_pointer else f"DIOPI_ENTRY_SIZE({p.name});")
        if p.is_scalar:
            add(p, "stype", f"DIOPI_ENTRY_SCALAR({p.name});")
    return lines


# The texts of a vendor that leaves these functions to the entry layer.
TEXTS = {
    "diopiGetVendorName": '"{vendor}"',
    "diopiGetImplVersion": '"{version}"',
    "diopiGetLastErrorString": "diopi::last_error()",
}


def texts_of(vendor: str, registry: Registry, symbols: VendorSymbols) -> dict[str, str]:
    """The functions without a context that the entries define for a vendor without them."""
    version = ".".join(map(str, registry.version))
    missing = (name for name in TEXTS if name not in symbols.functions)
    return {name: TEXTS[name].format(vendor=vendor, version=version) for name in missing}


def host_calls(registry: Registry, symbols: VendorSymbols, config: VendorConfig | None) -> dict[str, HostCall]:
    """The operators of which some or all calls are computed on the host, each with its call."""
    if config is None:
        return {}
    calls = {f.name: host_call(f) for f in registry.operators if config.falls_back(f.name)}
    return {name: call for name, call in calls.items() if call is not None}


def emit(
    registry: Registry, vendor: str, symbols: VendorSymbols, config: VendorConfig | None, shards: int
) -> dict[str, str]:
    """The generated files: file name -> text. The file of a function does not depend on other functions."""
    hosts = host_calls(registry, symbols, config)
    strings = texts_of(vendor, registry, symbols)
    functions = [f for f in registry.operators if f.name in {*symbols.functions, *hosts, *strings}]
    env = environment()
    env.globals.update(
        params_of=lambda f: ", ".join(map(declaration, f.params)) or "void",
        checks=checks,
        dtype_tests=lambda f: dtype_tests(f, config, registry) if config else [],
        names_of=lambda f: ", ".join(p.name for p in f.params),
    )
    template = env.get_template("entries.cpp.j2")
    texts = {}
    for shard in range(shards):
        members = [f for f in functions if zlib.crc32(f.name.encode()) % shards == shard]
        rules = RuleTable(registry.dtypes)
        conversions = {f.name: conversion_of(f, config, registry, rules) for f in members} if config else {}
        texts[f"entries_{shard}.cpp"] = template.render(
            vendor=vendor,
            functions=members,
            conversions=conversions,
            hosts=hosts,
            strings=strings,
            config=config,
            rules=rules,
            symbols=symbols,
            hooks=symbols if shard == 0 else None,
        )
    names = sorted(f.name for f in functions) + ["diopiSupports", "finalizeLibrary", "initLibrary"]
    table, fallback = capabilities(registry, symbols, config), bool(config and config.fallback)
    texts["capabilities.cpp"] = env.get_template("capabilities.cpp.j2").render(capabilities=table, fallback=fallback)
    if fallback:
        names += ["diopiGetFallbacks"]
    runtime = sorted([f.name for f in registry.runtime] + list(registry.registration))
    texts["runtime_symbols.txt"] = "".join(f"-Wl,--ignore-unresolved-symbol={name}\n" for name in runtime)
    texts["exports.map"] = "{\n  global:\n" + "".join(f"    {n};\n" for n in names) + "  local: *;\n};\n"
    return texts


def lines_of(file: Path) -> list[str]:
    return [line for line in file.read_text(encoding="utf-8").splitlines() if line]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vendor", required=True)
    parser.add_argument("--objects", type=Path, required=True, help="file that lists the vendor's objects")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--checked", type=Path, help="file that lists the sources with the declarations in front")
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--config", type=Path, help="the vendor's convert_config.yaml")
    args = parser.parse_args()
    try:
        registry = load_registry()
        objects = [Path(line) for line in lines_of(args.objects)]
        checked = set(lines_of(args.checked)) if args.checked else None
        config = load_config(args.config, registry) if args.config else None
        symbols = read_vendor(registry, args.vendor, objects, args.nm, checked)
        if config:
            require_helpers(config, registry, args.vendor, symbols)
        texts = emit(registry, args.vendor, symbols, config, args.shards)
    except (ConfigError, SymbolError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for name, text in texts.items():
        write_if_changed(args.out / name, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
