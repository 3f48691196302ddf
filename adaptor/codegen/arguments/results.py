# SPDX-License-Identifier: BSD-3-Clause
"""The rule that a tensor has the shape of a result, as C++ statements: for results whose shape follows from the shapes
of tensors and from attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..rules.shapes import ResultShape
from . import losses, reductions
from .statements import RESULT, Statement, statements
from .struct import is_view
from .terms import NotGenerated
from .windows import spatial_dims, windowed_shape

if TYPE_CHECKING:
    from .reader import Reader


def result_shape(function: str, reader: Reader) -> str | None:
    """The shape of the result of a function as a C++ expression; None if it has no formula here."""
    if function == "diopiMatmul":
        return f"matmul_shape({reader.view('input')}.shape, {reader.view('other')}.shape)"
    if function.startswith(("diopiAdaptiveAvgPool", "diopiAdaptiveMaxPool")):
        return f"resized_shape({reader.view('input')}, {spatial_dims('output_size', reader)}, output_size)"
    if function == "diopiMultinomial":
        return f"with_last_extent({reader.view('input')}.shape, num_samples)"
    if function == "diopiLayerNormGB":  # of its statistics
        return f"part_of({reader.view('input')}.shape, 0, static_cast<int>(args->begin_norm_axis))"
    if reader.operator.main.family == "im2col":  # the result lists the elements of windows
        return None
    return windowed_shape(reader)


@statements.register(ResultShape)
def _(rule: ResultShape, reader: Reader) -> list[Statement]:
    if not is_view(reader.param(rule.of)):
        raise NotGenerated("the shapes of a list")
    call = reductions.result_shape(rule, reader) or losses.result_shape(rule, reader)
    shape = None if call or rule.keepdim else result_shape(rule.function or reader.form.name, reader)
    if shape is not None:
        view = reader.view(rule.of)
        is_result = reader.may_be_vector(rule.of) or rule.function is not None
        result = f"require_result_shape(&{view}" if is_result else f"require_shape({view}"
        call = f"{result}, {shape})"
    if call is None:
        raise NotGenerated("a shape that the family computes")
    return [Statement(RESULT, call)]
