# SPDX-License-Identifier: BSD-3-Clause
"""Calls in which two parameters are the same tensor."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from adaptor.codegen.model import Function, Param

from ...cases.case import Case, TensorSpec
from .templates import Template

SIZE = 4  # the size of every dimension, if two inputs have the same shape only when all sizes are equal


def _alike(p: Param, q: Param) -> bool:
    return p.is_tensor and q.is_tensor and p.dir == q.dir == "in" and set(p.dtypes or ()) == set(q.dtypes or ())


def no_twins(function: Function) -> str | None:
    if any(_alike(p, q) for p, q in itertools.combinations(function.params, 2)):
        return None
    return "no two inputs are tensors that accept the same dtypes"


def _twins(case: Case) -> Iterator[tuple[Param, Param]]:
    """The pairs of inputs that may be the same tensor: they have equal shapes and dtypes."""
    for p, q in itertools.combinations(case.function.params, 2):
        first, second = case.arguments.get(p.name), case.arguments.get(q.name)
        if (
            _alike(p, q)
            and isinstance(first, TensorSpec)
            and isinstance(second, TensorSpec)
            and None not in (first.shape, second.shape)
            and (first.shape, first.dtype) == (second.shape, second.dtype)
        ):
            yield p, q


def has_twins(case: Case) -> bool:
    return any(True for _ in _twins(case))


def same_input(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[Case]:
    """Calls with one tensor as two inputs. The contract always allows this for two inputs that are only read."""
    case = template.linked(template.case)
    if not has_twins(case):
        case = template.renamed(lambda n: SIZE if n > 1 else n) or case
    for p, q in _twins(case):
        # The shared tensor gets the numbers of the parameter with the narrower range of numbers.
        drawn, other = sorted(
            (p, q), key=lambda i: (i.name not in template.rules.ranges, case.arguments[i.name].gen is None)
        )
        yield replace(
            case,
            id=f"hostile_same_input,{p.name}={q.name},{template.case.id}",
            dtypes=case_dtypes,
            arguments={**case.arguments, other.name: TensorSpec(same=drawn.name)},
            layouts=("contiguous", "transposed"),
            hostile="same_input",
        )


def _other_dtype(case: Case, out: str, spec: TensorSpec) -> bool:
    """Whether the case gives the input or the output a dtype that differs from the dtype of the case."""
    requested = case.arguments.get(out)
    return spec.dtype is not None or (isinstance(requested, TensorSpec) and requested.dtype is not None)


def no_separate_output(function: Function) -> str | None:
    inputs = any(p.is_tensor and p.dir == "in" for p in function.params)
    if inputs and any(p.is_tensor and p.dir == "out" for p in function.params):
        return None
    return "it reads no tensor, or it has no output separate from the tensors that it reads"


def out_is_input(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[Case]:
    """Calls whose output is the same tensor as an input, for the pairs that the rules list in `aliases`."""
    case = template.renamed(lambda n: SIZE if n > 1 else n) if template.rules.square else template.linked(template.case)
    if case is None:
        return
    for out, inputs in template.rules.aliases.items():
        for name in inputs:
            spec = case.arguments.get(name)
            if isinstance(spec, TensorSpec) and spec.same is None and not _other_dtype(case, out, spec):
                yield replace(
                    case,
                    id=f"hostile_out_is_input,{out}={name},{template.case.id}",
                    dtypes=case_dtypes,
                    arguments={**case.arguments, out: TensorSpec(same=name)},
                    layouts=("contiguous", "transposed", "sliced"),
                    hostile="out_is_input",
                )
