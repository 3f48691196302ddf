# SPDX-License-Identifier: BSD-3-Clause
"""Reads a vendor's folder: unsupported dtypes, skips, tolerances, and whether the vendor defers errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from adaptor.codegen.config import VendorConfig, load_config
from adaptor.codegen.model import Registry

from .. import dtypes
from ..cases.case import Tolerance
from ..cases.declared_casts import DeclaredCasts
from ..cases.group import Group
from ..handles import Argument
from .device_configs import Skip, read_settings


@dataclass
class VendorProfile:
    """The content of `convert_config.yaml` and `device_configs.py`."""

    config: VendorConfig | None = None
    skips: tuple[Skip, ...] = ()
    # operator -> the vendor's tolerances, which precede those of its cases
    tolerances: dict[str, tuple[Tolerance, ...]] = field(default_factory=dict)
    defers: bool = False  # whether errors that depend on data may come when the stream is synchronised

    def with_declared_casts(self, group: Group) -> Group:
        """The group with the conversions that the vendor declares."""
        function = group.case.function
        plans = self.config.plan(function, dtypes.NUMPY) if self.config else {}
        if not any(plan.casts for plan in plans.values()):
            return group
        return replace(group, declared_casts=DeclaredCasts(plans))

    def skipped(self, group: Group) -> dict[str, str]:
        """The layouts of the group that the vendor skips, with the reasons."""
        own = [s for s in self.skips if s.operator == group.case.function.name]
        reasons = {v: next((s.reason for s in own if s.holds(group.case, group.dtype, v)), None) for v in group.layouts}
        return {v: reason for v, reason in reasons.items() if reason is not None}

    def reason(self, group: Group) -> str | None:
        """The vendor's reason for not supporting this group; None if it supports the group."""
        if self.config is None:
            return None
        for parameter, value in group.case.arguments.items():
            for dtype in _dtypes(value, group.dtype):
                reason = self.refuses(group, parameter, dtype)
                if reason is not None:
                    return reason
        return None

    def refuses(self, group: Group, parameter: str, dtype: str) -> str | None:
        """The vendor's reason for not supporting this dtype of this parameter; None if the library computes it."""
        name = group.case.function.name
        if self.config is None or self.config.falls_back(name):
            return None
        return self.config.unsupported(name, parameter, dtype)


def _dtypes(value: Argument, default: str) -> Iterator[str]:
    """The dtypes of a tensor, or of each tensor of a list."""
    if isinstance(value, (list, tuple)):
        for element in value:
            yield from _dtypes(element, default)
    elif hasattr(value, "dtype"):
        yield value.dtype or default


def operators_with_layouts(folder: Path | None, registry: Registry) -> frozenset[str]:
    """The operators for which `convert_config.yaml` in this folder declares memory layouts."""
    path = folder / "convert_config.yaml" if folder else None
    if path is None or not path.exists():
        return frozenset()
    config = load_config(path, registry)
    return frozenset(
        f.name for f in registry.operators if any(plan.layouts for plan in config.plan(f, dtypes.NUMPY).values())
    )


def load_profile(folder: Path | None, registry: Registry) -> VendorProfile:
    """Reads the vendor's folder. Each of the two files may be missing."""
    profile = VendorProfile()
    if folder is None:
        return profile
    config = folder / "convert_config.yaml"
    if config.exists():
        profile.config = load_config(config, registry)
    settings = folder / "device_configs.py"
    if settings.exists():
        read = read_settings(settings, registry)
        profile.skips, profile.tolerances, profile.defers = read.skips, read.tolerances, read.deferred_errors
    return profile
