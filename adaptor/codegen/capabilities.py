# SPDX-License-Identifier: BSD-3-Clause
"""Says for each operator, tensor and dtype how a vendor's library computes it: native, converted, on the host, not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .config import VendorConfig
from .fallback import host_call
from .model import Function, Param, Registry
from .symbols import VendorSymbols


@dataclass(frozen=True)
class Capability:
    """One tensor parameter; each mask has a bit for each value of diopiDtype_t."""

    function: str
    parameter: str
    main: bool
    native: int
    converted: int
    on_host: int


def capabilities(registry: Registry, symbols: VendorSymbols, config: VendorConfig | None) -> list[Capability]:
    """The capabilities of all operators that the library exports."""
    config = config or VendorConfig(Path())
    return [
        _capability(function, param, registry, symbols, config)
        for function in registry.operators
        if function.name in symbols.functions or config.falls_back(function.name) and host_call(function)
        for param in function.params
        if param.is_tensor_like
    ]


def main_parameter(function: Function) -> Param:
    """The first tensor that the function reads, or its first tensor if it reads none."""
    tensors = [p for p in function.params if p.is_tensor_like]
    return next((p for p in tensors if p.dir in ("in", "inout")), tensors[0])


def _capability(
    function: Function, param: Param, registry: Registry, symbols: VendorSymbols, config: VendorConfig
) -> Capability:
    native = converted = on_host = 0
    falls_back = config.falls_back(function.name) and host_call(function) is not None
    has_function = function.name in symbols.functions and not config.always_falls_back(function.name)
    casts = dict(config.plan(function, registry.dtypes)[param.name].casts)
    for dtype in param.dtypes if param.dtypes is not None else registry.dtypes:
        bit = 1 << registry.dtypes[dtype] if dtype != "unsupported" else 0
        refused = config.unsupported(function.name, param.name, dtype) is not None
        if not has_function or refused or dtype in config.host_dtypes(function.name):
            on_host |= bit if falls_back else 0
        elif dtype in casts:
            converted |= bit
        else:
            native |= bit
    return Capability(function.name, param.name, param == main_parameter(function), native, converted, on_host)
