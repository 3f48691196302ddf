# SPDX-License-Identifier: BSD-3-Clause
"""References from the registry: the PyTorch function in `source`, called with the operator's inputs in their order.

An operator whose `source` is a PyTorch function with the same parameters needs no entry in `references/`.
"""

from __future__ import annotations

import re

from adaptor.codegen.model import Function, Registry

from ...oracle import load_oracles, python_name
from .reference import Reference, Table, same

_FUNCTION = re.compile(r"torch(\.\w+)+")


def automatic_references(registry: Registry) -> Table:
    """The reference of each oracle whose contract names a single function of PyTorch."""
    found = {name: _reference(registry.functions[name]) for name in load_oracles()}
    return {name: reference for name, reference in found.items() if reference is not None}


def _reference(function: Function) -> Reference | None:
    source = str(function.contract.get("source", ""))
    if not _FUNCTION.fullmatch(source) or any(p.is_generator for p in function.params):
        return None
    counts = {p.count for p in function.params}
    names = (p.name for p in function.params if p.name != "ctx" and p.dir != "out" and p.name not in counts)
    return same(source, *map(python_name, names))
