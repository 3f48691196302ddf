# SPDX-License-Identifier: BSD-3-Clause
"""Arguments that are one tensor or a list of tensors."""

from __future__ import annotations

from typing import Any


def as_list(value: Any) -> list[Any]:
    """The list itself, or a list with the single value."""
    return value if isinstance(value, list) else [value]
