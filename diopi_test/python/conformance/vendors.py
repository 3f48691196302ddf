"""What a vendor's folder tells the judge: what it does not support, and its own settings."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Iterator

from adaptor.codegen.config import VendorConfig, load_config
from adaptor.codegen.model import Registry

from . import dtypes
from .lowering import Lowering
from .case_files import Tolerance
from .prepare import Group


class SettingsError(Exception):
    """A mistake in `device_configs.py`."""


@dataclass
class VendorProfile:
    """Declarations of `convert_config.yaml` and `device_configs.py`."""

    config: VendorConfig | None = None
    skips: dict[str, str] = field(default_factory=dict)  # operator -> reason
    tolerances: dict[str, tuple[Tolerance, ...]] = field(default_factory=dict)  # operator -> tried before the cases'

    def lowered(self, group: Group) -> Group:
        """The group as this vendor computes it."""
        function = group.raw.function
        plans = self.config.plan(function, dtypes.NUMPY) if self.config else {}
        if not any(plan.casts for plan in plans.values()):
            return group
        return replace(group, lowering=Lowering(plans))

    def reason(self, group: Group) -> str | None:
        """Why the vendor says it cannot serve this group; None where it claims that it can."""
        if self.config is None:
            return None
        for parameter, value in group.raw.arguments.items():
            for dtype in _dtypes(value, group.dtype):
                reason = self.config.unsupported(group.raw.function.name, parameter, dtype)
                if reason is not None:
                    return reason
        return None


def _dtypes(value: Any, default: str) -> Iterator[str]:
    """The dtypes of a tensor, or of each tensor of a list."""
    if isinstance(value, (list, tuple)):
        for element in value:
            yield from _dtypes(element, default)
    elif hasattr(value, "dtype"):
        yield value.dtype or default


def load_profile(folder: Path | None, registry: Registry) -> VendorProfile:
    """Reads the vendor's folder, as far as it has these files."""
    profile = VendorProfile()
    if folder is None:
        return profile
    config = folder / "convert_config.yaml"
    if config.exists():
        profile.config = load_config(config, registry)
    settings = folder / "device_configs.py"
    if settings.exists():
        _read_settings(settings, profile, registry)
    return profile


def _read_settings(path: Path, profile: VendorProfile, registry: Registry) -> None:
    """`SKIPS = {operator: reason}` and `TOLERANCES = {operator: [dict(ulp=..., dtypes=(...), reason=...)]}`."""
    spec = importlib.util.spec_from_file_location("device_configs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in (*getattr(module, "SKIPS", {}), *getattr(module, "TOLERANCES", {})):
        if name not in registry.functions:
            raise SettingsError(f"{path}: '{name}' is no function of the contract")
    for name, reason in getattr(module, "SKIPS", {}).items():
        if not isinstance(reason, str) or not reason:
            raise SettingsError(f"{path}: SKIPS['{name}'] must be the reason, as a sentence")
        profile.skips[name] = reason
    for name, items in getattr(module, "TOLERANCES", {}).items():
        for item in items:
            if not item.get("reason"):
                raise SettingsError(f"{path}: each of TOLERANCES['{name}'] needs a reason")
        try:
            profile.tolerances[name] = tuple(Tolerance(**item) for item in items)
        except TypeError as error:
            raise SettingsError(f"{path}: TOLERANCES['{name}']: {error}") from None
