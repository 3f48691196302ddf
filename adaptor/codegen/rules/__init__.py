# SPDX-License-Identifier: BSD-3-Clause
"""The checks of the contract: rules with typed parameters, of which each has an identifier and a sentence.

`proto/registry/README.md` describes the rules. `reading` loads them, `inheriting` finds those of a function.
"""

from . import data, dtypes, shapes, values, windows
from .base import RULES, Check, Condition, Declared, Record, Rule
from .fields import Scope

__all__ = ["RULES", "Check", "Condition", "Declared", "Record", "Rule", "Scope"]
_MODULES = (data, dtypes, shapes, values, windows)  # they register their rules
