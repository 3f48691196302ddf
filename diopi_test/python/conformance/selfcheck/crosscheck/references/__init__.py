# SPDX-License-Identifier: BSD-3-Clause
"""The tables of references: one module for each family of the registry. The tables can be read without PyTorch."""

from __future__ import annotations

import importlib
import pkgutil

from adaptor.codegen.model import Registry

from ..automatic import automatic_references
from ..reference import Table


def load_references(registry: Registry) -> Table:
    """The reference of each operator: from a table, or else the function that the contract names as `source`."""
    found: Table = {}
    for module in pkgutil.iter_modules(__path__):
        table: Table = importlib.import_module(f"{__name__}.{module.name}").TABLE
        twice = found.keys() & table.keys()
        if twice:
            raise ValueError(f"{', '.join(sorted(twice))}: two references")
        found |= table
    return automatic_references(registry) | found
