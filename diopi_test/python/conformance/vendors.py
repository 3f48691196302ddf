"""What a vendor's folder tells the judge: what it does not support, and its own settings."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field
from pathlib import Path

from adaptor.codegen.strict_yaml import Mapping, load

from .prepare import Group


@dataclass(frozen=True)
class Unsupported:
    """One declaration: this operator does not take these dtypes (of this parameter), because of `reason`."""

    function: str
    parameter: str | None
    dtypes: tuple[str, ...]
    reason: str


@dataclass
class VendorProfile:
    """Declarations of `convert_config.yaml` and `device_configs.py`."""

    unsupported: list[Unsupported] = field(default_factory=list)
    skips: dict[str, str] = field(default_factory=dict)  # operator -> reason

    def reason(self, group: Group) -> str | None:
        """Why the vendor says it cannot serve this group; None where it claims that it can."""
        for item in self.unsupported:
            if item.function != group.raw.function.name:
                continue
            given = [v for k, v in group.raw.arguments.items() if item.parameter in (None, k) and hasattr(v, "dtype")]
            used = {v.dtype or group.dtype for v in given} or {group.dtype}
            if not item.dtypes or used & set(item.dtypes):
                return item.reason
        return None


def load_profile(folder: Path | None) -> VendorProfile:
    """Reads the vendor's folder, as far as it has these files."""
    profile = VendorProfile()
    if folder is None:
        return profile
    config = folder / "convert_config.yaml"
    if config.exists():
        for item in load(config) or []:
            for raw in item.get("unsupported", []) if isinstance(item, Mapping) else []:
                profile.unsupported.append(_unsupported(raw))
    settings = folder / "device_configs.py"
    if settings.exists():
        spec = importlib.util.spec_from_file_location("device_configs", settings)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, reason in getattr(module, "SKIPS", {}).items():
            if not isinstance(reason, str) or not reason:
                raise ValueError(f"{settings}: SKIPS['{name}'] must be the reason, as a sentence")
            profile.skips[name] = reason
    return profile


def _unsupported(raw: Mapping) -> Unsupported:
    raw.check_keys(("operator", "reason"), ("parameter", "dtypes"))
    listed = raw.get("dtypes", [])
    return Unsupported(raw["operator"], raw.get("parameter"),
                       tuple([listed] if isinstance(listed, str) else listed), raw["reason"])
