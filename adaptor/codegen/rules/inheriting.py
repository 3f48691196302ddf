# SPDX-License-Identifier: BSD-3-Clause
"""The checks of each function: those of its family, of the function that it is a form of or is `like`, and its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..strict_yaml import ConfigError
from .base import Check, Declared, Rule
from .dtype_fields import DTYPE_WORDS, DtypeOf
from .dtypes import Castable, operands
from .fields import is_tensor
from .reading import Form, Taken
from .shapes import BROADCAST, Shape
from .terms import Name

if TYPE_CHECKING:  # model imports this package
    from ..model import Function


@dataclass(frozen=True)
class Block:
    """What the contract of one function says about checks."""

    own: tuple[Declared, ...] = ()
    taken: tuple[Taken, ...] = ()
    like: str | None = None
    form: Form | None = None


def output_of_form(main: Function, form: Function) -> dict[str, str]:
    """The output of a function -> the operand over which its in-place form writes the result."""
    outputs = [p.name for p in main.params if p.dir == "out" and is_tensor(p)]
    written = [p.name for p in form.params if p.dir == "inout" and is_tensor(p)]
    return {outputs[0]: written[0]} if outputs and written else {}


def with_one_operand(rule: Rule, function: Function) -> Rule:
    """The shape to which one operand broadcasts is its own."""
    if isinstance(rule, Shape) and rule.value == BROADCAST and len(names := operands(function)) == 1:
        return replace(rule, value=Name(names[0]))
    return rule


class Inheritance:
    """Finds the checks of functions; `blocks` has those that have a contract."""

    def __init__(
        self,
        functions: Mapping[str, Function],
        families: Mapping[str, tuple[Declared, ...]],
        blocks: Mapping[str, Block],
    ) -> None:
        self.functions, self.families, self.blocks = functions, families, blocks
        self._declared: dict[str, list[tuple[Declared, bool]]] = {}
        self._used: set[tuple[str, int, str]] = set()  # what a family says and some function of it fulfils

    def checks(self) -> dict[str, tuple[Check, ...]]:
        """Function -> its checks. Raises for what a family says and none of its functions can fulfil."""
        result = {name: self._checks(name) for name in self.blocks}
        for family, declared in self.families.items():
            names = [n for n in self.blocks if self.functions[n].family == family]
            for check in declared:
                if _key(check) not in self._used:
                    why = (_misfit(check, self.functions[n]) for n in names)
                    reason = next((w for w in why if w), "it has no function with a contract")
                    raise ConfigError(check.path, check.line, f"no function of the family has this check: {reason}")
        return result

    def own(self, name: str) -> tuple[Check, ...]:
        """The checks that the entry of a function adds."""
        return tuple(c for d in self.blocks[name].own for c in self._resolved(d, self.functions[name], True))

    def _all(self, name: str, open_names: tuple[str, ...] = ()) -> list[tuple[Declared, bool]]:
        """Everything that is said of a function, in the order in which it holds, and whether it says it itself."""
        if name in self._declared:
            return self._declared[name]
        function, block = self.functions[name], self.blocks[name]
        if name in open_names:
            circle = " -> ".join((*open_names, name))
            raise ConfigError(function.path, function.line, f"checks are taken over in a circle: {circle}")
        found = [(d, False) for d in self.families[function.family]]
        for base, names in self._bases(function, block):
            if base not in self.blocks:
                raise ConfigError(function.path, function.line, f"checks of {base}, which has no contract")
            found += [(d.renamed(names), False) for d, _ in self._all(base, (*open_names, name))]
        found += [(d, True) for d in block.own]
        self._declared[name] = found
        return found

    def _bases(self, function: Function, block: Block) -> Iterator[tuple[str, dict[str, str]]]:
        """The functions whose checks hold too, each with what its parameters are called here."""
        if block.form is not None:
            main = self.functions.get(block.form.function)
            if main is None:
                raise ConfigError(function.path, function.line, f"form_of names {block.form.function}, which is absent")
            yield main.name, output_of_form(main, function) if block.form.in_place else {}
        if block.like is not None and (block.form is None or block.form.function != block.like):
            yield block.like, {}
        for taken in block.taken:
            yield taken.function, taken.renamed

    def _checks(self, name: str) -> tuple[Check, ...]:
        function = self.functions[name]
        result: dict[str, Check] = {}
        for declared, own in self._all(name):
            for check in self._resolved(declared, function, own):
                known = result.setdefault(check.slug, check)
                if (known.rule, known.when) != (check.rule, check.when):
                    message = f"two checks of {name} have the identifier '{check.slug}': give one of them an 'id'"
                    raise ConfigError(check.path, check.line, message)
        return tuple(result.values())

    def _resolved(self, declared: Declared, function: Function, own: bool) -> Iterator[Check]:
        reason = _misfit(declared, function)
        if own and reason:
            raise ConfigError(declared.path, declared.line, reason)
        for found in declared.rule.resolved(function):
            rule = self._with_result(with_one_operand(found, function), function)
            if rule is None or rule.misfit(function) or rule.says_nothing(function) or _conditions(declared, function):
                continue
            self._used.add(_key(declared))
            values = {k: getattr(declared, k) for k in Declared.__dataclass_fields__}
            depends = declared.data_dependent
            values["data_dependent"] = rule.reads_elements(function) if depends is None else depends
            yield Check(**{**values, "rule": rule}, function=function.name)

    def _with_result(self, rule: Rule, function: Function) -> Rule | None:
        """The dtype of the result, as `result` of the function or of its main form has it; None: any dtype holds it."""
        if not isinstance(rule, Castable) or rule.source != DtypeOf("result"):
            return rule
        form, names = self.blocks[function.name].form, {}
        if form is not None and not function.result:
            main = self.functions[form.function]
            names, function = output_of_form(main, function), main
        made = {names.get(k, k): v for k, v in function.result.items()}.get(rule.to)
        if made is None:
            return rule
        if made.dtype == "bool":
            return None
        if made.dtype == "promoted" and len(made.promoted) == 1:
            return replace(rule, source=DtypeOf(names.get(made.promoted[0], made.promoted[0])))
        known = made.dtype in DTYPE_WORDS or any(p.name == made.dtype for p in function.params)
        return replace(rule, source=DtypeOf(names.get(made.dtype, made.dtype))) if known else rule


def _key(declared: Declared) -> tuple[str, int, str]:
    return str(declared.path), declared.line, declared.slug


def _conditions(declared: Declared, function: Function) -> str | None:
    return next((why for c in declared.when if (why := c.misfit(function))), None)


def _misfit(declared: Declared, function: Function) -> str | None:
    """Why a check cannot be said of a function."""
    rules = declared.rule.resolved(function)
    if not rules:
        return f"{function.name} has no {declared.rule.subject()}"
    wrong = next((why for r in rules if (why := r.misfit(function))), None)
    if wrong is None and all(r.says_nothing(function) for r in rules):
        wrong = f"every call of {function.name} fulfils it"
    return wrong or _conditions(declared, function)
