# SPDX-License-Identifier: BSD-3-Clause
"""Generates the statements of entries that compute on the host in place of the vendor's device.

    python -m adaptor.codegen.fallback impl/minimal/convert_config.yaml

prints ON if the vendor's configuration has `fallback`, and OFF if it has not.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path

from .config import VendorConfig
from .model import Function, Param, Registry
from .strict_yaml import exit_with, load
from .written_when import expression


@dataclass
class HostCall:
    """The parts of one function that computes on the host."""

    context: str
    announce: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    deliver: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class DtypeTest:
    """The dtypes of one tensor, or of the tensors of a list, with which a call goes to the host."""

    param: str
    count: str | None  # the length of a list
    mask: int


def dtype_tests(function: Function, config: VendorConfig, registry: Registry) -> list[DtypeTest]:
    """The dtypes that the vendor refuses, and those that its configuration gives to the host."""
    if not config.falls_back(function.name):
        return []
    tests = []
    for param in (p for p in function.params if p.is_tensor_like and not p.allocates):
        refused = {d for d in registry.dtypes if config.unsupported(function.name, param.name, d) is not None}
        dtypes = refused | set(config.host_dtypes(function.name))
        if dtypes:
            mask = sum(1 << registry.dtypes[d] for d in dtypes if d != "unsupported")
            tests.append(DtypeTest(param.name, param.count if param.is_tensor_list else None, mask))
    return tests


def host_call(function: Function) -> HostCall | None:
    """The host call of `function`; None if it has no context, so that nothing can be copied."""
    context = next((p.name for p in function.params if p.type == "diopiContextHandle_t"), None)
    if context is None:
        return None
    call = HostCall(context)
    for param in function.params:
        if param.name == context:
            call.arguments.append("call.context()")
            continue
        announced = _announce(param)
        if announced is None:
            call.arguments.append(param.name)
            continue
        number = len(call.announce)
        call.announce.append(announced)
        call.arguments.append(f"call.{_accessor(param)}({number})")
        if param.allocates:
            call.deliver.append(f"call.deliver({number}, {param.name});")
    return call


def _announce(param: Param) -> str | None:
    """The statement that hands a parameter over to the call; None for a parameter that is passed as it is."""
    if param.allocates:
        return f'DIOPI_TRY(call.create("{param.name}", {param.name}, {param.length or param.count or 1}));'
    if param.is_generator:
        one = not param.type.endswith("*")
        first = f"&{param.name}" if one else param.name
        return f'DIOPI_TRY(call.generators("{param.name}", {first}, {1 if one else param.count}));'
    if not param.is_tensor_like:
        return None
    count = f", {param.count}" if param.is_tensor_list else ""
    if param.written_when:
        return f'DIOPI_TRY(call.write_if({expression(param)}, "{param.name}", {param.name}));'
    return f'DIOPI_TRY(call.{param.access}("{param.name}", {param.name}{count}));'


def _accessor(param: Param) -> str:
    """The function that gives the host's argument in place of the caller's."""
    if param.allocates:
        return "results"
    if param.is_generator:
        return "generator_list" if param.type.endswith("*") else "generator"
    if param.is_tensor_list:
        return "const_list" if "Const" in param.type else "list"
    return "tensor"


def is_configured(path: Path) -> bool:
    """Whether a vendor's configuration has `fallback`. The rest of the file is not checked."""
    tree = load(path)
    return isinstance(tree, list) and any(isinstance(item, dict) and "fallback" in item for item in tree)


def main() -> int:
    parser = argparse.ArgumentParser(description="Prints whether a vendor's configuration has `fallback`: ON or OFF.")
    parser.add_argument("config", type=Path, help="the vendor's convert_config.yaml")
    print("ON" if is_configured(parser.parse_args().config) else "OFF")
    return 0


if __name__ == "__main__":
    exit_with(main)
