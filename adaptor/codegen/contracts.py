# SPDX-License-Identifier: BSD-3-Clause
"""The `contract` of an entry: its fields, and the fields that it takes over from its family or from another entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .checks import check_text
from .strict_yaml import Mapping

if TYPE_CHECKING:  # model imports this module
    from .model import Function

# The order of the fields in the registry and in the documentation.
CONTRACT_FIELDS = (
    "formula",
    "shape",
    "broadcasting",
    "strides",
    "aliasing",
    "empty",
    "nan",
    "accumulation",
    "determinism",
    "errors",
    "source",
    "notes",
)
LIKE = "like"
CHECKS = ("checks", "checks_of")  # what the package `rules` reads


def read_contract(raw: Mapping, extra: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields of a `contract` block in their order; `extra` names further fields that it may have."""
    raw.check_keys((), (*extra, *CHECKS, *CONTRACT_FIELDS))
    errors = raw.take("errors", list, [])
    if not all(isinstance(e, str) for e in errors):
        raise raw.error("errors must be a list of sentences", "errors")
    contract = {k: (errors if k == "errors" else raw.take(k, str)) for k in CONTRACT_FIELDS if k in raw}
    for key, value in contract.items():
        for text in value if isinstance(value, list) else [value]:
            check_text(text, raw, key)
    return contract


def resolve(
    functions: dict[str, Function], families: dict[str, dict[str, Any]], blocks: dict[str, Mapping]
) -> dict[str, dict[str, Any]]:
    """The full contract of each function that has one: its family's fields, then those of `like`, then its own.

    A later field replaces an earlier one, except that errors are added.
    """
    done: dict[str, dict[str, Any]] = {}

    def visit(name: str, open_names: tuple[str, ...]) -> dict[str, Any]:
        if name in done:
            return done[name]
        block = blocks[name]
        base = block.take(LIKE, str)
        if base in open_names:
            raise block.error(f"'{LIKE}' forms a cycle: {' -> '.join((*open_names, base))}", LIKE)
        if base is not None and base not in blocks:
            raise block.error(f"'{LIKE}' names {base}, which has no contract", LIKE)
        layers = [families[functions[name].family], functions[name].own_contract]
        if base is not None:
            layers.insert(1, visit(base, (*open_names, base)))
        merged = {key: value for layer in layers for key, value in layer.items()}
        if "errors" in merged:
            merged["errors"] = list(dict.fromkeys(e for layer in layers for e in layer.get("errors", [])))
        done[name] = {key: merged[key] for key in CONTRACT_FIELDS if key in merged}
        return done[name]

    for name in blocks:
        visit(name, (name,))
    return done
