# SPDX-License-Identifier: BSD-3-Clause
"""A case with one dtype: `Group` adds the dtype, the chosen layouts and the vendor's conversions to a `Case`."""

from __future__ import annotations

from dataclasses import dataclass

from .case import Case
from .declared_casts import DeclaredCasts


@dataclass(frozen=True)
class Group:
    """One case with one dtype. Its layouts share inputs and expected outputs."""

    case: Case
    dtype: str
    layouts: tuple[str, ...]
    declared_casts: DeclaredCasts | None = None  # conversions that the vendor declares

    @property
    def name(self) -> str:
        return f"{self.case.function.name}/{self.case.id}/{self.dtype}"
