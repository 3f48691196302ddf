# SPDX-License-Identifier: BSD-3-Clause
"""The function that reads and checks the arguments of one form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..comments import declaration
from ..line import Line
from ..model import Function, Param, Registry
from ..rules.base import Check
from ..rules.conditions import DtypeIn, ParamIs
from ..rules.shapes import Broadcastable
from . import dtype_rules, results, shape_rules, value_rules, windows  # noqa: F401  they register statements
from .conditions import condition
from .dtype_sets import DtypeSets
from .statements import ATTRIBUTE, DTYPE, OPERAND_DTYPE, SHAPE, Statement, quoted, statements
from .struct import Operator, is_view, is_view_list, snake
from .terms import NotGenerated


def _line(statement: Statement) -> Line:
    given = statement.given
    clauses = [f"({c})" if "||" in c and len(given) > 1 else c for c in given]
    text = f"if ({' && '.join(clauses)}) " * bool(clauses) + f"DIOPI_TRY({statement.call});"
    return Line(text, statement.check)


@dataclass
class Reader:
    """Makes the statements of a form; `left` are the checks that the family makes, `joined` those that the statements
    of promotion and reduction make."""

    registry: Registry
    operator: Operator
    form: Function
    sets: DtypeSets
    left: list[tuple[Check, str]] = field(default_factory=list)
    joined: list[Check] = field(default_factory=list)
    shape_lists: set[str] = field(default_factory=set)  # lists of integers that checks compare with shapes

    @property
    def name(self) -> str:
        return f"read_{snake(self.form.name)}"

    @property
    def parameters(self) -> str:
        return ", ".join(map(declaration, self.form.params))

    @property
    def arguments(self) -> str:
        return ", ".join(p.name for p in self.form.params)

    def param(self, name: str) -> Param:
        return self.form.param(name)

    def location(self, name: str) -> str:
        return self.operator.location(self.form, name)

    def view(self, name: str) -> str:
        """The view of a tensor; the check is only made if the tensor is given."""
        member = f"args->{self.location(name)}"
        return f"(*{member})" if self.param(name).nullable else member

    def pointer(self, name: str) -> str:
        """The address of the view of a tensor; null if the tensor is not given."""
        member = f"args->{self.location(name)}"
        return f"{member} ? &*{member} : nullptr" if self.param(name).nullable else f"&{member}"

    def given(self, name: str) -> str:
        param = self.param(name)
        if is_view(param) or is_view_list(param):
            return f"args->{self.location(name)}.has_value()"
        return f"({name} != nullptr)"

    def all_given(self, *names: str) -> tuple[str, ...]:
        """The conditions under which parameters are given; empty if they cannot be null."""
        return tuple(self.given(n) for n in names if self.param(n).nullable)

    def dtype_set(self, names: Iterable[str]) -> str:
        return self.sets.name_of(names)

    def may_be_vector(self, name: str) -> bool:
        """Whether it is a result or the gradient of one: if it is 0-d, a tensor of shape [1] is accepted."""
        return self.param(name).dir in ("out", "inout") or name.startswith("grad_out")

    @cached_property
    def operands(self) -> list[Param]:
        return self.operator.operands(self.form)

    @cached_property
    def broadcast_names(self) -> tuple[str, ...]:
        """The tensors whose broadcast shape the struct has."""
        return tuple(p.name for p in self.operator.broadcast(self.form)) if self.operator.broadcasts else ()

    def reads(self) -> list[Line]:
        """The statements that read handles."""
        lines = []
        for p in self.form.params:
            check = f"{self.form.name}-{p.name}-tensor" if is_view(p) or is_view_list(p) else ""
            lines += [Line(text, check) for text in self._read(p)]
        lines += [Line(f"args->{output} = args->{p};") for p, output in self._copies().items()]
        return lines

    def _copies(self) -> dict[str, str]:
        """In an in-place form, the output is the operand that it overwrites."""
        outputs = self.operator.outputs(self.form)
        return {operand: output for operand, output in outputs.items() if self.location(operand) != output}

    def _read(self, p: Param) -> list[str]:
        if p.type == "diopiContextHandle_t":
            return []
        member = f"args->{self.location(p.name)}"
        if is_view(p):
            read = f"DIOPI_TRY({self._reading(p)}({p.name}, {quoted(p.name)}, &{member}));"
            return (
                [f"if ({p.name} != nullptr) {read.replace('&' + member, '&' + member + '.emplace()')}"]
                if p.nullable
                else [read]
            )
        if is_view_list(p):
            target = f"{member}.emplace()" if p.nullable else member
            read = f"DIOPI_TRY({target}.read(ctx, {p.name}, {p.count or p.length}, {quoted(p.name)}));"
            return [f"if ({p.name} != nullptr) {read}"] if p.nullable else [read]
        if p.name in self.operator.numbers:
            return []
        return [f"{member} = {p.name};"]

    def _reading(self, p: Param) -> str:
        """The function that reads a tensor."""
        if p.sparse:
            return "read_csr"
        return "read_dense" if any(q.sparse for q in self.form.params) else "read_tensor"

    def checks(self) -> list[Line]:
        """The statements of the checks, sorted by stage."""
        inputs_first = sorted(self.form.params, key=lambda p: p.dir == "out")
        found = [s for p in inputs_first for s in self._declared_dtypes(p)]
        for check in self.form.checks:
            try:
                found += self._check(check)
            except NotGenerated as why:
                self.left.append((check, str(why)))
        found += [self._rank(name) for name in sorted(self.shape_lists)]
        found.sort(key=lambda s: s.stage)
        before = [_line(s) for s in found if s.stage < OPERAND_DTYPE]
        middle = (_line(s) for s in found if OPERAND_DTYPE <= s.stage < SHAPE)
        after = (_line(s) for s in found if s.stage >= SHAPE)
        return [*before, *self._promotion(), *middle, *self._reduced(), *after, *map(Line, self._numbers())]

    def _reduced(self) -> list[Line]:
        reduction = self.operator.reduction
        return [Line(text, self._joined(False)) for text in reduction.lines(self)] if reduction else []

    def _joined(self, broadcast: bool) -> str:
        """The identifier of the check that the statements of promotion (`broadcast`) or reduction make."""
        found = (c for c in self.joined if isinstance(c.rule, Broadcastable) == broadcast)
        return next((c.identifier for c in found), "")

    def _declared_dtypes(self, p: Param) -> list[Statement]:
        if not p.dtypes or set(p.dtypes) >= set(self.registry.dtypes) or not (is_view(p) or is_view_list(p)):
            return []
        words = self.sets.words(p.dtypes)
        stage = DTYPE if p.dir == "out" else OPERAND_DTYPE
        if is_view_list(p):
            target = f"*args->{p.name}" if p.nullable else f"args->{p.name}"
            call = f"require_dtypes_in({target}, {self.dtype_set(p.dtypes)}, {quoted(words)})"
        else:
            call = f"require_dtype_in({self.view(p.name)}, {self.dtype_set(p.dtypes)}, {quoted(words)})"
        given = self.all_given(p.name)
        if p.any_dtype_if_empty:
            given = (*given, f"{self.view(p.name)}.numel > 0")
        return [Statement(stage, call, given, f"{self.form.name}-{p.name}-dtypes")]

    def _rank(self, name: str) -> Statement:
        """That a list is no longer than a shape can be."""
        call = f"require_length({quoted(name)}, {name}.len, Between{{0, kMaxDims}})"
        return Statement(ATTRIBUTE, call, check=f"{self.form.name}-{name}-rank")

    def _check(self, check: Check) -> list[Statement]:
        if check.depends_on_data:
            raise NotGenerated("it depends on data")
        guards = (*self._guards(check), *(condition(c, self) for c in check.when))
        needs_dtype = any(isinstance(c, DtypeIn) for c in check.when)
        result = []
        made = statements(check.rule, self)
        if not made:
            self.joined.append(check)
        for found in made:
            stage = max(found.stage, DTYPE) if needs_dtype else found.stage
            given = tuple(dict.fromkeys((*guards, *found.given)))
            result.append(replace(found, stage=stage, given=given, check=check.identifier))
        return result

    def _guards(self, check: Check) -> tuple[str, ...]:
        """That the parameters that may be null are given, unless the statements say it one by one. Null dimensions of
        a reduction mean all."""
        if check.rule.name in ("given", "absent", "any_given", "same_dtype", "same_shape", "nonempty_reduction"):
            return ()
        if isinstance(check.rule, Broadcastable) and len(check.rule.of) > 2:
            return ()
        asked = {c.param for c in check.when if isinstance(c, ParamIs) and c.given is not None}
        return self.all_given(*(n for n in check.names() if n not in asked))

    def _promotion(self) -> list[Line]:
        lines = [*map(Line, self._numbers_of_gradients())]
        if self.operator.promotes:
            lines += map(Line, self._promoted())
        if self.broadcast_names:
            if len(self.broadcast_names) == 1 and not self.param(self.broadcast_names[0]).nullable:
                return [*lines, Line(f"args->broadcast = {self.view(self.broadcast_names[0])}.shape;")]
            views = ", ".join(map(self.pointer, self.broadcast_names))
            made = self._joined(True) or f"{self.form.name}-broadcastable"
            lines.append(Line(f"DIOPI_TRY(broadcast_operands({{{views}}}, &args->broadcast));", made))
        return lines

    def _numbers_of_gradients(self) -> list[str]:
        """The statements that make 0-d views of gradients of shape [1], before their dtypes are promoted."""
        lines = []
        for name in self.broadcast_names:
            others = [n for n in self.broadcast_names if n != name and not n.startswith("grad_out")]
            if name.startswith("grad_out") and others:
                lines.append(f"drop_dim_of_number(&{self.view(name)}, {self.view(others[0])}.shape);")
        return lines

    def _promoted(self) -> list[str]:
        """The statements that promote the dtypes of the operands; some of them may be null."""
        if all(is_view(p) and not p.nullable for p in self.operands):
            return [f"args->promoted = promoted_dtype({', '.join(self.view(p.name) for p in self.operands)});"]
        parts = {p.name: self._operand(p) for p in self.operands}
        if not any(p.nullable for p in self.operands):
            return [f"args->promoted = ResultType().{'.'.join(parts.values())}.get();"]
        lines = [
            f"if ({self.given(p.name)}) promoted.{parts[p.name]};" if p.nullable else f"promoted.{parts[p.name]};"
            for p in self.operands
        ]
        return ["ResultType promoted;", *lines, "args->promoted = promoted.get();"]

    def _operand(self, p: Param) -> str:
        if p.is_scalar:
            return f"scalar(*{p.name})"
        return f"tensor({self.view(p.name)}.dtype, {self.view(p.name)}.ndim())"

    def _numbers(self) -> list[str]:
        """The statements that make operands of the numbers of a scalar form."""
        lines = []
        for name in self.operator.numbers:
            p = self.param(name)
            if not p.is_scalar:
                continue
            target = f"args->{name}{'.emplace()' if self.operator.main.param(name).nullable else ''}"
            line = f"args->{name}_number.set(*{name}, {quoted(name)}, args->promoted, &{target});"
            lines.append(f"if ({name} != nullptr) {line}" if p.nullable else line)
        return lines
