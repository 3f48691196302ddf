# SPDX-License-Identifier: BSD-3-Clause
"""Loads YAML files strictly: duplicate keys, unknown fields and wrong types are errors.

Every error is a `ConfigError` that starts with `file:line:`.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

import yaml


class ConfigError(Exception):
    """A mistake in a YAML file, with file and line."""

    def __init__(self, path: Path | str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path, self.line = path, line


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A suggestion for a message about an unknown name; empty if no known name is similar."""
    known = list(known)
    close = [k for k in known if k.lower() == name.lower()] or difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"; did you mean '{close[0]}'?" if close else ""


Kind = type | tuple[type, ...]


def _is(value: object, kind: Kind) -> bool:
    """Whether the value is of this kind. true and false are not numbers."""
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


_WORDS = {
    str: "a text",
    bool: "true or false",
    int: "an integer",
    float: "a number",
    list: "a list",
    dict: "a mapping",
    type(None): "nothing",
}


def _name(kind: Kind) -> str:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join(_WORDS.get(dict if issubclass(k, dict) else k, k.__name__) for k in kinds)


def described(value: object) -> str:
    """A value of a file in plain words, for messages."""
    return _name(type(value)) + ("" if value is None else f" ({value!r})")


class Mapping(dict):
    """A YAML mapping with its file and the line of each key."""

    path: Path
    line: int
    key_lines: dict[str, int]

    def error(self, message: str, key: str | None = None) -> ConfigError:
        return ConfigError(self.path, self.key_lines.get(key, self.line) if key else self.line, message)

    def check_keys(self, required: Iterable[str], optional: Iterable[str] = ()) -> None:
        """Raises an error if a required key is missing, or if there is an unknown key."""
        required, optional = tuple(required), tuple(optional)
        for key in self:
            if key not in required and key not in optional:
                known = ", ".join(sorted({*required, *optional}))
                raise self.error(f"unknown field '{key}' (known: {known})", key)
        for key in required:
            if key not in self:
                raise self.error(f"missing field '{key}'")

    def take(self, key: str, kind: Kind, default: Any = None) -> Any:
        """The value of `key`, or `default` if it is absent. Raises an error if the value is not of `kind`, which may be
        a tuple of kinds."""
        if key not in self:
            return default
        value = self[key]
        if not _is(value, kind):
            raise self.error(f"field '{key}' must be {_name(kind)}, not {described(value)}", key)
        return value

    def take_list(self, key: str, kind: Kind, default: Any = None) -> Any:
        """The list at `key`, or `default` if it is absent. Raises an error if an entry is not of `kind`."""
        values = self.take(key, list, default)
        for value in values if key in self else ():
            if not _is(value, kind):
                raise self.error(f"each entry of '{key}' must be {_name(kind)}, not {described(value)}", key)
        return values


def exit_with(main: Callable[[], int], wrong_file: int = 1) -> NoReturn:
    """Runs `main` and exits with its result. For a mistake in a file, prints one line and exits with `wrong_file`."""
    try:
        sys.exit(main())
    except ConfigError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(wrong_file)


_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _StrictLoader(_SafeLoader):
    path: Path


def _construct_mapping(loader: _StrictLoader, node: yaml.Node) -> Mapping:
    if not isinstance(node, yaml.MappingNode):
        raise ConfigError(loader.path, node.start_mark.line + 1, f"a {node.id} is tagged as a mapping")
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


DEEPEST = 100  # the largest number of nested levels, because the parser's stack is limited
_BRACKET = re.compile(r"[\[\]{}]")
_DEEP_BLOCK = re.compile(rf"^ {{{DEEPEST}}}|(?:[-?:] +){{{DEEPEST // 2}}}", re.MULTILINE)


def _may_be_deep(text: str) -> bool:
    """Whether the text has enough open brackets or enough indentation for deep nesting."""
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "[{" else -1
        if depth > DEEPEST // 2:
            return True
    return _DEEP_BLOCK.search(text) is not None


def _check_depth(path: Path, text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_StrictLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise ConfigError(path, event.start_mark.line + 1, f"nested more than {DEEPEST} levels deep")


def _read(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(path, 0, f"cannot be read: {error.strerror}") from error
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(path, line, f"not UTF-8: the byte 0x{content[error.start]:02X}") from None


def load(path: Path) -> Any:
    """Parses one YAML file. Mappings in it become `Mapping` objects."""
    text, loader = _read(path), None
    try:
        if _may_be_deep(text):
            _check_depth(path, text)
        loader = _StrictLoader(text)
        loader.path = path
        return loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(path, line, f"not valid YAML: {error.problem}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ConfigError(path, line, f"not valid YAML: {error.reason}") from error
    except (ValueError, ArithmeticError) as error:  # an invalid date, number or base64 text
        raise ConfigError(path, 1, f"not valid YAML: {error}") from error
    finally:
        if loader is not None:
            loader.dispose()


def load_mapping(path: Path, required: Iterable[str], optional: Iterable[str] = ()) -> Mapping:
    """Parses a YAML file that must be a mapping with these keys."""
    raw, required = load(path), tuple(required)
    if not isinstance(raw, Mapping):
        what = "is empty" if raw is None else f"holds {_name(type(raw))}"
        raise ConfigError(path, 1, f"the file {what}; it must be a mapping with {', '.join(required)}")
    raw.check_keys(required, optional)
    return raw
