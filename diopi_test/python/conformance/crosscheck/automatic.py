# SPDX-License-Identifier: BSD-3-Clause
"""References that follow from the contract alone: its `source`, called with the operator's inputs in their order.

So an operator that PyTorch has under that name, and with the same parameters, needs no line in `references/`.
"""

from __future__ import annotations

import re

from adaptor.codegen.model import Function, Registry

from ..oracles import load_oracles, python_name
from .reference import Reference, Table, same

_FUNCTION = re.compile(r"torch(\.\w+)+")


def automatic_references(registry: Registry) -> Table:
    """For every oracle whose contract names one function of PyTorch."""
    found = {name: _reference(registry.functions[name]) for name in load_oracles()}
    return {name: reference for name, reference in found.items() if reference is not None}


def _reference(function: Function) -> Reference | None:
    source = str(function.contract.get("source", ""))
    if not _FUNCTION.fullmatch(source) or any(p.is_generator for p in function.params):
        return None
    counts = {p.count for p in function.params}
    names = (p.name for p in function.params if p.name != "ctx" and p.dir != "out" and p.name not in counts)
    return same(source, *map(python_name, names))
