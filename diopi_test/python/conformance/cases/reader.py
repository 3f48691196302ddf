# SPDX-License-Identifier: BSD-3-Clause
"""Reads `data/cases/<family>.yaml`. An error names file and line. docs/adding-an-operator.md describes the format."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from adaptor.codegen.model import Function, Registry
from adaptor.codegen.strict_yaml import ConfigError, Mapping, load_mapping

from .. import DATA_DIR
from ..dtypes import NUMPY
from ..handles import Argument
from ..layouts import DEFAULT, LAYOUTS, ORDINARY
from ..lists import as_list
from .arguments import frozen, read_argument
from .case import TOLERANCE_PARTS, Case, ExpectedError, TensorSpec, Tolerance, plain

CASES_DIR = DATA_DIR / "cases"

# Keys of a case that are not parameters. A test checks that no operator has a parameter with one of these names.
RESERVED = ("dtypes", "id", "each", "error", "tolerance", "layouts", "variants")


@dataclass(frozen=True)
class CaseFile:
    """The content of one case file."""

    path: Path
    cases: tuple[Case, ...]
    hostile: tuple[Mapping, ...] = ()  # the rules for hostile cases


class _Reader:
    """Reads one case file."""

    def __init__(self, path: Path, registry: Registry) -> None:
        self.path, self.registry = path, registry
        self.dtype_sets = {k: tuple(d for d in v if d in NUMPY) for k, v in registry.dtype_sets.items()}

    def read(self) -> CaseFile:
        raw = load_mapping(self.path, ("family", "operators"), ("tolerance", "hostile"))
        if raw["family"] != self.path.stem:
            raise raw.error(f"family '{raw['family']}' must equal the file's name, '{self.path.stem}'", "family")
        common = self._tolerances(raw)
        cases: list[Case] = []
        for entry in raw.take_list("operators", Mapping):
            cases += self._entry(entry, common)
        names: dict[str, int] = {}
        for case in cases:
            for name in (f"{case.function.name}/{case.id}/{dtype}" for dtype in case.dtypes):
                if name in names:
                    raise ConfigError(
                        self.path,
                        case.line,
                        f"{name} is already on line {names[name]}; give one of them another 'id' or other 'dtypes'",
                    )
                names[name] = case.line
        return CaseFile(self.path, tuple(cases), tuple(raw.take_list("hostile", Mapping, [])))

    def _mapping(self, value: object, at: Mapping, what: str) -> Mapping:
        if not isinstance(value, Mapping):
            raise at.error(f"{what} must be a mapping, not {value!r}")
        return value

    def _entry(self, entry: Mapping, common: tuple[Tolerance, ...]) -> Iterator[Case]:
        entry.check_keys(("names", "cases"), ("dtypes", "defaults", "tolerance", "layouts", "variants"))
        tolerances = self._tolerances(entry) + common
        defaults = self._mapping(entry.get("defaults", Mapping()), entry, "'defaults'")
        for name in entry.take_list("names", str):
            function = self.registry.functions.get(name)
            if function is None:
                raise entry.error(f"'{name}' is not a function of the contract", "names")
            if function.family != self.path.stem:
                raise entry.error(f"{name} belongs to the family '{function.family}', not to this file", "names")
            self._known_parameters(entry["names"], defaults, ())
            for case in entry.take_list("cases", Mapping):
                yield from self._case(function, case, entry, defaults, tolerances)

    def _known_parameters(self, names: list[str], mapping: Mapping, reserved: tuple[str, ...]) -> None:
        """Raises an error unless every key is a parameter of at least one operator of the entry."""
        known = {p.name for n in names if n in self.registry.functions for p in self.registry.functions[n].params}
        for key in mapping:
            if key not in known and key not in reserved:
                raise mapping.error(f"'{key}' is not a parameter of {', '.join(names)}", key)

    def _case(
        self, function: Function, case: Mapping, entry: Mapping, defaults: Mapping, tolerances: tuple[Tolerance, ...]
    ) -> Iterator[Case]:
        self._known_parameters(entry["names"], case, RESERVED)
        each = self._mapping(case.get("each", Mapping()), case, "'each'")
        self._known_parameters(entry["names"], each, ())
        for key, choices in each.items():
            if key in case or not isinstance(choices, list) or not choices:
                raise each.error(f"'{key}' must be a list of choices, and must not be given outside 'each'", key)
        own_tolerances = self._tolerances(case) + tolerances
        dtypes = self._dtypes(case if "dtypes" in case else entry)
        error = self._error(case, entry["names"], function)
        if error and "dtypes" not in case:
            dtypes = ("float32",) if "float32" in dtypes else dtypes[:1]
        layouts, why_left_out = self._layouts(case if "layouts" in case or "variants" in case else entry)
        left_out = tuple(v for v in ORDINARY if v not in layouts)
        parameters = {p.name: p for p in function.params}
        seen: set[str] = set()
        for combination in itertools.product(*each.values()):
            given = {**{k: v for k, v in case.items() if k not in RESERVED}, **dict(zip(each, combination))}
            given = {k: v for k, v in given.items() if k in parameters}
            arguments = {k: read_argument(parameters[k], v, case) for k, v in given.items()}
            slug = case.take("id", str) or ""
            varied = [k for k in given if not slug or k in each]
            tail = ",".join(f"{k}={plain(arguments[k])}" for k in varied)
            slug = slug + "," + tail if slug and tail else slug or tail or "default"
            slug += "!" + error.code if error else ""
            if slug in seen:  # the combinations differ only in parameters of other operators of the entry
                continue
            seen.add(slug)
            for key, value in defaults.items():
                if key in parameters:
                    default = read_argument(parameters[key], value, defaults)
                    arguments[key] = self._merge(arguments[key], default) if key in arguments else default
            self._complete(function, arguments, error, case)
            yield Case(
                function,
                slug,
                arguments,
                dtypes,
                ("contiguous",) if error else layouts,
                own_tolerances,
                error,
                self.path,
                case.line,
                left_out=() if error else left_out,
                why_left_out=why_left_out,
            )

    @staticmethod
    def _merge(own: Argument, default: Argument) -> Argument:
        """A tensor of a case, completed with the defaults of its entry."""
        if isinstance(own, list):
            return [_Reader._merge(o, default) for o in own]
        if not isinstance(own, TensorSpec) or not isinstance(default, TensorSpec) or own.same is not None:
            return own
        valued = own.values is not None or own.gen is not None
        return TensorSpec(
            own.shape if own.shape is not None or own.values is not None else default.shape,
            own.dtype or default.dtype,
            own.gen if valued else default.gen,
            own.values if valued else default.values,
            csr=own.csr or default.csr,
        )

    def _complete(
        self, function: Function, arguments: dict[str, Argument], error: ExpectedError | None, case: Mapping
    ) -> None:
        for p in function.params:
            value = arguments.get(p.name)
            if value is None and p.name in arguments and not error and not p.nullable:
                raise case.error(f"{function.name}: '{p.name}' must not be null", p.name)
            needs = p.dir in ("in", "inout", "attr") and p.name != "ctx" and not p.is_generator and not p.nullable
            counted = any(q.count == p.name for q in function.params)
            if needs and not counted and p.name not in arguments:
                raise case.error(f"{function.name}: the case lacks '{p.name}'")
            shapeless = (
                isinstance(value, TensorSpec) and value.shape is None and value.values is None and value.same is None
            )
            if shapeless and p.nullable and p.name not in case and p.name not in case.get("each", {}):
                del arguments[p.name]  # the default applies only if the case gives a shape
            elif shapeless and p.dir in ("in", "inout"):
                raise case.error(f"{function.name}: '{p.name}' has no shape", p.name)

    def _dtypes(self, at: Mapping) -> tuple[str, ...]:
        if "dtypes" not in at:
            raise at.error("neither the case nor its entry has 'dtypes'")
        names = [at["dtypes"]] if isinstance(at["dtypes"], str) else at["dtypes"]
        result: dict[str, None] = {}
        for name in as_list(names):
            if not isinstance(name, str):
                raise at.error(f"'dtypes' must be names of dtypes or dtype sets, not {name!r}", "dtypes")
            if name in self.dtype_sets:
                result.update(dict.fromkeys(self.dtype_sets[name]))
            elif name in NUMPY:
                result[name] = None
            else:
                raise at.error(f"unknown dtype or dtype set {name!r}", "dtypes")
        return tuple(result)

    def _layouts(self, at: Mapping) -> tuple[tuple[str, ...], str]:
        """The layouts of a case, and the reason why it lacks some of the default layouts."""
        words = [word for word in ("layouts", "variants") if word in at]  # the former word means the same
        if len(words) == 2:
            raise at.error("'layouts' and 'variants' mean the same: give one of them", "variants")
        if not words:
            return DEFAULT, ""
        (word,) = words
        raw = self._mapping(at[word], at, f"'{word}'")
        raw.check_keys((), ("only", "without", "add", "reason"))
        for key in ("only", "without", "add"):
            for name in raw.take_list(key, str, []):
                if name not in LAYOUTS:
                    raise raw.error(f"unknown layout {name!r} (known: {', '.join(LAYOUTS)})", key)
        if ("only" in raw or "without" in raw) and not raw.take("reason", str):
            raise raw.error("'only' and 'without' need a 'reason'")
        names = raw.get("only", [*DEFAULT]) + raw.get("add", [])
        return tuple(v for v in LAYOUTS if v in names and v not in raw.get("without", [])), raw.get("reason", "")

    def _error(self, case: Mapping, names: list[str], function: Function) -> ExpectedError | None:
        if "error" not in case:
            return None
        raw = self._mapping(case["error"], case, "'error'")
        raw.check_keys(("code", "argument"), ("values", "shows"))
        code = raw.take("code", str)
        if code not in dict(self.registry.enums["diopiError_t"]) or code == "diopiSuccess":
            raise raw.error(f"'{code}' is not an error of diopiError_t", "code")
        several = isinstance(raw["argument"], list)
        arguments = raw.take_list("argument", str) if several else [raw.take("argument", str)]
        functions = [self.registry.functions[n] for n in names if n in self.registry.functions]
        known = {p.name for f in functions for p in f.params}
        for name in arguments:
            if name not in known:
                raise raw.error(f"'{name}' is not a parameter of {', '.join(names)}", "argument")
        numbers = raw.take("values", list, [])
        for number in (n for v in numbers for n in as_list(v)):
            if isinstance(number, bool) or not isinstance(number, (int, float)):
                raise raw.error(f"'values' must hold numbers and lists of numbers, not {number!r}", "values")
        return ExpectedError(code, tuple(arguments), frozen(numbers), self._shown(raw, functions, function))

    def _shown(self, raw: Mapping, functions: list[Function], own: Function) -> tuple[str, ...]:
        """The checks of `own` that `shows` names. An operator of the entry must have each of them."""
        texts = raw.get("shows", [])
        result: list[str] = []
        for text in map(str, as_list(texts)):
            known = {f.name: [c.slug for c in f.checks] for f in functions}
            if not any(text in slugs for slugs in known.values()):
                raise raw.error(
                    f"no check of {own.name} in the registry is '{text}'; it has: {', '.join(known[own.name])}", "shows"
                )
            result += [text] if text in known[own.name] else []
        return tuple(result)

    def _tolerances(self, at: Mapping) -> tuple[Tolerance, ...]:
        result = []
        for raw in at.take_list("tolerance", Mapping, []):
            raw.check_keys(("reason",), ("dtypes", "outputs", *TOLERANCE_PARTS))
            numbers = {k: raw[k] for k in TOLERANCE_PARTS if k in raw}
            for key, number in numbers.items():
                if isinstance(number, bool) or not isinstance(number, (int, float)) or not number >= 0:
                    raise raw.error(f"'{key}' must be a number, not {number!r}", key)
            if not raw.take("reason", str):
                raise raw.error("a tolerance needs a 'reason'", "reason")
            result.append(
                Tolerance(
                    raw["reason"],
                    self._dtypes(raw) if "dtypes" in raw else (),
                    tuple(raw.take_list("outputs", str, [])),
                    **numbers,
                )
            )
        return tuple(result)


def load_case_files(registry: Registry, directory: Path = CASES_DIR, names: Iterable[str] = ()) -> list[CaseFile]:
    """All case files, one for each family; only those of the families of the operators `names`, if it is not empty."""
    families = {registry.functions[name].family for name in names}
    paths = [path for path in sorted(directory.glob("*.yaml")) if not families or path.stem in families]
    return [_Reader(path, registry).read() for path in paths]


def load_cases(registry: Registry, directory: Path = CASES_DIR) -> list[Case]:
    """The cases of all families, in the order of files and lines."""
    return [case for case_file in load_case_files(registry, directory) for case in case_file.cases]
