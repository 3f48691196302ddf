# SPDX-License-Identifier: BSD-3-Clause
"""YAML loading that refuses what plain YAML forgives: duplicate keys, unknown fields, wrong types.

Every error is a `ConfigError` that starts with `file:line:`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml


class ConfigError(Exception):
    """A mistake in a YAML file, with the place where it was made."""

    def __init__(self, path: Path | str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path, self.line = path, line


class Mapping(dict):
    """A YAML mapping that remembers its file and the line of each key."""

    path: Path
    line: int
    key_lines: dict[str, int]

    def error(self, message: str, key: str | None = None) -> ConfigError:
        return ConfigError(self.path, self.key_lines.get(key, self.line) if key else self.line, message)

    def check_keys(self, required: Iterable[str], optional: Iterable[str] = ()) -> None:
        """Raises unless every required key is present and no other key than these is."""
        required, optional = tuple(required), tuple(optional)
        for key in self:
            if key not in required and key not in optional:
                known = ", ".join(sorted(required + optional))
                raise self.error(f"unknown field '{key}' (known: {known})", key)
        for key in required:
            if key not in self:
                raise self.error(f"missing field '{key}'")

    def take(self, key: str, kind: type, default: Any = None) -> Any:
        """The value of `key`, checked to be of `kind`; `default` where absent."""
        if key not in self:
            return default
        value = self[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error(f"field '{key}' must be {kind.__name__}, not {type(value).__name__} ({value!r})", key)
        return value


class _StrictLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    path: Path


def _construct_mapping(loader: _StrictLoader, node: yaml.MappingNode) -> Mapping:
    result = Mapping()
    result.path, result.line, result.key_lines = loader.path, node.start_mark.line + 1, {}
    for key_node, value_node in node.value:
        key, line = loader.construct_object(key_node, deep=True), key_node.start_mark.line + 1
        if not isinstance(key, str):
            raise ConfigError(loader.path, line, f"key {key!r} must be a string; quote it")
        if key in result:
            raise ConfigError(loader.path, line, f"duplicate key '{key}', first given on line {result.key_lines[key]}")
        result.key_lines[key] = line
        result[key] = loader.construct_object(value_node, deep=True)
    return result


_StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _construct_mapping)


def load(path: Path) -> Any:
    """Parses one YAML file; mappings come back as `Mapping`."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(path, 0, f"cannot be read: {error.strerror}") from error
    loader = _StrictLoader(text)
    loader.path = path
    try:
        return loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise ConfigError(path, line, f"not valid YAML: {error.problem}") from error
    finally:
        loader.dispose()
