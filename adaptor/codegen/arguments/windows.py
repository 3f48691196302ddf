# SPDX-License-Identifier: BSD-3-Clause
"""The rules about windows, and the shapes of results that windows make, as C++ statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..rules.values import Length
from ..rules.windows import KernelFits, PaddingBelowHalf
from .statements import RESULT, SHAPE, Statement, quoted, statements
from .struct import is_view
from .terms import NotGenerated

if TYPE_CHECKING:
    from .reader import Reader


def spatial_dims(name: str, reader: Reader) -> int:
    """The number of dimensions for which a list may have entries: the greatest length that the list may have."""
    for check in reader.form.checks:
        rule = check.rule
        if isinstance(rule, Length) and rule.of == name:
            return max(rule.within) if rule.within else int(str(rule.value))
    raise NotGenerated(f"the length of {name}")


def _named(name: str | None, spatial: int, reader: Reader) -> str:
    """The name and the values of a list as a C++ expression."""
    if name is None:
        return "{}"
    values = f"last_extents({reader.view(name)}, {spatial})" if is_view(reader.param(name)) else name
    return f"{{{quoted(name)}, {values}}}"


@statements.register(KernelFits)
def _(rule: KernelFits, reader: Reader) -> list[Statement]:
    spatial = spatial_dims(rule.padding, reader)
    names = (rule.kernel, rule.stride, rule.padding, rule.dilation)
    lists = ", ".join(_named(name, spatial, reader) for name in names)
    windows = f"WindowLists{{{spatial}, {lists}, {rule.ceil_mode or 'false'}}}"
    return [Statement(SHAPE, f"fit_windows({reader.view(rule.of)}, {windows}, &args->windows)")]


@statements.register(PaddingBelowHalf)
def _(rule: PaddingBelowHalf, reader: Reader) -> list[Statement]:
    spatial = spatial_dims(rule.param, reader)
    if _kernel_fits(reader) is None:
        raise NotGenerated("windows that the family computes")
    padding, kernel = (_named(name, spatial, reader) for name in (rule.param, rule.kernel))
    return [Statement(RESULT, f"require_padding_below_half(args->windows, {padding}, {kernel})")]


def _kernel_fits(reader: Reader) -> KernelFits | None:
    rules = (c.rule for c in reader.form.checks)
    return next((r for r in rules if isinstance(r, KernelFits)), None)


def windowed_shape(reader: Reader) -> str | None:
    """The shape of the result of a convolution or pooling as a C++ expression; None for other functions."""
    rule = _kernel_fits(reader)
    if rule is None:
        return None
    spatial = spatial_dims(rule.padding, reader)
    weighted = is_view(reader.param(rule.kernel))
    channels = (
        f"extent({reader.view(rule.kernel)}, 0)" if weighted else f"extent({reader.view(rule.of)}, {-spatial - 1})"
    )
    return f"windowed_shape({reader.view(rule.of)}, {channels}, args->windows)"
