# SPDX-License-Identifier: BSD-3-Clause
"""The `contract` of an entry: its fields, and the fields that it takes over from its family or from another entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    "checks",
    "source",
    "notes",
)
LIKE = "like"
CHECKS = ("checks", "checks_of")  # which the package `rules` reads


def read_contract(raw: Mapping, extra: tuple[str, ...] = ()) -> dict[str, str]:
    """The texts of a `contract` block in their order; `extra` names further fields that it may have."""
    raw.check_keys((), (*extra, *CHECKS, *CONTRACT_FIELDS))
    contract = {k: raw.take(k, str) for k in CONTRACT_FIELDS if k in raw and k not in CHECKS}
    for key, text in contract.items():
        check_text(text, raw, key)
    return contract


def resolve(
    functions: dict[str, Function], families: dict[str, dict[str, str]], blocks: dict[str, Mapping]
) -> dict[str, dict[str, str]]:
    """The full contract of each function that has one: its family's fields, then those of `like`, then its own.

    A later field replaces an earlier one. Checks, which are added, are no part of this.
    """
    done: dict[str, dict[str, str]] = {}

    def visit(name: str, open_names: tuple[str, ...]) -> dict[str, str]:
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
        done[name] = {key: merged[key] for key in CONTRACT_FIELDS if key in merged}
        return done[name]

    for name in blocks:
        visit(name, (name,))
    return done
