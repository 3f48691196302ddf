# SPDX-License-Identifier: BSD-3-Clause
"""The errors of an operator in the registry: one sentence for each, including those that refer to another operator."""

from __future__ import annotations

import re

from adaptor.codegen.model import Function, Registry

_THOSE_OF = re.compile(r"those of (diopi\w+)\.?")


def preconditions(registry: Registry, function: Function) -> tuple[str, ...]:
    """The sentences of `errors`; "those of diopiIndex" stands for the sentences of diopiIndex.

    A check stands here with its identifier, without the name of the function.
    """
    result: dict[str, None] = dict.fromkeys(check.slug for check in function.checks)
    for sentence in function.contract.get("errors", []):
        other = _THOSE_OF.fullmatch(sentence)
        taken = preconditions(registry, registry.functions[other[1]]) if other else (sentence,)
        result.update(dict.fromkeys(taken))
    return tuple(result)
