# SPDX-License-Identifier: BSD-3-Clause
"""For each rule of the contract the calls that break it."""

from . import data_rules, dtype_rules, shape_rules, size_rules, value_rules
from .table import VIOLATIONS

__all__ = ["VIOLATIONS"]
_MODULES = (data_rules, dtype_rules, shape_rules, size_rules, value_rules)  # they fill the table
