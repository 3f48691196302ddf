# SPDX-License-Identifier: BSD-3-Clause
"""Rules about the windows of convolutions and pooling.

A list of one entry stands for all dimensions; an empty stride is the size of the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .base import Rule, rule
from .fields import Parameter, field, has_shape, is_list, tensor


def _list(**options: Any) -> Any:
    return field(Parameter(is_list, "list of integers"), **options)


@rule("padding_below_half", "below-half")
@dataclass(frozen=True)
class PaddingBelowHalf(Rule):
    """The padding is at most half of the kernel, which dilation enlarges."""

    param: str = _list()
    kernel: str = field(Parameter(has_shape, "kernel"))
    dilation: str | None = _list(default=None)

    def requirement(self) -> str:
        return f"{self.param} must be at most half of {self.kernel}{_dilated(self.dilation)}"


@rule("kernel_fits", "fits-kernel")
@dataclass(frozen=True)
class KernelFits(Rule):
    """The kernel, which dilation enlarges, has elements and is not larger than the padded input. The kernel is a list
    of integers, or a weight whose last extents it is; with `ceil_mode`, less than a stride of the window may lie
    outside."""

    of: str = tensor()
    kernel: str = field(Parameter(has_shape, "kernel"))
    stride: str = _list()
    padding: str = _list()
    dilation: str | None = _list(default=None)
    ceil_mode: str | None = field(Parameter(lambda p: p.type.removeprefix("const ") == "bool", "flag"), default=None)

    def requirement(self) -> str:
        return f"the padded {self.of} must have room for {self.kernel}{_dilated(self.dilation)}"


def _dilated(dilation: str | None) -> str:
    return f", enlarged by {dilation}" if dilation else ""
