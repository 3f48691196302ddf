# SPDX-License-Identifier: BSD-3-Clause
"""Documentation comments and declarations of the C headers, wrapped at 120 columns."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from .checks import base_type
from .model import CONTRACT_FIELDS, Function, Param
from .rules import Check, Declared
from .written_when import words

WIDTH = 120
# The directions in Doxygen's notation.
TAGS = {"in": "in", "attr": "in", "out": "out", "inout": "in,out"}
# The kinds of dtypes for which comments use one word. Each header explains them.
KINDS = ("integral", "floating", "complex")
# The description of a parameter by its type, if the registry has no description.
NOUNS = {
    "diopiContextHandle_t": "context of the call",
    "diopiTensorHandle_t": "tensor",
    "diopiConstTensorHandle_t": "tensor",
    "diopiGeneratorHandle_t": "generator",
    "diopiConstGeneratorHandle_t": "generator",
    "diopiScalar_t": "scalar",
    "diopiSize_t": "list of integers",
    "bool": "flag",
    "char": "string",
    "double": "number",
    "float": "number",
}


def declaration(param: Param) -> str:
    """The parameter as a C declarator, such as `const int64_t* dim`."""
    return f"{_stars_left(param.type)} {param.name}".rstrip()


def typedef(name: str, kind: str) -> str:
    """A typedef line. In a function pointer type the name is inside the parentheses."""
    if "(*)" in kind:
        return f"typedef {_stars_left(kind.replace('(*)', f'(*{name})'))};"
    return f"typedef {_stars_left(kind)} {name};"


def _stars_left(kind: str) -> str:
    """Moves the star to the type: `const void *src` -> `const void* src`. Function pointers do not change."""
    return re.sub(r" (\*+)(?=\w|\()", r"\1 ", kind).replace(" *", "*")


def prototype(function: Function, prefix: str) -> str:
    """The declaration of `function`. Its parameters are wrapped and aligned after the parenthesis."""
    head = f"{prefix} {_stars_left(function.returns)} {function.name}("
    lines, current = [], head
    for i, param in enumerate(function.params):
        text = declaration(param) + (", " if i + 1 < len(function.params) else "")
        if len(current + text.rstrip()) + 2 > WIDTH and current.strip() != head.strip():
            lines.append(current.rstrip())
            current = " " * len(head)
        current += text
    return "\n".join([*lines, current + ("" if function.params else "void") + ");"])


def dtype_text(dtypes: tuple[str, ...], sets: dict[str, tuple[str, ...]]) -> str:
    """The dtypes as text, such as `integral, float32`. A complete kind is written with its name."""
    left = dict.fromkeys(dtypes)
    names = []
    for kind in KINDS:
        members = sets.get(kind)
        if members and all(m in left for m in members):
            names.append(kind)
            left = {d: None for d in left if d not in members}
    return ", ".join([*names, *left])


def param_text(param: Param, sets: dict[str, tuple[str, ...]]) -> str:
    """The text after the name of a parameter in its comment."""
    parts = []
    if param.count is not None:
        parts.append(f"list of `{param.count}` " + ("generators" if param.is_generator else "tensors"))
    elif param.length is not None:
        parts.append(f"list of {param.length} tensors")
    if param.element_nullable:
        parts.append("entries may be null")
    if param.allocates:
        parts.append("created by the callee")
    if param.nullable and "null" not in param.doc:  # otherwise the doc explains null
        parts.append("may be null")
    if param.doc:
        parts.append(param.doc)
    if param.written_when:
        parts.append(words(param))
    if param.dtype_as:
        parts.append(f"of the dtype of `{param.dtype_as}`")
    if param.dtypes:
        parts.append(dtype_text(param.dtypes, sets))
    if not parts:
        kind = base_type(param.type)
        parts.append(NOUNS.get(kind) or ("integer" if kind.startswith(("int", "uint", "size_t")) else kind))
    return "; ".join(parts)


def _wrap(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    ) or [first.rstrip()]


def block(text: str) -> str:
    """A documentation comment with one paragraph, on one line if it fits."""
    if len(text) + len("/**  */") <= WIDTH:
        return f"/** {text} */"
    return "\n".join(["/**", *_wrap(text, " * ", " * "), " */"])


def _params(function: Function, sets: dict[str, tuple[str, ...]]) -> list[str]:
    lines = []
    tag_width = max(len(TAGS[p.dir]) for p in function.params) + 2
    name_width = max(len(p.name) for p in function.params)
    for number, param in enumerate(function.params, 1):
        tag = f"[{TAGS[param.dir]}]".ljust(tag_width)
        if param.name:
            first = f" * @param{tag} {param.name.ljust(name_width)}  "
        else:
            first = f" * Parameter {number}, {TAGS[param.dir]}, has no name: "
        lines += _wrap(param_text(param, sets), first, " * " + " " * 8)
    return lines


def contract_lines(contract: dict[str, Any], checks: Sequence[str] = ()) -> list[str]:
    """One list item per field of a contract, in the order of the registry, with the texts of its checks."""
    lines = []
    for key in CONTRACT_FIELDS:
        value = contract.get(key)
        if isinstance(value, str):
            lines += _wrap(f"{key}: {value}", " * - ", " *   ")
        elif key == "checks" and checks:
            lines.append(" * - checks:")
            for text in checks:
                lines += _wrap(text, " *   - ", " *     ")
    return lines


def check_texts(checks: Iterable[Declared]) -> list[str]:
    """Each check as a sentence with its identifier behind it."""
    return [f"{c.sentence} [{c.identifier if isinstance(c, Check) else c.slug}]" for c in checks]


def family_comment(name: str, summary: str, contract: dict[str, Any], checks: Iterable[Declared] = ()) -> str:
    """The comment above a family's functions: its summary, and the contract of all its functions."""
    lines = contract_lines(contract, check_texts(checks))
    return "\n".join([f"/** @name {name}", *_wrap(summary, " * ", " * "), *lines, " */"])


def _taken_over(function: Function) -> list[str]:
    """The functions whose checks hold too, without the one that the whole contract is taken from."""
    names = [t.function for t in function.checks_of]
    if function.form is not None and function.form.function != function.like:
        names.insert(0, function.form.function)
    renamed = {t.function: ", ".join(f"{new} for {old}" for old, new in t.renamed.items()) for t in function.checks_of}
    return [f"The checks of {n} hold too{f', with {renamed[n]}' if renamed.get(n) else ''}." for n in names]


def comment(function: Function, sets: dict[str, tuple[str, ...]]) -> str:
    """The documentation comment of `function`: summary, parameters, contract in the order of the registry.

    `sets` are the registry's named dtype sets.
    """
    if not function.params and not function.contract:
        return block(function.summary)
    lines = ["/**", *_wrap(function.summary, " * ", " * ")]
    if function.params:
        lines += [" *", *_params(function, sets)]
    if function.contract:
        lines.append(" *")
    checks = [*_taken_over(function), *check_texts(function.own_checks)]
    if function.like:
        lines.append(f" * As {function.like}" + (", except:" if function.own_contract or checks else "."))
    lines += contract_lines(function.own_contract, checks)
    return "\n".join([*lines, " */"])


def member(kind: str, name: str) -> str:
    """A field of a struct. An unnamed union needs the extension mark, because C has it only since C11."""
    mark = "__extension__ " if kind.startswith("union") else ""
    return f"{mark}{_stars_left(kind)} {name}".rstrip()
