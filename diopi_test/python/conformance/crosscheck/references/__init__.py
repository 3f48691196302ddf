"""The tables of references, a module for each kind of operator; they can be read without PyTorch."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache

from ..reference import Table


@lru_cache(maxsize=None)
def load_references() -> Table:
    """What each operator's oracle is compared with."""
    found: Table = {}
    for module in pkgutil.iter_modules(__path__):
        table: Table = importlib.import_module(f"{__name__}.{module.name}").TABLE
        twice = found.keys() & table.keys()
        if twice:
            raise ValueError(f"{', '.join(sorted(twice))}: two references")
        found |= table
    return found
