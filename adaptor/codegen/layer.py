# SPDX-License-Identifier: BSD-3-Clause
"""Writes the operators of the layer: their exported functions, descriptions and checks, and the list of exports.

python -m adaptor.codegen.layer --out build/generated/layer
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from . import layer_contract
from .headers import declaration, environment
from .model import ConfigError, Function, Param, Registry, load_registry
from .writing import write_if_changed

SHARDS = 4

# Kinds of the C types that stand for one value; enums count as int32.
_KINDS = {
    "diopiContextHandle_t": "kContext",
    "diopiGeneratorHandle_t": "kGenerator",
    "diopiGeneratorHandle_t *": "kGeneratorList",
    "diopiScalar_t *": "kScalar",
    "diopiSize_t": "kSize",
    "diopiSize_t *": "kOptionalSize",
    "bool": "kBool",
    "int": "kInt32",
    "int32_t": "kInt32",
    "int64_t": "kInt64",
    "float": "kFloat32",
    "double": "kFloat64",
    "char *": "kText",
    "bool *": "kOptionalBool",
    "int64_t *": "kOptionalInt64",
    "double *": "kOptionalFloat64",
    "void *": "kPointer",
}
_DIRECTIONS = {"in": "kIn", "out": "kOut", "inout": "kInOut", "attr": "kAttribute"}

# The functions that the layer defines itself or passes on by hand (adaptor/layer/library/hooks.cpp, memory_hooks.cpp).
HOOKS = (
    "initLibrary",
    "finalizeLibrary",
    "diopiGetVendorName",
    "diopiGetImplVersion",
    "diopiGetLastErrorString",
    "diopiGetFallbacks",
    "diopiSupports",
    "diopiRegisterMemcpyD2HAsyncFunc",
    "diopiRegisterMemcpyH2DAsyncFunc",
    "diopiRegisterSynchronizeStreamFunc",
    "diopiRegisterDeviceMallocFunc",
    "diopiRegisterDevMemFreeFunc",
    "diopiRequireTensor",
    "diopiRequireBuffer",
    "dlopen",
    "_exit",
)


@dataclass(frozen=True)
class Parameter:
    """One row of a table of parameters."""

    name: str
    type: str
    kind: str
    direction: str
    count: int
    length: int
    dtypes: int
    sometimes_written: bool


def kind(param: Param, function: Function, registry: Registry) -> str:
    """The value of `Kind` for a parameter."""
    if param.allocates:
        return "kCreated"
    if param.is_tensor_list:
        return "kTensorList"
    if param.is_tensor:
        return "kTensor"
    plain = param.type.removeprefix("const ")
    if plain in registry.enums:
        return "kInt32"
    if plain not in _KINDS:
        text = f"the layer does not know the type {param.type} of {function.name}'s {param.name}"
        raise ConfigError(function.path, function.line, text)
    return _KINDS[plain]


def parameters(function: Function, registry: Registry) -> list[Parameter]:
    names = [p.name for p in function.params]
    return [
        Parameter(
            p.name,
            p.type,
            kind(p, function, registry),
            _DIRECTIONS[p.dir],
            names.index(p.count) if p.count else -1,
            p.length or 0,
            sum(1 << registry.dtypes[d] for d in p.dtypes or () if d != "unsupported"),
            bool(p.written_when),
        )
        for p in function.params
    ]


def emit(registry: Registry) -> dict[str, str]:
    """The generated files: file name -> text."""
    functions = [f for f in registry.operators if f.returns == "diopiError_t"]
    env = environment()
    env.globals.update(
        params_of=lambda f: ", ".join(map(declaration, f.params)) or "void",
        rows=lambda f: parameters(f, registry),
    )
    texts = {}
    for shard in range(SHARDS):
        members = [(i, f) for i, f in enumerate(functions) if i % SHARDS == shard]
        texts[f"layer_{shard}.cpp"] = env.get_template("layer.cpp.j2").render(functions=members)
    runtime = [f for f in registry.runtime if f.returns == "diopiError_t" and f.name not in HOOKS]
    texts["layer_table.cpp"] = env.get_template("layer_table.cpp.j2").render(functions=functions, runtime=runtime)
    names = sorted([*(f.name for f in functions), *HOOKS])
    texts["exports.map"] = "{\n  global:\n" + "".join(f"    {n};\n" for n in names) + "  local: *;\n};\n"
    return texts | layer_contract.emit(registry, functions)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    try:
        texts = emit(load_registry())
    except ConfigError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for name, text in texts.items():
        write_if_changed(args.out / name, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
