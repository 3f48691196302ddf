# SPDX-License-Identifier: BSD-3-Clause
"""Generates the statements of converting entries from a vendor's configuration."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from .config import HELPERS, ParamPlan, VendorConfig
from .model import ConfigError, Function, Param, Registry
from .symbols import VendorSymbols
from .written_when import expression

# The row-major and the channels-last layout of the ranks 3, 4 and 5.
_RANKS = (("NCL", "NLC"), ("NCHW", "NHWC"), ("NCDHW", "NDHWC"))


class RuleTable:
    """The different rules of one generated file. Each rule becomes a constant."""

    def __init__(self, dtypes: dict[str, int]) -> None:
        self.dtypes = {name: value for name, value in dtypes.items() if name != "unsupported"}
        self.plans: dict[ParamPlan, str] = {}

    def name(self, plan: ParamPlan) -> str:
        return self.plans.setdefault(plan, f"kRule{len(self.plans)}")

    def casts(self, plan: ParamPlan) -> str:
        """The enum values of the target dtypes, in the order of the source dtypes in the enum."""
        targets = dict(plan.casts)
        return ", ".join(str(self.dtypes[targets.get(name, name)]) for name in self.dtypes)

    def formats(self, plan: ParamPlan) -> str:
        return ", ".join(_formats(plan.layouts, *pair) for pair in _RANKS)

    def refused(self, plan: ParamPlan) -> str:
        return f"{sum(1 << self.dtypes[name] for name, _ in plan.unsupported):#x}u"

    def refusals(self, plan: ParamPlan) -> list[tuple[str, str]]:
        """The refused dtypes as (enumerator, quoted reason)."""
        return [(f"diopi_dtype_{name}", _quoted(reason)) for name, reason in plan.unsupported]


def _quoted(text: str) -> str:
    """A text on one line as a string of C++, whose characters are UTF-8 as in the file."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)


def _formats(layouts: tuple[str, ...], row_major: str, channels_last: str) -> str:
    """The allowed memory formats of one rank. A rank that no layout names must be row-major."""
    named = [name for name in layouts if name in (row_major, channels_last)]
    if channels_last not in named:
        return "diopi::kRowMajor"
    if row_major not in named:
        return "diopi::kChannelsLast"
    preference = " | diopi::kPreferChannelsLast" if named[0] == channels_last else ""
    return f"diopi::kRowMajor | diopi::kChannelsLast{preference}"


@dataclass
class Converted:
    """The body of one converting entry."""

    context: str
    before: list[str] = field(
        default_factory=list
    )  # inputs come first, because an output may share their temporary tensor
    arguments: str = ""
    after: list[str] = field(default_factory=list)
    deliver: list[str] = field(default_factory=list)


_ORDER = ("read", "update", "write")


def conversion_of(function: Function, config: VendorConfig, registry: Registry, rules: RuleTable) -> Converted | None:
    """The converting entry of `function`; None if no parameter is converted or refused."""
    plans = config.plan(function, rules.dtypes)
    if all(plan.trivial for plan in plans.values()):
        return None
    result = Converted(context=next(p.name for p in function.params if p.type == "diopiContextHandle_t"))
    statements: list[tuple[str, list[str]]] = []
    used: dict[str, str] = {}
    for param in function.params:
        if param.name not in plans:
            continue
        if param.allocates:
            _allocated(function, param, plans, rules, result, used)
        elif not plans[param.name].trivial:
            statements.append((param.access, _announce(param, rules.name(plans[param.name]))))
            used[param.name] = f"use_{param.name}"
    for _, lines in sorted(statements, key=lambda s: _ORDER.index(s[0])):
        result.before += lines
    result.arguments = ", ".join(used.get(p.name, p.name) for p in function.params)
    return result


def _announce(param: Param, rule: str) -> list[str]:
    verb = "write_if" if param.written_when else param.access
    condition = f"{expression(param)}, " if param.written_when else ""
    kind = param.type.replace(" *", "*").removeprefix("const ")
    count = f"{param.count}, " if param.is_tensor_list else ""
    return [
        f"{kind} use_{param.name} = {param.name};",
        f'DIOPI_TRY(conversion.{verb}({condition}{param.name}, {count}{rule}, "{param.name}", &use_{param.name}));',
    ]


def _allocated(
    function: Function,
    param: Param,
    plans: dict[str, ParamPlan],
    rules: RuleTable,
    result: Converted,
    used: dict[str, str],
) -> None:
    """Adds the statements for a tensor that the vendor creates. The caller gets it only if everything succeeded."""
    plan = plans[param.name]
    if param.dtype_as is not None:
        expected = f"{param.name}_dtype"
        plan = plan if plan.casts else plans[param.dtype_as]
    elif param.dtypes is not None and len(param.dtypes) == 1:
        expected = f"diopi_dtype_{param.dtypes[0]}"
    else:
        expected = None
    local = used[param.name] = f"new_{param.name}"
    result.before.append(f"diopiTensorHandle_t {local} = nullptr;")
    used[param.name] = f"{param.name} != nullptr ? &{local} : nullptr" if param.nullable else f"&{local}"
    if expected is not None and plan.casts:
        if param.dtype_as is not None:
            result.before.append(f"diopiDtype_t {expected} = diopi_dtype_unsupported;")
            result.before.append(
                f'DIOPI_TRY(diopi::dtype_of_tensor({param.dtype_as}, "{param.dtype_as}", &{expected}));'
            )
        result.after.append(f"DIOPI_TRY(conversion.allocated({expected}, {rules.name(plan)}, &{local}));")
    result.deliver.append(f"if ({local} != nullptr) *{param.name} = {local};")


def require_helpers(config: VendorConfig, registry: Registry, vendor: str, symbols: VendorSymbols) -> None:
    """Raises an error if the vendor lacks a function that the conversion needs, or an operator that a rule names."""
    for name, operator in config.operators.items():
        if name not in symbols.functions:
            raise ConfigError(config.path, operator.line, f"the vendor does not have {name}, so it cannot be converted")
    for name, line in config.refusal_lines.items():
        if name not in symbols.functions:
            raise ConfigError(
                config.path, line, f"the vendor does not have {name}, so 'unsupported' has no effect on it"
            )
    dtypes = [name for name in registry.dtypes if name != "unsupported"]
    functions = [f for f in registry.operators if f.name in symbols.functions]
    plans = [plan for f in functions for plan in config.plan(f, dtypes).values()]
    missing = [name for name in HELPERS if name not in symbols.functions]
    if missing and any(plan.converts for plan in plans):
        raise ConfigError(
            config.path, 1, f"conversion needs impl::{vendor}::{' and '.join(missing)}, which the vendor does not have"
        )
    if not symbols.copy_to_host and any(plan.narrowing == "check" and plan.narrows() for plan in plans):
        raise ConfigError(
            config.path,
            1,
            "integers are converted, and the check of their values needs "
            f"impl::{vendor}::copy_to_host(diopiContextHandle_t, void*, const void*, int64_t): define it, or state "
            "that all values fit with 'narrowing: trust'",
        )
