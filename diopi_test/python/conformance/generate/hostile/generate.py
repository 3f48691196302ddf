# SPDX-License-Identifier: BSD-3-Clause
"""The table of hostile classes, and the hostile cases of all operators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from adaptor.codegen.model import Function, Registry

from ...cases.case import Case
from ...cases.reader import CaseFile, load_case_files
from . import aliasing, huge, lengths, long, out_dtypes, over_2g_elements, scalars, sizes, special, strides, thin
from .rules import CLASSES, Rules, check_rules, rules_for
from .templates import Template, templates


@dataclass(frozen=True)
class HostileClass:
    """How the cases of one class are generated."""

    generate: Callable[[Template, tuple[str, ...]], Iterator[Case]]
    max_templates: int = 1  # the largest number of templates (valid cases of different kinds) for each operator
    fits: Callable[[Case], bool] = lambda case: True  # which valid cases are preferred as templates
    # The reason why the class does not apply to an operator, if its signature shows this; else None.
    why_not: Callable[[Function], str | None] = lambda function: None


CLASS_TABLE: dict[str, HostileClass] = {
    "special": HostileClass(special.generate, 4, why_not=special.why_not),
    "lengths": HostileClass(lengths.generate),
    "empty": HostileClass(sizes.empty),
    "zero_dim": HostileClass(sizes.zero_dim, fits=sizes.has_one_shape),
    "one_element": HostileClass(sizes.one_element),
    "overlapping": HostileClass(strides.overlapping, 3, strides.has_rows, strides.nothing_only_read),
    "same_input": HostileClass(aliasing.same_input, 1, aliasing.has_twins, aliasing.no_twins),
    "out_is_input": HostileClass(aliasing.out_is_input, 2, why_not=aliasing.no_separate_output),
    "wide_stride": HostileClass(strides.wide_stride),
    "thin": HostileClass(thin.generate),
    "huge": HostileClass(huge.generate, 2, why_not=huge.why_not),
    "out_dtypes": HostileClass(out_dtypes.generate, why_not=out_dtypes.why_not),
    "long": HostileClass(long.generate, why_not=long.why_not),
    "scalars": HostileClass(scalars.generate, 2, why_not=scalars.why_not),
}
assert tuple(CLASS_TABLE) == CLASSES


def load_all_cases(registry: Registry, names: tuple[str, ...] = ()) -> list[Case]:
    """The cases of the families of these operators, and the hostile cases of the operators; all if `names` is empty."""
    files = load_files_of(registry, names)
    return [case for case_file in files for case in case_file.cases] + hostile_cases(registry, files, names)


def load_files_of(registry: Registry, names: tuple[str, ...]) -> list[CaseFile]:
    """The case files of the families of these operators, or all. Names that no operator has are ignored."""
    return load_case_files(registry, names=[name for name in names if name in registry.functions])


def hostile_cases(registry: Registry, files: list[CaseFile], names: tuple[str, ...] = ()) -> list[Case]:
    """The hostile cases of these operators, or of all if `names` is empty, in the order of the case files."""
    by_stem = {f.path.stem: f for f in files}
    by_function: dict[str, list[Case]] = defaultdict(list)
    for case_file in files:
        check_rules(case_file, registry.functions)
        for case in case_file.cases:
            by_function[case.function.name].append(case)
    result: list[Case] = []
    for name in (n for n in by_function if not names or n in names):
        cases = by_function[name]
        result += over_2g_elements.cases_of(name, registry)
        result += of_operator(cases, rules_for(registry.functions[name], by_stem), registry)
    return result


def left_out(function: Function, rules: Rules) -> dict[str, str]:
    """The classes that do not apply to an operator, each with the reason."""
    found = {name: hostile.why_not(function) for name, hostile in CLASS_TABLE.items()}
    return {**{name: reason for name, reason in found.items() if reason}, **rules.without}


def of_operator(cases: list[Case], rules: Rules, registry: Registry) -> Iterator[Case]:
    without = left_out(cases[0].function, rules)
    for name, hostile in CLASS_TABLE.items():
        if name not in without:
            for template, case_dtypes in templates(cases, rules, registry, hostile.max_templates, hostile.fits):
                yield from hostile.generate(template, case_dtypes)
