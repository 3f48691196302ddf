# SPDX-License-Identifier: BSD-3-Clause
"""The typed model of a vendor's `convert_config.yaml`: dtypes and layouts that are converted or not supported.

Rules have three levels: `common_config`, one operator, one parameter. A later level overrides an earlier one. Every
mistake is a `ConfigError` with file and line. `docs/adding-a-vendor.md` describes the format.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .dtype_sets import CONVERTIBLE, can_lose, category
from .model import ConfigError, Function, Param, Registry
from .strict_yaml import Mapping, described, did_you_mean, load

LAYOUTS = ("NCL", "NCHW", "NCDHW", "NLC", "NHWC", "NDHWC", "ND")
NARROWING = ("check", "trust")
# The functions that the conversion calls. Their own arguments are never converted.
HELPERS = ("diopiCastDtype", "diopiCopyInp", "diopiContiguous")

_SECTIONS = ("common_config", "unsupported", "fallback")
_FIELDS = ("dtype", "tensor_dtype", "layout", "narrowing")
_RULE = re.compile(r"\s*\(([^()]*)\)\s*->\s*(\w+)\s*")
_LAYOUT = re.compile(r"\s*(\w+)\s*(?:\(([^()]*)\))?\s*")


@dataclass(frozen=True)
class ParamPlan:
    """How the generated entry converts one tensor parameter."""

    casts: tuple[tuple[str, str], ...] = ()  # (caller's dtype, vendor's dtype), in the order of the dtypes
    layouts: tuple[str, ...] = ()  # empty: the layout is not converted
    unsupported: tuple[tuple[str, str], ...] = ()  # (dtype, reason)
    narrowing: str = "check"

    @property
    def converts(self) -> bool:
        return bool(self.casts or self.layouts)

    @property
    def trivial(self) -> bool:
        return not self.converts and not self.unsupported

    def narrows(self) -> bool:
        """Whether a conversion can change the value of an integer."""
        return any(can_lose(source, target) for source, target in self.casts)


@dataclass
class _Level:
    """The rules of one level, each with its `file:line` for messages."""

    casts: dict[str, tuple[str, int]] = field(default_factory=dict)
    layouts: tuple[str, ...] | None = None
    narrowing: str | None = None


@dataclass
class _Operator:
    level: _Level
    params: dict[str, _Level]
    line: int


@dataclass(frozen=True)
class FallbackRule:
    """Operators, by name or pattern, that the CPU vendor computes on the host where this vendor cannot."""

    operators: tuple[str, ...]
    dtypes: tuple[str, ...] = ()
    always: bool = False

    def matches(self, operator: str) -> bool:
        return any(fnmatch.fnmatchcase(operator, pattern) for pattern in self.operators)


@dataclass
class VendorConfig:
    """The content of a file, checked against the contract."""

    path: Path
    common: _Level = field(default_factory=_Level)
    operators: dict[str, _Operator] = field(default_factory=dict)
    refusals: dict[tuple[str, str, str], str] = field(default_factory=dict)  # (operator, param, dtype) -> reason
    refusal_lines: dict[str, int] = field(default_factory=dict)  # operator -> the first line that refuses dtypes of it
    fallback: tuple[FallbackRule, ...] = ()

    def falls_back(self, operator: str) -> bool:
        """Whether calls that the vendor cannot compute go to the host."""
        return any(rule.matches(operator) for rule in self.fallback)

    def always_falls_back(self, operator: str) -> bool:
        """Whether all calls go to the host, even if the vendor has the function."""
        return any(rule.always and rule.matches(operator) for rule in self.fallback)

    def host_dtypes(self, operator: str) -> tuple[str, ...]:
        """The dtypes of tensors with which a call goes to the host, even if the vendor has the function."""
        return tuple(dict.fromkeys(d for rule in self.fallback if rule.matches(operator) for d in rule.dtypes))

    def unsupported(self, operator: str, param: str, dtype: str) -> str | None:
        """The reason why the vendor refuses `dtype` for this parameter; None if the vendor supports it."""
        if operator in HELPERS:
            return self.refusals.get((operator, param, dtype))
        for key in ((operator, param, dtype), (operator, "*", dtype), ("*", "*", dtype)):
            if key in self.refusals:
                return self.refusals[key]
        return None

    def plan(self, function: Function, dtypes: Iterable[str]) -> dict[str, ParamPlan]:
        """The conversion of each tensor parameter of `function`, by the parameter's name."""
        return {p.name: self._plan(function, p, tuple(dtypes)) for p in function.params if p.is_tensor_like}

    def _plan(self, function: Function, param: Param, dtypes: tuple[str, ...]) -> ParamPlan:
        reasons = ((d, self.unsupported(function.name, param.name, d)) for d in dtypes)
        refused = tuple((d, r) for d, r in reasons if r is not None)
        if function.name in HELPERS:
            return ParamPlan(unsupported=refused)
        levels = self._levels(function.name, param.name)
        casts: dict[str, tuple[str, int]] = {}
        for level in levels:
            casts.update(level.casts)
        kept = {s: t for s, (t, _) in casts.items() if s != t}
        _check_steps(self.path, f"{function.name}, {param.name}", casts)
        layouts = next((v.layouts for v in reversed(levels) if v.layouts is not None), ())
        return ParamPlan(
            casts=tuple((d, kept[d]) for d in dtypes if d in kept),
            layouts=() if "ND" in layouts else layouts,
            unsupported=refused,
            narrowing=next((v.narrowing for v in reversed(levels) if v.narrowing is not None), "check"),
        )

    def _levels(self, operator: str, param: str) -> list[_Level]:
        levels = [self.common]
        if operator in self.operators:
            levels.append(self.operators[operator].level)
            if param in self.operators[operator].params:
                levels.append(self.operators[operator].params[param])
        return levels


def _check_steps(path: Path, where: str, casts: dict[str, tuple[str, int]]) -> None:
    """Raises an error if the result of a conversion is a dtype that is itself converted."""
    for source, (target, line) in casts.items():
        following = casts.get(target, (target, 0))[0]
        if source == target or following == target:
            continue
        line = max(line, casts[target][1])
        if following == source:
            raise ConfigError(
                path, line, f"{where}: {source} is converted to {target} and {target} to {source}: a cycle"
            )
        raise ConfigError(
            path,
            line,
            f"{where}: {source} is converted to {target}, which is itself converted to "
            f"{following}; write ({source})->{following}",
        )


def _split(text: str) -> list[str]:
    """Splits at the commas outside parentheses."""
    return re.split(r",(?![^()]*\))", text)


def _names(entry: Mapping, key: str) -> list[str]:
    """The value of `key`, a name or a list of names, as a list."""
    names = [entry[key]] if isinstance(entry[key], str) else entry[key]
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise entry.error(f"'{key}' must be a name or a list of names", key)
    return names


class _Reader:
    """Reads the YAML tree of one file into a VendorConfig."""

    def __init__(self, path: Path, registry: Registry) -> None:
        self.registry = registry
        self.config = VendorConfig(path)
        self.seen: dict[str, int] = {}

    def read(self) -> VendorConfig:
        tree = load(self.config.path)
        for item in tree if isinstance(tree, list) else [tree] if tree else []:
            if not isinstance(item, Mapping) or not isinstance(tree, list):
                raise ConfigError(
                    self.config.path,
                    getattr(item, "line", 1),
                    "the file must be a list of '- common_config:', '- unsupported:', '- fallback:' and '- diopi...:'",
                )
            for key, body in item.items():
                self._item(item, key, body)
        for name, operator in self.config.operators.items():
            self._check_operator(name, operator)
        _check_steps(self.config.path, "common_config", self.config.common.casts)
        return self.config

    def _once(self, item: Mapping, key: str) -> None:
        if key in self.seen:
            raise item.error(f"duplicate key '{key}', first given on line {self.seen[key]}", key)
        self.seen[key] = item.key_lines[key]

    def _item(self, item: Mapping, key: str, body: object) -> None:
        self._once(item, key)
        if key not in _SECTIONS:
            self._check_name(item, key)
        if key == "unsupported":
            self._unsupported(item, body)
        elif key == "fallback":
            self.config.fallback = tuple(self._fallback(item, body))
        elif not isinstance(body, Mapping):
            hint = "; write a space after the colon" if isinstance(body, str) and ":" in body else ""
            raise item.error(f"'{key}' must hold fields such as dtype or layout, not {described(body)}{hint}", key)
        elif key == "common_config":
            body.check_keys((), [name for name in _FIELDS if name != "tensor_dtype"])
            self.config.common, _ = self._level(body, None)
        else:
            function = self._function(item, key, key)
            if key in HELPERS:
                raise item.error(f"{key} cannot be converted, because the conversion calls it", key)
            body.check_keys((), _FIELDS)
            level, params = self._level(body, function)
            self.config.operators[key] = _Operator(level, params, item.key_lines[key])

    def _check_name(self, item: Mapping, key: str) -> None:
        """Raises an error if the name of a section is neither an operator nor another known name."""
        if key in _FIELDS:
            raise item.error(f"'{key}' stands beside '{next(iter(item))}'; a field is indented below its operator", key)
        known = [*_SECTIONS, *(f.name for f in self.registry.operators)]
        if not key.startswith("diopi") and key not in known:
            raise item.error(
                f"'{key}' is neither an operator of the contract nor one of {', '.join(_SECTIONS)}"
                f"{did_you_mean(key, known)}",
                key,
            )

    def _function(self, at: Mapping, name: str, key: str) -> Function:
        function = self.registry.functions.get(name)
        if function is None or function.is_runtime:
            known = [f.name for f in self.registry.operators]
            raise at.error(f"'{name}' is not an operator of the contract{did_you_mean(name, known)}", key)
        return function

    def _param(self, at: Mapping, function: Any, name: str, key: str) -> Param:
        tensors = [p.name for p in function.params if p.is_tensor_like]
        if name in tensors:
            return function.param(name)
        if any(p.name == name for p in function.params):
            raise at.error(f"'{name}' of {function.name} is not a tensor", key)
        meant = did_you_mean(name, tensors)
        raise at.error(f"{function.name} has no parameter '{name}'{meant} (its tensors: {', '.join(tensors)})", key)

    def _dtype(self, at: Mapping, name: str, key: str) -> str:
        if name not in CONVERTIBLE:
            raise at.error(f"unknown dtype '{name}'{did_you_mean(name, CONVERTIBLE)}", key)
        return name

    def _level(self, body: Mapping, function: Function | None) -> tuple[_Level, dict[str, _Level]]:
        level, params = _Level(), {}
        if "dtype" in body:
            level.casts = self._casts(body, "dtype")
        narrowing = body.take("narrowing", str)
        if narrowing is not None and narrowing not in NARROWING:
            raise body.error(f"narrowing must be {' or '.join(NARROWING)}, not '{narrowing}'", "narrowing")
        level.narrowing = narrowing
        tensor_dtype = body.take("tensor_dtype", Mapping, Mapping())
        for name in tensor_dtype:
            self._param(tensor_dtype, function, name, name)
            params[name] = _Level(casts=self._casts(tensor_dtype, name))
        if "layout" in body:
            self._layouts(body, function, level, params)
        return level, params

    def _casts(self, body: Mapping, key: str) -> dict[str, tuple[str, int]]:
        casts: dict[str, tuple[str, int]] = {}
        for text in _split(body.take(key, str)):
            match = _RULE.fullmatch(text)
            if match is None:
                raise body.error(
                    f"cannot read '{text.strip()}'; a rule is written (int64)->int32 or (int64, uint64)->int32", key
                )
            target = self._dtype(body, match[2], key)
            for name in match[1].split(","):
                source = self._dtype(body, name.strip(), key)
                if source in casts:
                    raise body.error(f"{source} is converted twice, to {casts[source][0]} and to {target}", key)
                if not CONVERTIBLE[source] <= CONVERTIBLE[target]:
                    raise body.error(
                        f"({source})->{target} would turn {category(source)} values into {category(target)} ones", key
                    )
                casts[source] = (target, body.key_lines[key])
        return casts

    def _layouts(self, body: Mapping, function: Function | None, level: _Level, params: dict[str, _Level]) -> None:
        common: list[str] = []
        for text in _split(body.take("layout", str)):
            match = _LAYOUT.fullmatch(text)
            if match is None:
                raise body.error(
                    f"cannot read '{text.strip()}'; a layout is written NCHW, or input(NHWC) for one parameter",
                    "layout",
                )
            if match[2] is None:
                common.append(self._layout(body, match[1]))
                continue
            if function is None:
                raise body.error(f"'{text.strip()}': common_config has no parameters", "layout")
            self._param(body, function, match[1], "layout")
            own = params.setdefault(match[1], _Level())
            if own.layouts is not None:
                raise body.error(f"the layout of '{match[1]}' is given twice", "layout")
            own.layouts = tuple(self._layout(body, name.strip()) for name in match[2].split(","))
        if common:
            level.layouts = tuple(dict.fromkeys(common))

    def _layout(self, body: Mapping, name: str) -> str:
        if name not in LAYOUTS:
            raise body.error(
                f"unknown layout '{name}'{did_you_mean(name.upper(), LAYOUTS)} (known: {', '.join(LAYOUTS)})", "layout"
            )
        return name

    def _unsupported(self, item: Mapping, body: object) -> None:
        if not isinstance(body, list) or not all(isinstance(entry, Mapping) for entry in body):
            raise item.error("'unsupported' must be a list of {operator, parameter, dtypes, reason}", "unsupported")
        for entry in body:
            entry.check_keys(("operator", "dtypes", "reason"), ("parameter",))
            if not entry.take("reason", str).strip():
                raise entry.error("the reason is empty", "reason")
            for operator in _names(entry, "operator"):
                for param in _names(entry, "parameter") if "parameter" in entry else ["*"]:
                    self._refuse(entry, operator, param)

    def _refuse(self, entry: Mapping, operator: str, param: str) -> None:
        if operator == "*" and param != "*":
            raise entry.error("a parameter needs its operator", "parameter")
        if operator != "*":
            function = self._function(entry, operator, "operator")
            if param != "*":
                self._param(entry, function, param, "parameter")
            self.config.refusal_lines.setdefault(operator, entry.key_lines["operator"])
        for name in _names(entry, "dtypes"):
            key = (operator, param, self._dtype(entry, name, "dtypes"))
            if key in self.config.refusals:
                raise entry.error(f"{name} is declared unsupported twice for {operator}, {param}", "dtypes")
            self.config.refusals[key] = entry["reason"]

    def _fallback(self, item: Mapping, body: object) -> Iterator[FallbackRule]:
        if body == "cpu":
            yield FallbackRule(("*",))
            return
        if not isinstance(body, list) or not body or not all(isinstance(entry, Mapping) for entry in body):
            raise item.error("'fallback' must be 'cpu' or a list of {operator, dtypes, always}", "fallback")
        for entry in body:
            entry.check_keys(("operator",), ("dtypes", "always"))
            patterns = tuple(_names(entry, "operator"))
            for pattern in patterns:
                known = [f.name for f in self.registry.operators]
                if not fnmatch.filter(known, pattern):
                    meant = did_you_mean(pattern, known)
                    raise entry.error(f"no operator of the contract matches '{pattern}'{meant}", "operator")
            dtypes = (
                tuple(self._dtype(entry, d, "dtypes") for d in _names(entry, "dtypes")) if "dtypes" in entry else ()
            )
            yield FallbackRule(patterns, dtypes, entry.take("always", bool, False))

    def _check_operator(self, name: str, operator: _Operator) -> None:
        for param in (p.name for p in self.registry.functions[name].params if p.is_tensor_like):
            casts: dict[str, tuple[str, int]] = {}
            for level in self.config._levels(name, param):
                casts.update(level.casts)
            _check_steps(self.config.path, f"{name}, {param}", casts)


def load_config(path: Path, registry: Registry) -> VendorConfig:
    """Reads and checks a vendor's configuration."""
    return _Reader(path, registry).read()
