# SPDX-License-Identifier: BSD-3-Clause
"""The checks of the layer's mode contract: those that the readers of arguments make, each with its identifier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .arguments.dtype_sets import DtypeSets
from .arguments.reader import Reader
from .arguments.statements import quoted
from .arguments.struct import is_view, is_view_list, operators_of
from .entries import checks
from .headers import environment
from .line import Line
from .model import Function, Param, Registry
from .rules.shapes import NoOverlap

SHARDS = 6


@dataclass(frozen=True)
class LeftCheck:
    """A check that the layer does not make."""

    identifier: str
    depends_on_data: bool


@dataclass
class Checked:
    """The checks of one operator; without a reader, only those of null arguments, lists and scalars."""

    function: Function
    reader: Reader | None = None

    def __post_init__(self) -> None:
        self.lines = [*checks(self.function)]
        if self.reader:
            self.lines += [*self.reader.reads(), *_elements(self.reader)]
            self.lines += [*self.reader.checks(), *_overlaps(self.reader)]
        left = self.reader.left if self.reader else []
        self.left = [LeftCheck(check.identifier, check.depends_on_data) for check, _ in left]


def _elements(reader: Reader) -> Iterator[Line]:
    """The dtypes of lists of tensors that may contain null, which the families read."""
    for p in reader.form.params:
        if p.is_tensor_list and p.element_nullable:
            dtypes = p.dtypes or tuple(reader.registry.dtypes)
            accepted = f"{reader.sets.bits(dtypes):#x}u, {quoted(reader.sets.words(dtypes))}"
            text = f"DIOPI_TRY(check_elements({p.name}, {p.count}, {quoted(p.name)}, {accepted}));"
            yield Line(text, f"{reader.form.name}-{p.name}-dtypes")


def _overlaps(reader: Reader) -> Iterator[Line]:
    """That no two elements of an output share memory, a rule of all operators."""
    said = {c.rule.of for c in reader.form.checks if isinstance(c.rule, NoOverlap)}
    for p in reader.form.params:
        if p.dir in ("out", "inout") and p.name not in said and (is_view(p) or is_view_list(p)):
            given = f"if ({reader.given(p.name)}) " * p.nullable
            yield Line(given + _writable(p, reader), f"{reader.form.name}-{p.name}-no-overlap")


def _writable(p: Param, reader: Reader) -> str:
    if is_view_list(p):
        return f"for (const TensorView& view : {reader.view(p.name)}) DIOPI_TRY(require_writable(view));"
    return f"DIOPI_TRY(require_writable({reader.view(p.name)}));"


def families(registry: Registry) -> Iterator[tuple[str, bool, list[Checked]]]:
    """The functions of each family, and whether the family's header has sets of dtypes."""
    for family in registry.families:
        sets = DtypeSets(registry)
        forms = ((operator, form) for operator in operators_of(registry, family) for form in operator.forms)
        made = [Checked(form, Reader(registry, operator, form, sets)) for operator, form in forms]
        yield family, bool(sets.used), made


def emit(registry: Registry, functions: list[Function]) -> dict[str, str]:
    """The generated files: file name -> text. `functions` are in the order of the layer's table."""
    shards: list[list[tuple[str, bool, list[Checked]]]] = [[] for _ in range(SHARDS)]
    made: dict[str, Checked] = {}
    for family in sorted(families(registry), key=lambda f: -len(f[2])):
        min(shards, key=lambda shard: sum(len(f[2]) for f in shard)).append(family)
        made |= {checked.function.name: checked for checked in family[2]}
    bare = [Checked(f) for f in functions if f.name not in made]
    made |= {checked.function.name: checked for checked in bare}
    env = environment()
    template = env.get_template("layer_contract.cpp.j2")
    texts = {
        f"layer_contract_{i}.cpp": template.render(families=shard, bare=bare if i == 0 else [])
        for i, shard in enumerate(shards)
    }
    table = env.get_template("layer_contract_table.cpp.j2")
    texts["layer_contract_table.cpp"] = table.render(table=[made[f.name] for f in functions])
    return texts
